// One program for all targets, since linking each takes longer than compiling it: its own name (it
// is linked as fuzz_<name>) says which it feeds.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/fuzz/fuzz_targets.h"

namespace {

using Feed = int (*)(const std::uint8_t*, std::size_t);
struct Target {
    const char* name;
    Feed feed;
};
constexpr std::array kTargets = {
    Target{"fuzz_bvh", sinew::fuzz::feed_bvh},
    Target{"fuzz_c3d", sinew::fuzz::feed_c3d},
    Target{"fuzz_documents", sinew::fuzz::feed_documents},
    Target{"fuzz_fbx_points", sinew::fuzz::feed_fbx_points},
    Target{"fuzz_formula", sinew::fuzz::feed_formula},
    Target{"fuzz_gltf", sinew::fuzz::feed_gltf},
    Target{"fuzz_mass", sinew::fuzz::feed_mass},
    Target{"fuzz_medit", sinew::fuzz::feed_medit},
    Target{"fuzz_mjcf", sinew::fuzz::feed_mjcf},
    Target{"fuzz_motion_table", sinew::fuzz::feed_motion_table},
    Target{"fuzz_msh", sinew::fuzz::feed_msh},
    Target{"fuzz_obj", sinew::fuzz::feed_obj},
    Target{"fuzz_off", sinew::fuzz::feed_off},
    Target{"fuzz_osim", sinew::fuzz::feed_osim},
    Target{"fuzz_ply", sinew::fuzz::feed_ply},
    Target{"fuzz_point_cache", sinew::fuzz::feed_point_cache},
    Target{"fuzz_settings", sinew::fuzz::feed_settings},
    Target{"fuzz_skel", sinew::fuzz::feed_skel},
    Target{"fuzz_stl", sinew::fuzz::feed_stl},
    Target{"fuzz_studio", sinew::fuzz::feed_studio},
    Target{"fuzz_tetgen", sinew::fuzz::feed_tetgen},
    Target{"fuzz_trc", sinew::fuzz::feed_trc},
    Target{"fuzz_trial_setups", sinew::fuzz::feed_trial_setups},
    Target{"fuzz_vtu", sinew::fuzz::feed_vtu},
};

Feed chosen = nullptr;  // libFuzzer hands nothing over from one function to the other

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
    const std::string name = std::filesystem::path((*arguments)[0]).filename().string();
    for (const Target& target : kTargets) {
        if (name == target.name) {
            chosen = target.feed;
        }
    }
    if (chosen == nullptr) {
        std::fprintf(stderr, "%s names no target; call it by one of:", name.c_str());
        for (const Target& target : kTargets) {
            std::fprintf(stderr, " %s", target.name);
        }
        std::fputs("\n", stderr);
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return chosen(data, size);
}
