#pragma once

#include "sinew/body/kinematics.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace sinew {

/// Equations of motion of a model's bodies: M(q) q'' + c(q, q') = tau, where c holds velocity terms
/// and gravity. Newton and Euler per body, summed down the tree [Featherstone2008, chapters 5, 6].
class RigidDynamics {
public:
    RigidDynamics(const MusculoskeletalModel& model, const KinematicTree& tree);

    /// The generalised forces that the motion needs, N m or N per coordinate. Entries of coupled
    /// coordinates are 0; what they need is counted to those they follow.
    std::vector<double> inverse(const ModelPlacement& placement, std::span<const double> speed,
                                std::span<const double> acceleration) const;

    /// M(q), symmetric; coupled coordinates have empty rows. kg m^2 (or kg m, kg).
    Eigen::MatrixXd mass_matrix(const ModelPlacement& placement) const;

    double total_mass() const;

private:
    const KinematicTree* tree_;
    std::vector<double> mass_ = {};
    std::vector<Vec3> com_ = {};
    std::vector<Mat3> inertia_ = {};
    Vec3 gravity_ = Vec3::Zero();
};

}  // namespace sinew
