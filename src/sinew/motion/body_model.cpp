#include "sinew/motion/body_model.h"

#include "sinew/base/error.h"
#include "sinew/geometry/surface_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace sinew {

namespace {

// Optimal fibre length over belly length after [Ward2009], rounded to 0.05.
constexpr std::pair<std::string_view, double> kRatios[] = {
    {"psoas", 0.5},
    {"iliacus", 0.55},
    {"gluteus_maximus", 0.6},
    {"gluteus_medius", 0.5},
    {"sartorius", 0.9},
    {"rectus_femoris", 0.2},
    {"vastus_lateralis", 0.35},
    {"vastus_intermedius", 0.25},
    {"vastus_medialis", 0.2},
    {"gracilis", 0.8},
    {"adductor_longus", 0.5},
    {"adductor_brevis", 0.7},
    {"adductor_magnus", 0.4},
    {"biceps_femoris_long", 0.3},
    {"biceps_femoris_short", 0.5},
    {"semitendinosus", 0.65},
    {"semimembranosus", 0.25},
    {"tibialis_anterior", 0.25},
    {"tibialis_posterior", 0.1},
    {"extensor_hallucis", 0.3},
    {"extensor_digitorum_longus", 0.25},
    {"fibularis", 0.2},
    {"peroneus", 0.2},
    {"gastrocnemius_medial", 0.2},
    {"gastrocnemius_lateral", 0.25},
    {"gastrocnemius", 0.2},
    {"soleus", 0.1},
    {"flexor_hallucis_longus", 0.2},
    {"flexor_digitorum_longus", 0.15},
};
constexpr double kUsualRatio = 0.5;
constexpr double kWide = 0.7;        // rad; joints with a greater range get something to slide on
constexpr double kClear = 0.12;      // m; along the path, free of points about such joints
constexpr double kInside = 0.9;      // of the path's distance from the joint: its wrap's radius
constexpr double kThinnest = 0.003;  // m; wraps
constexpr double kCylinderLength = 0.3;
constexpr double kAlongCost = 0.3;      // of a metre along the course against one beside it
constexpr double kTendonReach = 0.015;  // m; from a muscle's end to the tendon that carries it on
constexpr double kAttached = 0.005;     // m; ends this near a bone are on it
constexpr double kGroundReach = 0.03;   // m
constexpr double kLeastTendon = 0.001;

std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
}

class ModelMaker {
public:
    ModelMaker(const Body& body, const BodyModelOptions& options)
        : body_(body), options_(options) {}

    MusculoskeletalModel make() {
        if (body_.skeleton.joints.empty()) {
            throw InputError({.where = fmt::format("body '{}'", body_.name),
                              .found = "no joints",
                              .needs = "a skeleton",
                              .remedy = "build the body from an anatomy with joints"});
        }
        model_.name = body_.name.empty() ? "body" : body_.name;
        group_segments();
        add_joints();
        couple();
        weigh();
        enclose_bones();
        for (const Muscle& muscle : body_.muscles) {
            add_muscle(muscle);
        }
        add_notes();
        require_valid(model_, model_.name);
        return std::move(model_);
    }

private:
    // Segments that move as one share a body. Parents' joints stand first.
    void group_segments() {
        group_.assign(body_.skeleton.segments.size(), -1);
        for (const Joint& joint : body_.skeleton.joints) {
            if (joint.parent >= 0 && joint.type == JointType::Fixed) {
                group_[at(joint.child)] = group_[at(joint.parent)];
                continue;
            }
            group_[at(joint.child)] = static_cast<Index>(model_.bodies.size());
            model_.bodies.push_back({.name = body_.skeleton.segments[at(joint.child)].name});
            origin_.push_back(joint.centre);
            parent_.push_back(joint.parent < 0 ? -1 : group_[at(joint.parent)]);
            joint_of_.push_back(&joint);
        }
    }

    void add_joints() {
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            const Joint& source = *joint_of_[b];
            const auto number = static_cast<Index>(b);
            ModelJoint joint{.name = source.name,
                             .kind = JointKind::Custom,
                             .parent = parent_[b],
                             .child = number};
            joint.parent_frame.position =
                parent_[b] < 0 ? source.centre : Vec3(source.centre - origin_[at(parent_[b])]);
            const auto add = [&](std::size_t axis, const Vec3& direction, const std::string& suffix,
                                 bool turns, const AngleLimit& limit) {
                joint.axes[axis].axis = direction.normalized();
                joint.axes[axis].coordinate = static_cast<Index>(model_.coordinates.size());
                joint.axes[axis].function = {.kind = ScalarFunction::Kind::Linear,
                                             .coefficients = {1.0, 0.0}};
                model_.coordinates.push_back(
                    {.name = source.name + "_" + suffix,
                     .joint = number,
                     .is_rotation = turns,
                     .low = limit.low,
                     .high = limit.high,
                     .is_clamped = std::isfinite(limit.low) && std::isfinite(limit.high)});
            };
            for (std::size_t k = 0; k < 3; ++k) {
                joint.axes[3 + k].axis = Vec3::Unit(static_cast<Eigen::Index>(k));
            }
            if (source.type == JointType::Free) {
                for (std::size_t k = 0; k < 3; ++k) {
                    add(3 + k, Vec3::Unit(static_cast<Eigen::Index>(k)),
                        std::string("t") + "xyz"[k], false, {});
                }
            }
            for (std::size_t k = 0; k < static_cast<std::size_t>(angle_count(source.type)); ++k) {
                add(k, source.axes[k],
                    source.motions[k].empty() ? std::to_string(k) : source.motions[k], true,
                    source.limits[k]);
            }
            joint.kind = source.type == JointType::Fixed ? JointKind::Weld : JointKind::Custom;
            model_.joints.push_back(joint);
        }
    }

    // A motion named after another joint's follows it: "knee_flexion" of patellofemoral_l goes with
    // knee_l_flexion, both reaching the ends of their ranges together.
    void couple() {
        for (std::size_t c = 0; c < model_.coordinates.size(); ++c) {
            const Joint& source = *joint_of_[at(model_.coordinates[c].joint)];
            const std::string& motion = source.motions[0];
            const auto cut = motion.find('_');
            if (angle_count(source.type) != 1 || cut == std::string::npos ||
                source.name.size() < 2) {
                continue;
            }
            const std::string side = source.name.substr(source.name.size() - 2);
            const Index leader = find_coordinate(
                model_, motion.substr(0, cut) + side + "_" + motion.substr(cut + 1));
            if (leader < 0 || leader == static_cast<Index>(c)) {
                continue;
            }
            const double reach = model_.coordinates[at(leader)].high;
            const double ratio =
                std::isfinite(reach) && reach > 0.0 ? model_.coordinates[c].high / reach : 1.0;
            model_.couplers.push_back(
                {.name = model_.coordinates[c].name + "_follows",
                 .dependent = static_cast<Index>(c),
                 .independent = leader,
                 .function = {.kind = ScalarFunction::Kind::Linear, .coefficients = {ratio, 0.0}}});
        }
    }

    // Masses and moments of a body's segments about their common centre.
    void weigh() {
        const auto& segments = body_.skeleton.segments;
        for (std::size_t s = 0; s < segments.size(); ++s) {
            RigidBody& rigid = model_.bodies[at(group_[s])];
            rigid.mass += segments[s].mass;
            rigid.com += segments[s].mass * segments[s].com;
        }
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            RigidBody& rigid = model_.bodies[b];
            rigid.com = rigid.mass > 0.0 ? Vec3(rigid.com / rigid.mass) : origin_[b];
        }
        for (std::size_t s = 0; s < segments.size(); ++s) {
            RigidBody& rigid = model_.bodies[at(group_[s])];
            const Vec3 d = segments[s].com - rigid.com;
            rigid.inertia +=
                segments[s].inertia +
                segments[s].mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
        }
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            model_.bodies[b].com -= origin_[b];
        }
    }

    void enclose_bones() {
        std::vector<Vec3> low(model_.bodies.size(), Vec3::Constant(1e9));
        std::vector<Vec3> high(model_.bodies.size(), Vec3::Constant(-1e9));
        bones_of_.resize(model_.bodies.size());
        for (std::size_t i = 0; i < body_.bones.size(); ++i) {
            const Bone& bone = body_.bones[i];
            if (bone.mesh.points.rows() == 0) {
                continue;
            }
            const std::size_t b = at(group_[at(bone.segment)]);
            low[b] = low[b].cwiseMin(bone.mesh.points.colwise().minCoeff().transpose());
            high[b] = high[b].cwiseMax(bone.mesh.points.colwise().maxCoeff().transpose());
            bones_of_[b].push_back(static_cast<Index>(i));
        }
        trees_.resize(body_.bones.size());
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            if (low[b].x() < high[b].x()) {
                model_.bodies[b].box = high[b] - low[b];
                model_.bodies[b].box_placement.position = 0.5 * (high[b] + low[b]) - origin_[b];
                model_.bodies[b].touches_ground = low[b].y() < kGroundReach;
            }
        }
    }

    // Means of the surface between neighbouring shares of the way; ends are means of the outermost.
    std::vector<Vec3> centre_line(const Muscle& muscle) const {
        const Attribute* share = find_attribute(muscle.mesh.point_data, "share");
        const auto n = static_cast<std::size_t>(muscle.mesh.points.rows());
        std::vector<double> way;
        if (share != nullptr && share->components == 1 && share->values.size() == n) {
            way = share->values;
        } else {
            way = shares_between_bones(muscle);
        }
        const auto count = static_cast<std::size_t>(options_.points);
        std::vector<Vec3> sum(count, Vec3::Zero());
        std::vector<double> weight(count, 0.0);
        for (std::size_t v = 0; v < n; ++v) {
            const double t = std::clamp(way[v], 0.0, 1.0) * static_cast<double>(count - 1);
            const auto k = static_cast<std::size_t>(std::lround(t));
            // Ends count only what lies closest to them.
            const double w = std::max(1e-3, 0.5 - std::abs(t - static_cast<double>(k)));
            sum[k] += w * muscle.mesh.points.row(static_cast<Eigen::Index>(v)).transpose();
            weight[k] += w;
        }
        std::vector<Vec3> line;
        for (std::size_t k = 0; k < count; ++k) {
            if (weight[k] > 0.0) {
                line.push_back(sum[k] / weight[k]);
            }
        }
        return line;
    }

    // Where the mesh does not say: by distances to the bones at both ends.
    std::vector<double> shares_between_bones(const Muscle& muscle) const {
        const std::vector<ClosestPoint> from =
            tree_of(muscle.origin).closest_points(muscle.mesh.points);
        const std::vector<ClosestPoint> to =
            tree_of(muscle.insertion).closest_points(muscle.mesh.points);
        std::vector<double> way;
        for (std::size_t v = 0; v < from.size(); ++v) {
            way.push_back(from[v].distance - to[v].distance);
        }
        const auto [low, high] = std::minmax_element(way.begin(), way.end());
        const double first = *low;
        const double span = std::max(*high - first, 1e-9);
        for (double& w : way) {
            w = (w - first) / span;
        }
        return way;
    }

    const SurfaceTree& tree_of(Index bone) const {
        auto& tree = trees_[at(bone)];
        if (!tree) {
            tree = std::make_unique<SurfaceTree>(body_.bones[at(bone)].mesh);
        }
        return *tree;
    }

    Index body_of_bone(Index bone) const {
        return group_[at(body_.bones[at(bone)].segment)];
    }

    // Bodies from a over their common ancestor to b.
    std::vector<Index> chain_between(Index a, Index b) const {
        std::vector<Index> up;
        for (Index x = a; x >= 0; x = parent_[at(x)]) {
            up.push_back(x);
        }
        std::vector<Index> down;
        for (Index x = b; x >= 0; x = parent_[at(x)]) {
            const auto it = std::find(up.begin(), up.end(), x);
            if (it != up.end()) {
                up.erase(it + 1, up.end());
                break;
            }
            down.push_back(x);
        }
        up.insert(up.end(), down.rbegin(), down.rend());
        return up;
    }

    // Where the line ends short of its insertion, it goes on along a tendon that is a part of its
    // own and ends on that bone.
    void follow_tendon(std::vector<Vec3>& line, const Muscle& muscle) const {
        if (tree_of(muscle.insertion).closest_point(line.back()).distance <= kAttached) {
            return;
        }
        for (const Muscle& tendon : body_.muscles) {
            if (!tendon.is_passive || tendon.insertion != muscle.insertion ||
                tendon.mesh.points.rows() == 0 ||
                SurfaceTree(tendon.mesh).closest_point(line.back()).distance > kTendonReach) {
                continue;
            }
            // Only what lies beyond the muscle's end, on the way to the tendon's.
            const std::vector<Vec3> along = centre_line(tendon);
            const Vec3 end = line.back();
            for (const Vec3& p : along) {
                if ((p - along.back()).norm() < (end - along.back()).norm() - kTendonReach) {
                    line.push_back(p);
                }
            }
            return;
        }
    }

    // Where the line ends short of its bone all the same, it runs on straight: to the point of the
    // bone that is near its course.
    void reach_bone(std::vector<Vec3>& line, Index bone, bool at_begin) const {
        const Vec3 end = at_begin ? line.front() : line.back();
        if (tree_of(bone).closest_point(end).distance <= kAttached) {
            return;
        }
        const Vec3 course = (end - (at_begin ? line[1] : line[line.size() - 2])).normalized();
        const Points& points = body_.bones[at(bone)].mesh.points;
        double best = 1e9;
        Vec3 reached = end;
        for (Eigen::Index v = 0; v < points.rows(); ++v) {
            const Vec3 d = points.row(v).transpose() - end;
            const double along = d.dot(course);
            const double cost = (d - along * course).norm() + kAlongCost * std::abs(along);
            if (cost < best) {
                best = cost;
                reached = points.row(v).transpose();
            }
        }
        line.insert(at_begin ? line.begin() : line.end(), reached);
    }

    // Where a line passes a joint of the chain: next to its centre, in the chain's order.
    struct Crossing {
        Index child = 0;  // whose joint it is
        double s = 0.0;   // along the line, m
        Vec3 point = Vec3::Zero();
        Vec3 tangent = Vec3::UnitY();
        bool is_wide = false;  // it turns so far that the path must slide round it
    };

    std::vector<Crossing> crossings(const std::vector<Index>& chain,
                                    const std::vector<Vec3>& line) const {
        std::vector<Crossing> out;
        for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
            Crossing c;
            c.child = parent_[at(chain[k + 1])] == chain[k] ? chain[k + 1] : chain[k];
            double best = 1e9;
            double done = 0.0;
            for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                const Vec3 d = line[i + 1] - line[i];
                const Vec3 to = origin_[at(c.child)] - line[i];
                const double t = std::clamp(to.dot(d) / std::max(d.squaredNorm(), 1e-18), 0.0, 1.0);
                if ((to - t * d).norm() < best) {
                    best = (to - t * d).norm();
                    c.s = done + t * d.norm();
                    c.point = line[i] + t * d;
                    c.tangent = d.normalized();
                }
                done += d.norm();
            }
            c.s = out.empty() ? c.s : std::max(c.s, out.back().s);
            const Joint& joint = *joint_of_[at(c.child)];
            for (std::size_t k2 = 0; k2 < static_cast<std::size_t>(angle_count(joint.type)); ++k2) {
                c.is_wide = c.is_wide || joint.limits[k2].high - joint.limits[k2].low > kWide;
            }
            out.push_back(c);
        }
        return out;
    }

    // A cylinder about the joint, a little inside the path at rest, that the path cannot cut: round
    // the hinge, or across the path where the joint turns every way.
    Index add_wrap(const Crossing& c, const std::string& muscle) {
        const Joint& joint = *joint_of_[at(c.child)];
        const Vec3 centre = origin_[at(c.child)];
        const bool is_hinge = angle_count(joint.type) == 1;
        const Vec3 axis = is_hinge ? joint.axes[0].normalized()
                                   : Vec3((c.point - centre).cross(c.tangent)).normalized();
        Vec3 out = c.point - centre;
        out -= out.dot(axis) * axis;
        const double radius = kInside * out.norm();
        if (!(radius > kThinnest) || !axis.allFinite()) {
            return -1;
        }
        out.normalize();
        const Index holder = std::max(parent_[at(c.child)], Index{0});
        WrapObject wrap{.name = fmt::format("{}_at_{}", muscle, joint.name),
                        .body = holder,
                        .kind = WrapKind::Cylinder,
                        .size = Vec3(radius, kCylinderLength, 1.0),
                        .side_axis = 0,
                        .side_sign = 1};
        wrap.placement.position = centre - origin_[at(holder)];
        wrap.placement.rotation.col(0) = out;
        wrap.placement.rotation.col(1) = axis.cross(out);
        wrap.placement.rotation.col(2) = axis;
        model_.wraps.push_back(wrap);
        return static_cast<Index>(model_.wraps.size()) - 1;
    }

    // Points belong to the bodies between whose joints they lie; near wide joints there are none.
    void add_points(const std::vector<Index>& chain, const std::vector<Crossing>& crossing,
                    const std::vector<Vec3>& line, double length, MuscleUnit& unit) {
        double s = 0.0;
        std::vector<double> places;
        for (std::size_t k = 0; k < line.size(); ++k) {
            s += k > 0 ? (line[k] - line[k - 1]).norm() : 0.0;
            const bool is_end = k == 0 || k + 1 == line.size();
            std::size_t step = 0;
            bool is_clear = true;
            for (const Crossing& c : crossing) {
                step += s > c.s ? 1 : 0;
                const double room = std::min(kClear, 0.8 * (s > c.s ? length - c.s : c.s));
                is_clear = is_clear && (!c.is_wide || std::abs(s - c.s) >= room);
            }
            if (!is_end && !is_clear) {
                continue;
            }
            const Index rigid = k == 0 ? chain.front() : is_end ? chain.back() : chain[step];
            PathPoint point;
            point.name = fmt::format("{}-P{}", unit.name, unit.points.size() + 1);
            point.anchors = {{rigid, line[k] - origin_[at(rigid)], 1.0}};
            unit.points.push_back(point);
            places.push_back(s);
        }
        for (const Crossing& c : crossing) {
            const auto after = std::upper_bound(places.begin(), places.end() - 1, c.s);
            if (!c.is_wide || after == places.begin()) {
                continue;
            }
            const Index wrap = add_wrap(c, unit.name);
            const auto last = static_cast<Index>(after - places.begin());
            if (wrap >= 0) {
                unit.wraps.push_back({.object = wrap, .first = last - 1, .last = last});
            }
        }
    }

    void add_muscle(const Muscle& muscle) {
        if (muscle.is_passive) {
            ++passive_;
            return;
        }
        if (muscle.origin < 0 || muscle.insertion < 0 || muscle.mesh.points.rows() == 0) {
            ++loose_;
            return;
        }
        const Index from = body_of_bone(muscle.origin);
        const Index to = body_of_bone(muscle.insertion);
        if (from == to) {
            ++idle_;
            return;
        }
        std::vector<Vec3> line = centre_line(muscle);
        if (line.size() < 2) {
            ++loose_;
            return;
        }
        follow_tendon(line, muscle);
        reach_bone(line, muscle.origin, true);
        reach_bone(line, muscle.insertion, false);
        double length = 0.0;
        for (std::size_t k = 1; k < line.size(); ++k) {
            length += (line[k] - line[k - 1]).norm();
        }
        const std::vector<Index> chain = chain_between(from, to);
        MuscleUnit unit{.name = muscle.name};
        add_points(chain, crossings(chain, line), line, length, unit);
        unit.pennation = muscle.pennation;
        const double belly = std::max(muscle.belly_end - muscle.belly_begin, 0.1) * length;
        unit.fibre = fibre_ratio(muscle.name) * belly;
        unit.tendon = std::max(length - unit.fibre * std::cos(unit.pennation), kLeastTendon);
        const double area = muscle.volume * std::cos(unit.pennation) / unit.fibre;
        unit.fmax = std::max(area * options_.specific_tension, 1e-3);
        model_.muscles.push_back(std::move(unit));
    }

    void add_notes() {
        const auto note = [&](int count, const char* what) {
            if (count > 0) {
                model_.notes.push_back(fmt::format("{} {}", count, what));
            }
        };
        note(passive_, "ligaments and aponeuroses are left out");
        note(loose_, "muscles without an end on a bone are left out");
        note(idle_, "muscles that cross no joint that moves are left out");
    }

    const Body& body_;
    BodyModelOptions options_;
    MusculoskeletalModel model_ = {};
    std::vector<Index> group_ = {};  // body of each segment
    std::vector<Vec3> origin_ = {};  // of each body's frame
    std::vector<Index> parent_ = {};
    std::vector<const Joint*> joint_of_ = {};
    std::vector<std::vector<Index>> bones_of_ = {};
    mutable std::vector<std::unique_ptr<SurfaceTree>> trees_ = {};
    int passive_ = 0;
    int loose_ = 0;
    int idle_ = 0;
};

}  // namespace

double fibre_ratio(std::string_view muscle) {
    for (const auto& [name, ratio] : kRatios) {
        if (muscle.starts_with(name)) {
            return ratio;
        }
    }
    return kUsualRatio;
}

MusculoskeletalModel model_from_body(const Body& body, const BodyModelOptions& options) {
    return ModelMaker(body, options).make();
}

}  // namespace sinew
