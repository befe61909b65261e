#include "sinew/motion/muscle_paths.h"

#include "sinew/base/error.h"
#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

// Lengths of all muscles and their derivatives by all coordinates, in one pass. A path is a
// polyline of points, blended over bodies [Ryu2021, eq. 2], moved by functions of coordinates,
// present under conditions, with geodesics over wrapping surfaces in between.
//
// The derivative needs no differentiation of the wrapping: a taut path pulls on each body along its
// end tangents, and by virtual work
//
//   dl/dq = sum over bodies of (linear column . force + angular column . moment)
//
// with unit tension [Ryu2021, eq. 16]. Geodesics add nothing, as they are shortest. Muscles without
// wraps, movers or conditions take a shorter way (is_plain). Everything lies in flat arrays, since
// this is the inner loop of every optimisation.

namespace sinew {

namespace {

constexpr int kMaxPasses = 60;
constexpr double kPassTolerance = 1e-13;  // m; change of a length between two passes

// Straight pieces, and geodesics where the path lies on a surface.
double length_of(const std::vector<PathState::Node>& nodes) {
    double length = 0.0;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        length += nodes[i].weight * (nodes[i].wrap >= 0 && nodes[i].is_begin
                                         ? nodes[i].on_surface
                                         : (nodes[i + 1].position - nodes[i].position).norm());
    }
    return length;
}

// Where a wrap object is now, in the world.
Placement wrap_placement(const WrapObject& object, const ModelPlacement& placement) {
    return object.body < 0 ? object.placement
                           : placement.bodies[at(object.body)] * object.placement;
}

}  // namespace

MusclePaths::MusclePaths(const MusculoskeletalModel& model, const KinematicTree& tree)
    : wraps_(model.wraps) {
    for (const MuscleUnit& unit : model.muscles) {
        add_muscle(unit, tree);
    }
}

// Lays a muscle out in flat arrays: anchors of its points, conditions, movers, wraps.
void MusclePaths::add_muscle(const MuscleUnit& unit, const KinematicTree& tree) {
    MuscleInfo info{.first_point = static_cast<Index>(point_start_.size()) - 1};
    // The few bodies that the path touches get small numbers, for masks and wrenches.
    std::vector<Index> bodies;
    // Wrenches are collected per body of the path, of which there are few, not per body of the
    // model.
    const auto local_of = [&](Index body) {
        const auto it = std::find(bodies.begin(), bodies.end(), body);
        if (it != bodies.end()) {
            return static_cast<Index>(it - bodies.begin());
        }
        bodies.push_back(body);
        return static_cast<Index>(bodies.size()) - 1;
    };
    // Pulleys: behind a divider the path counts with one over the number of its branches.
    double branch = 1.0;
    bool has_pulleys = false;
    for (const PathPoint& point : unit.points) {
        const Index number = static_cast<Index>(point_start_.size()) - 1;
        for (const PathPoint::Anchor& a : point.anchors) {
            anchors_.push_back({a.position, a.weight, a.body, local_of(a.body)});
        }
        point_start_.push_back(static_cast<Index>(anchors_.size()));
        const bool is_first = weights_.size() == static_cast<std::size_t>(info.first_point);
        weights_.push_back(is_first || point.divisor > 0.0
                               ? 1.0 / (point.divisor > 0.0 ? point.divisor : 1.0)
                               : branch);
        branch = weights_.back();
        if (point.divisor > 0.0 && !is_first) {
            weights_[weights_.size() - 2] = 0.0;
            has_pulleys = true;
        }
        if (point.condition >= 0) {
            info.conditions.push_back({number, point.condition, point.low, point.high});
        }
        for (int k = 0; k < 3; ++k) {
            const PathPoint::Component& c = point.moving[at(k)];
            if (c.coordinate >= 0) {
                info.movers.push_back({number, k, c.coordinate, -1, FunctionEvaluator(c.function)});
            }
        }
    }
    info.end_point = static_cast<Index>(point_start_.size()) - 1;
    // Wraps that are switched off cost nothing.
    for (PathWrap wrap : unit.wraps) {
        if (!wraps_[at(wrap.object)].is_active) {
            continue;
        }
        wrap.last = wrap.last < 0 ? static_cast<Index>(unit.points.size()) - 1 : wrap.last;
        info.wraps.push_back(wrap);
        info.wrap_locals.push_back(local_of(wraps_[at(wrap.object)].body));
    }
    info.is_plain =
        info.wraps.empty() && info.movers.empty() && info.conditions.empty() && !has_pulleys;
    if (bodies.size() > kMaxBodies) {
        throw InputError({.where = "muscle '" + unit.name + "'",
                          .found = "a path over more than 32 bodies",
                          .needs = "at most 32",
                          .remedy = "divide the muscle"});
    }
    info.body_count = static_cast<Index>(bodies.size());
    add_levers(info, bodies, tree);
    muscles_.push_back(std::move(info));
}

// A coordinate moves some of the path's bodies; where it moves all or none, the length is the same.
// Bodies of a path are numbered in a mask of 32 bits: the sum over moved bodies is then a walk over
// set bits.
void MusclePaths::add_levers(MuscleInfo& info, std::span<const Index> bodies,
                             const KinematicTree& tree) {
    const std::uint32_t all =
        bodies.size() == 32 ? ~0U : (1U << static_cast<unsigned>(bodies.size())) - 1U;
    info.row = static_cast<Index>(entry_coordinate_.size());
    info.first_lever = static_cast<Index>(levers_.size());
    // One entry of the sparse row per coordinate, however many degrees of freedom it drives.
    const auto entry_of = [&](Index coordinate) {
        for (std::size_t e = static_cast<std::size_t>(info.row); e < entry_coordinate_.size();
             ++e) {
            if (entry_coordinate_[e] == coordinate) {
                return static_cast<Index>(e);
            }
        }
        entry_coordinate_.push_back(coordinate);
        return static_cast<Index>(entry_coordinate_.size()) - 1;
    };
    for (std::size_t d = 0; d < tree.dofs().size(); ++d) {
        std::uint32_t mask = 0;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            const auto chain = tree.chain(bodies[b]);
            if (std::find(chain.begin(), chain.end(), static_cast<Index>(d)) != chain.end()) {
                mask |= 1U << static_cast<unsigned>(b);
            }
        }
        if (mask != 0 && mask != all) {
            levers_.push_back({static_cast<Index>(d), entry_of(tree.dofs()[d].coordinate), mask});
        }
    }
    for (Mover& mover : info.movers) {
        mover.entry = entry_of(mover.coordinate);
    }
    info.end_lever = static_cast<Index>(levers_.size());
    info.end_row = static_cast<Index>(entry_coordinate_.size());
}

std::span<const Index> MusclePaths::coordinates(std::size_t muscle) const {
    const MuscleInfo& info = muscles_[muscle];
    return std::span(entry_coordinate_)
        .subspan(static_cast<std::size_t>(info.row),
                 static_cast<std::size_t>(info.end_row - info.row));
}

void MusclePaths::scatter(const PathState& state, std::size_t muscle,
                          std::span<double> dense) const {
    std::fill(dense.begin(), dense.end(), 0.0);
    const auto columns = coordinates(muscle);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        dense[at(columns[k])] += state.jacobian[row_start(muscle) + k];
    }
}

PathState MusclePaths::evaluate(const ModelPlacement& placement) const {
    PathState state;
    evaluate(placement, state);
    return state;
}

void MusclePaths::evaluate(const ModelPlacement& placement, PathState& state) const {
    state.length.resize(muscles_.size());
    state.jacobian.assign(entry_coordinate_.size(), 0.0);
    // Points first, then muscle by muscle: its route, the pull u_in - u_out at each of its points,
    // summed up per body as force and moment about the origin.
    place_points(placement, state);
    std::array<Wrench, kMaxBodies> wrenches;
    for (std::size_t m = 0; m < muscles_.size(); ++m) {
        const MuscleInfo& info = muscles_[m];
        std::fill_n(wrenches.begin(), info.body_count, Wrench{});
        if (info.is_plain) {
            state.length[m] = pull_plain(info, state, wrenches.data());
        } else {
            place_movers(info, placement, state);
            find_route(info, placement, state);
            state.length[m] = pull_route(info, placement, state, wrenches.data());
        }
        // dl/dq = c_linear . f + c_angular . m, over the bodies that the coordinate moves.
        // Only coordinates that move a part of the path's bodies change its length; add_levers
        // found them.
        for (Index l = info.first_lever; l < info.end_lever; ++l) {
            const Lever& lever = levers_[at(l)];
            const MotionColumn& c = placement.columns[at(lever.dof)];
            double sum = 0.0;
            for (std::uint32_t rest = lever.bodies; rest != 0; rest &= rest - 1) {
                const Wrench& w = wrenches[at(__builtin_ctz(rest))];
                sum += c.linear[0] * w.f[0] + c.linear[1] * w.f[1] + c.linear[2] * w.f[2] +
                       c.angular[0] * w.m[0] + c.angular[1] * w.m[1] + c.angular[2] * w.m[2];
            }
            state.jacobian[at(lever.entry)] += sum;
        }
    }
}

std::vector<PathState::Node> MusclePaths::route(std::size_t muscle,
                                                const ModelPlacement& placement) const {
    PathState state;
    place_points(placement, state);
    place_movers(muscles_[muscle], placement, state);
    find_route(muscles_[muscle], placement, state);
    return state.nodes;
}

void MusclePaths::add_pull(std::size_t muscle, const ModelPlacement& placement, double tension,
                           std::vector<BodyLoad>& out) const {
    const std::vector<PathState::Node> nodes = route(muscle, placement);
    const Index first = muscles_[muscle].first_point;
    const auto pull = [&](const PathState::Node& node, const Vec3& force) {
        const auto add = [&](Index body, const Vec3& f) {
            if (body >= 0) {
                out.push_back({body, f, node.position.cross(f)});
            }
        };
        if (node.wrap >= 0) {
            add(wraps_[at(node.wrap)].body, force);
            return;
        }
        for (Index a = point_start_[at(first + node.order)];
             a < point_start_[at(first + node.order + 1)]; ++a) {
            add(anchors_[at(a)].body, anchors_[at(a)].weight * force);
        }
    };
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const Vec3 step = nodes[i + 1].position - nodes[i].position;
        if ((nodes[i].wrap >= 0 && nodes[i].is_begin) || step.norm() == 0.0) {
            continue;
        }
        const Vec3 force = nodes[i].weight * tension * step.normalized();
        pull(nodes[i], force);
        pull(nodes[i + 1], -force);
    }
}

// World positions of all path points: weighted means of their anchors.
void MusclePaths::place_points(const ModelPlacement& placement, PathState& state) const {
    state.anchors.resize(anchors_.size());
    state.points.resize(point_start_.size() - 1);
    const std::size_t n = state.points.size();
    for (std::size_t p = 0; p < n; ++p) {
        const auto begin = static_cast<std::size_t>(point_start_[p]);
        const auto end = static_cast<std::size_t>(point_start_[p + 1]);
        Vec3 sum = Vec3::Zero();
        for (std::size_t a = begin; a < end; ++a) {
            const Anchor& anchor = anchors_[a];
            const Vec3 world = anchor.body < 0
                                   ? anchor.position
                                   : placement.bodies[at(anchor.body)] * anchor.position;
            state.anchors[a] = world;
            sum += anchor.weight * world;
        }
        state.points[p] = sum;
    }
}

// Points whose local position is a function of a coordinate.
void MusclePaths::place_movers(const MuscleInfo& info, const ModelPlacement& placement,
                               PathState& state) const {
    for (std::size_t i = 0; i < info.movers.size();) {
        const Index point = info.movers[i].point;
        const auto a = static_cast<std::size_t>(point_start_[at(point)]);
        Vec3 local = anchors_[a].position;
        for (; i < info.movers.size() && info.movers[i].point == point; ++i) {
            const Mover& mover = info.movers[i];
            local[mover.component] = mover.function(placement.q[at(mover.coordinate)]).value;
        }
        const Index body = anchors_[a].body;
        const Vec3 world = body < 0 ? local : Vec3(placement.bodies[at(body)] * local);
        state.anchors[a] = world;
        state.points[at(point)] = world;
    }
}

// The points that count in this pose, with tangent points where surfaces are in the way.
void MusclePaths::find_route(const MuscleInfo& info, const ModelPlacement& placement,
                             PathState& state) const {
    auto& nodes = state.nodes;
    nodes.clear();
    for (Index p = info.first_point; p < info.end_point; ++p) {
        bool counts = true;
        for (const Condition& c : info.conditions) {
            const double q = placement.q[at(c.coordinate)];
            counts = counts && (c.point != p || (q >= c.low && q <= c.high));
        }
        if (counts) {
            nodes.push_back({.position = state.points[at(p)],
                             .order = p - info.first_point,
                             .weight = weights_[at(p)]});
        }
    }
    // One surface after the other; with several, again until the path lies still.
    double last = -1.0;
    const int passes = info.wraps.size() > 1 ? kMaxPasses : 1;
    for (int pass = 0; pass < passes && !info.wraps.empty(); ++pass) {
        // Several surfaces depend on each other's tangent points. Passes repeat until the length no
        // longer changes.
        bool any = false;
        for (const PathWrap& wrap : info.wraps) {
            any = wrap_once(wrap, placement, nodes) || any;
        }
        const double length = length_of(nodes);
        if (!any || std::abs(length - last) < kPassTolerance) {
            break;
        }
        last = length;
    }
}

// Lays the path over one surface: of the pieces that it cuts, the one that changes least in length.
bool MusclePaths::wrap_once(const PathWrap& wrap, const ModelPlacement& placement,
                            std::vector<PathState::Node>& nodes) const {
    const WrapObject& object = wraps_[at(wrap.object)];
    std::erase_if(nodes, [&](const PathState::Node& n) { return n.wrap == wrap.object; });
    const Placement T = wrap_placement(object, placement);
    const Placement inverse = T.inverse();
    SurfaceWrap best;
    std::size_t best_at = 0;
    double best_change = 0.0;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const bool is_on_other = nodes[i].wrap >= 0 && nodes[i].is_begin;
        if (is_on_other || nodes[i].weight == 0.0 || nodes[i].order < wrap.first ||
            nodes[i].order >= wrap.last) {
            continue;
        }
        const Vec3 p = inverse * nodes[i].position;
        const Vec3 s = inverse * nodes[i + 1].position;
        const SurfaceWrap found = wrap_segment(object, p, s);
        if (!found.wraps) {
            continue;
        }
        const double change =
            (found.begin - p).norm() + found.length + (s - found.end).norm() - (s - p).norm();
        if (!best.wraps || change < best_change || (found.cuts && !best.cuts)) {
            best = found;
            best_at = i;
            best_change = change;
        }
        if (found.cuts) {
            break;
        }
    }
    if (!best.wraps) {
        return false;
    }
    // The straight piece becomes two, with the geodesic between their tangent points.
    const Index order = nodes[best_at].order;
    const double weight = nodes[best_at].weight;
    const std::array<PathState::Node, 2> tangents = {
        PathState::Node{T * best.begin, order, wrap.object, true, best.length, weight},
        PathState::Node{T * best.end, order, wrap.object, false, 0.0, weight}};
    nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(best_at) + 1, tangents.begin(),
                 tangents.end());
    return true;
}

// A pull u at a point acts on the bodies of its anchors by their weights.
void MusclePaths::pull_point(Index point, const Vec3& u, const PathState& state,
                             Wrench* wrenches) const {
    const auto p = static_cast<std::size_t>(point);
    const auto begin = static_cast<std::size_t>(point_start_[p]);
    const auto end = static_cast<std::size_t>(point_start_[p + 1]);
    for (std::size_t a = begin; a < end; ++a) {
        const Anchor& anchor = anchors_[a];
        const Vec3& x = state.anchors[a];
        const double f0 = anchor.weight * u[0];
        const double f1 = anchor.weight * u[1];
        const double f2 = anchor.weight * u[2];
        Wrench& w = wrenches[anchor.local];
        w.f[0] += f0;
        w.f[1] += f1;
        w.f[2] += f2;
        w.m[0] += x[1] * f2 - x[2] * f1;
        w.m[1] += x[2] * f0 - x[0] * f2;
        w.m[2] += x[0] * f1 - x[1] * f0;
    }
}

// Paths of fixed points only: no route to find, no tangent points.
double MusclePaths::pull_plain(const MuscleInfo& info, const PathState& state,
                               Wrench* wrenches) const {
    double length = 0.0;
    Vec3 before = Vec3::Zero();
    for (Index p = info.first_point; p + 1 < info.end_point; ++p) {
        const Vec3 d = state.points[static_cast<std::size_t>(p) + 1] - state.points[at(p)];
        const double l = d.norm();
        const Vec3 u = l > 0.0 ? Vec3(d / l) : Vec3::Zero();
        length += l;
        pull_point(p, before - u, state, wrenches);
        before = u;
    }
    pull_point(info.end_point - 1, before, state, wrenches);
    return length;
}

// All others. Points that move along their body add f . axis * slope to their coordinate.
double MusclePaths::pull_route(const MuscleInfo& info, const ModelPlacement& placement,
                               PathState& state, Wrench* wrenches) const {
    const auto& nodes = state.nodes;
    Vec3 before = Vec3::Zero();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        // The piece on a surface pulls on nothing but its own body.
        Vec3 after = Vec3::Zero();
        const bool is_on_surface = nodes[i].wrap >= 0 && nodes[i].is_begin;
        if (i + 1 < nodes.size() && !is_on_surface) {
            after = nodes[i + 1].position - nodes[i].position;
            const double l = after.norm();
            after = l > 0.0 ? Vec3(nodes[i].weight * after / l) : Vec3::Zero();
        }
        const Vec3 f = before - after;
        before = after;
        if (nodes[i].wrap < 0) {
            const Index point = info.first_point + nodes[i].order;
            pull_point(point, f, state, wrenches);
            for (const Mover& mover : info.movers) {
                if (mover.point == point) {
                    const auto a = static_cast<std::size_t>(point_start_[at(point)]);
                    const Index body = anchors_[a].body;
                    const Vec3 axis =
                        body < 0 ? Vec3(Vec3::Unit(mover.component))
                                 : Vec3(placement.bodies[at(body)].rotation.col(mover.component));
                    state.jacobian[at(mover.entry)] +=
                        f.dot(axis) * mover.function(placement.q[at(mover.coordinate)]).slope;
                }
            }
            continue;
        }
        // A tangent point belongs to the body of its surface; that it slides there changes no
        // length.
        for (std::size_t w = 0; w < info.wraps.size(); ++w) {
            if (info.wraps[w].object == nodes[i].wrap) {
                Wrench& wrench = wrenches[info.wrap_locals[w]];
                const Vec3 moment = nodes[i].position.cross(f);
                for (int k = 0; k < 3; ++k) {
                    wrench.f[k] += f[k];
                    wrench.m[k] += moment[k];
                }
                break;
            }
        }
    }
    return length_of(nodes);
}

}  // namespace sinew
