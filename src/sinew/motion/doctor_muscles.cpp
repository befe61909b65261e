#include "sinew/geometry/surface_tree.h"
#include "sinew/motion/doctor_exam.h"
#include "sinew/motion/hill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

// Faults of single muscles: parameters outside of what people have, fibres that cannot work at
// rest, points far from their body or off the bone, paths that fold back, points inside of surfaces
// that the path is to slide over. Where an end is suspected to sit on the wrong body, others are
// tried with the same coordinates, and the one that fits is named.

namespace sinew {

namespace {

// Optimal fibre lengths from 2 cm to 58 cm (sartorius as Delp has it) and pennation up to 35
// degrees [Arnold2010; Holzbaur2005; Rajagopal2016]; small muscles of hands and feet reach down to
// 1 cm.
constexpr double kShortestFibre = 0.008;
constexpr double kLongestFibre = 0.65;
constexpr double kGreatestPennation = 0.7;
constexpr double kStrongestMuscle = 12000.0;  // N; all vasti as one have 9600
constexpr double kSlowest = 1.0;              // greatest velocity, fibre lengths per s
constexpr double kFastest = 40.0;
constexpr double kFibreLow = 0.4;  // of optimal length, within which fibres work
constexpr double kFibreHigh = 1.6;
constexpr double kPassiveShare = 0.2;    // of fmax that a muscle may bear at rest
constexpr double kPointDistance = 0.45;  // m from everything else that is known of the body
constexpr double kPointShare = 1.0;      // of a body's extent, where that is more
// A body with longer bones than people have may have longer fibres by as much; joints that lie at
// impossible places (a wrong unit) are not to excuse everything.
constexpr double kLongestBone = 0.55;  // m between joints of one body, in tall people
constexpr double kMostSize = 3.0;
constexpr double kOutside = 0.02;     // m from a body's box, where ends may still lie
constexpr double kFarOutside = 0.15;  // m; boxes of models are coarse
constexpr double kOffBone = 0.01;     // m from bones' surfaces, as cartilage and capsules are thick
constexpr double kFarOffBone = 0.03;  // m
constexpr double kInsideDepth = 1e-4;  // m
constexpr double kDeepInside = 0.01;   // m; fitted surfaces often reach a little over a point
constexpr double kFoldedBack = 2.4;    // rad between neighbouring pieces of a path
constexpr double kLongPiece = 0.015;   // m; shorter pieces may fold

std::string muscle_text(const MuscleUnit& unit) {
    return fmt::format("muscle '{}'", unit.name);
}

class MuscleExam {
public:
    explicit MuscleExam(ModelExam& exam) : exam_(exam), joints_(exam.model.bodies.size()) {
        for (const ModelJoint& joint : exam.model.joints) {
            joints_[at(joint.child)].push_back(joint.child_frame.position);
            if (joint.parent >= 0) {
                joints_[at(joint.parent)].push_back(joint.parent_frame.position);
            }
        }
    }

    void examine() {
        for (const std::vector<Vec3>& joints : joints_) {
            size_ = std::clamp(extent_of(joints) / kLongestBone, size_, kMostSize);
        }
        for (std::size_t m = 0; m < exam_.model.muscles.size(); ++m) {
            const MuscleUnit& unit = exam_.model.muscles[m];
            examine_parameters(unit, exam_.state.length[m]);
            examine_lengths(m);
            for (std::size_t k = 0; k < unit.points.size(); ++k) {
                examine_point(unit, k);
            }
            examine_folds(unit);
            for (const PathWrap& wrap : unit.wraps) {
                examine_wrap(unit, wrap);
            }
        }
    }

private:
    static std::size_t at(Index i) {
        return static_cast<std::size_t>(i);
    }

    // Greatest distance between joints of a body.
    static double extent_of(const std::vector<Vec3>& joints) {
        double most = 0.0;
        for (const Vec3& a : joints) {
            for (const Vec3& b : joints) {
                most = std::max(most, (a - b).norm());
            }
        }
        return most;
    }

    void examine_parameters(const MuscleUnit& unit, double length) {
        const auto check = [&](const char* what, double value, double low, double high,
                               const char* unit_name, const char* source, const char* remedy) {
            if (value < low || value > high) {
                exam_.add({.what = what,
                           .where = muscle_text(unit),
                           .value = value,
                           .low = low,
                           .high = high,
                           .unit = unit_name,
                           .source = source,
                           .remedy = remedy});
            }
        };
        // A muscle of the back may be one long line.
        const double longest = kLongestFibre * size_;
        if (unit.has_known_lengths && !(unit.fibre > longest && unit.fibre < length)) {
            check("an optimal fibre length that no human muscle has", unit.fibre, kShortestFibre,
                  longest, "m", "Arnold2010, Holzbaur2005", "give it in metres");
        }
        check("a pennation that no human muscle has", unit.pennation, 0.0, kGreatestPennation,
              "rad", "Arnold2010", "give it in radians, at optimal fibre length");
        check("a greatest force beyond the strongest muscles", unit.fmax, 0.0, kStrongestMuscle,
              "N", "Arnold2010", "look for a wrong power of ten in its greatest isometric force");
        check("a greatest shortening velocity that no muscle has", unit.velocity, kSlowest,
              kFastest, "fibre lengths/s", "Zajac1989",
              "10 fibre lengths per second are usual; m/s are not meant");
    }

    void examine_lengths(std::size_t m) {
        const MuscleUnit& unit = exam_.model.muscles[m];
        const double length = exam_.state.length[m];
        if (unit.tendon >= length) {
            exam_.add({.what = "a tendon longer than the whole path at rest: the muscle hangs "
                               "slack",
                       .where = muscle_text(unit),
                       .value = unit.tendon,
                       .low = 0.0,
                       .high = length,
                       .unit = "m",
                       .source = "the path itself",
                       .remedy = length_remedy(m)});
            return;
        }
        const double fibre = rigid_tendon_force(unit, length, 0.0, 0.0).fibre / unit.fibre;
        if (fibre < kFibreLow || fibre > kFibreHigh) {
            exam_.add({.what = "fibres far from their working length at rest (length over optimal "
                               "length)",
                       .where = muscle_text(unit),
                       .value = fibre,
                       .low = kFibreLow,
                       .high = kFibreHigh,
                       .unit = "-",
                       .source = "Zajac1989",
                       .remedy = length_remedy(m)});
        }
        const MuscleForce force = equilibrium_force(unit, length, 0.0);
        if (force.total > kPassiveShare * unit.fmax) {
            exam_.add({.what = "passive force at rest (share of the greatest force)",
                       .where = muscle_text(unit),
                       .value = force.total / unit.fmax,
                       .low = 0.0,
                       .high = kPassiveShare,
                       .unit = "-",
                       .source = "Rajagopal2016",
                       .remedy = "lengthen the tendon",
                       .is_error = false});
        }
    }

    // Which end would do on another body with the coordinates it has; else the usual suspects.
    std::string length_remedy(std::size_t m) const {
        const MuscleUnit& unit = exam_.model.muscles[m];
        const auto fibre_with = [&](std::size_t k, Index body) {
            double length = 0.0;
            Vec3 before = Vec3::Zero();
            for (std::size_t i = 0; i < unit.points.size(); ++i) {
                PathPoint point = unit.points[i];
                point.anchors[0].body = i == k ? body : point.anchors[0].body;
                const Vec3 p = exam_.world(point, exam_.rest);
                length += i > 0 ? (p - before).norm() : 0.0;
                before = p;
            }
            return (length - unit.tendon) / unit.fibre;
        };
        double best = 0.4;
        std::string out = "look at its tendon's and fibres' lengths and at the bodies of its ends";
        for (const std::size_t k : {std::size_t{0}, unit.points.size() - 1}) {
            for (std::size_t b = 0; b < exam_.model.bodies.size(); ++b) {
                const auto body = static_cast<Index>(b);
                const double off = std::abs(fibre_with(k, body) - 1.0);
                if (body != unit.points[k].anchors[0].body && off < best) {
                    best = off;
                    out = fmt::format(
                        "look at its lengths; or {} is attached to the wrong body: on "
                        "'{}' the fibres would be at {:.2f} of their length",
                        point_text(exam_.model, unit, k), exam_.model.bodies[b].name,
                        fibre_with(k, body));
                }
            }
        }
        return out;
    }

    void examine_point(const MuscleUnit& unit, std::size_t k) {
        const PathPoint& point = unit.points[k];
        const PathPoint::Anchor& a = point.anchors[0];
        if (a.body < 0 || point.is_moving()) {
            return;
        }
        const RigidBody& body = exam_.model.bodies[at(a.body)];
        examine_attachment(unit, k, body);
        double distance = (a.position - body.com).norm();
        for (const Vec3& joint : joints_[at(a.body)]) {
            distance = std::min(distance, (a.position - joint).norm());
        }
        const double limit = std::max(kPointDistance, kPointShare * extent_of(joints_[at(a.body)]));
        if (distance > limit) {
            exam_.add({.what = fmt::format("{} lies far from its centre of mass and its joints",
                                           point_text(exam_.model, unit, k)),
                       .where = muscle_text(unit),
                       .value = distance,
                       .low = 0.0,
                       .high = limit,
                       .unit = "m",
                       .source = "deLeva1996",
                       .remedy = "give it in metres, in the frame of the right body"});
        }
    }

    // Ends of a muscle lie on bones: on their surfaces, or in the box that stands for them.
    void examine_attachment(const MuscleUnit& unit, std::size_t k, const RigidBody& body) {
        if (k != 0 && k + 1 != unit.points.size()) {
            return;
        }
        const Vec3& position = unit.points[k].anchors[0].position;
        const std::size_t number = at(unit.points[k].anchors[0].body);
        ModelFinding finding{.where = muscle_text(unit),
                             .unit = "m",
                             .source = "muscles end on bones",
                             .remedy = "move that end onto the bone, or attach it to another"};
        if (number < exam_.shapes.size() && exam_.shapes[number].triangles.rows() > 0) {
            auto& tree = trees_[number];
            tree = tree ? std::move(tree) : std::make_unique<SurfaceTree>(exam_.shapes[number]);
            finding.value = tree->closest_point(position).distance;
            finding.high = kOffBone;
            finding.what =
                fmt::format("an end off the bones: {}", point_text(exam_.model, unit, k));
            finding.is_error = finding.value > kFarOffBone;
        } else if (body.box.minCoeff() > 0.0) {
            const Vec3 p = body.box_placement.inverse() * position;
            finding.value = (p.cwiseAbs() - 0.5 * body.box).cwiseMax(0.0).norm();
            finding.high = kOutside;
            finding.what = fmt::format("an end outside the shape of its body: {}",
                                       point_text(exam_.model, unit, k));
            finding.is_error = finding.value > kFarOutside;
        }
        if (finding.value > finding.high) {
            exam_.add(finding);
        }
    }

    // A path that turns back on itself has its points in the wrong order or on the wrong body.
    void examine_folds(const MuscleUnit& unit) {
        std::vector<std::pair<std::size_t, Vec3>> points;
        for (std::size_t k = 0; k < unit.points.size(); ++k) {
            if (unit.points[k].condition < 0 && !unit.points[k].is_moving()) {
                points.emplace_back(k, exam_.world(unit.points[k], exam_.rest));
            }
        }
        for (std::size_t i = 1; i + 1 < points.size(); ++i) {
            const Vec3 in = points[i].second - points[i - 1].second;
            const Vec3 out = points[i + 1].second - points[i].second;
            if (in.norm() < kLongPiece || out.norm() < kLongPiece) {
                continue;
            }
            const double angle =
                std::acos(std::clamp(in.normalized().dot(out.normalized()), -1.0, 1.0));
            if (angle > kFoldedBack) {
                exam_.add({.what = fmt::format("a path that turns back on itself at {}",
                                               point_text(exam_.model, unit, points[i].first)),
                           .where = muscle_text(unit),
                           .value = angle,
                           .low = 0.0,
                           .high = kFoldedBack,
                           .unit = "rad",
                           .source = "muscles go on from bone to bone",
                           .remedy = "look at the order of its points and at their bodies"});
                return;
            }
        }
    }

    // A path whose points lie inside a surface cannot slide over it.
    void examine_wrap(const MuscleUnit& unit, const PathWrap& wrap) {
        const WrapObject& object = exam_.model.wraps[at(wrap.object)];
        const Placement T = object.body < 0 ? object.placement
                                            : exam_.rest.bodies[at(object.body)] * object.placement;
        const std::size_t last = wrap.last < 0 ? unit.points.size() - 1 : at(wrap.last);
        for (std::size_t k = at(wrap.first); k <= last && object.is_active; ++k) {
            const PathPoint::Anchor& a = unit.points[k].anchors[0];
            if (unit.points[k].condition >= 0 || unit.points[k].is_moving() || a.body < 0) {
                continue;
            }
            const double depth =
                depth_inside(object, T.inverse() * (exam_.rest.bodies[at(a.body)] * a.position));
            if (depth > kInsideDepth) {
                exam_.add({.what = fmt::format("{} lies inside the {} '{}' that the path is to "
                                               "slide over (path inside out)",
                                               point_text(exam_.model, unit, k),
                                               name_of(object.kind), object.name),
                           .where = muscle_text(unit),
                           .value = depth,
                           .low = 0.0,
                           .high = kInsideDepth,
                           .unit = "m",
                           .source = "wrap surfaces lie under the path",
                           .remedy = "make the surface smaller, or let the path touch it between "
                                     "other points only",
                           .is_error = depth > kDeepInside});
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

    ModelExam& exam_;
    std::vector<std::vector<Vec3>> joints_;  // of each body, in its frame
    double size_ = 1.0;                      // over that of tall people, at least 1
    std::map<std::size_t, std::unique_ptr<SurfaceTree>> trees_ = {};
};

}  // namespace

void examine_muscles(ModelExam& exam) {
    MuscleExam(exam).examine();
}

}  // namespace sinew
