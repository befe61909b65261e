#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// The column of a table that holds a coordinate: its name, or the path of newer files,
/// "/jointset/elbow/elbow_flexion/value"; -1: none.
Index column_of(const MotionTable& table, std::string_view coordinate);

/// Settles whether the angles of a motion are degrees, and refuses what cannot be a motion.
///
/// A header that says so decides. Else values do: what leaves the coordinates' ranges by far as
/// radians, and does not as degrees, is degrees; that and every other decision without a header is
/// told in `table.notes`. Then no angle may lie more than a whole rotation (of the root: ten)
/// beyond its range, and no shift more than 100 m.
/// @throws InputError  naming coordinate, row and value
void settle_angles(MotionTable& table, const MusculoskeletalModel& model);

}  // namespace sinew
