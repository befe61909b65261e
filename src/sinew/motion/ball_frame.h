#pragma once

#include "sinew/body/kinematics.h"
#include "sinew/body/musculoskeletal.h"

#include <array>

namespace sinew {

/// A rotation of a ball joint as a twist about the child's shaft and then a swing of the shaft
/// [Ryu2021, Fig. 7].
struct BallTurn {
    double swing = 0.0;      ///< rad, in [0, pi], away from the rest direction
    double direction = 0.0;  ///< rad, of the axis of the swing, from the joint's first axis
    double twist = 0.0;      ///< rad, in [-pi, pi]
};

/// Swings and twists of a ball joint, or of a custom joint that turns about three axes at about
/// right angles.
class BallFrame {
public:
    /// @param joint  index of the model's joint
    /// @throws InputError  for other joints
    BallFrame(const MusculoskeletalModel& model, std::size_t joint);

    /// Whether a joint is one.
    static bool is_ball(const MusculoskeletalModel& model, std::size_t joint);

    const std::array<Index, 3>& coordinates() const {
        return coordinates_;
    }
    /// Values of the three coordinates.
    Vec3 angles(const BallTurn& turn) const;
    BallTurn turn(const Vec3& angles) const;

    /// As matrices in the joint's own frame.
    Mat3 rotation(const BallTurn& turn) const;
    Mat3 rotation(const Vec3& angles) const;
    Vec3 angles(const Mat3& R) const;
    BallTurn turn(const Mat3& R) const;
    /// Where the shaft points at rest.
    const Vec3& shaft() const {
        return shaft_;
    }
    /// The axis of swings of direction 0, and of a quarter turn.
    const Vec3& first() const {
        return first_;
    }
    const Vec3& second() const {
        return second_;
    }

private:
    std::array<Index, 3> coordinates_ = {};
    std::array<Vec3, 3> axes_ = {};
    Vec3 shaft_ = Vec3::UnitZ();
    Vec3 first_ = Vec3::UnitX();
    Vec3 second_ = Vec3::UnitY();
};

}  // namespace sinew
