#include "sinew/motion/muscle_sweep.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/muscle_paths.h"

#include <cmath>
#include <numbers>
#include <utility>

// Lengths, moment arms and forces while one coordinate moves through its range: the curves that
// papers print. Coordinates that follow the swept one by couplers are part of it.

namespace sinew {

namespace {

constexpr double kLeastArm = 1e-6;  // m; smaller ones are rounding

}  // namespace

MuscleSweep sweep_coordinate(const MusculoskeletalModel& model, Index coordinate, int samples,
                             std::vector<double> pose) {
    SINEW_ASSERT(samples >= 2, "{} samples", samples);
    SINEW_ASSERT(pose.empty() || pose.size() == model.coordinates.size(), "{} of {} coordinates",
                 pose.size(), model.coordinates.size());
    const Coordinate& swept = model.coordinates[at(coordinate)];
    // The range that is swept: the limits, or what a joint could do where it has none.
    const double wide = swept.is_rotation ? 0.5 * kPi : 0.5;
    const double low = std::isfinite(swept.low) ? swept.low : -wide;
    const double high = std::isfinite(swept.high) ? swept.high : wide;
    // Lengths and moment arms of all muscles in every sample, the other coordinates at rest.
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    MuscleSweep sweep{.coordinate = swept.name, .is_rotation = swept.is_rotation};
    std::vector<MuscleSweep::Curve> curves(model.muscles.size());
    std::vector<double> q = pose.empty() ? rest_coordinates(model) : std::move(pose);
    std::vector<double> dense(q.size());
    for (int k = 0; k < samples; ++k) {
        q[at(coordinate)] = low + (high - low) * k / (samples - 1);
        sweep.values.push_back(q[at(coordinate)]);
        const ModelPlacement place = tree.place(q);
        const PathState state = paths.evaluate(place);
        for (std::size_t m = 0; m < curves.size(); ++m) {
            paths.scatter(state, m, dense);
            // Coordinates that follow the swept one add to its arm.
            tree.fold_couplers(place, dense);
            curves[m].moment_arm.push_back(-dense[at(coordinate)]);
            curves[m].length.push_back(state.length[m]);
        }
    }
    // Muscles that the coordinate moves are kept, and get their forces.
    for (std::size_t m = 0; m < curves.size(); ++m) {
        double largest = 0.0;
        for (const double arm : curves[m].moment_arm) {
            largest = std::max(largest, std::abs(arm));
        }
        if (largest < kLeastArm) {
            continue;
        }
        curves[m].muscle = model.muscles[m].name;
        for (const double length : curves[m].length) {
            curves[m].force.push_back(equilibrium_force(model.muscles[m], length, 1.0).total);
        }
        sweep.muscles.push_back(std::move(curves[m]));
    }
    return sweep;
}

}  // namespace sinew
