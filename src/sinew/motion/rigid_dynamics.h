#pragma once

#include "sinew/body/kinematics.h"
#include "sinew/motion/body_load.h"
#include "sinew/motion/passive_forces.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace sinew {

/// What a joint passes on, world frame.
struct JointLoad {
    Vec3 force = Vec3::Zero();   ///< of the parent on the child, N
    Vec3 moment = Vec3::Zero();  ///< of the parent on the child about the world's origin, N m
};

/// Equations of motion of a model's bodies: M(q) q'' + c(q, q') = tau, where c holds velocity terms
/// and gravity, and passive forces of the model (PassiveForces) are taken from tau. Newton and
/// Euler per body, summed down the tree [Featherstone2008, chapters 5, 6].
class RigidDynamics {
public:
    RigidDynamics(const MusculoskeletalModel& model, const KinematicTree& tree);

    /// The generalised forces that the motion needs, N m or N per coordinate. Entries of coupled
    /// coordinates are 0; what they need is counted to those they follow.
    /// @param loads  forces from outside, which take part of it
    std::vector<double> inverse(const ModelPlacement& placement, std::span<const double> speed,
                                std::span<const double> acceleration,
                                std::span<const BodyLoad> loads = {}) const;

    /// What every body's joint must pass on for the motion, muscles and constraints together;
    /// ligaments and bushings carry their part beside it.
    /// @returns one per body
    std::vector<JointLoad> joint_loads(const ModelPlacement& placement,
                                       std::span<const double> speed,
                                       std::span<const double> acceleration,
                                       std::span<const BodyLoad> loads = {}) const;

    /// M(q), symmetric; coupled coordinates have empty rows. kg m^2 (or kg m, kg).
    Eigen::MatrixXd mass_matrix(const ModelPlacement& placement) const;

    double total_mass() const;

private:
    std::vector<JointLoad> passed_loads(const ModelPlacement& placement,
                                        std::span<const double> speed,
                                        std::span<const double> acceleration,
                                        std::span<const BodyLoad> loads) const;

    const KinematicTree* tree_;
    PassiveForces passive_;
    std::vector<double> mass_ = {};
    std::vector<Vec3> com_ = {};
    std::vector<Mat3> inertia_ = {};
    Vec3 gravity_ = Vec3::Zero();
};

}  // namespace sinew
