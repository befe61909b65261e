#pragma once

#include "sinew/base/progress.h"
#include "sinew/motion/ball_frame.h"
#include "sinew/motion/muscle_paths.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// How far fibres and tendons may be stretched passively [Ryu2021, eqs. 3-4].
struct StretchLimits {
    double fibre = 1.6;    ///< k_m
    double tendon = 1.03;  ///< k_t
    /// Beside muscles, what bones, ligaments and capsules allow: the ranges of the model's clamped
    /// coordinates, as further constraints C_i(q) >= 0 [Ryu2021, 4.1].
    bool has_coordinates = false;
};

/// l_mt^max = k_m l_m0 + k_t l_t0 of a muscle, m [Ryu2021, eq. 4].
double longest_length(const MuscleUnit& unit, const StretchLimits& limits = {});

/// isValid of Ryu [Ryu2021, eq. 5]: no muscle is longer than it may be.
class RangeOfMotion {
public:
    RangeOfMotion(const MusculoskeletalModel& model, const StretchLimits& limits = {});

    /// True when all muscles (and coordinates, if asked) allow the pose.
    bool is_valid(std::span<const double> q);
    /// The muscle that is stretched furthest beyond its limit, relative to it; -1 where all allow
    /// the pose.
    Index limiting_muscle(std::span<const double> q);
    /// Whether clamped coordinates are within their ranges; true where they do not count.
    bool is_within(std::span<const double> q) const;

    const KinematicTree& tree() const {
        return tree_;
    }

private:
    KinematicTree tree_;
    MusclePaths paths_;
    std::vector<double> longest_ = {};
    std::vector<std::pair<double, double>> ranges_ = {};  ///< of coordinates; empty: do not count
    ModelPlacement placement_ = {};
    PathState state_ = {};
};

/// Valid configurations of a ball joint: swings away from the rest direction of the child's shaft
/// and twists about it, all other coordinates at rest [Ryu2021, Fig. 11].
struct BallRangeMap {
    static constexpr int kSwings = 18;  ///< 0 to 180 degrees, cell centres
    static constexpr int kDirections =
        36;                             ///< of the axis of the swing, from the joint's first axis
    static constexpr int kTwists = 36;  ///< -180 to 180 degrees
    std::string joint = {};
    std::vector<unsigned char> valid = {};  ///< [swing][direction][twist], 1 = allowed
    /// Share of all rotations that is allowed, weighted by their volume in SO(3).
    double valid_fraction = 0.0;
    /// Muscles that forbid cells, with how many, most first.
    std::vector<std::pair<std::string, int>> limiting = {};
    int beyond_coordinates = 0;  ///< cells that the coordinates' ranges forbid, where they count
};

/// Swings and twists of all cells, in the map's order.
std::vector<BallTurn> map_cells();

/// @param joint  of the model; a ball joint or a custom joint that rotates about three axes, about
/// at
///               right angles
/// @throws InputError  for other joints; Cancelled
BallRangeMap map_ball_range(const MusculoskeletalModel& model, const std::string& joint,
                            const StretchLimits& limits = {}, const Progress& progress = {});

/// The interval of a coordinate that muscles allow around its rest value, others at rest, found in
/// steps of 0.5 degrees (or 1 mm) within the coordinate's own range.
struct CoordinateRange {
    std::string coordinate = {};
    double low = 0.0;  ///< rad or m
    double high = 0.0;
    std::string low_muscle = {};  ///< what stops it; empty: the coordinate's own range
    std::string high_muscle = {};
    bool rest_is_valid = true;
};
CoordinateRange coordinate_range(const MusculoskeletalModel& model, Index coordinate,
                                 const StretchLimits& limits = {});

}  // namespace sinew
