#include "sinew/io/bvh.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_bvh(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sinew::MotionClip clip;
    try {
        clip = sinew::parse_bvh(text, "fuzz");
    } catch (const sinew::InputError&) {
        return 0;
    }
    // What was accepted is a motion, and stays one when written.
    sinew::require_valid(clip, "fuzz");
    sinew::require_valid(sinew::parse_bvh(sinew::format_bvh(clip), "again"), "again");
    return 0;
}
