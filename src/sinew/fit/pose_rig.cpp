#include "sinew/fit/pose_rig.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/model_parts.h"
#include "sinew/fit/rig_weights.h"
#include "sinew/geometry/surface_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// A body's skin under linear blend skinning, with exact derivatives by placement, angles and shape
// (see the header for the formula). It serves fitting only: what is shown is simulated flesh.
// Angles that people cannot tell apart in a scan share one unknown (the spine), in proportion to
// the joints' ranges.
//
// Derivatives: a small rotation of a group about its joint moves a vertex by its weight times axis
// x (x - c), in the frame where the group is now; add_row() collects these along the chain of
// groups.

namespace sinew {
namespace {

constexpr std::size_t kRigPiece = 512;

// Joints that a fit moves, beside how far (rad) people hold them from the start. Joints of one row
// share its angles in equal parts; "_l" stands for both sides.
struct AngleRow {
    const char* name;
    std::vector<const char*> joints;
    std::array<double, 3> sigma;   // 0: this axis is not moved
    bool is_side_by_side = false;  // each joint takes the whole angle: toes
};

const std::vector<AngleRow>& angle_rows() {
    static const std::vector<AngleRow> kRows = {
        {"loins",
         {"lumbar_l5_s1", "lumbar_l4_l5", "lumbar_l3_l4", "lumbar_l2_l3", "lumbar_l1_l2"},
         {0.25, 0.15, 0.1}},
        {"chest",
         {"thoracic_t12_l1", "thoracic_t11_t12", "thoracic_t10_t11", "thoracic_t9_t10",
          "thoracic_t8_t9", "thoracic_t7_t8", "thoracic_t6_t7", "thoracic_t5_t6"},
         {0.2, 0.12, 0.2}},
        {"neck",
         {"neck_c7_t1", "neck_c6_c7", "neck_c5_c6", "neck_c4_c5", "neck_c3_c4", "neck_c2_c3"},
         {0.3, 0.15, 0.25}},
        {"head", {"neck_atlanto_occipital"}, {0.15, 0.1, 0.1}},
        {"head_turn", {"neck_atlanto_axial"}, {0.3, 0, 0}},
        {"clavicle_l", {"sternoclavicular_l"}, {0.15, 0.15, 0.0}},
        {"shoulder_l", {"shoulder_l"}, {0.6, 0.8, 0.5}},
        {"elbow_l", {"elbow_l"}, {0.6, 0, 0}},
        {"forearm_l", {"forearm_l"}, {0.6, 0, 0}},
        {"wrist_l", {"wrist_l"}, {0.3, 0.2, 0}},
        {"index_l", {"mcp_index_finger_l"}, {0.3, 0.15, 0}},
        {"index_tip_l", {"pip_index_finger_l", "dip_index_finger_l"}, {0.4, 0, 0}},
        {"middle_l", {"mcp_middle_finger_l"}, {0.3, 0.15, 0}},
        {"middle_tip_l", {"pip_middle_finger_l", "dip_middle_finger_l"}, {0.4, 0, 0}},
        {"ring_l", {"mcp_ring_finger_l"}, {0.3, 0.15, 0}},
        {"ring_tip_l", {"pip_ring_finger_l", "dip_ring_finger_l"}, {0.4, 0, 0}},
        {"little_l", {"mcp_little_finger_l"}, {0.3, 0.15, 0}},
        {"little_tip_l", {"pip_little_finger_l", "dip_little_finger_l"}, {0.4, 0, 0}},
        {"thumb_l", {"cmc_thumb_l"}, {0.3, 0.3, 0.15}},
        {"thumb_tip_l", {"mcp_thumb_l", "ip_thumb_l"}, {0.4, 0, 0}},
        {"hip_l", {"hip_l"}, {0.4, 0.3, 0.25}},
        {"knee_l", {"knee_l"}, {0.5, 0, 0}},
        {"ankle_l", {"ankle_l"}, {0.25, 0, 0}},
        {"subtalar_l", {"subtalar_l"}, {0.15, 0, 0}},
        {"toes_l",
         {"mtp_big_toe_l", "mtp_second_toe_l", "mtp_third_toe_l", "mtp_fourth_toe_l",
          "mtp_little_toe_l"},
         {0.2, 0, 0},
         true}};
    return kRows;
}

std::string on_right(std::string name) {
    if (name.size() > 2 && name.substr(name.size() - 2) == "_l") {
        name.back() = 'r';
    }
    return name;
}

Index joint_named(const Skeleton& skeleton, const std::string& name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name) {
            return static_cast<Index>(j);
        }
    }
    return -1;
}

// Angles q of R = R(a0, q0) R(a1, q1) R(a2, q2), for axes at right angles: in their own frame they
// are x, y, z. In a left-handed one all angles change their sign.
Vec3 angles_about(const std::array<Vec3, 3>& axes, const Mat3& R) {
    Mat3 A;
    A << axes[0], axes[1], axes[2];
    return A.determinant() * xyz_from_rotation(A.transpose() * R * A);
}

Mat3 rotation_about(const Vec3& axis, double angle) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

PoseRig::PoseRig(const Body& body) {
    if (body.tets.points.rows() == 0 || body.attachments.points.size() == 0) {
        throw InputError({.where = body.name,
                          .found = "a body without tetrahedra or attachments",
                          .needs = "a body whose flesh is held by bones",
                          .remedy = "make it with 'sinew build'"});
    }
    rest_.points = body.skin.mesh.points;
    rest_.triangles = body.skin.mesh.triangles;
    for (const Joint& joint : body.skeleton.joints) {
        centres_.push_back(joint.centre);
    }
    choose_angles(body);
    make_groups(body);
    make_weights(body);
    spread_forearms(body);
}

void PoseRig::choose_angles(const Body& body) {
    const auto add = [&](const AngleRow& row, bool right) {
        std::vector<Index> joints;
        for (const char* name : row.joints) {
            const Index j = joint_named(body.skeleton, right ? on_right(name) : name);
            if (j >= 0) {
                joints.push_back(j);
            }
        }
        for (int k = 0; k < 3 && !joints.empty(); ++k) {
            const Joint& first = body.skeleton.joints[at(joints[0])];
            if (k >= angle_count(first.type) || row.sigma[at(k)] <= 0.0) {
                continue;
            }
            RigAngle angle{.name = fmt::format("{} {}", right ? on_right(row.name) : row.name,
                                               first.motions[at(k)]),
                           .axis = k,
                           .sigma = row.sigma[at(k)]};
            for (const Index j : joints) {
                const Joint& joint = body.skeleton.joints[at(j)];
                const AngleLimit& limit = joint.limits[at(k)];
                if (k >= angle_count(joint.type)) {
                    continue;
                }
                if (row.is_side_by_side && !angle.joints.empty()) {
                    angle.low = std::max(angle.low, limit.low);
                    angle.high = std::min(angle.high, limit.high);
                } else {
                    angle.low += limit.low;
                    angle.high += limit.high;
                }
                angle.joints.push_back(j);
            }
            // Joints take parts in proportion to their range, so that all meet their limits at
            // once.
            for (const Index j : angle.joints) {
                const AngleLimit& limit = body.skeleton.joints[at(j)].limits[at(k)];
                const double range = angle.high - angle.low;
                const auto count = static_cast<double>(angle.joints.size());
                angle.fraction.push_back(row.is_side_by_side     ? 1.0
                                         : !std::isfinite(range) ? 1.0 / count
                                         : range > 0.0           ? (limit.high - limit.low) / range
                                                                 : 0.0);
            }
            angles_.push_back(std::move(angle));
        }
    };
    for (const AngleRow& row : angle_rows()) {
        add(row, false);
        if (on_right(row.name) != row.name) {
            add(row, true);
        }
    }
}

void PoseRig::make_groups(const Body& body) {
    const Skeleton& skeleton = body.skeleton;
    std::vector<Index> moving_of(skeleton.joints.size(), -1);
    for (const auto& angle : angles_) {
        for (const Index j : angle.joints) {
            if (moving_of[at(j)] < 0) {
                moving_of[at(j)] = -2;
            }
        }
    }
    // A parent's joint stands before those of its children, so one pass finds all groups.
    group_of_.assign(skeleton.segments.size(), 0);
    chain_.assign(1, {});
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        const Index parent = joint.parent < 0 ? 0 : group_of_[at(joint.parent)];
        group_of_[at(joint.child)] = parent;
        if (moving_of[j] != -2) {
            continue;
        }
        const auto group = static_cast<Index>(chain_.size());
        moving_of[j] = static_cast<Index>(moving_.size());
        Moving m{.joint = static_cast<Index>(j),
                 .parent = parent,
                 .child = group,
                 .axes = angle_count(joint.type),
                 .axis = joint.axes};
        group_of_[at(joint.child)] = group;
        chain_.push_back(chain_[at(parent)]);
        chain_.back().push_back(static_cast<Index>(moving_.size()));
        moving_.push_back(m);
    }
    // A kneecap moves with its shin: it rotates about the same axis by the same angle.
    for (const char* side : {"_l", "_r"}) {
        const Index cap = joint_named(skeleton, std::string("patellofemoral") + side);
        const Index knee = joint_named(skeleton, std::string("knee") + side);
        if (cap >= 0 && knee >= 0) {
            group_of_[at(skeleton.joints[at(cap)].child)] =
                group_of_[at(skeleton.joints[at(knee)].child)];
        }
    }
    for (std::size_t a = 0; a < angles_.size(); ++a) {
        for (std::size_t k = 0; k < angles_[a].joints.size(); ++k) {
            Moving& m = moving_[at(moving_of[at(angles_[a].joints[k])])];
            m.angle[at(angles_[a].axis)] = static_cast<Index>(a);
            m.fraction[at(angles_[a].axis)] = angles_[a].fraction[k];
        }
    }
}

void PoseRig::make_weights(const Body& body) {
    weights_.clear();
    for (const std::vector<RigWeight>& row :
         skin_weights(body, group_of_, static_cast<Index>(chain_.size()))) {
        std::vector<Weight>& mine = weights_.emplace_back();
        for (const RigWeight& w : row) {
            mine.push_back({w.group, w.value});
        }
    }
}

// Pronation is a rotation between two long bones: with one group for the forearm its skin would
// collapse at the wrist like a wrung cloth.
void PoseRig::spread_forearms(const Body& body) {
    constexpr int kSteps = 4;
    for (const char* side : {"_l", "_r"}) {
        const Index forearm = joint_named(body.skeleton, std::string("forearm") + side);
        const Index wrist = joint_named(body.skeleton, std::string("wrist") + side);
        const Index elbow = joint_named(body.skeleton, std::string("elbow") + side);
        const auto found = std::find_if(moving_.begin(), moving_.end(),
                                        [&](const Moving& m) { return m.joint == forearm; });
        if (forearm < 0 || wrist < 0 || elbow < 0 || found == moving_.end()) {
            continue;
        }
        const Moving radius = *found;
        std::array<Index, kSteps + 1> group = {};
        group[0] = radius.parent;
        group[kSteps] = radius.child;
        for (int k = 1; k < kSteps; ++k) {
            Moving part = radius;
            part.is_between = true;
            part.child = static_cast<Index>(chain_.size());
            part.fraction[0] *= static_cast<double>(k) / kSteps;
            group[at(k)] = part.child;
            chain_.push_back(chain_[at(radius.parent)]);
            chain_.back().push_back(static_cast<Index>(moving_.size()));
            moving_.push_back(part);
        }
        const Vec3 from = centres_[at(elbow)];
        const Vec3 along = centres_[at(wrist)] - from;
        for (std::size_t v = 0; v < weights_.size(); ++v) {
            double both = 0.0;
            std::vector<Weight> others;
            for (const Weight& w : weights_[v]) {
                const bool is_forearm = w.group == radius.parent || w.group == radius.child;
                both += is_forearm ? w.value : 0.0;
                if (!is_forearm) {
                    others.push_back(w);
                }
            }
            if (both == 0.0) {
                continue;
            }
            const Vec3 X = point(rest_.points, static_cast<Eigen::Index>(v));
            const double t =
                kSteps * std::clamp((X - from).dot(along) / along.squaredNorm(), 0.0, 1.0);
            const int k = std::min(kSteps - 1, static_cast<int>(t));
            others.push_back({group[at(k)], both * (1.0 - (t - k))});
            others.push_back({group[at(k + 1)], both * (t - k)});
            std::erase_if(others, [](const Weight& w) { return w.value <= 0.0; });
            std::sort(others.begin(), others.end(),
                      [](const Weight& a, const Weight& b) { return a.group < b.group; });
            weights_[v] = std::move(others);
        }
    }
}

PoseRig PoseRig::with_surface(const TriangleMesh& surface) const {
    PoseRig other = *this;
    other.rest_.points = surface.points;
    other.rest_.triangles = surface.triangles;
    const SurfaceTree tree(rest_);
    const std::vector<ClosestPoint> near = tree.closest_points(surface.points);
    other.weights_.assign(near.size(), {});
    for (std::size_t i = 0; i < near.size(); ++i) {
        std::vector<double> sum(chain_.size(), 0.0);
        for (int k = 0; k < 3; ++k) {
            for (const Weight& w : weights_[at(rest_.triangles(near[i].triangle, k))]) {
                sum[at(w.group)] += near[i].barycentric[k] * w.value;
            }
        }
        for (std::size_t g = 0; g < sum.size(); ++g) {
            if (sum[g] > 0.0) {
                other.weights_[i].push_back({static_cast<Index>(g), sum[g]});
            }
        }
    }
    for (ShapeMode& mode : other.modes_) {
        Points moved(surface.points.rows(), 3);
        for (std::size_t i = 0; i < near.size(); ++i) {
            Vec3 u = Vec3::Zero();
            for (int k = 0; k < 3; ++k) {
                u +=
                    near[i].barycentric[k] * point(mode.skin, rest_.triangles(near[i].triangle, k));
            }
            moved.row(static_cast<Eigen::Index>(i)) = u.transpose();
        }
        mode.skin = std::move(moved);
    }
    return other;
}

Index PoseRig::angle_named(const std::string& name) const {
    for (std::size_t a = 0; a < angles_.size(); ++a) {
        if (angles_[a].name == name) {
            return static_cast<Index>(a);
        }
    }
    return -1;
}

void PoseRig::set_modes(std::vector<ShapeMode> modes) {
    modes_ = std::move(modes);
}

void PoseRig::set_rest(const Points& skin, const std::vector<Vec3>& joints) {
    rest_.points = skin;
    centres_ = joints;
}

RigState PoseRig::start() const {
    RigState state;
    state.angles = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(angles_.size()));
    state.shape = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(modes_.size()));
    return state;
}

RigState PoseRig::moved(const RigState& state, const Eigen::VectorXd& step,
                        const Vec3& centre) const {
    RigState next = state;
    const Vec3 w = step.head<3>();
    const double angle = w.norm();
    const Mat3 R = angle > 0.0 ? rotation_about(w / angle, angle) : Mat3(Mat3::Identity());
    const double s = std::exp(step[6]);
    next.rotation = R * state.rotation;
    next.scale = s * state.scale;
    next.translation = s * (R * (state.translation - centre)) + centre + step.segment<3>(3);
    const auto A = static_cast<Eigen::Index>(angles_.size());
    for (Eigen::Index a = 0; a < A; ++a) {
        next.angles[a] =
            std::clamp(state.angles[a] + step[7 + a], angles_[at(a)].low, angles_[at(a)].high);
    }
    next.shape += step.tail(static_cast<Eigen::Index>(modes_.size()));
    return next;
}

std::vector<Vec3> PoseRig::centres_at(const RigState& state) const {
    std::vector<Vec3> centres = centres_;
    for (std::size_t k = 0; k < modes_.size(); ++k) {
        for (std::size_t j = 0; j < centres.size(); ++j) {
            centres[j] += state.shape[static_cast<Eigen::Index>(k)] *
                          point(modes_[k].joints, static_cast<Eigen::Index>(j));
        }
    }
    return centres;
}

std::vector<Vec3> PoseRig::joints_of(const RigState& state) const {
    return centres_at(state);
}

PoseRig::Placement PoseRig::placed(const RigState& state) const {
    Placement p;
    p.state = state;
    const std::vector<Vec3> centres = centres_at(state);
    const std::size_t G = chain_.size();
    const std::size_t K = modes_.size();
    p.R.assign(G, Mat3::Identity());
    p.t.assign(G, Vec3::Zero());
    p.axis.assign(3 * moving_.size(), Vec3::Zero());
    p.pivot.resize(moving_.size());
    p.shape_shift = Points::Zero(static_cast<Eigen::Index>(G * K), 3);
    for (std::size_t m = 0; m < moving_.size(); ++m) {
        const Moving& joint = moving_[m];
        const Vec3& c = centres[at(joint.joint)];
        const Mat3& Rp = p.R[at(joint.parent)];
        Mat3 R = Mat3::Identity();
        for (int k = 0; k < joint.axes; ++k) {
            p.axis[3 * m + at(k)] = Rp * (R * joint.axis[at(k)]);
            if (joint.angle[at(k)] >= 0) {
                R = R * rotation_about(joint.axis[at(k)],
                                       joint.fraction[at(k)] * state.angles[joint.angle[at(k)]]);
            }
        }
        // T_child X = T_parent (c + R (X - c))
        p.pivot[m] = Rp * c + p.t[at(joint.parent)];
        p.R[at(joint.child)] = Rp * R;
        p.t[at(joint.child)] = p.pivot[m] - Rp * (R * c);
        for (std::size_t k = 0; k < K; ++k) {
            const Vec3 dc = point(modes_[k].joints, joint.joint);
            p.shape_shift.row(static_cast<Eigen::Index>(at(joint.child) * K + k)) =
                p.shape_shift.row(static_cast<Eigen::Index>(at(joint.parent) * K + k)) +
                (Rp * (dc - R * dc)).transpose();
        }
    }
    p.rest = rest_.points;
    for (std::size_t k = 0; k < K; ++k) {
        p.rest += state.shape[static_cast<Eigen::Index>(k)] * modes_[k].skin;
    }
    p.model.resize(p.rest.rows(), 3);
    p.world.resize(p.rest.rows(), 3);
    parallel_for(weights_.size(), kRigPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const auto row = static_cast<Eigen::Index>(v);
            const Vec3 X = point(p.rest, row);
            Vec3 y = Vec3::Zero();
            for (const Weight& w : weights_[v]) {
                y += w.value * (p.R[at(w.group)] * X + p.t[at(w.group)]);
            }
            p.model.row(row) = y.transpose();
            p.world.row(row) = (state.scale * (state.rotation * y) + state.translation).transpose();
        }
    });
    p.centre = p.world.colwise().mean().transpose();
    return p;
}

void PoseRig::add_row(const Placement& p, Index vertex, const Vec3& n, double factor,
                      double* row) const {
    const Vec3 x = point(p.world, vertex);
    const Vec3 r = x - p.centre;
    const Vec3 rotated = factor * r.cross(n);  // n . (w x r) = w . (r x n)
    for (int k = 0; k < 3; ++k) {
        row[k] += rotated[k];
        row[3 + k] += factor * n[k];
    }
    row[6] += factor * n.dot(r);
    const Vec3 m = factor * p.state.scale * (p.state.rotation.transpose() * n);
    const Vec3 X = point(p.rest, vertex);
    const std::size_t K = modes_.size();
    for (const Weight& w : weights_[at(vertex)]) {
        const Vec3 y = p.R[at(w.group)] * X + p.t[at(w.group)];
        for (const Index joint : chain_[at(w.group)]) {
            const Moving& moving = moving_[at(joint)];
            const Vec3 turned = w.value * (y - p.pivot[at(joint)]).cross(m);
            for (int k = 0; k < moving.axes; ++k) {
                if (moving.angle[at(k)] >= 0) {
                    row[7 + moving.angle[at(k)]] +=
                        moving.fraction[at(k)] * p.axis[3 * at(joint) + at(k)].dot(turned);
                }
            }
        }
        const Vec3 local = w.value * (p.R[at(w.group)].transpose() * m);
        double* shape = row + 7 + angles_.size();
        for (std::size_t k = 0; k < K; ++k) {
            const auto shift = static_cast<Eigen::Index>(at(w.group) * K + k);
            shape[k] += local.dot(point(modes_[k].skin, vertex)) +
                        w.value * m.dot(point(p.shape_shift, shift));
        }
    }
}

// Joints go with the flesh around them: weights of the two groups that meet there say which.
std::vector<Vec3> PoseRig::joints_with(const Points& rest_skin) const {
    std::vector<Vec3> joints = centres_;
    const Points u = rest_skin - rest_.points;
    // Flesh that takes part in both motions lies around the joint.
    std::vector<Vec3> shift(chain_.size(), Vec3::Zero());
    std::vector<double> total(chain_.size(), 0.0);
    for (std::size_t v = 0; v < weights_.size(); ++v) {
        for (const Weight& w : weights_[v]) {
            const std::vector<Index>& chain = chain_[at(w.group)];
            if (chain.empty()) {
                continue;
            }
            const Index parent = moving_[at(chain.back())].parent;
            for (const Weight& other : weights_[v]) {
                if (other.group == parent) {
                    const double both = w.value * other.value;
                    shift[at(w.group)] += both * point(u, static_cast<Eigen::Index>(v));
                    total[at(w.group)] += both;
                }
            }
        }
    }
    std::vector<Vec3> of_group(chain_.size(), Vec3::Zero());
    for (const Moving& m : moving_) {
        const auto g = at(m.child);
        // Joints deep in the trunk have no skin of their own: they follow their parents.
        of_group[g] = total[g] > 0.5 ? Vec3(shift[g] / total[g]) : of_group[at(m.parent)];
        if (!m.is_between) {
            joints[at(m.joint)] += of_group[g];
        }
    }
    return joints;
}

Points PoseRig::unposed(const Placement& p, const Points& world) const {
    Points rest(world.rows(), 3);
    parallel_for(weights_.size(), kRigPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            Mat3 A = Mat3::Zero();
            Vec3 b = Vec3::Zero();
            for (const Weight& w : weights_[v]) {
                A += w.value * p.R[at(w.group)];
                b += w.value * p.t[at(w.group)];
            }
            const auto row = static_cast<Eigen::Index>(v);
            const Vec3 y = p.state.rotation.transpose() *
                           (point(world, row) - p.state.translation) / p.state.scale;
            rest.row(row) = (A.inverse() * (y - b)).transpose();
        }
    });
    return rest;
}

Pose PoseRig::pose_of(const Body& body, const RigState& state,
                      const std::vector<Vec3>& joints) const {
    Pose pose = rest_pose(body.skeleton);
    const std::vector<Index> starts = coordinate_starts(body.skeleton);
    for (const Moving& m : moving_) {
        for (int k = 0; k < m.axes; ++k) {
            if (m.angle[at(k)] >= 0 && !m.is_between) {
                pose.coordinates[at(starts[at(m.joint)]) + at(k)] =
                    m.fraction[at(k)] * state.angles[m.angle[at(k)]];
            }
        }
    }
    for (const char* side : {"_l", "_r"}) {
        const Index cap = joint_named(body.skeleton, std::string("patellofemoral") + side);
        const Index knee = joint_named(body.skeleton, std::string("knee") + side);
        if (cap >= 0 && knee >= 0) {
            pose.coordinates[at(starts[at(cap)])] = pose.coordinates[at(starts[at(knee)])];
        }
    }
    for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
        const Joint& root = body.skeleton.joints[j];
        if (root.type != JointType::Free) {
            continue;
        }
        // x -> c + R (x - c) + shift
        const auto q = static_cast<std::ptrdiff_t>(starts[j]);
        const Vec3& c = joints[j];
        const Vec3 shift = state.rotation * c + state.translation - c;
        const Vec3 angles = angles_about(root.axes, state.rotation);
        for (int k = 0; k < 3; ++k) {
            pose.coordinates[at(q + k)] = shift[k];
            pose.coordinates[at(q + 3 + k)] = angles[k];
        }
    }
    return pose;
}

}  // namespace sinew
