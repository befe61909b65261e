#pragma once

#include "sinew/body/body.h"

#include <Eigen/Core>

#include <span>

namespace sinew {

struct LooseTissue {
    TissueShares shares = {};
    double moved = 0.0;  ///< volume that bellies gained from it or lost to it, m^3
};

/// Where bones and muscles around hold a belly, its tetrahedra do not reach the volume asked for.
/// What is loose in the same tetrahedra (generic tissue and fat) then gives way to it, as far as
/// there is any, or fills in behind it. Behind a wasted belly generic tissue comes in even where
/// there was none: so do fat and connective tissue in wasted muscles of the shoulder
/// [Goutallier1994]. Every belly's fractions are multiplied by one number, 4 at most; where nothing
/// loose is left, a belly that lacks volume pushes its neighbours aside, and these take theirs
/// where they have room.
/// @param fraction   of the body's shares, as they are now
/// @param volumes    of its tetrahedra as they are now, m^3
/// @param asked_for  volume of each muscle's belly, m^3; 0: it stays
LooseTissue with_loose_tissue(const Body& body, std::span<const double> fraction,
                              const Eigen::VectorXd& volumes, std::span<const double> asked_for);

}  // namespace sinew
