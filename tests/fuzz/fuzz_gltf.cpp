#include "sinew/io/bind_pose.h"
#include "sinew/io/gltf.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_gltf(const std::uint8_t* data, std::size_t size) {
    feed(data, size, [](std::string_view bytes, const char* where) {
        return rest_parts(parse_gltf(bytes, where), where);
    });
    return feed(data, size, [](std::string_view bytes, const char* where) {
        return bound_parts(parse_gltf(bytes, where), where);
    });
}
