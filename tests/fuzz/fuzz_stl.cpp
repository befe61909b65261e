#include "sinew/io/stl.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_stl(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, sinew::parse_stl);
}
