#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// What anatomy says a muscle does about one kind of coordinate.
struct KnownAction {
    std::string_view motion;  ///< "hip flexion", "hip adduction", "knee", "ankle", "subtalar",
                              ///< "elbow", "wrist"
    int sign = 1;             ///< +1: flexes, adducts, dorsiflexes, inverts; -1: the opposite
};

/// A muscle as anatomy and published models know it, under any of its names.
struct KnownMuscle {
    std::string_view names;               ///< plain names (plain_muscle_name), separated by spaces
    double fmax = 0.0;                    ///< N, of the whole muscle; 0: not listed
    double fibre = 0.0;                   ///< optimal length, m; 0: not listed
    std::array<KnownAction, 2> actions;   ///< where the sign is beyond doubt; motion may be empty
    std::string_view origin_segments;     ///< where it begins: "pelvis femur"; empty: not listed
    std::string_view insertion_segments;  ///< where it ends
};

/// The name without side, numbers and separators, in lower case: "glut_med1_r" -> "glutmed".
std::string plain_muscle_name(std::string_view name);

/// Forces and fibres: legs [Arnold2010; Rajagopal2016], arms [Holzbaur2005]. Actions as in
/// [Gray1918].
/// @returns nullptr for a muscle that is not listed
const KnownMuscle* find_known_muscle(std::string_view name);

/// Which of the motions above a coordinate is, by its name; empty where none.
std::string_view motion_of_coordinate(std::string_view name);

/// Which segment a body is: "pelvis", "femur", "tibia", "foot", "humerus", "forearm", "hand",
/// "scapula", "trunk"; empty where its name says nothing. A patella counts as a tibia.
std::string_view segment_of_body(std::string_view name);

/// Angles that people reach, rad, whichever way a coordinate counts: knees and elbows bend to 150
/// degrees, hips flex to 120 and extend to 20, ankles move by 50 [Boone1979].
double greatest_angle(std::string_view motion);

/// The greatest moment arm of any muscle about a motion above, in a person of ordinary size, m.
double greatest_arm(std::string_view motion);

/// Names that the same thing may have on the other side of the body: "psoas_r" -> "psoas_l",
/// "FemurR" -> "FemurL", "hip_r_flexion" -> "hip_l_flexion".
std::vector<std::string> names_of_other_side(std::string_view name);

}  // namespace sinew
