#pragma once

#include "sinew/body/musculoskeletal.h"

#include <span>
#include <vector>

namespace sinew {

/// How the shape of one rigid body at rest changes, in the body's own frame: a linear map about the
/// frame's origin, or a long bone with a proximal head, a shaft and a distal head [Ryu2021, 3.2].
///
/// A bone lies along z of `T_body_bone`, its proximal joint in the origin, its distal one at
/// z = length. Heads reach over kHeadFraction of the length at either end and grow by their own
/// factors; the shaft takes what is left of elongation * length. Across, the factor runs smoothly
/// from one head's to the other's, and so does the torsion about z, from 0 to `torsion`.
struct BodyWarp {
    static constexpr double kHeadFraction = 0.12;

    Mat3 linear = Mat3::Identity();  ///< symmetric, positive; of bodies that are no bones
    bool is_bone = false;
    Placement T_body_bone = {};
    double length = 0.0;      ///< m, > 0 of bones
    double elongation = 1.0;  ///< > 0
    double proximal = 1.0;    ///< head scale, > 0
    double distal = 1.0;      ///< head scale, > 0
    double torsion = 0.0;     ///< rad, of the distal end about z

    /// Where a point goes.
    Vec3 operator()(const Vec3& p) const;
    /// How directions at a point rotate: by the torsion there.
    Mat3 turn(const Vec3& p) const;
    /// How lengths at a point grow, before the rotation: symmetric.
    Mat3 stretch(const Vec3& p) const;
    /// The linear map nearest to the whole, torsion left out; its determinant is the ratio of
    /// volumes.
    Mat3 whole() const;

    static BodyWarp scaling(const Vec3& factors);
};

/// The model with all its bodies warped, and all that is fixed to them: joints, mass centres, path
/// points, wrap surfaces, markers, boxes, frames of bushings, meshes. Fibre, tendon and ligament
/// lengths follow the length of their paths at rest. Second moments of mass follow exactly under
/// linear maps, S' = (m'/m) A S A^T with S = tr(I)/2 - I, and under whole() for bones.
/// Shifts of joints keep their course: what a knee's centre moves grows as the bone's end does,
/// where it is goes where the bone's end goes.
/// @param warps        one per body
/// @param mass_ratios  m'/m, one per body, > 0
MusculoskeletalModel warped_model(const MusculoskeletalModel& model,
                                  std::span<const BodyWarp> warps,
                                  std::span<const double> mass_ratios);

}  // namespace sinew
