#pragma once

#include "sinew/body/body.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/skinning/skin_enclosure.h"
#include "sinew/solver/frame_stepper.h"
#include "sinew/tissue/tissue_terms.h"

#include <memory>

namespace sinew {

struct BodySkinningOptions {
    int iterations = 10;          ///< local and global steps per frame, >= 1
    double step = 1.0 / 30.0;     ///< between frames, s, > 0
    double damping = 0.9;         ///< fraction of the velocity that is kept, [0, 1]
    bool dynamics = true;         ///< false: every frame is at rest
    Vec3 gravity = Vec3::Zero();  ///< m/s^2; the shape at rest is free of it
    double sliding = 0.02;        ///< bones hold no flesh so near to a joint that moves, m, >= 0
    bool collisions = false;      ///< skin keeps out of the flesh
    /// Muscle is three times as stiff as fat. Less stiff against changes of volume than growth
    /// is, so that few iterations do.
    TissueStiffness stiffness = {.volume = 100.0};
};

/// What happened in a frame, with its residual; contacts are vertices of the skin that touch it.
using BodyFrameReport = FrameReport;

/// Animates a body of bones, muscle and fat [Komaritzan, section 4.3.3]: the flesh is held where
/// the surfaces of its bones are, bones follow their segments, every tissue has its own stiffness,
/// and near joints the flesh slides. Departs: bones are held by springs at samples of their surface
/// (the tetrahedra of a body do not resolve bones), and belong to one segment each.
///
/// With collisions the skin keeps out of itself as that of any character does: contacts in the
/// simulation (`SkinContacts`), and a skin that is shown without what these leave
/// (`SkinUntangling`).
class BodySkinning {
public:
    /// @throws InputError  when the body has no tetrahedra, no attachments, or no joints
    explicit BodySkinning(const Body& body, const BodySkinningOptions& options = {});
    ~BodySkinning();
    BodySkinning(BodySkinning&&) noexcept;
    BodySkinning& operator=(BodySkinning&&) noexcept;

    /// One joint per joint of the body, in its order.
    const CharacterSkeleton& skeleton() const;

    /// How active each muscle is from now on: bellies shorten along their fibres and thicken, by
    /// the rule of contraction_of (tissue/fibre_stretch.h). Without values all are relaxed.
    /// @throws InputError  when there is not one value in [0, 1] per muscle
    void set_activation(const Activation& activation);
    /// One frame further.
    /// @throws InputError  when the pose does not have one finite transform per joint
    BodyFrameReport step(const CharacterPose& pose);
    /// Flesh moved with the nearest bones, then `settle` frames without velocity.
    void reset(const CharacterPose& pose, int settle = 5);

    /// The present, as it is shown: with collisions the skin is moved apart where the simulation
    /// leaves it in itself. Time counts the steps since the last reset.
    const State& state() const;
    /// Of the body's tetrahedra, m: those of the state.
    const Points& positions() const {
        return state().positions;
    }
    /// Of the body's skin, in its order: the same positions.
    const Points& skin() const;
    /// The skin at rest; its bones are joints.
    const SkinOnBones& skin_on_joints() const;
    /// Of the skin that is shown, creases included (`SkinEnclosure`).
    SkinPenetration penetration();
    /// Of the flesh against rest.
    double volume_ratio() const;
    /// How far the flesh is from where bones ask it to be: the root of the mean square, m.
    double attachment_error() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
