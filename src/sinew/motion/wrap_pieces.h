#pragma once

#include "sinew/body/kinematics.h"

#include <vector>

namespace sinew {

/// The ends of a straight piece of a path, in the frame of the surface that it goes over, m.
struct WrapPiece {
    Vec3 from = Vec3::Zero();
    Vec3 to = Vec3::Zero();
};

/// The piece of a path that lies under a surface.
struct WrapUse {
    const MuscleUnit* unit = nullptr;
    Index first = 0;
    int count = 0;  ///< of pieces and muscles; 1: one plain piece of one muscle
};

std::vector<WrapUse> uses_of_wraps(const MusculoskeletalModel& model);

/// Per surface that is used once the piece under it, at `poses` random poses; of others none. Draws
/// go beyond the ends of ranges, where they stop: paths flip at ends.
std::vector<std::vector<WrapPiece>> pieces_under_wraps(const MusculoskeletalModel& model,
                                                       const std::vector<WrapUse>& uses, int poses);

/// The same pieces, each followed by four neighbours, of which one end lies 3 degrees further round
/// the surface's third axis in either sense: what poses nobody drew may do.
std::vector<WrapPiece> with_neighbours(const std::vector<WrapPiece>& pieces);
constexpr std::size_t kNeighbours = 4;

/// Of pieces over the surface, m.
double length_over(const WrapObject& object, const WrapPiece& piece);
std::vector<double> lengths_over(const WrapObject& object, const std::vector<WrapPiece>& pieces);

/// The surface with a side point in a direction of its plane, two radii off.
WrapObject with_side_towards(WrapObject object, double angle);

/// Lengths over either side of a cylinder differ by more, m.
constexpr double kSidesApart = 5e-4;

}  // namespace sinew
