#include "sinew/motion/model_doctor.h"

#include "sinew/geometry/surface_tree.h"
#include "sinew/linalg/dense.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/range_of_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace sinew {

namespace {

// Optimal fibre lengths from 2 cm to 45 cm (sartorius 40 cm) and pennation up to 35 degrees
// [Arnold2010; Holzbaur2005; Rajagopal2016]; small muscles of hands and feet reach down to 1 cm.
constexpr double kShortestFibre = 0.008;
constexpr double kLongestFibre = 0.5;
constexpr double kGreatestPennation = 0.7;
constexpr double kStrongestMuscle = 8000.0;  // soleus 6200 N, quadriceps as one 6500 N
constexpr double kFibreLow = 0.4;            // of optimal length, within which fibres work
constexpr double kFibreHigh = 1.6;
constexpr double kPassiveShare = 0.2;   // of fmax that a muscle may bear at rest
constexpr double kPointDistance = 0.6;  // m from its body's centre of mass
constexpr double kArmSign = 0.01;       // m, on either side of 0
constexpr double kSignShare = 0.25;     // of the greater side, which the smaller one must reach
constexpr double kArmJump = 0.02;       // m/rad between neighbouring samples
constexpr double kSideRatio = 1.05;
constexpr double kOutside = 0.02;     // m from a body's box, where ends may still lie
constexpr double kFarOutside = 0.06;  // m; boxes of models are coarse
constexpr double kOffBone = 0.01;     // m from bones' surfaces, as cartilage and capsules are thick
constexpr double kFarOffBone = 0.03;  // m
constexpr double kInsideDepth = 1e-4;  // m
constexpr double kLostRange = 0.09;    // rad

class Doctor {
public:
    Doctor(const MusculoskeletalModel& model, std::span<const TriangleMesh> shapes)
        : model_(model),
          shapes_(shapes),
          tree_(model),
          paths_(model, tree_),
          rest_(tree_.place(rest_coordinates(model))),
          state_(paths_.evaluate(rest_)) {}

    std::vector<ModelFinding> examine() {
        for (const RigidBody& body : model_.bodies) {
            examine_body(body);
        }
        for (const Coordinate& c : model_.coordinates) {
            examine_coordinate(c);
        }
        for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
            examine_parameters(model_.muscles[m]);
            examine_lengths(model_.muscles[m], state_.length[m]);
            examine_points(model_.muscles[m]);
            examine_wraps(m);
        }
        examine_sweeps();
        examine_ranges();
        examine_sides();
        return std::move(findings_);
    }

private:
    void add(std::string what, std::string where, double value, double low, double high,
             std::string unit, std::string source, bool is_problem = true) {
        findings_.push_back({std::move(what), std::move(where), value, low, high, std::move(unit),
                             std::move(source), is_problem});
    }

    void examine_body(const RigidBody& body) {
        const std::string where = fmt::format("body '{}'", body.name);
        const bool is_moved = !tree_.chain(find_body(model_, body.name)).empty();
        if (body.mass == 0.0 && is_moved) {
            add("a moving body without mass", where, 0.0, 1e-3, 100.0, "kg", "mechanics", false);
            return;
        }
        if (body.mass == 0.0) {
            return;
        }
        const Vec3 I = symmetric_eigen(body.inertia).values;
        if (I[0] < 0.0 || (body.inertia - body.inertia.transpose()).norm() > 1e-9) {
            add("an inertia that is negative or not symmetric", where, I[0], 0.0, I[2], "kg m^2",
                "mechanics");
        } else if (I[2] > (I[0] + I[1]) * (1.0 + 1e-9)) {
            add("principal inertias that no solid body has: the largest exceeds the sum of the "
                "others",
                where, I[2], 0.0, I[0] + I[1], "kg m^2", "triangle inequality");
        }
        const double radius = std::sqrt(I[2] / body.mass);
        if (radius > 0.6) {
            add("a radius of gyration larger than a body part has", where, radius, 0.005, 0.6, "m",
                "deLeva1996");
        }
    }

    void examine_coordinate(const Coordinate& c) {
        const std::string where = fmt::format("coordinate '{}'", c.name);
        const std::string unit = c.is_rotation ? "rad" : "m";
        if (!(c.low < c.high) && !c.is_locked) {
            add("a range without inside", where, c.low, c.low, c.high, unit, "the model itself");
        } else if (c.rest < c.low - 1e-6 || c.rest > c.high + 1e-6) {
            add("a default value outside its own range", where, c.rest, c.low, c.high, unit,
                "the model itself", c.is_clamped);
        }
    }

    void examine_parameters(const MuscleUnit& unit) {
        const std::string where = fmt::format("muscle '{}'", unit.name);
        if (unit.fibre < kShortestFibre || unit.fibre > kLongestFibre) {
            add("an optimal fibre length that no human muscle has", where, unit.fibre,
                kShortestFibre, kLongestFibre, "m", "Arnold2010, Holzbaur2005");
        }
        if (unit.pennation > kGreatestPennation) {
            add("a pennation that no human muscle has", where, unit.pennation, 0.0,
                kGreatestPennation, "rad", "Arnold2010");
        }
        if (unit.fmax > kStrongestMuscle) {
            add("a greatest force beyond the strongest muscles", where, unit.fmax, 1.0,
                kStrongestMuscle, "N", "Arnold2010", false);
        }
    }

    void examine_lengths(const MuscleUnit& unit, double length) {
        const std::string where = fmt::format("muscle '{}'", unit.name);
        if (unit.tendon >= length) {
            add("a tendon longer than the whole path at rest: the muscle hangs slack", where,
                unit.tendon, 0.0, length, "m", "the path itself");
            return;
        }
        const double fibre = rigid_tendon_force(unit, length, 0.0, 0.0).fibre / unit.fibre;
        if (fibre < kFibreLow || fibre > kFibreHigh) {
            add("fibres far from their working length at rest (length over optimal length)", where,
                fibre, kFibreLow, kFibreHigh, "-", "Zajac1989");
        }
        const MuscleForce force = equilibrium_force(unit, length, 0.0);
        if (force.total > kPassiveShare * unit.fmax) {
            add("passive force at rest (share of the greatest force)", where,
                force.total / unit.fmax, 0.0, kPassiveShare, "-", "Rajagopal2016", false);
        }
    }

    void examine_points(const MuscleUnit& unit) {
        for (const PathPoint& point : unit.points) {
            const PathPoint::Anchor& a = point.anchors[0];
            if (a.body < 0 || point.is_moving()) {
                continue;
            }
            const RigidBody& body = model_.bodies[static_cast<std::size_t>(a.body)];
            if (body.mass == 0.0) {
                continue;
            }
            examine_attachment(unit, point, body);
            const double distance = (a.position - body.com).norm();
            if (distance > kPointDistance) {
                add(fmt::format("a path point far outside body '{}'", body.name),
                    fmt::format("muscle '{}'", unit.name), distance, 0.0, kPointDistance, "m",
                    "deLeva1996");
            }
        }
    }

    // Ends of a muscle lie on bones: on their surfaces, or in the box that stands for them.
    void examine_attachment(const MuscleUnit& unit, const PathPoint& point, const RigidBody& body) {
        const bool is_end = &point == &unit.points.front() || &point == &unit.points.back();
        const auto number = static_cast<std::size_t>(point.anchors[0].body);
        if (is_end && number < shapes_.size() && shapes_[number].triangles.rows() > 0) {
            auto& tree = trees_[number];
            tree = tree ? std::move(tree) : std::make_unique<SurfaceTree>(shapes_[number]);
            const double away = tree->closest_point(point.anchors[0].position).distance;
            if (away > kOffBone) {
                add(fmt::format("an end off the bones of body '{}'", body.name),
                    fmt::format("muscle '{}'", unit.name), away, 0.0, kOffBone, "m",
                    "muscles end on bones", away > kFarOffBone);
            }
            return;
        }
        if (!is_end || body.box.minCoeff() <= 0.0) {
            return;
        }
        const Vec3 p = body.box_placement.inverse() * point.anchors[0].position;
        const double outside = (p.cwiseAbs() - 0.5 * body.box).cwiseMax(0.0).norm();
        if (outside > kOutside) {
            add(fmt::format("an end outside the shape of body '{}'", body.name),
                fmt::format("muscle '{}'", unit.name), outside, 0.0, kOutside, "m",
                "muscles end on bones", outside > kFarOutside);
        }
    }

    // A path whose points lie inside a surface cannot slide over it.
    void examine_wraps(std::size_t m) {
        const MuscleUnit& unit = model_.muscles[m];
        for (const PathWrap& wrap : unit.wraps) {
            const WrapObject& object = model_.wraps[static_cast<std::size_t>(wrap.object)];
            const Placement T =
                object.body < 0
                    ? object.placement
                    : rest_.bodies[static_cast<std::size_t>(object.body)] * object.placement;
            const auto last =
                wrap.last < 0 ? unit.points.size() - 1 : static_cast<std::size_t>(wrap.last);
            for (auto k = static_cast<std::size_t>(wrap.first); k <= last && object.is_active;
                 ++k) {
                const PathPoint::Anchor& a = unit.points[k].anchors[0];
                if (unit.points[k].condition >= 0 || unit.points[k].is_moving() || a.body < 0) {
                    continue;
                }
                const double depth = depth_inside(
                    object,
                    T.inverse() * (rest_.bodies[static_cast<std::size_t>(a.body)] * a.position));
                if (depth > kInsideDepth) {
                    add(fmt::format("a path point inside the {} '{}' that the path is to slide "
                                    "over (path inside out)",
                                    name_of(object.kind), object.name),
                        fmt::format("muscle '{}'", unit.name), depth, 0.0, kInsideDepth, "m",
                        "wrap surfaces lie under the path");
                }
            }
        }
    }

    // How far below the surface; <= 0 outside.
    static double depth_inside(const WrapObject& object, const Vec3& p) {
        switch (object.kind) {
            case WrapKind::Sphere:
                return object.size[0] - p.norm();
            case WrapKind::Cylinder:
                return std::abs(p.z()) > 0.5 * object.size[1]
                           ? 0.0
                           : object.size[0] - std::hypot(p.x(), p.y());
            case WrapKind::Ellipsoid: {
                const double share = p.cwiseQuotient(object.size).norm();
                return (1.0 - share) * object.size.minCoeff();
            }
            case WrapKind::Torus:
                return object.size[0] -
                       std::hypot(std::hypot(p.x(), p.y()) - object.size[1], p.z());
        }
        return 0.0;
    }

    // Ranges that muscles forbid: no longer than 1.6 fibres and 1.03 tendons [Ryu2021, eqs. 3-5].
    void examine_ranges() {
        for (std::size_t c = 0; c < model_.coordinates.size(); ++c) {
            const Coordinate& coordinate = model_.coordinates[c];
            if (!is_swept(coordinate)) {
                continue;
            }
            const CoordinateRange allowed = coordinate_range(model_, static_cast<Index>(c));
            if (!allowed.rest_is_valid) {
                continue;  // the lengths at rest say so already
            }
            const auto report = [&](const std::string& muscle, double reached, double end,
                                    const char* side) {
                const double lost = std::abs(end - reached);
                if (!muscle.empty() && lost > kLostRange) {
                    add(fmt::format("a {} end of the range that cannot be reached: '{}' would be "
                                    "stretched too far",
                                    side, muscle),
                        fmt::format("coordinate '{}'", coordinate.name), reached, coordinate.low,
                        coordinate.high, "rad", "Ryu2021, eqs. 3-5", false);
                }
            };
            report(allowed.low_muscle, allowed.low, coordinate.low, "lower");
            report(allowed.high_muscle, allowed.high, coordinate.high, "upper");
        }
    }

    // Of one muscle's moment arms over one coordinate's range.
    struct ArmSweep {
        double jump = 0.0;   // between neighbouring samples, m
        double least = 0.0;  // m, <= 0
        double most = 0.0;   // m, >= 0
        double way = 0.0;    // by which the muscle's length changes, there and back, m
    };

    bool is_swept(const Coordinate& c) const {
        return !c.is_locked && c.is_rotation && std::isfinite(c.low) && std::isfinite(c.high) &&
               c.low < c.high;
    }

    // All muscles, other coordinates at rest.
    std::vector<ArmSweep> sweep(std::size_t c) const {
        constexpr int kSamples = 41;
        const Coordinate& coordinate = model_.coordinates[c];
        const double step = (coordinate.high - coordinate.low) / (kSamples - 1);
        std::vector<ArmSweep> out(model_.muscles.size());
        std::vector<double> last(model_.muscles.size(), 0.0);
        std::vector<double> dense(model_.coordinates.size());
        std::vector<double> q = rest_coordinates(model_);
        ModelPlacement place;
        PathState state;
        for (int k = 0; k < kSamples; ++k) {
            q[c] = coordinate.low + k * step;
            tree_.place(q, place);
            paths_.evaluate(place, state);
            for (std::size_t m = 0; m < out.size(); ++m) {
                paths_.scatter(state, m, dense);
                out[m].jump = k == 0 ? 0.0 : std::max(out[m].jump, std::abs(dense[c] - last[m]));
                out[m].way += std::abs(dense[c]) * step;
                out[m].least = std::min(out[m].least, -dense[c]);
                out[m].most = std::max(out[m].most, -dense[c]);
                last[m] = dense[c];
            }
        }
        return out;
    }

    // Moment arms jump nowhere. Most keep their sign about the axis that the muscle turns a joint
    // about most; about others, how the bones stand decides.
    void examine_sweeps() {
        std::vector<std::vector<ArmSweep>> sweeps(model_.coordinates.size());
        for (std::size_t c = 0; c < sweeps.size(); ++c) {
            if (is_swept(model_.coordinates[c])) {
                sweeps[c] = sweep(c);
            }
        }
        for (std::size_t c = 0; c < sweeps.size(); ++c) {
            for (std::size_t m = 0; m < sweeps[c].size(); ++m) {
                const ArmSweep& s = sweeps[c][m];
                const std::string& about = model_.coordinates[c].name;
                const std::string where = fmt::format("muscle '{}'", model_.muscles[m].name);
                if (s.jump > kArmJump) {
                    add(fmt::format("a moment arm about '{}' that jumps between neighbouring "
                                    "angles",
                                    about),
                        where, s.jump, 0.0, kArmJump, "m", "moment arms are continuous");
                }
                const double smaller = std::min(s.most, -s.least);
                if (smaller > kArmSign && smaller > kSignShare * std::max(s.most, -s.least) &&
                    is_main_action(sweeps, c, m)) {
                    add(fmt::format("a moment arm about '{}' that changes its sign within the "
                                    "range (the smaller side is given)",
                                    about),
                        where, smaller, 0.0, kArmSign, "m",
                        "most muscles turn a joint one way; some at the hip and shoulder do not "
                        "[Arnold2010]",
                        false);
                }
            }
        }
    }

    // Whether no other coordinate of the same joint changes the muscle's length more.
    bool is_main_action(const std::vector<std::vector<ArmSweep>>& sweeps, std::size_t c,
                        std::size_t m) const {
        for (std::size_t other = 0; other < sweeps.size(); ++other) {
            if (!sweeps[other].empty() &&
                model_.coordinates[other].joint == model_.coordinates[c].joint &&
                sweeps[other][m].way > sweeps[c][m].way) {
                return false;
            }
        }
        return true;
    }

    static std::string other_side(const std::string& name) {
        const auto swapped = [&](std::string_view from, std::string_view to, bool at_end) {
            std::string out = name;
            if (at_end ? name.ends_with(from) : name.starts_with(from)) {
                out.replace(at_end ? name.size() - from.size() : 0, from.size(), to);
            }
            return out;
        };
        for (const auto& [from, to] : {std::pair{"_r", "_l"}, std::pair{"_R", "_L"}}) {
            if (const std::string out = swapped(from, to, true); out != name) {
                return out;
            }
        }
        for (const auto& [from, to] : {std::pair{"R_", "L_"}, std::pair{"r_", "l_"}}) {
            if (const std::string out = swapped(from, to, false); out != name) {
                return out;
            }
        }
        return "";
    }

    void examine_sides() {
        std::map<std::string, std::size_t> index;
        for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
            index[model_.muscles[m].name] = m;
        }
        for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
            const auto it = index.find(other_side(model_.muscles[m].name));
            if (it == index.end()) {
                continue;
            }
            const MuscleUnit& a = model_.muscles[m];
            const MuscleUnit& b = model_.muscles[it->second];
            const auto compare = [&](const char* what, double x, double y) {
                const double ratio = y > 0.0 ? x / y : 1.0;
                if (ratio > kSideRatio || ratio < 1.0 / kSideRatio) {
                    add(fmt::format("{} differs from the other side (ratio)", what),
                        fmt::format("muscle '{}'", a.name), ratio, 1.0 / kSideRatio, kSideRatio,
                        "-", "left and right of one model", false);
                }
            };
            compare("greatest force", a.fmax, b.fmax);
            compare("fibre length", a.fibre, b.fibre);
            compare("tendon length", a.tendon, b.tendon);
            compare("path length at rest", state_.length[m], state_.length[it->second]);
        }
    }

    const MusculoskeletalModel& model_;
    std::span<const TriangleMesh> shapes_;
    std::map<std::size_t, std::unique_ptr<SurfaceTree>> trees_ = {};
    KinematicTree tree_;
    MusclePaths paths_;
    ModelPlacement rest_;
    PathState state_;
    std::vector<ModelFinding> findings_ = {};
};

}  // namespace

std::vector<ModelFinding> examine_model(const MusculoskeletalModel& model,
                                        std::span<const TriangleMesh> shapes) {
    return Doctor(model, shapes).examine();
}

}  // namespace sinew
