#pragma once

#include "sinew/body/figure_table.h"

namespace sinew {

struct LimbLengths {
    double arm_length = 1.0;  ///< shoulder to wrist, ratio, > 0
    double leg_length = 1.0;  ///< hip to ankle, ratio, > 0
};

/// Stretches arms between shoulder and wrist and legs between hip and ankle along their own
/// direction; hands and feet keep their size. Thickness stays, volumes of what is stretched grow
/// with the length. Soles stay on y = 0 and the stature changes with the legs.
void stretch_limbs(FigureTable& table, const LimbLengths& lengths);

/// Turns the stored figure into that of another sex: widths and depths of the trunk, positions of
/// shoulders and hips, muscle volumes, fat, breasts, stature, all from the table's variant.
/// @throws InputError  when the table has none for this sex
void apply_variant(FigureTable& table, Sex sex);

}  // namespace sinew
