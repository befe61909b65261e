#include "sinew/io/gltf.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_gltf(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, [](std::string_view bytes, const char* where) {
        return sinew::rest_parts(sinew::parse_gltf(bytes, where), where);
    });
}
