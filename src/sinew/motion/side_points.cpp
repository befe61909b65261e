#include "sinew/motion/side_points.h"

#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kEndless = 100.0;  // m, of MuJoCo's cylinders
constexpr int kSideValues = 9;      // of each coordinate
constexpr double kUnbounded = 0.5;  // rad or m to either side where there is no range

// Muscles of one surface in a model of their own.
MusculoskeletalModel only_over(const MusculoskeletalModel& model, Index object) {
    MusculoskeletalModel out = model;
    std::erase_if(out.muscles, [&](const MuscleUnit& unit) {
        return std::none_of(unit.wraps.begin(), unit.wraps.end(),
                            [&](const PathWrap& w) { return w.object == object; });
    });
    return out;
}

// Lengths of all muscles over the ranges of the coordinates that move them.
std::vector<double> swept_lengths(const MusculoskeletalModel& model, const KinematicTree& tree) {
    const MusclePaths paths(model, tree);
    std::vector<bool> moves(model.coordinates.size(), false);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        for (const Index c : paths.coordinates(m)) {
            moves[at(c)] = true;
        }
    }
    std::vector<double> out = paths.evaluate(tree.place(rest_coordinates(model))).length;
    for (std::size_t c = 0; c < moves.size(); ++c) {
        const Coordinate& q = model.coordinates[c];
        if (!moves[c] || q.is_locked) {
            continue;
        }
        const double low = std::isfinite(q.low) ? q.low : q.rest - kUnbounded;
        const double high = std::isfinite(q.high) ? q.high : q.rest + kUnbounded;
        std::vector<double> pose = rest_coordinates(model);
        for (int k = 0; k < kSideValues; ++k) {
            pose[c] = low + (high - low) * k / (kSideValues - 1);
            const std::vector<double> lengths = paths.evaluate(tree.place(pose)).length;
            out.insert(out.end(), lengths.begin(), lengths.end());
        }
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

std::vector<WrapObject> choices(const WrapObject& wrap, const Vec3& towards) {
    WrapObject plain = wrap;
    plain.side_sign = 0;
    plain.size[1] = wrap.kind == WrapKind::Cylinder ? kEndless : wrap.size[1];
    WrapObject out = plain;
    out.is_active = false;
    std::vector<WrapObject> all = {plain, out};
    for (const Vec3& side : {Vec3(wrap.side_sign * Vec3::Unit(wrap.side_axis)), towards,
                             Vec3(wrap.side_sign * Vec3::Unit(wrap.side_axis) + towards)}) {
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

}  // namespace

MusculoskeletalModel with_side_points(const MusculoskeletalModel& model) {
    MusculoskeletalModel out = model;
    const KinematicTree tree(model);
    for (std::size_t w = 0; w < model.wraps.size(); ++w) {
        const WrapObject& wrap = model.wraps[w];
        const bool is_round = wrap.kind == WrapKind::Sphere || wrap.kind == WrapKind::Cylinder;
        if (!is_round || !wrap.is_active || wrap.has_side_point) {
            continue;
        }
        MusculoskeletalModel part = only_over(out, static_cast<Index>(w));
        if (part.muscles.empty()) {
            continue;
        }
        part.wraps[w] = wrap;
        const std::vector<double> wanted = swept_lengths(part, tree);
        const Vec3 towards = towards_path(part, tree, static_cast<Index>(w));
        double least = 1e300;
        for (const WrapObject& choice : choices(wrap, towards)) {
            part.wraps[w] = choice;
            const std::vector<double> lengths = swept_lengths(part, tree);
            double sum = 0.0;
            for (std::size_t k = 0; k < lengths.size(); ++k) {
                sum += std::pow(lengths[k] - wanted[k], 2);
            }
            if (sum < least - 1e-12) {
                least = sum;
                out.wraps[w] = choice;
            }
        }
    }
    return out;
}

}  // namespace sinew
