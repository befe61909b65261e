#include "sinew/io/skel_files.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

namespace {

// What was accepted keeps its promises: a valid skeleton; ascending times, one turn per joint.
void check(const sinew::CharacterMotion& motion, const sinew::CharacterSkeleton& skeleton) {
    if (motion.keys.empty() || motion.keys.size() != motion.times.size()) {
        __builtin_trap();
    }
    for (const sinew::JointRotations& key : motion.keys) {
        sinew::require_valid(sinew::pose_of(skeleton, key), skeleton);
    }
}

}  // namespace

int sinew::fuzz::feed_skel(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sinew::CharacterSkeleton two;
    two.joints = {{.name = "a", .parent = -1, .position = sinew::Vec3(0, 0, 0)},
                  {.name = "b", .parent = 0, .position = sinew::Vec3(0, 1, 0)}};
    sinew::fuzz::may_refuse([&] { sinew::require_valid(sinew::parse_skel(text, "fuzz"), "fuzz"); });
    sinew::fuzz::may_refuse([&] { check(sinew::parse_anim(text, "fuzz", two), two); });
    return 0;
}
