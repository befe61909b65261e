#pragma once

#include "sinew/body/anatomy.h"

#include <optional>

namespace sinew {

/// What an adult of this sex, stature and weight is made of.
struct BodyComposition {
    double mass = 0.0;      ///< kg
    double fat = 0.0;       ///< kg
    double fat_free = 0.0;  ///< kg
};

/// Body mass indices for which ordinary people are made, kg/m^2.
inline constexpr double kLeastBmi = 16.0;
inline constexpr double kMostBmi = 45.0;

/// Fat-free mass goes with stature squared [Heymsfield2007]; at one stature lean and fat mass rise
/// together, the lean one with the logarithm of the fat [Forbes1987]. In masses over stature
/// squared (kg/m^2), with l and f of young adults (18.9 and 4.0 of men, 15.4 and 5.5 of women
/// [Schutz2002, medians]):
///
///   lean = l + k log(fat / f),    lean + fat = mass,    k = 10.4 kg / (1.64 m)^2
///
/// so that about a quarter to a third of what is gained is lean. Of somebody older than 26 years
/// the fraction of fat is higher by 0.13 (men) and 0.08 (women) points a year [Gallagher2000, terms
/// 0.079 age and 0.05 sex age]. Departs: Forbes' 10.4 kg are of a small sample of women
/// [Broyles2011, abstract]; they are scaled to other statures and used for men too.
/// @param stature  m
/// @param mass     kg
/// @param age      years, where it is known
/// @throws InputError  for Sex::Unknown
BodyComposition expected_composition(Sex sex, double stature, double mass,
                                     std::optional<double> age = {});

}  // namespace sinew
