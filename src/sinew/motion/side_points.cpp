#include "sinew/motion/side_points.h"

#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/wrap_pieces.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

// A model for MuJoCo, whose surfaces are spheres and cylinders with at most one side point, and
// whose paths know no conditions. Each surface and each conditional point is replaced by whichever
// of a few candidates keeps the muscles' lengths nearest to those of the model itself, over the
// ranges of the coordinates that move them and at random poses with a fixed seed. Nothing is
// assumed about what the author of the model meant: lengths decide.
//
// Cheap candidates come first; directions all round a cylinder are tried only where the usual ones
// are off.

namespace sinew {

namespace {

constexpr double kEndless = 100.0;  // m, of MuJoCo's cylinders
constexpr int kSideValues = 9;      // of each coordinate
constexpr int kRandomPoses = 60;
constexpr int kTriedPoses = 600;       // random, at which a choice is tried before it is taken
constexpr int kTrials = 4;             // choices of one surface that are tried so
constexpr int kSideDirections = 36;    // round a cylinder
constexpr double kUnbounded = 0.5;     // rad or m to either side where there is no range
constexpr double kSmallSphere = 5e-4;  // m, radius; of what stands for a conditional point
constexpr double kFarSide = 0.1;       // m to its side site
constexpr double kEndShare = 0.25;     // of a range; ends are tried often, since paths flip there
constexpr double kFlipped = 0.01;      // m, what a difference counts at most
constexpr double kGoodEnough = 1e-10;  // m^2, summed over muscles and poses
constexpr int kNeighbourStride = 4;    // of poses whose neighbours are asked
constexpr int kGrazingPoses = 10000;   // at which simple cylinders are looked at

// Muscles of one surface in a model of their own.
MusculoskeletalModel only_over(const MusculoskeletalModel& model, Index object) {
    MusculoskeletalModel out = model;
    std::erase_if(out.muscles, [&](const MuscleUnit& unit) {
        return std::none_of(unit.wraps.begin(), unit.wraps.end(),
                            [&](const PathWrap& w) { return w.object == object; });
    });
    return out;
}

// Coordinates that move the muscles.
std::vector<std::size_t> moving_coordinates(const MusculoskeletalModel& model,
                                            const KinematicTree& tree) {
    const MusclePaths paths(model, tree);
    std::vector<std::size_t> moved;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        bool moves = false;
        for (std::size_t m = 0; m < model.muscles.size(); ++m) {
            const auto& all = paths.coordinates(m);
            moves = moves || std::find(all.begin(), all.end(), static_cast<Index>(c)) != all.end();
        }
        if (moves && !model.coordinates[c].is_locked) {
            moved.push_back(c);
        }
    }
    return moved;
}

double value_in_range(const Coordinate& q, double share) {
    const double low = std::isfinite(q.low) ? q.low : q.rest - kUnbounded;
    const double high = std::isfinite(q.high) ? q.high : q.rest + kUnbounded;
    return low + (high - low) * share;
}

// @param beyond  part of a range by which draws go beyond its ends, where they stop
std::vector<ModelPlacement> random_poses(const MusculoskeletalModel& model,
                                         const KinematicTree& tree,
                                         const std::vector<std::size_t>& moved, int count,
                                         Seed seed, double beyond) {
    Random random(seed);
    std::vector<ModelPlacement> out;
    for (int k = 0; k < count; ++k) {
        std::vector<double> pose = rest_coordinates(model);
        for (const std::size_t c : moved) {
            pose[c] = value_in_range(model.coordinates[c],
                                     std::clamp(random.uniform(-beyond, 1.0 + beyond), 0.0, 1.0));
        }
        out.push_back(tree.place(pose));
    }
    return out;
}

// Poses at which lengths are compared: rest, each coordinate that moves the muscles over its range,
// and all of them at random, where ranges end together.
std::vector<ModelPlacement> compared_poses(const MusculoskeletalModel& model,
                                           const KinematicTree& tree) {
    const std::vector<std::size_t> moved = moving_coordinates(model, tree);
    const std::vector<double> rest = rest_coordinates(model);
    std::vector<ModelPlacement> out = {tree.place(rest)};
    for (const std::size_t c : moved) {
        std::vector<double> pose = rest;
        for (int k = 0; k < kSideValues; ++k) {
            pose[c] =
                value_in_range(model.coordinates[c], static_cast<double>(k) / (kSideValues - 1));
            out.push_back(tree.place(pose));
        }
    }
    if (moved.size() > 1) {
        const auto more = random_poses(model, tree, moved, kRandomPoses, Seed{3}, 0.0);
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

std::vector<double> lengths_at(const MusculoskeletalModel& model, const KinematicTree& tree,
                               const std::vector<ModelPlacement>& poses) {
    const MusclePaths paths(model, tree);
    std::vector<double> out;
    for (const ModelPlacement& pose : poses) {
        const std::vector<double> lengths = paths.evaluate(pose).length;
        out.insert(out.end(), lengths.begin(), lengths.end());
    }
    return out;
}

// Towards the path at rest, in the surface's frame, across a cylinder's axis.
Vec3 towards_path(const MusculoskeletalModel& model, const KinematicTree& tree, Index object) {
    const WrapObject& wrap = model.wraps[at(object)];
    const ModelPlacement place = tree.place(rest_coordinates(model));
    const Placement T =
        wrap.body < 0 ? wrap.placement : place.bodies[at(wrap.body)] * wrap.placement;
    const MusclePaths paths(model, tree);
    Vec3 sum = Vec3::Zero();
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const std::vector<PathState::Node> nodes = paths.route(m, place);
        double nearest = 1e9;
        Vec3 best = Vec3::Zero();
        for (std::size_t k = 0; k + 1 < nodes.size(); ++k) {
            Vec3 a = T.inverse() * nodes[k].position;
            Vec3 b = T.inverse() * nodes[k + 1].position;
            if (wrap.kind == WrapKind::Cylinder) {
                a.z() = b.z() = 0.0;
            }
            const Vec3 d = b - a;
            const double t =
                d.squaredNorm() > 0.0 ? std::clamp(-a.dot(d) / d.squaredNorm(), 0.0, 1.0) : 0.0;
            const Vec3 p = a + t * d;
            if (p.norm() < nearest) {
                nearest = p.norm();
                best = p;
            }
        }
        sum += best;
    }
    return sum.norm() > 1e-6 ? Vec3(sum.normalized()) : Vec3::Zero();
}

// Round surfaces that may stand for this one: itself, or, MuJoCo having none to wrap over, spheres
// and cylinders for an ellipsoid. The first is that of equal volume or section.
std::vector<WrapObject> round_shapes(const WrapObject& wrap) {
    if (wrap.kind != WrapKind::Ellipsoid) {
        return {wrap};
    }
    std::vector<WrapObject> out;
    for (const double r : {std::cbrt(wrap.size.prod()), wrap.size.minCoeff(), wrap.size.mean()}) {
        WrapObject sphere = wrap;
        sphere.kind = WrapKind::Sphere;
        sphere.size = Vec3::Constant(r);
        out.push_back(sphere);
    }
    for (Eigen::Index along = 0; along < 3; ++along) {
        const double a = wrap.size[(along + 1) % 3];
        const double b = wrap.size[(along + 2) % 3];
        WrapObject cylinder = wrap;
        cylinder.kind = WrapKind::Cylinder;
        // Its axes are those of the ellipsoid, the one along it third.
        const Mat3 R = wrap.placement.rotation;
        cylinder.placement.rotation.col(0) = R.col((along + 1) % 3);
        cylinder.placement.rotation.col(1) = R.col((along + 2) % 3);
        cylinder.placement.rotation.col(2) = R.col(along);
        cylinder.side_axis = static_cast<int>((wrap.side_axis + 5 - along) % 3);
        for (const double r : {std::sqrt(a * b), std::min(a, b)}) {
            cylinder.size = Vec3(r, 2.0 * wrap.size[along], r);
            out.push_back(cylinder);
        }
    }
    return out;
}

// The surface without a side, left out, and with each of the side points.
std::vector<WrapObject> choices(const WrapObject& wrap, const std::vector<Vec3>& sides) {
    WrapObject plain = wrap;
    plain.side_sign = 0;
    plain.size[1] = wrap.kind == WrapKind::Cylinder ? kEndless : wrap.size[1];
    WrapObject out = plain;
    out.is_active = false;
    std::vector<WrapObject> all = {plain, out};
    for (const Vec3& side : sides) {
        const double across = wrap.kind == WrapKind::Cylinder ? side.head<2>().norm() : side.norm();
        if (across > 0.1) {
            WrapObject with = plain;
            with.has_side_point = true;
            with.side_point = 2.0 * wrap.size[0] / across * side;
            all.push_back(with);
        }
    }
    return all;
}

// Directions all round a cylinder, or to the faces and corners of a cube about a sphere.
std::vector<Vec3> all_round(WrapKind kind) {
    std::vector<Vec3> out;
    if (kind == WrapKind::Cylinder) {
        for (int k = 0; k < kSideDirections; ++k) {
            const double angle = 2.0 * kPi * k / kSideDirections;
            out.emplace_back(std::cos(angle), std::sin(angle), 0.0);
        }
        return out;
    }
    for (int k = 0; k < 27; ++k) {
        const Eigen::Vector3i cell(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        const Vec3 v = cell.cast<double>();
        if (v.lpNorm<1>() == 1.0 || v.lpNorm<1>() == 3.0) {
            out.push_back(v.normalized());
        }
    }
    return out;
}

// Capped, since a path that goes the other way round is as wrong by 1 cm as by 10: fewer such poses
// are better.
double squared_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum += std::pow(std::min(std::abs(a[k] - b[k]), kFlipped), 2);
    }
    return sum;
}

// Finds what stands for one surface.
class SideChooser {
public:
    SideChooser(const MusculoskeletalModel& part, const KinematicTree& tree, std::size_t wrap)
        : part_(part),
          tree_(tree),
          wrap_(wrap),
          original_(part.wraps[wrap]),
          poses_(compared_poses(part, tree)) {
        wanted_ = lengths_at(part, tree, poses_);
    }

    // What is best at the compared poses is tried at many others, and those where it is off are
    // compared, too. MuJoCo takes the path whose tangent points' middle lies more to the side site.
    // The middle of an arc of more than half a circle lies opposite to the arc, so paths may flip
    // in a few poses only.
    WrapObject choose() {
        if (original_.kind == WrapKind::Ellipsoid) {
            choose_at_poses();  // other shapes are off a little everywhere
            return best_;
        }
        std::vector<ModelPlacement> others = random_poses(
            part_, tree_, moving_coordinates(part_, tree_), kTriedPoses, Seed{5}, kEndShare);
        const std::vector<double> wanted = lengths_at(part_, tree_, others);
        const std::size_t muscles = part_.muscles.size();
        for (int trial = 0; trial < kTrials; ++trial) {
            choose_at_poses();
            part_.wraps[wrap_] = best_;
            const std::vector<double> now = lengths_at(part_, tree_, others);
            bool is_right = true;
            for (std::size_t k = 0; k < others.size(); ++k) {
                const auto at_pose = [&](const std::vector<double>& all) {
                    return std::vector<double>(all.begin() + k * muscles,
                                               all.begin() + (k + 1) * muscles);
                };
                if (squared_difference(at_pose(now), at_pose(wanted)) > kGoodEnough) {
                    const std::vector<double> lengths = at_pose(wanted);
                    poses_.push_back(others[k]);
                    wanted_.insert(wanted_.end(), lengths.begin(), lengths.end());
                    is_right = false;
                }
            }
            if (is_right) {
                take_middle();
                break;
            }
        }
        return best_;
    }

private:
    void choose_at_poses() {
        least_ = 1e300;
        const auto usual = [&](const WrapObject& shape) {
            part_.wraps[wrap_] = shape;
            const Vec3 towards = towards_path(part_, tree_, static_cast<Index>(wrap_));
            const Vec3 side = shape.side_sign * Vec3::Unit(shape.side_axis);
            return std::vector<Vec3>{side, towards, side + towards};
        };
        for (const WrapObject& shape : round_shapes(original_)) {
            try_all(choices(shape, usual(shape)));
        }
        // Dear, so only where the usual ones are off somewhere.
        if (least_ > kGoodEnough) {
            for (const WrapObject& shape : round_shapes(original_)) {
                try_all(choices(shape, all_round(shape.kind)));
            }
        }
    }

    // The middle of the directions about the chosen one that are as good.
    void take_middle() {
        if (best_.kind != WrapKind::Cylinder || !best_.has_side_point || least_ > kGoodEnough) {
            return;
        }
        const WrapObject chosen = best_;
        const auto turned = [&](int k) {
            WrapObject out = chosen;
            out.side_point = Eigen::AngleAxisd(2.0 * kPi * k / kSideDirections, Vec3::UnitZ()) *
                             chosen.side_point;
            return out;
        };
        const auto reach = [&](int sense) {
            int k = 0;
            while (k < kSideDirections / 4 && cost_of(turned(sense * (k + 1))) <= kGoodEnough) {
                ++k;
            }
            return k;
        };
        best_ = turned((reach(1) - reach(-1)) / 2);
    }

    double cost_of(const WrapObject& candidate) {
        part_.wraps[wrap_] = candidate;
        return squared_difference(lengths_at(part_, tree_, poses_), wanted_);
    }

    void try_all(const std::vector<WrapObject>& candidates) {
        for (const WrapObject& candidate : candidates) {
            const double sum = cost_of(candidate);
            if (sum < least_ - 1e-12) {
                least_ = sum;
                best_ = candidate;
            }
        }
    }

    MusculoskeletalModel part_;
    const KinematicTree& tree_;
    std::size_t wrap_;
    WrapObject original_;
    std::vector<ModelPlacement> poses_;
    std::vector<double> wanted_ = {};
    double least_ = 1e300;  // m^2, summed
    WrapObject best_ = {};
};

// What stands for a cylinder under one piece of one path: no side, or a side point in the middle of
// those directions that agree best. Neighbours are asked only where poses do not decide.
class GrazingChooser {
public:
    GrazingChooser(const WrapObject& original, const std::vector<WrapPiece>& drawn)
        : plain_(original), drawn_(drawn) {
        plain_.side_sign = 0;
        plain_.size[1] = kEndless;
        wanted_ = lengths_over(original, drawn);
        std::vector<WrapPiece> some;
        for (std::size_t k = 0; k < drawn.size(); k += kNeighbourStride) {
            some.push_back(drawn[k]);
        }
        beside_ = with_neighbours(some);
        wanted_beside_ = lengths_over(original, beside_);
    }

    // Nothing where paths part in a drawn pose whatever is done.
    std::optional<WrapObject> choose() const {
        if (parting(plain_) <= Parting{0, 0, kGoodEnough}) {
            return plain_;
        }
        std::vector<Parting> all;
        for (int k = 0; k < kSideDirections; ++k) {
            all.push_back(parting(sided(k)));
            std::get<2>(all.back()) = std::max(std::get<2>(all.back()), kGoodEnough);
        }
        const auto least = std::min_element(all.begin(), all.end());
        if (std::get<0>(*least) > 0) {
            return std::nullopt;
        }
        // As good ones that follow each other.
        const auto best = static_cast<int>(least - all.begin());
        const auto reach = [&](int sense) {
            int k = 0;
            while (k < kSideDirections / 2 &&
                   all[at((best + sense * (k + 1) + kSideDirections) % kSideDirections)] <=
                       *least) {
                ++k;
            }
            return k;
        };
        return sided(best + (reach(1) - reach(-1)) / 2);
    }

private:
    // Poses with paths on different sides, the same of neighbours, squared difference of the rest.
    using Parting = std::tuple<int, int, double>;

    WrapObject sided(int k) const {
        return with_side_towards(plain_, 2.0 * kPi * k / kSideDirections);
    }

    Parting parting(const WrapObject& candidate) const {
        Parting out = {0, 0, 0.0};
        const std::vector<double> lengths = lengths_over(candidate, drawn_);
        for (std::size_t k = 0; k < lengths.size(); ++k) {
            const double off = std::abs(lengths[k] - wanted_[k]);
            std::get<0>(out) += off > kSidesApart ? 1 : 0;
            std::get<2>(out) += off > kSidesApart ? 0.0 : off * off;
        }
        if (std::get<0>(out) == 0) {
            const std::vector<double> more = lengths_over(candidate, beside_);
            for (std::size_t k = 0; k < more.size(); ++k) {
                std::get<1>(out) += std::abs(more[k] - wanted_beside_[k]) > kSidesApart ? 1 : 0;
            }
        }
        return out;
    }

    WrapObject plain_;
    const std::vector<WrapPiece>& drawn_;
    std::vector<WrapPiece> beside_ = {};
    std::vector<double> wanted_ = {};
    std::vector<double> wanted_beside_ = {};
};

Index strongest_body(const PathPoint& point) {
    return std::max_element(point.anchors.begin(), point.anchors.end(),
                            [](const auto& a, const auto& b) { return a.weight < b.weight; })
        ->body;
}

// The unit without one of its points; surfaces keep to the pieces that they had.
MuscleUnit without_point(MuscleUnit unit, std::size_t k) {
    const auto index = static_cast<Index>(k);
    unit.points.erase(unit.points.begin() + index);
    for (PathWrap& wrap : unit.wraps) {
        wrap.first -= wrap.first >= index && wrap.first > 0 ? 1 : 0;
        wrap.last -= wrap.last >= index ? 1 : 0;
    }
    return unit;
}

// Decides about the conditional points of one muscle.
class ConditionChooser {
public:
    ConditionChooser(const MusculoskeletalModel& model, const KinematicTree& tree,
                     std::size_t muscle)
        : part_(model), tree_(tree) {
        part_.muscles = {model.muscles[muscle]};
        poses_ = compared_poses(part_, tree);
        wanted_ = lengths_at(part_, tree, poses_);
    }

    void choose(OneSidedPoints& out, std::size_t muscle) {
        for (std::size_t k = 0; k < part_.muscles[0].points.size();) {
            const std::size_t before = part_.muscles[0].points.size();
            if (part_.muscles[0].points[k].condition >= 0) {
                decide(k, out);
            }
            k += part_.muscles[0].points.size() == before ? 1 : 0;
        }
        out.model.muscles[muscle] = part_.muscles[0];
        out.model.wraps = part_.wraps;
    }

private:
    // Always there, never there, or a small sphere that the path passes on one side.
    void decide(std::size_t k, OneSidedPoints& out) {
        const MuscleUnit unit = part_.muscles[0];
        const std::size_t wraps = part_.wraps.size();
        MuscleUnit kept = unit;
        kept.points[k].condition = -1;
        MuscleUnit best = kept;
        double least = cost_of(kept);
        int* count = &out.kept;
        const bool is_inner = k > 0 && k + 1 < unit.points.size() && unit.points[k].divisor <= 0.0;
        if (is_inner) {
            const MuscleUnit left = without_point(unit, k);
            if (const double cost = cost_of(left); cost < least) {
                least = cost;
                best = left;
                count = &out.left_out;
            }
        }
        WrapObject chosen;
        if (is_inner && may_be_sphere(unit, k)) {
            MuscleUnit sided = without_point(unit, k);
            sided.wraps.push_back(
                {static_cast<Index>(wraps), static_cast<Index>(k) - 1, static_cast<Index>(k)});
            std::vector<Vec3> sides = all_round(WrapKind::Sphere);
            sides.insert(sides.begin(), towards_point(unit, k));
            for (const Vec3& side : sides) {
                part_.wraps.push_back(small_sphere(unit, k, side));
                if (const double cost = cost_of(sided); cost < least) {
                    least = cost;
                    best = sided;
                    count = &out.one_sided;
                    chosen = part_.wraps.back();
                }
                part_.wraps.pop_back();
            }
        }
        if (count == &out.one_sided) {
            part_.wraps.push_back(chosen);
        }
        ++*count;
        part_.muscles[0] = best;
    }

    double cost_of(const MuscleUnit& unit) {
        part_.muscles[0] = unit;
        return squared_difference(lengths_at(part_, tree_, poses_), wanted_);
    }

    // MuJoCo has one surface between two sites, and none between sites of one body.
    bool may_be_sphere(const MuscleUnit& unit, std::size_t k) const {
        const PathPoint& point = unit.points[k];
        const auto last = static_cast<Index>(unit.points.size()) - 1;
        const auto here = static_cast<Index>(k);
        return point.anchors.size() == 1 && !point.is_moving() &&
               strongest_body(unit.points[k - 1]) != strongest_body(unit.points[k + 1]) &&
               std::none_of(unit.wraps.begin(), unit.wraps.end(), [&](const PathWrap& wrap) {
                   return part_.wraps[at(wrap.object)].is_active && wrap.first <= here &&
                          (wrap.last < 0 ? last : wrap.last) >= here;
               });
    }

    WrapObject small_sphere(const MuscleUnit& unit, std::size_t k, const Vec3& side) const {
        WrapObject out{.name = fmt::format("{}_{}", unit.name, unit.points[k].name),
                       .body = unit.points[k].anchors[0].body};
        // The point lies on its surface, where the path passes.
        out.placement.position = unit.points[k].anchors[0].position - kSmallSphere * side;
        out.size = Vec3::Constant(kSmallSphere);
        out.has_side_point = true;
        // Far out, so that it is never inside as seen in the plane of the path.
        out.side_point = kFarSide * side;
        return out;
    }

    // From the straight line past a point to it, over the poses in which it counts; in the frame of
    // its body.
    Vec3 towards_point(const MuscleUnit& unit, std::size_t k) const {
        const PathPoint& point = unit.points[k];
        const auto place = [](const ModelPlacement& pose, const PathPoint::Anchor& anchor) {
            return anchor.body < 0 ? anchor.position
                                   : Vec3(pose.bodies[at(anchor.body)] * anchor.position);
        };
        Vec3 sum = Vec3::Zero();
        for (const ModelPlacement& pose : poses_) {
            const double q = pose.q[at(point.condition)];
            if (q < point.low || q > point.high) {
                continue;
            }
            const Vec3 p = place(pose, point.anchors[0]);
            const Vec3 a = place(pose, unit.points[k - 1].anchors[0]);
            const Vec3 d = place(pose, unit.points[k + 1].anchors[0]) - a;
            const double t =
                std::clamp((p - a).dot(d) / std::max(d.squaredNorm(), 1e-12), 0.0, 1.0);
            const Vec3 away = p - a - t * d;
            sum += point.anchors[0].body < 0
                       ? away
                       : Vec3(pose.bodies[at(point.anchors[0].body)].rotation.transpose() * away);
        }
        return sum.norm() > 1e-9 ? Vec3(sum.normalized()) : Vec3(Vec3::UnitX());
    }

    MusculoskeletalModel part_;
    const KinematicTree& tree_;
    std::vector<ModelPlacement> poses_ = {};
    std::vector<double> wanted_ = {};
};

}  // namespace

OneSidedPoints with_one_sided_points(const MusculoskeletalModel& model) {
    OneSidedPoints out{.model = model};
    const KinematicTree tree(model);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const std::vector<PathPoint>& points = model.muscles[m].points;
        if (std::any_of(points.begin(), points.end(),
                        [](const PathPoint& p) { return p.condition >= 0; })) {
            ConditionChooser(out.model, tree, m).choose(out, m);
        }
    }
    return out;
}

MusculoskeletalModel with_side_points(const MusculoskeletalModel& model) {
    MusculoskeletalModel out = model;
    const KinematicTree tree(model);
    const std::vector<WrapUse> uses = uses_of_wraps(model);
    const std::vector<std::vector<WrapPiece>> pieces =
        pieces_under_wraps(model, uses, kGrazingPoses);
    for (std::size_t w = 0; w < model.wraps.size(); ++w) {
        const WrapObject& wrap = model.wraps[w];
        if (wrap.kind == WrapKind::Torus || !wrap.is_active || wrap.has_side_point) {
            continue;
        }
        if (wrap.kind == WrapKind::Cylinder && !pieces[w].empty()) {
            if (const auto chosen = GrazingChooser(wrap, pieces[w]).choose()) {
                out.wraps[w] = *chosen;
                continue;
            }
        }
        MusculoskeletalModel part = only_over(out, static_cast<Index>(w));
        if (part.muscles.empty()) {
            continue;
        }
        part.wraps[w] = wrap;
        out.wraps[w] = SideChooser(part, tree, w).choose();
    }
    return out;
}

}  // namespace sinew
