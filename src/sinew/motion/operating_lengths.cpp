#include "sinew/motion/operating_lengths.h"

#include "sinew/base/units.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>
#include <string>

// Tendon slack lengths, which cannot be measured in the living, from the demand that fibres work at
// lengths where they pull. Paths are swept over poses that people take, one coordinate at a time
// and a few postures of the whole body; then the tendon is chosen so that fibres have their wished
// length at rest, and is moved as far as keeps them in range everywhere (as [Modenese2016] maps
// operating ranges onto other paths).

namespace sinew {

namespace {

constexpr int kSteps = 6;  // of each coordinate's range
constexpr double kStraightLegRaise = 70.0 * kDegree;
constexpr double kWidestRange = kPi;     // of ranges that are swept
constexpr double kLeastTendon = 0.001;   // m
constexpr double kMostFibreShare = 0.9;  // of the path at rest
constexpr double kLeastAtRest = 0.55;    // of the optimal length
constexpr double kRhythm = 0.5;          // of the scapula to the humerus

struct Angle {
    std::string coordinate;
    double degrees = 0.0;
};

// Poses of the whole body that ordinary life takes, of one side.
std::vector<std::vector<Angle>> compound_poses(const std::string& side) {
    const std::string hip = "hip_" + side + "_flexion";
    const std::string knee = "knee_" + side + "_flexion";
    const std::string ankle = "ankle_" + side + "_dorsiflexion";
    const std::string shoulder = "shoulder_" + side + "_flexion";
    const std::string elbow = "elbow_" + side + "_flexion";
    return {{{hip, 90.0}, {knee, 90.0}},        {{hip, 120.0}, {knee, 130.0}, {ankle, 20.0}},
            {{hip, 100.0}, {knee, 60.0}},       {{hip, -10.0}, {knee, 60.0}},
            {{shoulder, 45.0}, {elbow, 130.0}}, {{shoulder, 60.0}, {elbow, 90.0}}};
}

class ExtremesFinder {
public:
    explicit ExtremesFinder(const MusculoskeletalModel& model)
        : model_(model), tree_(model), paths_(model, tree_) {
        out_.rest = paths_.evaluate(tree_.place(rest_coordinates(model))).length;
        out_.shortest = out_.longest = out_.rest;
    }

    PathExtremes find() {
        for (std::size_t c = 0; c < model_.coordinates.size(); ++c) {
            sweep(c);
        }
        for (const char* side : {"l", "r"}) {
            for (const std::vector<Angle>& pose : compound_poses(side)) {
                std::vector<double> q = rest_coordinates(model_);
                for (const Angle& a : pose) {
                    set(q, a.coordinate, a.degrees * kDegree);
                }
                take(q);
            }
        }
        return std::move(out_);
    }

private:
    void set(std::vector<double>& q, const std::string& coordinate, double angle) const {
        const Index c = find_coordinate(model_, coordinate);
        if (c >= 0) {
            const Coordinate& limits = model_.coordinates[at(c)];
            q[at(c)] = std::clamp(angle, limits.low, limits.high);
        }
    }

    void sweep(std::size_t c) {
        const Coordinate& coordinate = model_.coordinates[c];
        if (!coordinate.is_rotation || !(coordinate.low < coordinate.high) ||
            coordinate.high - coordinate.low > kWidestRange) {
            return;
        }
        for (int k = 0; k <= kSteps; ++k) {
            std::vector<double> q = rest_coordinates(model_);
            q[c] = coordinate.low + (coordinate.high - coordinate.low) * k / kSteps;
            if (coordinate.name.starts_with("hip_") && coordinate.name.ends_with("_flexion") &&
                q[c] > kStraightLegRaise) {
                set(q, "knee_" + coordinate.name.substr(4), q[c]);
            }
            take(q);
        }
    }

    void take(std::span<const double> q) {
        tree_.place(q, place_);
        paths_.evaluate(place_, state_);
        for (std::size_t m = 0; m < out_.rest.size(); ++m) {
            out_.shortest[m] = std::min(out_.shortest[m], state_.length[m]);
            out_.longest[m] = std::max(out_.longest[m], state_.length[m]);
        }
    }

    const MusculoskeletalModel& model_;
    KinematicTree tree_;
    MusclePaths paths_;
    PathExtremes out_ = {};
    ModelPlacement place_ = {};
    PathState state_ = {};
};

// Along the tendon, of fibres of x optimal lengths that keep their height: x cos(pennation).
double along(double x, double pennation) {
    return std::sqrt(std::max(x * x - std::pow(std::sin(pennation), 2), 0.0));
}

void set_lengths(MuscleUnit& unit, const FibreWish& wish, double rest, double shortest,
                 double longest, const OperatingRange& range) {
    unit.pennation = wish.pennation;
    const double low = along(range.low, wish.pennation);
    const double high = along(range.high, wish.pennation);
    const double at_rest = along(wish.at_rest, wish.pennation);
    const double needed = (longest - shortest) / (high - low);
    unit.fibre = std::clamp(needed, wish.fibre, range.most_longer * wish.fibre);
    unit.fibre = std::min(unit.fibre, kMostFibreShare * rest / at_rest);
    const double wished = rest - unit.fibre * at_rest;
    unit.tendon =
        std::max(std::min(wished, shortest - unit.fibre * low), longest - unit.fibre * high);
    // At rest they pull in any case.
    unit.tendon = std::min(unit.tendon, rest - unit.fibre * along(kLeastAtRest, wish.pennation));
    unit.tendon = std::max(unit.tendon, kLeastTendon);
}

void follow(MusculoskeletalModel& model, const std::string& dependent,
            const std::string& independent) {
    const Index d = find_coordinate(model, dependent);
    const Index i = find_coordinate(model, independent);
    if (d < 0 || i < 0) {
        return;
    }
    Coordinate& humerus = model.coordinates[at(i)];
    Coordinate& scapula = model.coordinates[at(d)];
    humerus.low /= 1.0 + kRhythm;
    humerus.high /= 1.0 + kRhythm;
    scapula.low = kRhythm * humerus.low;
    scapula.high = kRhythm * humerus.high;
    CoordinateCoupler coupler;
    coupler.name = dependent + "_rhythm";
    coupler.dependent = d;
    coupler.independent = i;
    coupler.function = {.kind = ScalarFunction::Kind::Linear, .coefficients = {kRhythm, 0.0}};
    model.couplers.push_back(coupler);
}

}  // namespace

PathExtremes path_extremes(const MusculoskeletalModel& model) {
    return ExtremesFinder(model).find();
}

void set_operating_lengths(MusculoskeletalModel& model, std::span<const FibreWish> wishes,
                           const OperatingRange& range) {
    const PathExtremes paths = path_extremes(model);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        set_lengths(model.muscles[m], wishes[m], paths.rest[m], paths.shortest[m], paths.longest[m],
                    range);
    }
}

void couple_scapula(MusculoskeletalModel& model) {
    for (const std::string side : {"l", "r"}) {
        follow(model, "acromioclavicular_" + side + "_upward_rotation",
               "shoulder_" + side + "_abduction");
        follow(model, "sternoclavicular_" + side + "_posterior_rotation",
               "shoulder_" + side + "_flexion");
    }
}

}  // namespace sinew
