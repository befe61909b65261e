#include "sinew/io/fbx_points.h"

#include <cstdlib>
#include <string_view>

#include "tests/fuzz/fuzz_targets.h"

// Never throws, and what it returns is finite.
int sinew::fuzz::feed_fbx_points(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const sinew::Points& points : sinew::fbx_geometry_points(bytes)) {
        if (!points.allFinite()) {
            std::abort();
        }
    }
    return 0;
}
