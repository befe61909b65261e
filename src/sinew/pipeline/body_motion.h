#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/body/posable_joints.h"
#include "sinew/pipeline/body_display.h"
#include "sinew/skinning/projective_skinning.h"
#include "sinew/skinning/skin_upsampling.h"

#include <array>
#include <memory>
#include <vector>

namespace sinew {

/// A body ready to be moved: its skin by Fast Projective Skinning, its bones rigidly, its muscles
/// blended between the bones from origin to insertion.
class BodyMover {
public:
    /// @param body     at rest, as grown
    /// @param display  what is shown
    /// @param skin     points of the display's skin where the body is at rest
    /// @throws InputError  for a body without the joints of a human
    BodyMover(const Body& body, const BodyDisplay& display, const Points& skin,
              const Points& muscles, const Points& bones, const Progress& progress = {});

    /// The joints and straight bones that carry the skin.
    const CharacterSkeleton& skeleton() const {
        return skeleton_;
    }
    /// One frame further towards this pose; the flesh lags and swings.
    void step(const Pose& pose);
    void step(const JointRotations& rotations);
    /// Points of a layer now: skin, muscles or bones.
    Points points(DisplayLayer layer);

private:
    void step(const CharacterPose& pose, std::vector<Eigen::Isometry3d> segments);
    struct Blend {
        std::array<Index, 4> joint = {-1, 0, 0, 0};
        std::array<float, 4> weight = {1.0f, 0.0f, 0.0f, 0.0f};
    };
    void find_carriers(const Body& body);
    void bind_bones(const Body& body, const BodyDisplay& display);
    void bind_muscles(const Body& body, const BodyDisplay& display);
    std::vector<Index> way_between(Index from, Index to) const;
    Blend blend_at(const Vec3& p, const std::vector<Index>& way) const;

    Skeleton body_skeleton_;
    CharacterSkeleton skeleton_;
    std::vector<Index> joint_segment_ = {};  // of each character joint
    std::vector<Index> segment_joint_ = {};  // of each segment
    std::unique_ptr<ProjectiveSkinning> skinning_;
    std::unique_ptr<SkinUpsampling> upsampling_;
    std::vector<Eigen::Isometry3d> segments_ = {};
    CharacterPose pose_ = {};
    Points muscles_;
    Points bones_;
    std::vector<Index> bone_segment_ = {};  // of each point of the bones
    std::vector<Blend> blends_ = {};        // of each point of the muscles
};

/// A recorded motion on a body. Joints are paired by the names that motion capture uses ("LeftArm",
/// "lShldr", "LeftUpLeg", ...); where a limb of the recording rests in another direction (a T-pose)
/// the difference is taken out. The root's way is scaled by the lengths of the legs.
/// @throws InputError  when fewer than four joints can be paired
CharacterMotion retargeted(const MotionClip& clip, const CharacterSkeleton& skeleton);

}  // namespace sinew
