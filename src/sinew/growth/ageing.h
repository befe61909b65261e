#pragma once

#include "sinew/body/body.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew {

// What years make of a person, apart from body fat (composition.h).

/// How much further the thoracic spine is bent than in the young, rad: 0.5 degrees a year from 40
/// years on, after 26.8 degrees at 18 to 35 and 41.9 degrees beyond 65 years [Bartynski2005], at
/// most 25 degrees.
double kyphosis_of_age(double age);

/// Factors across the fibres of the groups of muscles, the square roots of what is left of their
/// volumes. Legs and arms lose by decades as the men of [Kitamura2014] did in six years, the later
/// the more; most is lost in the lower body [Janssen2000], there at the thighs' front and the
/// buttocks [Abe2014], which lose half as much again. Departs: trunk as arms, women as men.
std::vector<std::pair<std::string, double>> muscles_of_age(double age);

/// Shear modulus of fat and the skin that holds it, as it hangs, Pa. Authored: 1000 to 40 years,
/// then falling to a third at 90.
double fat_modulus_of_age(double age);

/// Where fat comes on, with years: more at belly and flanks, less at limbs, buttocks and face.
/// Authored, one part in a hundred a year from 40 on.
/// @param pattern  by person_fat_regions()
std::vector<double> fat_pattern_of_age(std::vector<double> pattern, double age);

/// Sitting height over stature of adolescents: 0.514 (boys) and 0.519 (girls) as puberty begins
/// (here 12 and 11 years), rising to the adults' 0.52 and 0.53 at 18 [Arriba2013].
double sitting_share_of_age(Sex sex, double age);

/// The body with its thoracic spine bent forward by the angle, the same at each of its twelve
/// joints. The neck bends back until the head looks ahead again, arms hang as before. Flesh follows
/// by harmonic weights of the bones. Bodies without these joints come back as they are.
/// @param angle  rad
Body with_kyphosis(const Body& body, double angle);

}  // namespace sinew
