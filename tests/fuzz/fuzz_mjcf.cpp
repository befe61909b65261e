#include "sinew/io/mjcf.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_mjcf(const std::uint8_t* data, std::size_t size) {
    try {
        sinew::parse_mjcf(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    } catch (const sinew::InputError&) {
    }
    return 0;
}
