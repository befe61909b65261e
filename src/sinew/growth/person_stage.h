#pragma once

#include "sinew/growth/grow.h"

namespace sinew {

/// Least stature of people that are made, m: below it proportions are those of children.
inline constexpr double kLeastStature = 1.40;

namespace growth_stages {

/// Whether the plan has targets of a person and the body can become one: its sex is known and it
/// has what measures need.
bool makes_person(const Body& body, const GrowthPlan& plan);

/// @throws InputError  for targets that contradict each other, that this body cannot have, or that
///                     are out of range
void check_person(const Body& body, const GrowthPlan& plan);

/// The person of the plan's stature, weight, body fat, muscle mass, age and measures. What is not
/// given: the stature stays; the weight goes with the square of the stature, or keeps the lean mass
/// where a body fat is given alone; body fat is that of people of this sex, stature, weight and age
/// where a weight or an age is given, else it stays (composition.h). Regions of fat are grown first
/// and then keep their pattern.
/// @throws InputError  with the nearest that is reached when a target is missed
Body with_person(const Body& body, const GrowthPlan& plan, GrowthResult& result,
                 const Progress& progress);

}  // namespace growth_stages

}  // namespace sinew
