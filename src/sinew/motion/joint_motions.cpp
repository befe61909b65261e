#include "sinew/motion/joint_motions.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"

#include <algorithm>
#include <cmath>

// Sampled motions of single joints through their ranges, on which muscles are compared between
// bodies [Ryu2021, section 5.1]. Joints with several rotations are also swept with the next one
// halfway out, since curves at rest alone say little about them.

namespace sinew {

namespace {

struct Reach {
    double low = 0.0;
    double high = 0.0;
};

Reach reach_of(const Coordinate& c, double farthest) {
    return {std::max(c.low, c.rest - farthest), std::min(c.high, c.rest + farthest)};
}

JointMotion swept(const std::vector<double>& from, Index coordinate, const Reach& reach,
                  int samples) {
    JointMotion out{.coordinate = coordinate};
    for (int s = 0; s < samples; ++s) {
        out.poses.push_back(from);
        out.poses.back()[at(coordinate)] = reach.low + (reach.high - reach.low) * s / (samples - 1);
    }
    return out;
}

}  // namespace

std::vector<JointMotion> joint_motions(const MusculoskeletalModel& model,
                                       const JointMotionOptions& options) {
    SINEW_ASSERT(options.samples >= 3, "{} samples", options.samples);
    const auto is_swept = [&](std::size_t c) {
        const Coordinate& coordinate = model.coordinates[c];
        const Reach reach = reach_of(coordinate, options.farthest);
        const bool follows = std::any_of(
            model.couplers.begin(), model.couplers.end(),
            [&](const CoordinateCoupler& k) { return k.dependent == static_cast<Index>(c); });
        return coordinate.is_rotation && !coordinate.is_locked && !follows &&
               model.joints[at(coordinate.joint)].parent >= 0 && reach.high > reach.low;
    };
    std::vector<JointMotion> out;
    const std::vector<double> rest = rest_coordinates(model);
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const auto index = static_cast<Index>(c);
        if (!is_swept(c) ||
            (!options.only.empty() &&
             std::find(options.only.begin(), options.only.end(), index) == options.only.end())) {
            continue;
        }
        const Reach reach = reach_of(model.coordinates[c], options.farthest);
        out.push_back(swept(rest, index, reach, options.samples));
        if (!options.is_crossed) {
            continue;
        }
        // The joint's next turn, in a circle, half way to either end.
        const Index joint = model.coordinates[c].joint;
        std::vector<std::size_t> turns;
        for (std::size_t k = 0; k < model.coordinates.size(); ++k) {
            if (model.coordinates[k].joint == joint && is_swept(k)) {
                turns.push_back(k);
            }
        }
        if (turns.size() < 2) {
            continue;
        }
        const auto here = std::find(turns.begin(), turns.end(), c);
        const std::size_t next = here + 1 == turns.end() ? turns.front() : *(here + 1);
        const Reach other = reach_of(model.coordinates[next], options.farthest);
        for (const double end : {other.low, other.high}) {
            std::vector<double> from = rest;
            from[next] = 0.5 * (rest[next] + end);
            out.push_back(swept(from, index, reach, options.samples));
            out.back().is_crossed = true;
        }
    }
    return out;
}

MotionPlacements::MotionPlacements(const MusculoskeletalModel& model,
                                   const std::vector<JointMotion>& motions) {
    const KinematicTree tree(model);
    std::size_t count = 0;
    for (const JointMotion& motion : motions) {
        start_.push_back(count);
        count += motion.poses.size();
    }
    placed_.resize(count);
    parallel_for(motions.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            for (std::size_t s = 0; s < motions[j].poses.size(); ++s) {
                tree.place(motions[j].poses[s], placed_[start_[j] + s]);
            }
        }
    });
}

}  // namespace sinew
