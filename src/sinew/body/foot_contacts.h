#pragma once

#include "sinew/mesh/arrays.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sinew {

/// Frames first .. last in which a point of a foot stands still.
struct ContactSpan {
    std::size_t first = 0;
    std::size_t last = 0;
    bool is_on_ground = true;  ///< else on a stair, a box, or held up
};

/// What counts as standing, for a person with legs of 0.85 m; lengths and speeds go with the legs.
struct ContactOptions {
    double speed = 0.25;    ///< m/s, slower stands
    double height = 0.05;   ///< m above the ground, lower stands
    double drift = 0.12;    ///< m, that a point may go in a span
    double shortest = 0.1;  ///< s, of a span
    double stir = 0.04;     ///< m, no step: so far a point may go between two spans that are one
    double pause = 0.25;    ///< s, the longest time between them
    double blend = 0.2;     ///< s, in which a correction comes and goes
};

/// The path of a point of each foot; both have one position per frame.
struct FootPaths {
    std::vector<Vec3> own = {};      ///< m, Y up
    std::vector<Vec3> other = {};    ///< the same point of the other foot
    double ground = 0.0;             ///< its height when the foot stands on the ground, m
    double frame_time = 1.0 / 30.0;  ///< s
    double leg = 0.85;               ///< m
};

/// Spans in which a point is slow, and low: near the ground, or no higher than the other foot.
/// Where it creeps further than `drift`, a span ends; what is dragged along does not stand. Spans
/// that a short stir parts, with the point hardly moved, are one.
/// @param skip  frame that is a pose of its own (a T-pose), -1: none
std::vector<ContactSpan> find_contacts(const FootPaths& paths, Index skip,
                                       const ContactOptions& options = {});

/// The height that most steps stand on: a low quantile over slow frames of both feet.
double standing_height(const FootPaths& paths, Index skip, const ContactOptions& options = {});

/// The same of one foot: its own, where that is no higher than a step would be. Recorded feet do
/// not stand on one height to the centimetre.
double ground_under(const FootPaths& paths, Index skip, const ContactOptions& options = {});

/// Where a point of a foot stands during a span.
struct FootPin {
    ContactSpan span = {};
    Vec3 position = Vec3::Zero();  ///< m
};

/// One pin per span, at the middle of where the point would be; on the ground where it is one.
/// @param path    of the point as it would be, one position per frame
/// @param ground  its height when the foot stands on the ground, m
std::vector<FootPin> pins_of(std::span<const Vec3> path, std::span<const ContactSpan> spans,
                             double ground);

/// Moves pins of two points of one foot along the ground until those that hold at the same time are
/// as far apart as the points are. Pins at odds would pull a rigid foot to and fro.
/// @param length  between the two points, m
void keep_foot_length(std::vector<FootPin>& heels, std::vector<FootPin>& balls, double length);

/// Where a point must go so that it stands still in its spans.
struct FootCorrection {
    std::vector<Vec3> shift = {};     ///< m, per frame; smooth
    std::vector<double> weight = {};  ///< 1 in spans, fading to 0 outside
};

/// In a span the point is at its pin; before and after it comes and goes smoothly, within the gap
/// to the next span.
FootCorrection hold_at_pins(std::span<const Vec3> path, std::span<const FootPin> pins,
                            double frame_time, const ContactOptions& options = {});

}  // namespace sinew
