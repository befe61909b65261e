#include "sinew/io/medit.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_medit(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, sinew::parse_medit);
}
