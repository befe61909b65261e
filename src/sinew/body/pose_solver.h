#pragma once

#include "sinew/body/kinematics.h"

#include <span>
#include <vector>

namespace sinew {

/// A point of the rest pose that moves with a body of the model; -1: the ground.
struct CarriedPoint {
    Index body = -1;
    Vec3 rest = Vec3::Zero();  ///< m, where it is in the rest pose
};

/// What a pose should come near to. Residuals are unit-free: radians, or lengths times weights.
struct PoseGoals {
    struct Direction {
        CarriedPoint from;
        CarriedPoint to;
        Vec3 wanted = Vec3::UnitY();  ///< unit
        double weight = 1.0;
    };
    struct Rotation {
        Index body = 0;
        Mat3 wanted = Mat3::Identity();  ///< from the rest pose, world frame
        double weight = 1.0;
    };
    struct Position {
        CarriedPoint point;
        Vec3 wanted = Vec3::Zero();  ///< m
        double weight = 1.0;         ///< 1/m
        Vec3 axis = Vec3::UnitX();   ///< unit; along it the weight is larger by `axis_weight`
        double axis_weight = 0.0;    ///< 1/m

        Vec3 weighted(const Vec3& v) const {
            return weight * v + axis_weight * axis.dot(v) * axis;
        }
    };
    std::vector<Direction> directions = {};
    std::vector<Rotation> rotations = {};
    std::vector<Position> positions = {};
};

/// Finds coordinates of a model within their limits. Holds scratch memory: one per thread.
class PoseSolver {
public:
    /// The rest pose has the model's default coordinates. Coordinates of joints on the ground have
    /// no limits here: a person may go anywhere.
    explicit PoseSolver(const MusculoskeletalModel& model);

    const ModelPlacement& rest() const {
        return rest_;
    }
    const ModelPlacement& place(std::span<const double> q);
    /// Centre of a joint in the rest pose.
    Vec3 centre(Index joint) const;
    Vec3 position(const ModelPlacement& placement, const CarriedPoint& point) const;
    /// G with R_now = G R_rest.
    Mat3 rotation(const ModelPlacement& placement, Index body) const;

    /// Turns a joint so that its child has the rotation G, as far as its axes and limits let it:
    /// closed forms for one, two or three axes; angles near those in `q`. Joints without such axes
    /// are left alone.
    /// @param parent  G of the parent, I for the ground
    /// @returns G of the child then
    Mat3 turn_joint(Index joint, const Mat3& parent, const Mat3& wanted, std::vector<double>& q);

    /// min_q sum |w r(q)|^2 over the free coordinates, within their limits, from q on: damped
    /// Gauss-Newton steps; coordinates at a limit that the gradient presses on stay there
    /// (projected Newton).
    /// @returns the cost
    double solve(std::span<const Index> free, const PoseGoals& goals, std::vector<double>& q);
    double cost(const PoseGoals& goals, std::span<const double> q);

    double low(Index coordinate) const {
        return low_[at(coordinate)];
    }
    double high(Index coordinate) const {
        return high_[at(coordinate)];
    }

private:
    void want_bodies_of(const PoseGoals& goals);
    void set_angles(const ModelJoint& j, const Mat3& X, std::vector<double>& q) const;
    double residuals(const PoseGoals& goals, const ModelPlacement& placement,
                     Eigen::VectorXd& r) const;
    void jacobian(const PoseGoals& goals, const ModelPlacement& placement,
                  std::span<const Index> column, Eigen::MatrixXd& J) const;
    void add_columns(const ModelPlacement& placement, Index body, const Vec3& p, double weight,
                     bool is_rotation, std::span<const Index> column, Eigen::Index row,
                     Eigen::MatrixXd& J) const;

    MusculoskeletalModel model_;  // joints and coordinates
    KinematicTree tree_;
    ModelPlacement rest_ = {};
    ModelPlacement now_ = {};
    std::vector<double> low_ = {};
    std::vector<double> high_ = {};
    std::vector<char> wanted_ = {};  // bodies that goals ask for, and those that carry them
    Eigen::VectorXd residual_ = {};
    Eigen::MatrixXd jacobian_ = {};
};

}  // namespace sinew
