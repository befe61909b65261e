#pragma once

#include "sinew/body/character_skeleton.h"

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

/// Takes the motion of one skeleton to another: joints of the same name turn alike, others follow
/// their parents. Where the two stand differently at rest (arms stretched out sideways, arms
/// hanging) the bones of limbs are led to where the source has them: with d the direction of a bone
/// at rest and G_s the turn of the source's joint against its rest, in the world,
///
///   T_j = G_s A_j,   A_j d_target = d_source,
///
/// A_j the least turn that does so after that of the joint before. Bones of trunk, neck and head
/// are not: they differ because people do. A bone across the one before it (a foot) stays as it is
/// unless that is more than 15 degrees off, and then follows the one before it.
class MotionTransfer {
public:
    /// @throws InputError  naming `where`: no joint of the target has the name of one of the source
    MotionTransfer(const CharacterSkeleton& source, const CharacterSkeleton& target,
                   RestPoses rests, std::string_view where);

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
    /// @param turns  G_s of each joint of the source
    /// @param way    of the source's root from its rest
    JointRotations operator()(std::span<const Eigen::Quaterniond> turns, const Vec3& way) const;

private:
    void align(const CharacterSkeleton& source);

    CharacterSkeleton target_;
    std::vector<Index> source_;
    std::vector<Eigen::Quaterniond> alignment_;
    double scale_ = 1.0;
};

}  // namespace sinew
