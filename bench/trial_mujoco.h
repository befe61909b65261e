#pragma once

#include "sinew/base/progress.h"
#include "sinew/pipeline/mujoco_check.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::bench {

/// One model in MuJoCo: written by Sinew, or as it is.
struct MujocoRow {
    std::string model;
    bool is_written = true;  ///< false: MuJoCo's own file, read by Sinew
    MujocoCheck check = {};
    std::string refused = {};  ///< why Sinew did not read or write it
};

/// Writes a model (.osim, MASS, .sinew) for MuJoCo and tries it there, or reads a MuJoCo model and
/// compares its lengths with MuJoCo's.
MujocoRow try_mujoco(const std::filesystem::path& file, int poses = 100);

/// The gait models of `data`, its MuJoCo models, and the bodies given.
std::vector<MujocoRow> run_mujoco_trial(const std::filesystem::path& data,
                                        const std::vector<std::filesystem::path>& bodies = {},
                                        const Progress& progress = {});

}  // namespace sinew::bench
