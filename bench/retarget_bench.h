#pragma once

#include "sinew/base/progress.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/retarget_people.h"

namespace sinew::bench {

/// The musculature of the MASS model in bodies of other proportions [Ryu2021, 6.1-6.2], every
/// waypoint on one bone as files hold it, its maximal lengths from recorded poses [Ryu2021, 4.2].
struct RetargetBench {
    struct Character {
        std::string name = {};
        double seconds = 0.0;                          ///< of the retargeting, wall clock
        std::array<double, 2> correlation_naive = {};  ///< of curves: median, 5th percentile
        std::array<double, 2> correlation = {};
        double range_naive = 0.0;  ///< worst joint, fraction of poses that change their answer
        double range = 0.0;
        double peak_naive_deg = 0.0;
        double peak_deg = 0.0;
        double farthest_waypoint = 0.0;     ///< from where its bone took it, m
        double farthest_over_length = 0.0;  ///< the same over the path's length at rest
        std::string farthest_muscle = {};
        double bone_depth_naive = 0.0;  ///< of lines in bones over length, mean
        double bone_depth = 0.0;
        double bone_inside_naive = 0.0;  ///< fraction of lines inside bones
        double bone_inside = 0.0;
        int doctor_errors = 0;  ///< found by examine_model
    };
    /// Accelerations that muscles reach in the paper's three characters [Ryu2021, 6.3].
    struct SkillRow {
        std::string character = {};
        std::string name = {};
        double reference = 0.0;  ///< fraction of frames
        double naive = 0.0;
        double retargeted = 0.0;
    };
    /// The hip's map of 18 x 36 x 36 cells in a body with another femur [Ryu2021, Fig. 12].
    struct Hip {
        double elongation = 1.0;
        double torsion_deg = 0.0;
        double naive = 0.0;  ///< fraction of cells that change their answer
        double retargeted = 0.0;
        double blended = 0.0;  ///< with waypoints that follow two bones, as the paper's
    };
    /// A muscle in a body with other limbs [Ryu2021, Fig. 15]: the worst of its motions.
    struct Disorder {
        std::string muscle = {};
        double limb_length = 1.0;
        double naive = 0.0;  ///< fraction of the range
        double retargeted = 0.0;
    };
    int muscles = 0;
    int poses = 0;  ///< recorded and mirrored, whose lengths are the reference's
    double bone_depth_reference = 0.0;   ///< of lines in bones over length, mean
    double bone_inside_reference = 0.0;  ///< fraction of lines inside bones
    int doctor_errors_reference = 0;
    std::vector<Character> characters = {};
    double seconds_worst_character = 0.0;
    std::array<double, 2> correlation = {};  ///< of all characters' curves, the worst of three
    double peak_torque_deg = 0.0;            ///< the worst of three
    /// Time of descent with differenced gradients over that of our minimiser, on the same energies
    /// down to the same value (or 1000 steps), some muscles of the first character.
    double finite_difference_speedup = 0.0;
    int finite_difference_muscles = 0;
    double hip_valid_fraction = 0.0;          ///< cells that the reference allows
    double hip_valid_fraction_blended = 0.0;  ///< before its waypoints were parted
    double rom_error_parting = 0.0;           ///< between these two
    double rom_error_naive = 0.0;             ///< worst
    double rom_error = 0.0;                   ///< worst
    double rom_error_blended = 0.0;           ///< worst, with waypoints that follow two bones
    double rom_edit_error = 0.0;              ///< cone tilted by 30 degrees, 0.63 as wide
    double rom_edit_error_blended = 0.0;
    std::vector<Hip> hips = {};
    std::vector<Disorder> disorders = {};
    std::vector<SkillRow> skills = {};
    std::vector<ExamBench> exams = {};
    XrayBench xray = {};
    ValidityBench validity = {};
    std::vector<OtherBodyBench> others = {};
};

/// @param data  folder with `mass`; recordings are those of `motion` beside it, else the model's
/// own
/// @throws InputError when it lacks it; Cancelled
RetargetBench run_retarget_bench(const std::filesystem::path& data, bool is_short,
                                 const Progress& progress = {});

}  // namespace sinew::bench
