#pragma once

#include "sinew/body/recording.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Of each joint of the skeleton, the name that is its own: the same one, else one that differs
/// only in namespaces ("mixamorig:Hips"), case and gaps, where no other one does so too; -1
/// without.
std::vector<Index> joints_by_name(std::span<const std::string> names,
                                  const CharacterSkeleton& skeleton);

/// How alike two skeletons stand: the mean cosine between the bones that both have, by their
/// lengths; 1 where they have none.
double rest_likeness(const CharacterSkeleton& source, const CharacterSkeleton& target);

/// Takes the motion of one skeleton to another: joints of the same name rotate alike, others follow
/// their parents. Where the two stand differently at rest (arms stretched out sideways, arms
/// hanging) the bones of limbs are led to where the source has them: with d the direction of a bone
/// at rest and G_s the rotation of the source's joint against its rest, in the world,
///
///   T_j = G_s A_j,   A_j d_target = d_source,
///
/// A_j the least rotation that does so after that of the joint before. Bones of trunk, neck and
/// head are not: they differ because people do. A bone across the one before it (a foot) stays as
/// it is unless that is more than 15 degrees off, and then follows the one before it.
///
/// Only one joint, the carrier, has a translation of its own; the target's bones keep their
/// lengths.
class NamedTransfer {
public:
    /// @throws InputError  naming `where`: no joint of the target has the name of one of the source
    NamedTransfer(const CharacterSkeleton& source, const CharacterSkeleton& target, RestPoses rests,
                  std::string_view where);

    /// Of a target's joint; -1: none.
    Index source_of(std::size_t joint) const {
        return source_[joint];
    }
    /// A_j.
    const Eigen::Quaterniond& alignment(std::size_t joint) const {
        return alignment_[joint];
    }
    /// Lengths of the target's bones against those of the source that both have.
    double scale() const {
        return scale_;
    }
    /// The target's joint that the source carries the body by: the first one with a source, or one
    /// below it that holds most of the joints and is moved against its parent (hips that sink above
    /// a root which stays on the floor).
    /// @param is_moved  of each joint of the source: against its parent, in the course of the
    /// motion
    std::size_t carrier(const std::vector<char>& is_moved) const;
    /// @param turns    G_s of each joint of the source
    /// @param way      translation of the source's joint of the carrier from its rest
    /// @param carrier  that the translation is of; 0: the target's first joint
    JointRotations operator()(std::span<const Eigen::Quaterniond> turns, const Vec3& way,
                              std::size_t carrier = 0) const;

private:
    void align(const CharacterSkeleton& source);

    CharacterSkeleton target_;
    std::vector<Index> source_;
    std::vector<Eigen::Quaterniond> alignment_;
    double scale_ = 1.0;
};

/// How many joints of the target have the name of one of the recording.
std::size_t count_named_joints(const Recording& recording, const CharacterSkeleton& target);
/// Whether all joints of the target are in the source by their names, with the same bones at rest
/// up to one scale. Tips of the target may be new: a file's skin gives them to leaves.
bool is_same_skeleton(const CharacterSkeleton& source, const CharacterSkeleton& target);

/// The recording on that skeleton, joint by joint.
/// @throws InputError  when no joint of the recording has the name of a joint of the target
CharacterMotion transfer_by_names(const Recording& recording, const CharacterSkeleton& target,
                                  RestPoses rests);

/// The recording on its own skeleton, whatever that is of: every joint goes where it has it, with
/// all rotations and translations.
/// @param target  the same as the recording's (is_same_skeleton)
CharacterMotion own_motion(const Recording& recording, const CharacterSkeleton& target);

/// Which joints move against their parents, gathered pose by pose.
class MovedJoints {
public:
    /// @param parents  of each joint, -1 for roots
    /// @param rest     T_world_joint
    MovedJoints(std::vector<Index> parents, const std::vector<Eigen::Affine3d>& rest);
    void add(const std::vector<Eigen::Affine3d>& now);
    const std::vector<char>& moved() const {
        return moved_;
    }

private:
    Vec3 in_parent(const std::vector<Eigen::Affine3d>& world, std::size_t joint) const;

    std::vector<Index> parents_;
    std::vector<Vec3> first_;  // positions in the frames of their parents
    double tolerance_ = 0.0;   // m
    std::vector<char> moved_;
};

}  // namespace sinew
