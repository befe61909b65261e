#pragma once

#include "sinew/body/kinematics.h"
#include "sinew/motion/ball_frame.h"
#include "sinew/motion/body_segments.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sinew {

/// Motions of limbs as anatomy names them, whatever a model calls its coordinates. Zero is standing
/// upright, legs straight, arms hanging. Positive: flexion (dorsiflexion), abduction, rotation
/// inwards.
enum class LimbTurn {
    HipFlexion,
    HipAbduction,
    HipRotation,
    KneeFlexion,
    AnkleDorsiflexion,
    ShoulderFlexion,
    ShoulderAbduction,
    ShoulderRotation,
    ElbowFlexion
};
inline constexpr std::size_t kLimbTurns = 9;
std::string_view name_of(LimbTurn turn);  ///< "hip flexion", ...

struct LimbAngle {
    LimbTurn turn = LimbTurn::HipFlexion;
    BodySide side = BodySide::Right;
    double angle = 0.0;  ///< rad
};

/// Puts limbs of a model into anatomical angles. Joints are found by the segments they join
/// (find_segments), directions from gravity and from left and right limbs; a model with one side
/// only is taken to look along x in OpenSim's files (z to the right), along z in others. Of a ball
/// joint all three angles count, R = R_flexion R_abduction R_rotation about axes of its parent; of
/// other joints the coordinate whose axis is nearest. Hips, knees and ankles have their zero where
/// their coordinates are 0, a shoulder where the upper arm points down.
class LimbPoser {
public:
    explicit LimbPoser(const MusculoskeletalModel& model);

    bool has(LimbTurn turn, BodySide side) const;

    /// Coordinates in which limbs have these angles. A joint that is named has its other angles at
    /// 0; all other coordinates are at rest. What the model lacks is passed over.
    std::vector<double> pose(std::span<const LimbAngle> angles) const;

private:
    struct Limb {
        std::optional<BallFrame> ball = {};
        Mat3 R_frame = Mat3::Identity();  ///< world from the joint's own frame
        Mat3 R_zero = Mat3::Identity();   ///< world, from coordinates of 0 to the anatomical zero
        /// Of joints that are no balls, for flexion, abduction, rotation.
        std::array<Index, 3> coordinates = {-1, -1, -1};
        std::array<double, 3> signs = {1.0, 1.0, 1.0};
    };
    struct Place {
        std::size_t limb = 0;  ///< hip, knee, ankle, shoulder, elbow
        std::size_t kind = 0;  ///< flexion, abduction, rotation
    };
    static Place place_of(LimbTurn turn);
    Limb find_limb(std::size_t limb, BodySide side, const MusculoskeletalModel& model,
                   const std::vector<BodySegment>& segments) const;
    void set(const Limb& limb, const Vec3& angles, BodySide side, std::vector<double>& q) const;
    /// World axis of a motion of one side, so that a rotation about it is positive.
    Vec3 axis_of(std::size_t limb, std::size_t kind, BodySide side) const;

    std::vector<double> rest_;
    std::vector<double> zero_;  ///< 0, or the end of the range nearest to it
    Vec3 left_ = Vec3::UnitX();
    Vec3 up_ = Vec3::UnitY();
    Vec3 forward_ = Vec3::UnitZ();
    std::array<std::array<Limb, 2>, 5> limbs_ = {};  ///< [limb][left, right]
};

}  // namespace sinew
