#pragma once

#include "sinew/body/musculoskeletal.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// What MuJoCo itself makes of a written model. Lengths in m; poses are random within the ranges.
struct MujocoCheck {
    std::string version = {};  ///< of the library; empty: none was found
    std::string refusal = {};  ///< what it said when it did not load the file
    double start_error = 0.0;  ///< greatest residual of an equality where MuJoCo starts, rad or m
    int poses = 0;
    double length_rms = 0.0;
    double length_most = 0.0;
    std::string length_muscle = {};  ///< of the greatest difference
    double share_over_1mm = 0.0;     ///< of muscles and poses
    /// One muscle over the poses, m.
    struct Muscle {
        std::string name;
        std::string lacks = {};  ///< what the format has no word for; empty: nothing
        double rms = 0.0;
        double most = 0.0;
        double share_over_1mm = 0.0;
    };
    std::vector<Muscle> muscles = {};
    /// The same of muscles that the format can express.
    std::size_t expressible = 0;
    double expressible_most = 0.0;
    double expressible_over_1mm = 0.0;
    double arm_rms = 0.0;  ///< of moment arms that either has, m/rad
    /// Isometric at full activation, in greatest forces, where fibres have 0.5 to 1.5 of their
    /// optimal length.
    double force_rms = 0.0;
    /// Seconds that a simulation of 2 s ran before MuJoCo warned: passive, random, full activation.
    std::array<double, 3> ran = {};
    /// Greatest residual of an equality in these simulations, rad or m.
    std::array<double, 3> strayed = {};
};

struct MujocoCheckOptions {
    int poses = 100;
    bool simulates = true;
};

/// Loads libmujoco at run time; nothing links to it. Only the version whose headers Sinew was built
/// with is taken, since others lay their structures out differently.
/// @param model  what the file was written from; joints and muscles are matched by name
MujocoCheck check_in_mujoco(const std::filesystem::path& mjcf, const MusculoskeletalModel& model,
                            const MujocoCheckOptions& options = {});

/// What a muscle's path has that MJCF has no word for, in a few words; empty: nothing.
std::string inexpressible(const MusculoskeletalModel& model, const MuscleUnit& unit);

/// The findings as sentences, for reports.
std::vector<std::string> sentences(const MujocoCheck& check);

}  // namespace sinew
