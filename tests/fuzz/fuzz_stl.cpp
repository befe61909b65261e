#include "sinew/io/stl.h"

#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, sinew::parse_stl);
}
