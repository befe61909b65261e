#include "sinew/motion/body_model.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/body/muscle_sizes.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/geometry/measure.h"
#include "sinew/motion/muscle_lines.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/operating_lengths.h"
#include "sinew/motion/path_choice.h"
#include "sinew/motion/published_muscles.h"
#include "sinew/motion/wrap_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

// A body as articulated rigid bodies with line muscles, in the order of model_from_body: segments
// that joints hold fixed become one body, with their masses and moments about the common centre;
// joints become coordinates with their limits; every muscle's line is led from bone to bone
// (muscle_lines.h), past the joints where anatomy has it (published_muscles.h), and becomes a path
// (path_choice.h). Then fibres and tendons for the lengths that the paths go through
// (operating_lengths.h), and strength by cross-section.
//
// What is taken from this body: paths, volumes, masses. What is published: fibre lengths,
// pennations, specific tension, some moment arms. What is authored: armature, damping and stiffness
// of joints, with their reasons beside the numbers.

namespace sinew {

namespace {

constexpr double kUsualRatio = 0.5;    // optimal fibre over belly, where nothing is published
constexpr double kBoneWindow = 0.012;  // m; about a line, where bone is looked for
constexpr double kWidestBone = 0.04;   // m; from a joint
constexpr double kTendonHalf = 0.002;  // m
constexpr double kPoorPath = 4.0;      // cost from which a path's ends are moved
constexpr double kClearArm = 0.005;    // m; smaller moment arms are not worth moving an end
constexpr double kAttachment = 0.02;   // m; radius of the area where a muscle attaches
// Of joints: a vertebra or a finger bone alone is so light that muscles of 1000 N, stepped by 2 ms,
// would throw it about.
constexpr double kArmature =
    0.02;                         // kg m^2; a hand about the wrist has 0.003, a leg about the hip 2
constexpr double kDamping = 1.0;  // N m s/rad; as measured at knees and hips, more than at fingers
constexpr double kJoinStep = 0.01;  // m; between points where a line goes over into another
// The scapula lies on the ribs and hangs in ligaments, which the model has not; without them it
// would swing. An arm (4 kg, 0.2 m from the sternum's joint) sinks by 4.5 degrees.
constexpr double kGirdleStiffness = 100.0;  // N m/rad

// Joints between trunk and scapula.
bool is_of_girdle(std::string_view joint) {
    return joint.starts_with("sternoclavicular") || joint.starts_with("acromioclavicular");
}

// A muscle, its line and the bones it ends on.
struct MuscleRoute {
    const Muscle* muscle = nullptr;
    CrossedLine line;
    Index origin = 0;
    Index insertion = 0;
};

class ModelMaker {
public:
    ModelMaker(const Body& body, const BodyModelOptions& options)
        : body_(body), options_(options), lines_(body, options.points) {}

    // Bodies and joints first, then muscles in two steps: lines one by one, paths side by side, for
    // choosing them is the long part.
    MusculoskeletalModel make() {
        add_lines();
        add_paths();
        make_sides_agree(model_);
        const std::vector<FibreWish> wishes = fibre_wishes();
        set_operating_lengths(model_, wishes);
        set_forces(wishes);
        add_notes();
        require_valid(model_, model_.name);
        return std::move(model_);
    }

    std::vector<double> forces() {
        add_lines();
        set_forces(fibre_wishes());
        std::vector<double> fmax(body_.muscles.size(), 0.0);
        for (std::size_t m = 0; m < courses_.size(); ++m) {
            fmax[number_of(*courses_[m].muscle)] = model_.muscles[m].fmax;
        }
        return fmax;
    }

    std::vector<Index> groups() {
        group_segments();
        return group_;
    }

    std::vector<TriangleMesh> surfaces() {
        group_segments();
        std::vector<TriangleMesh> out(model_.bodies.size());
        for (const Bone& bone : body_.bones) {
            const std::size_t b = at(group_[at(bone.segment)]);
            TriangleMesh& mesh = out[b];
            const Eigen::Index points = mesh.points.rows();
            const Eigen::Index triangles = mesh.triangles.rows();
            mesh.points.conservativeResize(points + bone.mesh.points.rows(), 3);
            mesh.points.bottomRows(bone.mesh.points.rows()) =
                bone.mesh.points.rowwise() - origin_[b].transpose();
            mesh.triangles.conservativeResize(triangles + bone.mesh.triangles.rows(), 3);
            mesh.triangles.bottomRows(bone.mesh.triangles.rows()) =
                bone.mesh.triangles.array() + static_cast<Index>(points);
        }
        return out;
    }

private:
    // Everything but the paths of muscles.
    void add_lines() {
        if (body_.skeleton.joints.empty()) {
            throw InputError({.where = fmt::format("body '{}'", body_.name),
                              .found = "no joints",
                              .needs = "a skeleton",
                              .remedy = "build the body from an anatomy with joints"});
        }
        model_.name = body_.name.empty() ? "body" : body_.name;
        group_segments();
        add_joints();
        couple_following_motions(model_, joint_of_);
        couple_scapula(model_);
        weigh();
        enclose_bones();
        for (const Muscle& muscle : body_.muscles) {
            add_muscle(muscle);
        }
    }

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

    // One custom joint per body: three rotations about the joint's axes, three translations; an
    // axis without a range has no coordinate.
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
                if (limit.low == limit.high) {
                    return;  // a way in which the joint does not turn
                }
                joint.axes[axis].coordinate = static_cast<Index>(model_.coordinates.size());
                joint.axes[axis].function = {.kind = ScalarFunction::Kind::Linear,
                                             .coefficients = {1.0, 0.0}};
                model_.coordinates.push_back(
                    {.name = source.name + "_" + suffix,
                     .joint = number,
                     .is_rotation = turns,
                     .low = limit.low,
                     .high = limit.high,
                     .is_clamped = std::isfinite(limit.low) && std::isfinite(limit.high),
                     .armature = parent_[b] < 0 ? 0.0 : kArmature,
                     .damping = parent_[b] < 0 ? 0.0 : kDamping,
                     .stiffness = is_of_girdle(source.name) ? kGirdleStiffness : 0.0});
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

    // Boxes are for contact with the ground and for looking at.
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
            bones_of_[b].push_back(static_cast<Index>(i));
            high[b] = high[b].cwiseMax(bone.mesh.points.colwise().maxCoeff().transpose());
        }
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            if (low[b].x() < high[b].x()) {
                model_.bodies[b].box = high[b] - low[b];
                model_.bodies[b].box_placement.position = 0.5 * (high[b] + low[b]) - origin_[b];
                model_.bodies[b].touches_ground = true;
            }
        }
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

    // The line with the joints of its chain.
    CrossedLine crossed(std::vector<Vec3> points, Index from, Index to) const {
        CrossedLine line{.points = std::move(points), .bodies = chain_between(from, to)};
        for (std::size_t k = 0; k + 1 < line.bodies.size(); ++k) {
            LineCrossing c;
            c.to_child = parent_[at(line.bodies[k + 1])] == line.bodies[k];
            c.joint = c.to_child ? line.bodies[k + 1] : line.bodies[k];
            const Joint& joint = *joint_of_[at(c.joint)];
            c.centre = joint.centre;
            c.axis_count = angle_count(joint.type);
            for (std::size_t a = 0; a < static_cast<std::size_t>(c.axis_count); ++a) {
                c.axes[a] = joint.axes[a].normalized();
                c.low[a] = joint.limits[a].low;
                c.high[a] = joint.limits[a].high;
            }
            line.crossings.push_back(c);
        }
        return line;
    }

    // Past the joints on the side where anatomy has it; elsewhere bones say how near it may come.
    // Published moment arms are of people of one size: they scale with the limb.
    void lead(CrossedLine& line, std::string_view muscle) const {
        std::vector<bool> is_led(line.crossings.size(), false);
        for (const PublishedPassing& p : published_passings()) {
            for (std::size_t k = 0; muscle.starts_with(p.muscle) && k < line.crossings.size();
                 ++k) {
                const Joint& joint = *joint_of_[at(line.crossings[k].joint)];
                const std::string_view name = std::string_view(joint.name);
                if (name.substr(0, name.size() - 2) != p.joint) {
                    continue;
                }
                for (std::size_t a = 0; a < static_cast<std::size_t>(angle_count(joint.type));
                     ++a) {
                    if (joint.motions[a] == p.motion) {
                        const double scale = limb_scale(p.limb);
                        lead_past(line, k, a, p.least * scale);
                        line.crossings[k].least_arm[a] = p.low * scale;
                        line.crossings[k].most_arm[a] = p.high * scale;
                        line.crossings[k].measured_to[a] = p.to * kPi / 180.0;
                        is_led[k] = true;
                    }
                }
            }
        }
        for (std::size_t k = 0; k < line.crossings.size(); ++k) {
            line.crossings[k].bone = is_led[k] ? 0.0 : bone_reach(line, k);
        }
    }

    // Of this body's limb to that of the people measured; 1 where joints have other names.
    double limb_scale(MuscleLimb limb) const {
        const auto centre = [&](std::string_view name) {
            const auto& joints = body_.skeleton.joints;
            const auto it = std::find_if(joints.begin(), joints.end(),
                                         [&](const Joint& j) { return j.name == name; });
            return it == joints.end() ? Vec3::Constant(std::nan("")).eval() : it->centre;
        };
        const bool is_leg = limb == MuscleLimb::Leg;
        const Vec3 middle = centre(is_leg ? "knee_l" : "elbow_l");
        const double length = (centre(is_leg ? "hip_l" : "shoulder_l") - middle).norm() +
                              (centre(is_leg ? "ankle_l" : "wrist_l") - middle).norm();
        return std::isfinite(length) ? length / published_length(limb) : 1.0;
    }

    // How far the bones of a joint's parent reach towards a line that passes it.
    // Only bone that lies under the line counts, within a window of 12 mm, and a tendon has a
    // thickness of its own.
    double bone_reach(const CrossedLine& line, std::size_t crossing) const {
        const LineCrossing& c = line.crossings[crossing];
        const LinePassing p = passing(line, crossing);
        const double along_axis = (p.point - c.centre).dot(p.axis);
        const Vec3 across = p.axis.cross(p.outwards);
        double reach = 0.0;
        for (const Index b : bones_of_[at(parent_[at(c.joint)])]) {
            const Points& points = body_.bones[at(b)].mesh.points;
            for (Eigen::Index v = 0; v < points.rows(); ++v) {
                const Vec3 d = points.row(v).transpose() - c.centre;
                if (std::abs(d.dot(p.axis) - along_axis) < kBoneWindow &&
                    std::abs(d.dot(across)) < kBoneWindow) {
                    reach = std::max(reach, d.dot(p.outwards));
                }
            }
        }
        return reach > 0.0 && reach < kWidestBone ? reach + kTendonHalf : 0.0;
    }

    void add_paths() {
        std::vector<ChosenPath> paths(courses_.size());
        parallel_for(courses_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t m = begin; m < end; ++m) {
                paths[m] = best_path(courses_[m]);
            }
        });
        for (std::size_t m = 0; m < paths.size(); ++m) {
            add_path(paths[m], model_.muscles[m]);
        }
    }

    // Attachments are areas: where the path does badly, its ends may lie elsewhere in them.
    // Two kinds of moves, each kept only where the path becomes better: an end from which the
    // muscle has more of its moment arm, or one nearer to the axis where less is published.
    ChosenPath best_path(const MuscleRoute& course) const {
        ChosenPath best = choose_path(course.line);
        for (const bool at_begin : {true, false}) {
            for (std::size_t axis = 0; axis < 3 && best.cost >= kPoorPath; ++axis) {
                CrossedLine moved = course.line;
                (at_begin ? moved.points.front() : moved.points.back()) =
                    better_end(course, at_begin, axis);
                if (!keeps_arms(course.line, moved, at_begin)) {
                    continue;
                }
                ChosenPath other = choose_path(moved);
                if (other.cost < best.cost) {
                    best = std::move(other);
                }
            }
            for (std::size_t axis = 0; axis < 3 && best.cost >= kPoorPath; ++axis) {
                CrossedLine moved = course.line;
                Vec3& end = at_begin ? moved.points.front() : moved.points.back();
                if (!find_nearer_end(course, at_begin, axis, end)) {
                    continue;
                }
                ChosenPath other = choose_path(moved);
                if (other.cost < best.cost) {
                    best = std::move(other);
                }
            }
        }
        return best;
    }

    // A bent joint gives a muscle the whole distance of its end from the axis. Where less is
    // published, the end moves there on its bone.
    bool find_nearer_end(const MuscleRoute& course, bool at_begin, std::size_t axis,
                         Vec3& end) const {
        const CrossedLine& line = course.line;
        const std::size_t crossing = at_begin ? 0 : line.crossings.size() - 1;
        const LineCrossing& joint = line.crossings[crossing];
        const double wanted = joint.most_arm[axis];
        const Vec3 outwards = passing(line, crossing).outwards;
        const auto from_axis = [&](const Vec3& p) {
            return (p - joint.centre).cross(joint.axes[axis]).norm();
        };
        if (wanted <= 0.0 || from_axis(end) <= wanted) {
            return false;
        }
        const Vec3 old = end;
        double least = from_axis(end) - wanted;
        const Points& points =
            body_.bones[at(at_begin ? course.origin : course.insertion)].mesh.points;
        for (Eigen::Index v = 0; v < points.rows(); ++v) {
            const Vec3 p = points.row(v).transpose();
            const double off = std::abs(from_axis(p) - wanted);
            if ((p - old).norm() < kAttachment && (p - joint.centre).dot(outwards) > 0.0 &&
                off < least) {
                least = off;
                end = p;
            }
        }
        return end != old;
    }

    // Whether what the muscle does most at the joint nearest to its end stays as strong.
    static bool keeps_arms(const CrossedLine& line, const CrossedLine& moved, bool at_begin) {
        const std::size_t crossing = at_begin ? 0 : line.crossings.size() - 1;
        const std::array<double, 3> before = line_moment_arms(line, crossing);
        const std::array<double, 3> after = line_moment_arms(moved, crossing);
        const LineCrossing& joint = line.crossings[crossing];
        const auto change = [&](std::size_t k) {
            return std::abs(before[k]) * (joint.high[k] - joint.low[k]);
        };
        std::size_t main = 0;
        for (std::size_t k = 1; k < static_cast<std::size_t>(joint.axis_count); ++k) {
            main = change(k) > change(main) ? k : main;
        }
        return std::abs(after[main]) >= std::abs(before[main]) && after[main] * before[main] >= 0.0;
    }

    // The point of the attachment from which the muscle has most of its moment arm about an
    // axis of the nearest joint.
    // All vertices of the bone within the attachment's radius are tried.
    Vec3 better_end(const MuscleRoute& course, bool at_begin, std::size_t number) const {
        const CrossedLine& line = course.line;
        const Vec3 end = at_begin ? line.points.front() : line.points.back();
        const std::size_t crossing = at_begin ? 0 : line.crossings.size() - 1;
        const LineCrossing& joint = line.crossings[crossing];
        const std::array<double, 3> arms = line_moment_arms(line, crossing);
        if (std::abs(arms[number]) < kClearArm) {
            return end;
        }
        const Vec3& axis = joint.axes[number];
        const Vec3 next = at_begin ? line.points[1] : line.points[line.points.size() - 2];
        const double side =
            (at_begin == joint.to_child ? 1.0 : -1.0) * (arms[number] < 0.0 ? -1.0 : 1.0);
        double most = -1e9;
        Vec3 best = end;
        const Points& points =
            body_.bones[at(at_begin ? course.origin : course.insertion)].mesh.points;
        for (Eigen::Index v = 0; v < points.rows(); ++v) {
            const Vec3 p = points.row(v).transpose();
            const double arm = -side * (next - p).normalized().dot(axis.cross(p - joint.centre));
            if ((p - end).norm() < kAttachment && arm > most) {
                most = arm;
                best = p;
            }
        }
        return best;
    }

    void add_path(const ChosenPath& path, MuscleUnit& unit) {
        for (const ChosenPath::Point& p : path.points) {
            PathPoint point;
            point.name = fmt::format("{}-P{}", unit.name, unit.points.size() + 1);
            point.anchors = {{p.body, p.position - origin_[at(p.body)], 1.0}};
            unit.points.push_back(point);
        }
        for (const ChosenPath::Wrap& w : path.wraps) {
            WrapObject object = w.object;
            object.name = fmt::format("{}_at_{}", unit.name, joint_of_[at(w.joint)]->name);
            object.placement.position -= origin_[at(object.body)];
            unit.wraps.push_back({.object = static_cast<Index>(model_.wraps.size()),
                                  .first = w.after,
                                  .last = w.after + 1});
            model_.wraps.push_back(object);
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
        MuscleLines::Ends ends = lines_.ends(muscle);
        if (body_of_bone(ends.origin) == body_of_bone(ends.insertion)) {
            ends = {muscle.origin, muscle.insertion};
        }
        const Index from = body_of_bone(ends.origin);
        const Index to = body_of_bone(ends.insertion);
        if (from == to) {
            ++idle_;
            return;
        }
        std::vector<Vec3> points = line_of(muscle, ends);
        if (points.size() < 2) {
            ++loose_;
            return;
        }
        // Strength and fibres follow once the path's length is known.
        MuscleUnit unit{.name = muscle.name};
        unit.fmax = unit.fibre = 1.0;
        courses_.push_back(
            {&muscle, crossed(std::move(points), from, to), ends.origin, ends.insertion});
        lead(courses_.back().line, muscle.name);
        model_.muscles.push_back(std::move(unit));
    }

    std::vector<Vec3> line_of(const Muscle& muscle, const MuscleLines::Ends& ends) const {
        std::vector<Vec3> line;
        if (ends.origin == muscle.origin && ends.insertion == muscle.insertion) {
            line = lines_.line(muscle);
        } else {
            Muscle moved = muscle;
            moved.origin = ends.origin;
            moved.insertion = ends.insertion;
            line = lines_.line(moved);
        }
        for (const SharedTendon& shared : shared_tendons()) {
            const std::string side = muscle.name.substr(muscle.name.size() - 2);
            const std::string other = std::string(shared.other) + side;
            const auto it = std::find_if(body_.muscles.begin(), body_.muscles.end(),
                                         [&](const Muscle& m) { return m.name == other; });
            if (muscle.name.starts_with(shared.muscle) && it != body_.muscles.end() &&
                it->insertion == muscle.insertion && line.size() > 1) {
                line = joined(line, lines_.line(*it));
            }
        }
        return line;
    }

    // The line to where it comes nearest to the other, and that from there on.
    static std::vector<Vec3> joined(const std::vector<Vec3>& line, const std::vector<Vec3>& other) {
        double least = 1e9;
        std::size_t leaves = 0;
        std::size_t enters = 0;
        for (std::size_t k = 1; k < line.size(); ++k) {
            for (std::size_t j = 0; j < other.size(); ++j) {
                if ((other[j] - line[k]).norm() < least) {
                    least = (other[j] - line[k]).norm();
                    leaves = k;
                    enters = j;
                }
            }
        }
        std::vector<Vec3> out(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(leaves) + 1);
        for (std::size_t j = enters; j < other.size(); ++j) {
            const Vec3 step = other[j] - out.back();
            if (j + 1 == other.size() ||
                (step.norm() > kJoinStep && step.dot(other.back() - out.back()) > 0.0)) {
                out.push_back(other[j]);
            }
        }
        return out;
    }

    std::vector<FibreWish> fibre_wishes() const {
        std::vector<FibreWish> wishes;
        for (const MuscleRoute& course : courses_) {
            wishes.push_back(fibre_wish(*course.muscle, line_length(course.line.points)));
        }
        return wishes;
    }

    std::size_t number_of(const Muscle& muscle) const {
        return static_cast<std::size_t>(&muscle - body_.muscles.data());
    }

    // Strength by area. Fibres that became longer to fit their path keep the area of the measured
    // ones. The legs of the specimen are corrected to measured areas; muscles that were given the
    // volumes of people have such areas by themselves, and are not corrected again.
    void set_forces(const std::vector<FibreWish>& wishes) {
        const std::vector<double> bellies = belly_volumes();
        const bool is_corrected = !has_muscles_of_people(body_);
        for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
            const Muscle& muscle = *courses_[m].muscle;
            const PublishedFibres* known = find_published_fibres(muscle.name);
            const double area = bellies[number_of(muscle)] * std::cos(wishes[m].pennation) /
                                wishes[m].fibre *
                                (is_corrected && known != nullptr ? known->area_ratio : 1.0);
            model_.muscles[m].fmax = std::max(area * options_.specific_tension, 1e-3);
        }
    }

    static double line_length(const std::vector<Vec3>& line) {
        double length = 0.0;
        for (std::size_t k = 1; k < line.size(); ++k) {
            length += (line[k] - line[k - 1]).norm();
        }
        return length;
    }

    // Contractile volume of each muscle: what grows, while tendons stay. m^3
    std::vector<double> belly_volumes() const {
        std::vector<double> belly(body_.muscles.size(), 0.0);
        const TissueShares& s = body_.shares;
        const Eigen::VectorXd volumes = tet_volumes(body_.tets);
        for (std::size_t t = 0; t + 1 < s.start.size(); ++t) {
            for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
                const Tissue tissue = body_.materials[at(s.material[at(e)])].tissue;
                if (s.part[at(e)] >= 0 && tissue == Tissue::Muscle) {
                    belly[at(s.part[at(e)])] +=
                        s.fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)];
                }
            }
        }
        // Bodies without tetrahedra, and muscles too small for them, have their meshes' volumes.
        for (std::size_t m = 0; m < belly.size(); ++m) {
            belly[m] = belly[m] > 0.0 ? belly[m] : body_.muscles[m].volume;
        }
        return belly;
    }

    FibreWish fibre_wish(const Muscle& muscle, double length) const {
        if (const PublishedFibres* known = find_published_fibres(muscle.name)) {
            return {.fibre = known->length * limb_scale(known->limb),
                    .pennation = known->pennation * kPi / 180.0,
                    .at_rest = known->sarcomere > 0.0 ? known->sarcomere / kOptimalSarcomere : 1.0};
        }
        const double belly = std::max(muscle.belly_end - muscle.belly_begin, 0.1) * length;
        return {.fibre = kUsualRatio * belly, .pennation = muscle.pennation};
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
    MuscleLines lines_;
    MusculoskeletalModel model_ = {};
    std::vector<Index> group_ = {};  // body of each segment
    std::vector<Vec3> origin_ = {};  // of each body's frame
    std::vector<Index> parent_ = {};
    std::vector<const Joint*> joint_of_ = {};
    std::vector<std::vector<Index>> bones_of_ = {};
    std::vector<MuscleRoute> courses_ = {};  // of each muscle of the model
    int passive_ = 0;
    int loose_ = 0;
    int idle_ = 0;
};

}  // namespace

std::vector<Index> rigid_bodies_of_segments(const Body& body) {
    return ModelMaker(body, {}).groups();
}

std::vector<TriangleMesh> bone_surfaces(const Body& body) {
    return ModelMaker(body, {}).surfaces();
}

std::vector<double> greatest_muscle_forces(const Body& body, const BodyModelOptions& options) {
    return ModelMaker(body, options).forces();
}

MusculoskeletalModel model_from_body(const Body& body, const BodyModelOptions& options) {
    return ModelMaker(body, options).make();
}

}  // namespace sinew
