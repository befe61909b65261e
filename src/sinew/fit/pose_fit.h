#pragma once

#include "sinew/fit/pose_rig.h"

#include <vector>

namespace sinew {

/// Draws a point of the rig's surface to a target: along `normal` alone (point to plane), or in
/// all directions where the normal is 0.
struct RigPull {
    std::array<Index, 3> vertex = {0, 0, 0};
    Vec3 barycentric = Vec3(1, 0, 0);
    Vec3 target = Vec3::Zero();  ///< m
    Vec3 normal = Vec3::Zero();  ///< unit or 0
    double weight = 1.0;         ///< 1/m^2
};

/// What holds the unknowns that the pulls do not decide.
struct RigPrior {
    Eigen::VectorXd angles = {};  ///< to which angles tend, rad
    double angle_weight = 1.0;    ///< times (angle - prior)^2 / sigma^2
    double shape_weight = 1.0;    ///< times (coefficient / sigma)^2
    double scale = 1.0;           ///< to which the scale tends
    double scale_sigma = 0.1;     ///< of its logarithm
    bool moves_angles = true;     ///< false: placement only
    bool moves_shape = true;
};

/// Half the weighted sum of squares of pulls and prior, without unit.
double pull_cost(const PoseRig& rig, const PoseRig::Placement& placement,
                 const std::vector<RigPull>& pulls, const RigPrior& prior);

/// Gradient of pull_cost by the step of PoseRig::moved, and the Gauss-Newton matrix.
struct PullSystem {
    Eigen::MatrixXd H = {};
    Eigen::VectorXd g = {};
};
PullSystem pull_system(const PoseRig& rig, const PoseRig::Placement& placement,
                       const std::vector<RigPull>& pulls, const RigPrior& prior);

/// One damped Gauss-Newton step that lowers the cost, with angles within their limits: those at a
/// limit that the gradient presses on stay there.
RigState improved(const PoseRig& rig, const RigState& state, const std::vector<RigPull>& pulls,
                  const RigPrior& prior);

}  // namespace sinew
