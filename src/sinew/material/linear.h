#pragma once

#include "sinew/material/lame.h"
#include "sinew/material/material.h"

namespace sinew {

/// Linear elasticity: right for small displacements only, since rotations are taken for strain.
///
///   psi = mu |e|^2 + lambda/2 tr(e)^2,   e = (F + F^T)/2 - I           [Kadlecek2022, eq. 2.5]
class Linear final : public Material {
public:
    /// @throws InputError  unless mu > 0 and lambda + 2 mu / 3 > 0
    explicit Linear(const Lame& lame);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    Lame lame_;
};

}  // namespace sinew
