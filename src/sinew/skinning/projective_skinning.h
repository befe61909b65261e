#pragma once

#include "sinew/base/fields.h"
#include "sinew/contact/rigid_shape.h"
#include "sinew/skinning/blend_skinning.h"
#include "sinew/skinning/bone_coupling.h"
#include "sinew/skinning/skin_enclosure.h"
#include "sinew/solver/frame_stepper.h"

#include <concepts>
#include <memory>
#include <type_traits>
#include <vector>

namespace sinew {

/// Which parts of the skin keep out of each other [Komaritzan, section 3.2.5].
enum class SkinCollisions {
    None,
    Local,   ///< folds at joints, by pairs found in extreme poses
    Global,  ///< those, and everything against everything
};

/// The thesis's parameters [Komaritzan, section 3.3]. Its unit of time is not the second: a frame
/// is `step` long, whatever its rate, and `mass` sets how much the flesh swings.
struct ProjectiveSkinningOptions {
    int iterations = 10;      ///< local and global steps per frame, >= 1
    double stiffness = 85.0;  ///< weight of the strain, > 0
    double step = 0.2;        ///< of one frame, > 0
    double damping = 1.0;     ///< fraction of the velocity that is kept, [0, 1]
    double mass = 20.0;       ///< of the whole character, kg, > 0, spread by volume
    bool dynamics = true;     ///< false: every frame is at rest
    SkinCollisions collisions = SkinCollisions::None;
    double contact_weight = 150.0;  ///< of what touches, > 0
    bool slide = true;              ///< skin slides over joints
    int smoothing = 40;             ///< sweeps over base points, >= 0
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ProjectiveSkinningOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.iterations,
      Field{
          .name = "iterations", .help = "local and global steps per frame", .min = 1, .max = 1000});
    v(o.stiffness, Field{.name = "stiffness", .help = "weight of the strain", .above = 0});
    v(o.step,
      Field{.name = "step", .help = "time between frames, in the method's unit", .above = 0});
    v(o.damping,
      Field{
          .name = "damping", .help = "fraction of the velocity that is kept", .min = 0, .max = 1});
    v(o.mass, Field{.name = "mass", .help = "of the whole character", .unit = "kg", .above = 0});
    v(o.dynamics, Field{.name = "dynamics", .help = "flesh swings; off: every frame is at rest"});
    v(o.collisions, Field{.name = "collisions",
                          .help = "parts of the skin that keep out of each other: folds at joints, "
                                  "or all",
                          .choices = {"none", "local", "global"}});
    v(o.contact_weight,
      Field{.name = "contact_weight", .help = "weight of what touches", .above = 0});
    v(o.slide, Field{.name = "slide", .help = "skin slides over joints"});
    v(o.smoothing, Field{.name = "smoothing",
                         .help = "sweeps over the base points on the bones",
                         .min = 0,
                         .max = 10000});
}

/// What happened in a frame, with its residual; contacts are vertices that touch shapes or skin,
/// and pairs in folds.
using SkinFrameReport = FrameReport;

/// Fast Projective Skinning [Komaritzan, chapter 3]: a skin and a skeleton become flesh that
/// follows the bones, frame by frame, without skinning weights.
class ProjectiveSkinning {
public:
    /// Builds bones, flesh and system, and factorises.
    /// @param weights  of a rigged skin, by joints, one row per vertex or none at all: the inner
    ///                 surface of the flesh goes where they take it. Without (also in single rows)
    ///                 bones take it (BoneCoupling). Skin and skeleton then belong together
    ///                 wherever they lie
    /// @throws InputError  when skin, skeleton or options are not valid
    ProjectiveSkinning(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                       const ProjectiveSkinningOptions& options = {},
                       std::vector<std::vector<BlendSkinning::Weight>> weights = {});
    ~ProjectiveSkinning();
    ProjectiveSkinning(ProjectiveSkinning&&) noexcept;
    ProjectiveSkinning& operator=(ProjectiveSkinning&&) noexcept;

    /// One frame further, with the bones in this pose.
    SkinFrameReport step(const CharacterPose& pose);
    /// Back to rest, in that pose: `settle` frames without velocity.
    void reset(const CharacterPose& pose, int settle = 0);
    /// Bones in that pose, the skin as given (rows 0 .. S-1), without velocity: to measure the
    /// skins of other methods, or to start from one.
    void place(const CharacterPose& pose, const Points& skin);
    /// Rigid shapes that push the skin in the next frames; an empty list ends it.
    void set_shapes(std::vector<MovingShape> shapes);

    /// Positions of the skin's vertices, m, as they are shown: in global collisions what the
    /// simulation leaves in each other is moved apart (`SkinUntangling`).
    const Points& skin() const;
    /// Of all vertices as they are simulated: skin, then inner surface.
    const Points& points() const;
    const FleshPrisms& flesh() const;
    const BoneVolumes& bones() const;
    /// The skin at rest; its bones are the joints that move them.
    SkinOnBones skin_on_joints() const;
    /// Unknowns of the system.
    Eigen::Index simulated_vertices() const;

    /// Vertices of the skin, as it is shown, that it encloses now but not at rest, creases
    /// included, and how deep: by the winding number of the skin in front of each, and the distance
    /// to the nearest skin that faces away (`SkinEnclosure`).
    using Penetration = SkinPenetration;
    Penetration penetration();
    /// Volume of the flesh now against rest.
    double volume_ratio() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
