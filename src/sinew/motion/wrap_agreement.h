#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// Changes cylinders over which a path may go either way in rare poses, so that it does not.
///
/// Two rules say on which side of a cylinder a path passes: halves (side_axis, side_sign) as
/// OpenSim has them, and side points as MuJoCo has them. Both look at tangent points, and both err
/// where these come to lie nearly opposite to each other: paths then jump to the other side. Of
/// cylinders whose rules disagree by more than 0.5 mm at one of 10000 random poses or beside it,
/// the side turns about the axis and the radius becomes less, by a fifth at most, until there is a
/// side point with which they agree at all of them; among those that do, lengths stay nearest to
/// what they were. Where that does not do, the radius may be halved and fewer poses are asked:
/// not those beside, then every fourth. Where nothing does, not even a fifth of the radius, the
/// cylinder is left out (is_active). Left and right get the same. Surfaces that share a piece of a
/// path with others, or that several muscles use, stay.
/// @returns how many cylinders were changed
int make_sides_agree(MusculoskeletalModel& model);

}  // namespace sinew
