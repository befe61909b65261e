#pragma once

#include "sinew/material/lame.h"
#include "sinew/material/material.h"

namespace sinew {

/// Neo-Hookean law that separates change of shape from change of volume.
///
///   psi = mu/2 (J^(-2/3) I1 - 3) + kappa/4 (J^2 - 1 - 2 ln J)   [dealii, quasi-static law]
///
/// kappa is the bulk modulus lambda + 2 mu / 3. Departs: J^(-2/3) and ln J are continued below
/// kSmallestVolumeRatio (volume_functions.h).
class IsochoricNeoHookean final : public Material {
public:
    /// @throws InputError  unless mu > 0 and lambda + 2 mu / 3 > 0
    explicit IsochoricNeoHookean(const Lame& lame);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    double mu_;
    double kappa_;
};

}  // namespace sinew
