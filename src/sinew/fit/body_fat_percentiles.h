#pragma once

#include "sinew/body/anatomy.h"

#include <array>

namespace sinew {

/// Percentiles that tables of people give.
inline constexpr std::array<double, 7> kPercentiles = {5, 10, 25, 50, 75, 90, 95};

/// Fraction of fat at each of kPercentiles, of 2735 men and 2490 women, western European adults, by
/// bioelectrical impedance [Kyle2001, as Komaritzan, section 4.3.2, quotes it].
/// @throws InputError  for Sex::Unknown
const std::array<double, 7>& kyle_body_fat(Sex sex);

/// How many percent of them have less fat, by linear interpolation; 5 stands for all below, 95 for
/// all above what the table has.
/// @param body_fat  fraction of the mass
double kyle_percentile(Sex sex, double body_fat);

}  // namespace sinew
