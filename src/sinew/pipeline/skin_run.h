#pragma once

#include "sinew/base/fields.h"
#include "sinew/body/retarget.h"
#include "sinew/mesh/arrays.h"
#include "sinew/skinning/skin_enclosure.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// What a run of frames gave, of a character or a body.
struct SkinRun {
    std::vector<double> times = {};   ///< s
    std::vector<Points> frames = {};  ///< of the character's mesh, unless they went elsewhere
    Eigen::Index simulated_vertices = 0;
    Eigen::Index tets = 0;
    double fps = 0.0;           ///< of the simulation alone
    double shown_fps = 0.0;     ///< with what makes the skin that is shown of it
    double preprocess_s = 0.0;  ///< flesh, system, and coarse skin
    double upsampling_s = 0.0;  ///< of a finer skin that is shown: weights and the like, once
    // How far the skin that is shown is in itself, by all of its vertices:
    double max_penetration = 0.0;    ///< m, deepest in any frame
    double mean_penetration = 0.0;   ///< m, of vertices inside, over all frames
    double enclosed_vertices = 0.0;  ///< vertices inside, per frame
    double volume_ratio_min = 1.0;
};

/// What was done with a recording, as results say it.
struct RecordingSummary {
    struct Limb {
        double mean = 0.0;            ///< degrees
        double largest = 0.0;         ///< degrees
        double mean_unlimited = 0.0;  ///< degrees
        double limited_fraction = 0.0;
    };
    std::string joint_names;
    std::string target_joint_names;
    std::string rest;  ///< "first frame", "offsets"
    double scale = 1.0;
    double mean_limb_error = 0.0;  ///< degrees
    std::vector<std::pair<std::string, Limb>> limbs = {};
    std::vector<std::string> not_recorded = {};
};
/// Nothing for motions that are no recordings.
std::optional<RecordingSummary> recording_summary(const RetargetReport& report);

/// What `sinew skin --json` says; numbers of a simulation only where there was one.
struct SkinSummary {
    /// A frame of one method, where methods are compared.
    struct Compared {
        double time = 0.0;  ///< s
        double volume_ratio = 1.0;
        Eigen::Index enclosed_vertices = 0;
        double mean_penetration = 0.0;  ///< mm
    };
    std::string output;
    std::string method;
    std::optional<std::size_t> joints = {};     ///< of a rig
    std::optional<Eigen::Index> vertices = {};  ///< of a rig
    std::optional<Eigen::Index> simulated_vertices = {};
    std::optional<Eigen::Index> tets = {};
    std::size_t frames = 0;
    std::optional<double> frames_per_s = {};
    std::optional<double> shown_frames_per_s = {};
    std::optional<double> preprocess_s = {};
    std::optional<double> upsampling_s = {};
    std::optional<double> max_penetration = {};   ///< mm
    std::optional<double> mean_penetration = {};  ///< mm
    std::optional<double> enclosed_vertices = {};
    std::optional<double> volume_ratio_min = {};
    std::optional<RecordingSummary> recording = {};
    std::optional<std::vector<std::pair<std::string, std::vector<Compared>>>> comparison = {};
};
SkinSummary summary_of(const SkinRun& run);

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RecordingSummary::Limb>
void visit_fields(Options& o, Visitor&& v) {
    v(o.mean, Field{.name = "mean_deg", .help = "angle to the recorded direction"});
    v(o.largest, Field{.name = "largest_deg", .help = "in any frame"});
    v(o.mean_unlimited,
      Field{.name = "mean_unlimited_deg", .help = "in frames without a joint at its limit"});
    v(o.limited_fraction, Field{.name = "limited_fraction", .help = "of the frames: with one"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RecordingSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.joint_names, Field{.name = "joint_names", .help = "whose names the recording has"});
    v(o.target_joint_names, Field{.name = "target_joint_names", .help = "whose the target has"});
    v(o.rest, Field{.name = "rest", .help = "where the recording rests: first frame or offsets"});
    v(o.scale, Field{.name = "scale", .help = "of lengths, by the legs"});
    v(o.mean_limb_error, Field{.name = "mean_limb_error_deg", .help = "over all limbs"});
    v(o.limbs, Field{.name = "limbs", .help = "by bone"});
    v(o.not_recorded, Field{.name = "not_recorded", .help = "parts that the recording lacks"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SkinSummary::Compared>
void visit_fields(Options& o, Visitor&& v) {
    v(o.time, Field{.name = "time", .help = "of the frame", .unit = "s"});
    v(o.volume_ratio, Field{.name = "volume_ratio", .help = "inside of the skin, to rest"});
    v(o.enclosed_vertices, Field{.name = "enclosed_vertices", .help = "of the skin, by itself"});
    v(o.mean_penetration,
      Field{.name = "mean_penetration_mm", .help = "of these vertices", .unit = "mm"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SkinSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file or folder written"});
    v(o.method, Field{.name = "method", .help = "projective, lbs, dqs or rig"});
    v(o.joints, Field{.name = "joints", .help = "of a rig"});
    v(o.vertices, Field{.name = "vertices", .help = "of a rig, with four weights each"});
    v(o.simulated_vertices, Field{.name = "simulated_vertices", .help = "of the skin"});
    v(o.tets, Field{.name = "tets", .help = "tetrahedra of the flesh"});
    v(o.frames, Field{.name = "frames", .help = "written"});
    v(o.frames_per_s, Field{.name = "frames_per_s", .help = "of the simulation", .unit = "1/s"});
    v(o.shown_frames_per_s, Field{.name = "shown_frames_per_s",
                                  .help = "with what makes the skin that is shown",
                                  .unit = "1/s"});
    v(o.preprocess_s, Field{.name = "preprocess_s", .help = "of flesh and system", .unit = "s"});
    v(o.upsampling_s, Field{.name = "upsampling_s", .help = "of a finer skin", .unit = "s"});
    v(o.max_penetration,
      Field{.name = "max_penetration_mm", .help = "of the skin in itself", .unit = "mm"});
    v(o.mean_penetration,
      Field{.name = "mean_penetration_mm", .help = "of vertices inside", .unit = "mm"});
    v(o.enclosed_vertices, Field{.name = "enclosed_vertices", .help = "inside, per frame"});
    v(o.volume_ratio_min, Field{.name = "volume_ratio_min", .help = "of the flesh, to rest"});
    v(o.recording, Field{.name = "recording", .help = "how a recording was put on the skeleton"});
    v(o.comparison, Field{.name = "comparison", .help = "frames by method"});
}

/// What the frames of a run add up to.
class RunTotals {
public:
    /// @param seconds        of the simulation
    /// @param seconds_shown  of what is shown, on top
    void add(double seconds, double seconds_shown, double volume_ratio,
             const SkinPenetration& inside);
    void write_to(SkinRun& run) const;

private:
    double frames_ = 0.0;
    double seconds_ = 0.0;
    double seconds_shown_ = 0.0;
    double volume_ratio_min_ = 1.0;
    double vertices_ = 0.0;  // inside, in all of them
    double depth_ = 0.0;     // of these, m
    double deepest_ = 0.0;
};

/// Times of frames, s from the start of a motion.
/// @param frames  0: as many as the motion has
/// @throws InputError  when there would be more than a million
std::vector<double> frame_times(double seconds, double rate, int frames);

}  // namespace sinew
