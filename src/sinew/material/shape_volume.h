#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// Distance to the nearest rotation and to the nearest matrix of given determinant.
///
///   psi(F) = w_rot/2 |F - R|^2 + w_vol/2 |F - P|^2,   det P = ratio      [Saito2015, eqs. 2-4, 6]
///
/// With ratio = 1 its moduli at small strain are mu = w_rot / 2 and lambda = w_vol / 3.
class ShapeVolume final : public Material {
public:
    /// @param rotation  w_rot, Pa, >= 0
    /// @param volume    w_vol, Pa, >= 0
    /// @param ratio     > 0
    ShapeVolume(double rotation, double volume, double ratio = 1.0)
        : rotation_(rotation), volume_(volume), ratio_(ratio) {}

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    double rotation_;
    double volume_;
    double ratio_;
};

}  // namespace sinew
