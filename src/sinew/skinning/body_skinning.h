#pragma once

#include "sinew/body/body.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/tissue/tissue_terms.h"

#include <memory>

namespace sinew {

struct BodySkinningOptions {
    int iterations = 10;          ///< local and global steps per frame, >= 1
    double step = 1.0 / 30.0;     ///< between frames, s, > 0
    double damping = 0.9;         ///< share of the velocity that is kept, [0, 1]
    bool dynamics = true;         ///< false: every frame is at rest
    double sliding = 0.02;        ///< bones hold no flesh so near to a joint that moves, m, >= 0
    bool collisions = false;      ///< skin keeps out of the flesh
    double neighbourhood = 0.05;  ///< what is so near at rest never collides, m, >= 0
    /// Muscle is three times as stiff as fat. Less stiff against changes of volume than growth
    /// is, so that few iterations do.
    TissueStiffness stiffness = {.volume = 100.0};
};

/// Animates a body of bones, muscle and fat [Komaritzan, section 4.3.3]: the flesh is held where
/// the surfaces of its bones are, bones follow their segments, every tissue has its own stiffness,
/// and near joints the flesh slides. Departs: bones are held by springs at samples of their surface
/// (the tetrahedra of a body do not resolve bones), and belong to one segment each.
///
/// With collisions a frame is solved with the contacts of the last one, and where the skin is in
/// the flesh then, solved again with those found there [Komaritzan, section 3.2.5].
class BodySkinning {
public:
    /// @throws InputError  when the body has no tetrahedra, no attachments, or no joints
    explicit BodySkinning(const Body& body, const BodySkinningOptions& options = {});
    ~BodySkinning();
    BodySkinning(BodySkinning&&) noexcept;
    BodySkinning& operator=(BodySkinning&&) noexcept;

    /// One joint per joint of the body, in its order.
    const CharacterSkeleton& skeleton() const;

    /// One frame further. Returns the seconds it took.
    /// @throws InputError  when the pose does not have one finite transform per joint
    double step(const CharacterPose& pose);
    /// Flesh moved with the nearest bones, then `settle` frames at rest.
    void reset(const CharacterPose& pose, int settle = 5);

    /// Of the tetrahedra, m.
    const Points& positions() const;
    /// Vertices of the skin that touched flesh in the last frame; 0 without collisions.
    std::size_t contacts() const;
    /// Of the flesh against rest.
    double volume_ratio() const;
    /// How far the flesh is from where bones ask it to be: the root of the mean square, m.
    double attachment_error() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// A body's joints as those of a character: joint j turns what hangs on joint j of the body.
CharacterSkeleton skeleton_of(const Skeleton& skeleton);

}  // namespace sinew
