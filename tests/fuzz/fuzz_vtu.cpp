#include "sinew/io/vtu.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_vtu(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, sinew::parse_vtu);
}
