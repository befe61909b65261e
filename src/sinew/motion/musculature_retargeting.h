#pragma once

#include "sinew/motion/body_proportions.h"
#include "sinew/motion/maximal_lengths.h"
#include "sinew/motion/muscle_routing.h"
#include "sinew/motion/peak_torque.h"

#include <optional>
#include <string>
#include <vector>

namespace sinew {

struct MusculatureOptions {
    JointMotionOptions motions = {};
    RoutingOptions routing = {};
    RangeFitOptions range = {};
    PeakFitOptions peaks = {};
    /// N, of every muscle, where the flesh of the new body tells; empty: by masses and lengths
    /// [Hodgins1997].
    std::vector<double> forces = {};
};

/// A length-angle curve of a muscle over the motion of one coordinate that it takes part in, in the
/// body it comes from and in another.
struct CurveMatch {
    std::size_t muscle = 0;
    Index coordinate = 0;
    double correlation = 1.0;  ///< of the two curves, in [-1, 1]
    double disorder = 0.0;     ///< fraction of the range where one rises and the other falls
};

/// Curves of all muscles: those whose length changes by 1 % at least, and by a tenth of what the
/// muscle's greatest change is.
std::vector<CurveMatch> match_curves(const MusculoskeletalModel& reference,
                                     const MusculoskeletalModel& other,
                                     const std::vector<JointMotion>& motions);

/// What of a reference's function another model has.
struct MusculatureComparison {
    std::vector<CurveMatch> curves = {};
    std::vector<RangeDifference> range = {};
    std::optional<double> peak = {};  ///< mean distance of the angles of greatest torque, rad

    double correlation_at(double quantile) const;  ///< of curves, 0.5: the median; 1 without any
    double disorder_of(std::size_t muscle) const;  ///< worst of its curves
    double worst_range_error() const;
};

/// @param options  motions and range as they were fitted; poses are other ones than the fit saw
MusculatureComparison compare_musculatures(const MusculoskeletalModel& reference,
                                           const MusculoskeletalModel& model,
                                           const MusculatureOptions& options = {});

/// A musculature in a body of other proportions [Ryu2021].
struct RetargetedMusculature {
    MusculoskeletalModel naive = {};  ///< muscles only moved and scaled with their bones
    MusculoskeletalModel model = {};  ///< routed, its lengths fitted
    std::vector<RoutedMuscle> routes = {};
    double seconds = 0.0;
};

/// Whether waypoints follow several bones (LBS coordinates), which .osim and MJCF cannot hold.
bool has_blended_points(const MusculoskeletalModel& model);

/// The model as these files can hold it: an inner waypoint that follows several bones becomes one
/// point on either of two, routed so that paths keep directions and lengths, and maximal lengths
/// follow. Without such points, the model itself.
/// @throws Cancelled
MusculoskeletalModel with_single_bone_points(const MusculoskeletalModel& model,
                                             const MusculatureOptions& options = {},
                                             const Progress& progress = {});

/// Moves the muscles of a model into a body of other proportions so that they do there what they
/// did [Ryu2021, 5]: points by routing, maximal lengths by the range of motion, ratios of fibre to
/// tendon by the angles of greatest torque, forces and times by mass and length [Hodgins1997].
/// Muscles over wrap surfaces or with points that move keep their warped paths.
/// @throws InputError  as proportioned_bodies; Cancelled
RetargetedMusculature retarget_musculature(const MusculoskeletalModel& reference,
                                           const BodyProportions& proportions,
                                           const MusculatureOptions& options = {},
                                           const Progress& progress = {});

}  // namespace sinew
