#pragma once

#include "sinew/body/body.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Muscle volumes of people by magnetic resonance imaging.
struct MuscleSizes {
    /// Of one leg together: V = leg_slope * stature (m) * mass (kg) + leg_constant, m^3.
    double leg_slope = 0.0;
    double leg_constant = 0.0;
    /// Of one leg's muscle, or of several that were measured as one: slope * V + constant, m^3.
    struct Leg {
        std::vector<std::string> names = {};  ///< without side
        double slope = 0.0;
        double constant = 0.0;
    };
    std::vector<Leg> legs = {};
    double of_mass_male = 0.0;  ///< mass of all muscles over that of the body
    double of_mass_female = 0.0;
    std::string source = {};
};

/// Belly volumes that people of this sex, stature and mass have, m^3, one per muscle. Those of the
/// legs follow [Handsfield2014]; several that were measured as one keep their ratio. All others
/// are multiplied by the one number that makes the mass of all muscles that of [Janssen2000].
/// Departs: Handsfield's regressions are of women and men together.
/// @param bellies  as they are, m^3
/// @param density  of muscle, kg/m^3
std::vector<double> expected_bellies(const MuscleSizes& sizes, std::span<const Muscle> muscles,
                                     std::span<const double> bellies, Sex sex, double stature,
                                     double mass, double density);

/// How the note in a body's provenance begins that says whose sizes its muscles were given.
inline constexpr std::string_view kMuscleSizesNote = "muscle sizes: ";
/// Whether the muscles of a body, or of the one that it was made of, were given the sizes of
/// people.
bool has_muscles_of_people(const Body& body);

/// Belly volumes, m^3, of somebody of another size: those of the legs change as people's do between
/// the two sizes [Handsfield2014]; 0 for all others, of which nothing is said.
std::vector<double> legs_of_other_size(const MuscleSizes& sizes, std::span<const Muscle> muscles,
                                       std::span<const double> bellies, double old_stature,
                                       double old_mass, double stature, double mass);

}  // namespace sinew
