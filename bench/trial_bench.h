#pragma once

#include "sinew/base/progress.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sinew::bench {

/// A walking trial against OpenSim's results for it. Rates are per second of one core's time.
struct TrialBench {
    using Named = std::vector<std::pair<std::string, double>>;
    Named moment_error = {};             ///< inverse dynamics, RMS over the reference's peak
    Named estimated_moment_error = {};   ///< the same with the ground reaction estimated
    double estimated_force_error = 0.0;  ///< vertical forces, RMS over body weight
    Named residual_share = {};           ///< peak over body weight (times 1 m)
    double ik_rms_m = 0.0;               ///< of followed markers
    double reference_rms_m = 0.0;        ///< of the same markers in OpenSim's motion
    Named coordinate_error = {};         ///< RMS, degrees or m
    double ik_frames_per_s = 0.0;        ///< of the trial
    double gait2392_frames_per_s = 0.0;  ///< inverse kinematics of 23 coordinates; 0: no such file
    double gait2392_ik_rms_m = 0.0;
    double optimisation_frames_per_s = 0.0;
    double gait2392_optimisation_frames_per_s = 0.0;
    Named peak_of_stance = {};  ///< when a muscle peaks in stance, share of it, right leg
};

/// @param data  folder with trials/gait10dof18musc and opensim
/// @throws InputError when it lacks the trial
TrialBench run_trial_bench(const std::filesystem::path& data, const Progress& progress = {});

}  // namespace sinew::bench
