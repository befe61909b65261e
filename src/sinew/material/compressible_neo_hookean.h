#pragma once

#include "sinew/material/lame.h"
#include "sinew/material/material.h"

namespace sinew {

/// The neo-Hookean law of most finite-element programs.
///
///   psi = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2           [BonetWood1997, compressible law]
///
/// Departs: ln J is continued below kSmallestVolumeRatio (volume_functions.h).
class CompressibleNeoHookean final : public Material {
public:
    /// @throws InputError  unless mu > 0 and lambda + 2 mu / 3 > 0
    explicit CompressibleNeoHookean(const Lame& lame);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    Lame lame_;
};

}  // namespace sinew
