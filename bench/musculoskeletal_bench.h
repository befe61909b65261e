#pragma once

#include "sinew/base/progress.h"

#include <filesystem>

namespace sinew::bench {

/// Times are per call, medians over batches, on one thread.
struct MusculoskeletalBench {
    int units = 0;  ///< muscles of the MASS model
    int coordinates = 0;
    double paths_us = 0.0;                     ///< pose, lengths and Jacobians, blended points
    double fixed_paths_us = 0.0;               ///< the same with points fixed to bones
    double mujoco_tendons_us = 0.0;            ///< the same by MuJoCo: kinematics and tendons
    double paths_speedup = 0.0;                ///< mujoco_tendons_us / fixed_paths_us
    double mujoco_length_error_m = 0.0;        ///< largest difference of fixed paths, 1000 poses
    double blended_length_difference_m = 0.0;  ///< of blended against fixed paths, those poses
    double steps_per_s = 0.0;           ///< MuJoCo steps with our paths and forces, ground contact
    double frames_per_s = 0.0;          ///< static optimisation of the whole model
    double arm_frames_per_s = 0.0;      ///< static optimisation of arm26
    double arm_moment_error = 0.0;      ///< RMS over peak, larger of the two joints
    double arm_activation_error = 0.0;  ///< RMS, largest of the muscles
    double arm_force_error = 0.0;       ///< RMS over peak, largest of the muscles
};

/// @param data  folder with `mass` and `arm26`
/// @throws InputError when it lacks them
MusculoskeletalBench run_musculoskeletal_bench(const std::filesystem::path& data,
                                               const Progress& progress = {});

}  // namespace sinew::bench
