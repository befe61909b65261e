#pragma once

#include "sinew/mesh/arrays.h"

#include <span>

namespace sinew {

/// How a piece of muscle changes by itself: stretched along its fibres and across them.
struct FibreStretch {
    double along = 1.0;   ///< > 0
    double across = 1.0;  ///< > 0

    /// Ratio of volumes.
    double volume() const {
        return along * across * across;
    }
};

/// Growth of a belly by alpha > 0: diag(1, alpha, alpha), volume alpha^2 [Saito2015, eq. 1].
FibreStretch grown_by(double alpha);
/// Contraction by beta > 0: diag(1/beta, sqrt(beta), sqrt(beta)), volume kept
/// [Kadlecek2022, eq. 4.15].
FibreStretch contracted_by(double beta);

/// The one rule of how far an active muscle contracts: beta = 1 + kFullContraction a, a in [0, 1].
/// It is what a belly strives for; its tendons, its bones and what lies around it leave less. A
/// fully active fibre that nothing holds shortens until it has no force left, which is at half to
/// six tenths of the length of greatest force [Zajac1989, active force-length curve]; 1 / 1.8 is
/// 0.56. Its volume stays, so that the belly is then 1.34 times as thick.
inline constexpr double kFullContraction = 0.8;
double contraction_of(double activation);
/// d contracted_by(contraction_of(a)) / da; fields are rates, per unit of activation.
FibreStretch contraction_rate(double activation);

/// The stretch as a matrix: along d d^T + across (I - d d^T), d a unit vector.
Mat3 stretch_tensor(const Vec3& fibre, const FibreStretch& stretch);

/// Weighted mean of deformations: the rotations of their polar decompositions as quaternions,
/// summed and normalised, the stretches linearly [Saito2015, section 3.1; Shoemake1992].
/// @param weights  >= 0, sum > 0
Mat3 blend_deformations(std::span<const Mat3> F, std::span<const double> weights);

/// One part of a tetrahedron that changes.
struct GrowingShare {
    Vec3 fibre = Vec3::UnitX();
    FibreStretch stretch = {};
    double fraction = 0.0;  ///< of the tetrahedron's volume, (0, 1]
};

/// Growth tensor of a tetrahedron: its fractions blended, the rest (1 - sum of fractions)
/// unchanged. The tensors of stretches are symmetric, so their rotations are all the identity.
/// Departs: linear blending loses volume (half of a tetrahedron grown to 2.56 times should give
/// 1.78, but (1/2 + 1.6/2)^2 = 1.69). With `keeps_volume` the blend is widened across the fibre of
/// the largest fraction until its determinant is the weighted mean of volumes.
Mat3 blended_growth(std::span<const GrowingShare> shares, bool keeps_volume = true);
/// How it changes while the stretches of the fractions change.
/// @param rates  of their stretches, one per fraction
Mat3 blended_growth_rate(std::span<const GrowingShare> shares, std::span<const FibreStretch> rates,
                         bool keeps_volume = true);

}  // namespace sinew
