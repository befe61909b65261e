#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/io/motion_files.h"
#include "sinew/pipeline/skin_character.h"
#include "sinew/skinning/body_skinning.h"
#include "sinew/skinning/shown_skin.h"

#include <concepts>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace sinew {

/// Where the joints of a body are at any time of a motion.
struct PoseTrack {
    double seconds = 0.0;                               ///< its length
    bool is_endless = false;                            ///< goes on beyond `seconds` without a jump
    std::function<CharacterPose(double time)> at = {};  ///< time in s from its start
    RetargetReport report = {};                         ///< of a recording
};

/// Motions T_posed_rest of a body's joints: that of the segment which hangs on each.
CharacterPose joint_motions(const Skeleton& skeleton, const Pose& pose);
/// A motion of the body's own joints (`skeleton_of(body.skeleton)`).
PoseTrack pose_track(const Body& body, CharacterMotion motion);
/// A built-in one: "wave", "walk". @throws InputError
PoseTrack built_in_track(const Body& body, std::string_view name);
/// The name of a built-in motion, or what read_body_motion takes. @throws InputError
PoseTrack read_pose_track(const Body& body, const std::filesystem::path& motion,
                          const MotionOptions& options = {});

/// How active the muscles of a body are over time.
class ActivationTrack {
public:
    ActivationTrack() = default;  ///< all relaxed
    /// Columns are muscles, stems of pairs or groups, in any of their names; where several mean one
    /// muscle, the one that means fewest counts. Columns that mean none are passed over.
    /// @throws InputError  when all of them are, or a value is not in [0, 1]
    ActivationTrack(const Body& body, MotionTable table, std::string_view where);

    /// Between rows linearly, before and after them as in the nearest. No values: all relaxed.
    Activation at(double time) const;
    /// Columns of the table that mean no muscle of the body.
    const std::vector<std::string>& unknown() const {
        return unknown_;
    }

private:
    MotionTable table_ = {};
    std::vector<Index> column_ = {};  // of each muscle, -1: relaxed
    std::vector<std::string> unknown_ = {};
};

/// How a body is moved: what the command and the studio may ask for alike.
struct BodyMotionOptions {
    int iterations = 10;      ///< local and global steps per frame, >= 1
    double rate = 30.0;       ///< frames per second, > 0
    int frames = 0;           ///< >= 0; 0: as many as the motion has
    int settle = 30;          ///< frames in the first pose before the motion starts, >= 0
    bool dynamics = true;     ///< flesh swings; false: every frame is at rest
    bool gravity = false;     ///< flesh hangs
    bool collisions = false;  ///< skin keeps out of itself
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, BodyMotionOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.iterations,
      Field{
          .name = "iterations", .help = "local and global steps per frame", .min = 1, .max = 1000});
    v(o.rate, Field{.name = "rate", .help = "frames per second", .unit = "Hz", .above = 0});
    v(o.frames, Field{.name = "frames", .help = "number of frames; 0: the whole motion", .min = 0});
    v(o.settle, Field{.name = "settle", .help = "frames in the first pose before it", .min = 0});
    v(o.dynamics, Field{.name = "dynamics", .help = "flesh swings; off: every frame is at rest"});
    v(o.gravity, Field{.name = "gravity", .help = "flesh hangs"});
    v(o.collisions, Field{.name = "collisions", .help = "skin keeps out of itself"});
}

/// A body that moves: the one simulator of its flesh, and the surfaces that are shown of it. The
/// command lets it run through a motion (run_body_motion), the studio asks for one frame after the
/// other.
class BodyInMotion {
public:
    /// @param shown  at rest where the body is; may be finer than its tetrahedra
    /// @throws InputError  for a body without flesh, or options out of range
    BodyInMotion(const Body& body, const DisplayMeshes& shown,
                 const BodyMotionOptions& options = {});

    /// From now on this motion; the flesh settles in its first pose.
    void begin(PoseTrack poses, ActivationTrack activations = {});
    /// Frames of the motion from begin to end.
    int frame_count() const;
    /// The next frame of the motion; beyond the last one it stands still there.
    BodyFrameReport next();
    /// The first frame again, without settling.
    void rewind() {
        frame_ = 0;
    }
    /// One frame further towards a pose by hand.
    BodyFrameReport step(const CharacterPose& pose, const Activation& activation = {});

    /// At the last frame; its time is that of the motion.
    const State& state() const {
        return skinning_.state();
    }
    /// Points of a layer at the last frame.
    Points points(DisplayLayer layer);
    /// Of the skin that is shown, with itself.
    SkinPenetration penetration();
    double volume_ratio() const {
        return skinning_.volume_ratio();
    }
    double seconds_shown() const {
        return seconds_shown_;
    }

private:
    BodyMotionOptions options_;
    BodySkinning skinning_;
    BodySurfaces surfaces_;
    std::optional<ShownSkin> fine_ = {};  // a skin finer than that of the tetrahedra
    Eigen::Index fine_points_ = 0;        // of it, without what closes its holes
    bool is_fine_now_ = false;            // it was moved in this frame
    double seconds_shown_ = 0.0;          // what it takes to be ready, once
    PoseTrack poses_ = {};
    ActivationTrack activations_ = {};
    CharacterPose pose_ = {};
    int frame_ = 0;
};

/// Takes the frames as they are made, in place of `BodyRun::frames`.
using BodyFrameSink = std::function<void(Frame frame)>;

struct BodyRun {
    SkinRun numbers = {};  ///< without frames
    std::vector<Frame> frames = {};
};

/// What is asked of a body that moves.
struct BodyMotionJob {
    PoseTrack poses = {};
    ActivationTrack activations = {};
    std::vector<DisplayLayer> layers = {DisplayLayer::Skin};
    BodyMotionOptions options = {};
};

/// Times of the frames that a run will have, s. @throws InputError
std::vector<double> body_frame_times(const BodyMotionJob& job);

/// Layers of a body as files get them, and the points of a frame in the same order.
std::vector<WrittenLayer> written_layers(const Body& body, std::span<const DisplayLayer> layers);
Points joined_points(const Frame& frame, std::span<const DisplayLayer> layers);

/// Moves a body by its own bones, muscle and fat (skinning/body_skinning.h).
/// @throws InputError; Cancelled
BodyRun run_body_motion(const Body& body, const BodyMotionJob& job, const Progress& progress = {},
                        const BodyFrameSink& sink = {});

}  // namespace sinew
