#include "sinew/io/point_cache.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

namespace {

// What was accepted has frames of one size, finite, each with its time.
void check(const sinew::PointCache& cache) {
    if (cache.frames.empty() || cache.frames.size() != cache.times.size()) {
        __builtin_trap();
    }
    for (const sinew::Points& frame : cache.frames) {
        if (frame.rows() != cache.frames[0].rows() || !frame.allFinite()) {
            __builtin_trap();
        }
    }
}

}  // namespace

int sinew::fuzz::feed_point_cache(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const auto parse : {sinew::parse_pc2, sinew::parse_mdd}) {
        sinew::fuzz::may_refuse([&] { check(parse(bytes, "fuzz")); });
    }
    return 0;
}
