#pragma once

#include "sinew/material/lame.h"
#include "sinew/material/material.h"

namespace sinew {

/// Corotated linear elasticity: linear in the stretches, free of any cost for rotations.
///
///   psi = mu |F - R|^2 + lambda/2 tr(R^T F - I)^2                      [Kadlecek2022, eq. 2.8]
///
/// R is the rotation nearest to F (det = +1), so inverted elements are pulled back.
class Corotated final : public Material {
public:
    /// @throws InputError  unless mu > 0 and lambda + 2 mu / 3 > 0
    explicit Corotated(const Lame& lame);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    Lame lame_;
};

}  // namespace sinew
