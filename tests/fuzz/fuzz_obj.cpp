#include "sinew/io/obj.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_obj(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, sinew::parse_obj);
}
