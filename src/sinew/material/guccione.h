#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// Constants of passive myocardium.
struct GuccioneConstants {
    double C = 0.0;    ///< Pa, > 0
    double bf = 0.0;   ///< along the fibre, > 0
    double bt = 0.0;   ///< across it, > 0
    double bfs = 0.0;  ///< shear between fibre and what is across, > 0
    double K = 0.0;    ///< bulk modulus, Pa, > 0
};

/// Transversely isotropic law of the heart's wall.
///
///   psi = C/2 (e^Q - 1) + K/4 (J^2 - 1 - 2 ln J),
///   Q = bf E11^2 + bt (E22^2 + E33^2 + 2 E23^2) + 2 bfs (E12^2 + E13^2)    [Guccione1995;
///   Land2015]
///
/// E = (F^T F - I) / 2 in axes whose first is the fibre. Departs: the papers are incompressible;
/// here K resists change of volume, and Q takes the whole strain, which is the same as K grows.
/// ln J and e^Q are continued (volume_functions.h, exponential.h).
class Guccione final : public Material {
public:
    /// @param fibre  direction, any length > 0
    /// @throws InputError  outside the ranges above
    Guccione(const GuccioneConstants& constants, const Vec3& fibre);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    GuccioneConstants c_;
    Mat3 axes_;     // columns: fibre, and two across
    Mat3 weights_;  // of the squares of E in these axes
};

}  // namespace sinew
