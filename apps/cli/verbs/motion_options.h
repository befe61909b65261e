#pragma once

#include "sinew/io/json_schema.h"
#include "sinew/io/motion_files.h"
#include "sinew/pipeline/skin_run.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// How recordings are put on skeletons, as every verb that plays one offers it.
struct MotionFileOptions {
    std::string joint_names;
    std::string feet = "keep";
    std::string rest = "align";
    std::string animation;

    void add_to(std::vector<Option>& options) {
        options.push_back({.name = "--joint-names",
                           .help = "a table of your own of joint names, before those that are "
                                   "known (docs/motion.md)",
                           .target = &joint_names,
                           .metavar = "FILE"});
        options.push_back({.name = "--feet",
                           .help = "keep: feet that stand in a recording stand still on the "
                                   "ground; free: they go where their legs take them",
                           .target = &feet,
                           .choices = {"keep", "free"}});
        options.push_back({.name = "--rest",
                           .help = "recordings that stand differently at rest than the character "
                                   "(arms sideways, arms hanging): align leads its limbs to where "
                                   "they have them; same: their zero pose is its rest",
                           .target = &rest,
                           .choices = {"align", "same"}});
        options.push_back({.name = "--animation",
                           .help = "which one of a .glb, .gltf or .fbx file, by its name; without "
                                   "it the first that moves joints",
                           .target = &animation,
                           .metavar = "NAME"});
    }
    MotionOptions options(const ReadOptions& read = {}) const {
        MotionOptions all{.read = read, .animation = animation, .joint_names = joint_names};
        all.retarget.rests = rest == "same" ? RestPoses::Same : RestPoses::Aligned;
        all.retarget.keep_contacts = feet == "keep";
        return all;
    }
};

/// What was done with a recording; nothing for motions that are none.
inline void add_retarget_report(const RetargetReport& report, nlohmann::ordered_json& result) {
    if (const auto summary = recording_summary(report)) {
        add_fields(*summary, result["recording"] = nlohmann::ordered_json::object());
    }
}

}  // namespace sinew::cli
