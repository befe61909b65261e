#include "sinew/pipeline/skin_run.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Numbers and times of a run of frames, the same for characters and bodies.

namespace sinew {

std::optional<RecordingSummary> recording_summary(const RetargetReport& report) {
    if (report.source.empty()) {
        return std::nullopt;
    }
    RecordingSummary summary{.joint_names = report.source,
                             .target_joint_names = report.target,
                             .rest = report.rests_in_first_frame ? "first frame" : "offsets",
                             .scale = report.scale,
                             .mean_limb_error = report.mean_limb_error / kDegree,
                             .not_recorded = report.without};
    for (const LimbError& limb : report.limbs) {
        summary.limbs.push_back({limb.bone,
                                 {.mean = limb.mean / kDegree,
                                  .largest = limb.largest / kDegree,
                                  .mean_unlimited = limb.mean_unlimited / kDegree,
                                  .limited_fraction = limb.limited_fraction}});
    }
    return summary;
}

SkinSummary summary_of(const SkinRun& run) {
    return {.simulated_vertices = run.simulated_vertices,
            .tets = run.tets,
            .frames = run.times.size(),
            .frames_per_s = run.fps,
            .shown_frames_per_s = run.shown_fps,
            .preprocess_s = run.preprocess_s,
            .upsampling_s = run.upsampling_s,
            .max_penetration = 1e3 * run.max_penetration,
            .mean_penetration = 1e3 * run.mean_penetration,
            .enclosed_vertices = run.enclosed_vertices,
            .volume_ratio_min = run.volume_ratio_min};
}

void RunTotals::add(double seconds, double seconds_shown, double volume_ratio,
                    const SkinPenetration& inside) {
    ++frames_;
    seconds_ += seconds;
    seconds_shown_ += seconds_shown;
    volume_ratio_min_ = std::min(volume_ratio_min_, volume_ratio);
    vertices_ += inside.vertices;
    depth_ += inside.vertices * inside.mean;
    deepest_ = std::max(deepest_, inside.deepest);
}

void RunTotals::write_to(SkinRun& run) const {
    run.fps = seconds_ > 0.0 ? frames_ / seconds_ : 0.0;
    run.shown_fps = seconds_ > 0.0 ? frames_ / (seconds_ + seconds_shown_) : 0.0;
    run.max_penetration = deepest_;
    run.mean_penetration = depth_ / std::max(1.0, vertices_);
    run.enclosed_vertices = vertices_ / std::max(1.0, frames_);
    run.volume_ratio_min = volume_ratio_min_;
}

std::vector<double> frame_times(double seconds, double rate, int frames) {
    // Files round the time of a frame (0.0333333 s): a last one that is short by this much counts.
    constexpr double kShortBy = 0.02;
    constexpr double kMostFrames = 1e6;
    if (frames == 0 && !(seconds * rate < kMostFrames)) {
        throw InputError({.where = "motion",
                          .found = fmt::format("{:g} s, {:g} frames per second", seconds, rate),
                          .needs = fmt::format("at most {:g} frames", kMostFrames),
                          .remedy = "choose a smaller --rate, or say how many with --frames"});
    }
    const int count =
        frames > 0 ? frames : 1 + static_cast<int>(std::floor(seconds * rate + kShortBy));
    std::vector<double> times;
    for (int f = 0; f < count; ++f) {
        times.push_back(static_cast<double>(f) / rate);
    }
    return times;
}

}  // namespace sinew
