#include "sinew/fit/pose_rig.h"

#include <algorithm>
#include <array>

// Shapes of people without statistics: each mode lengthens or widens one limb, as a linear map of
// the limb's groups about its first joint; groups further out are carried along. They are the space
// of shapes where no learned one is given, and small corrections beside one (shape_learning.h).

namespace sinew {
namespace {

// What a mode does to the groups of one limb: u = M (X - c), M = 1, along the limb, across it, or
// along an axis of the body. Groups further out are carried along.
enum class LimbChange { All, Length, Girth, X, Y, Z };

struct LimbRow {
    const char* from;                // joint at which the limb begins; "": the pelvis
    std::vector<const char*> until;  // joints at which it ends
    LimbChange change;
    double sigma;
};

// Standard deviations are somewhat larger than those of adults.
const std::vector<LimbRow>& limb_rows() {
    static const std::vector<LimbRow> kRows = {
        {"hip_l", {"knee_l"}, LimbChange::Length, 0.08},
        {"knee_l", {"ankle_l"}, LimbChange::Length, 0.08},
        {"ankle_l", {"toe"}, LimbChange::All, 0.10},
        {"shoulder_l", {"elbow_l"}, LimbChange::Length, 0.08},
        {"elbow_l", {"wrist_l"}, LimbChange::Length, 0.08},
        {"wrist_l", {"finger"}, LimbChange::All, 0.10},
        {"", {"neck_c7_t1", "hip_l", "hip_r", "shoulder_l", "shoulder_r"}, LimbChange::X, 0.15},
        {"", {"neck_c7_t1", "hip_l", "hip_r", "shoulder_l", "shoulder_r"}, LimbChange::Y, 0.08},
        {"", {"neck_c7_t1", "hip_l", "hip_r", "shoulder_l", "shoulder_r"}, LimbChange::Z, 0.20},
        {"", {"thoracic_t12_l1", "hip_l", "hip_r"}, LimbChange::X, 0.15},
        {"", {"thoracic_t12_l1", "hip_l", "hip_r"}, LimbChange::Z, 0.20},
        {"neck_c7_t1", {"neck_atlanto_axial"}, LimbChange::Length, 0.10},
        {"neck_c7_t1", {"neck_atlanto_axial"}, LimbChange::Girth, 0.15},
        {"neck_atlanto_axial", {"-"}, LimbChange::All, 0.06},
        {"hip_l", {"knee_l"}, LimbChange::Girth, 0.20},
        {"knee_l", {"ankle_l"}, LimbChange::Girth, 0.15},
        {"shoulder_l", {"elbow_l"}, LimbChange::Girth, 0.20},
        {"elbow_l", {"wrist_l"}, LimbChange::Girth, 0.15}};
    return kRows;
}

std::string sided(const char* name, bool right) {
    std::string text = name;
    if (right && text.size() > 2 && text.substr(text.size() - 2) == "_l") {
        text.back() = 'r';
    }
    return text;
}

}  // namespace

std::vector<ShapeMode> PoseRig::limb_modes(const Body& body) const {
    const auto joint = [&](const std::string& name) {
        for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
            if (body.skeleton.joints[j].name == name) {
                return static_cast<Index>(j);
            }
        }
        return Index{-1};
    };
    const auto has = [&](Index group, Index wanted) {
        return std::any_of(chain_[at(group)].begin(), chain_[at(group)].end(),
                           [&](Index m) { return moving_[at(m)].joint == wanted; });
    };
    std::vector<ShapeMode> modes;
    for (const LimbRow& row : limb_rows()) {
        ShapeMode mode{.skin = Points::Zero(rest_.points.rows(), 3),
                       .joints = Points::Zero(static_cast<Eigen::Index>(centres_.size()), 3),
                       .sigma = row.sigma};
        const bool is_pair = sided(row.from, true) != row.from;
        for (int side = 0; side < (is_pair ? 2 : 1); ++side) {
            const Index from = joint(sided(row.from, side == 1));
            std::vector<Index> until;
            for (const char* name : row.until) {
                until.push_back(joint(sided(name, side == 1)));
            }
            const Vec3 c = from >= 0 ? centres_[at(from)] : centres_[at(joint("lumbar_l5_s1"))];
            Vec3 d = until[0] >= 0 ? Vec3((centres_[at(until[0])] - c).normalized())
                                   : Vec3(Vec3::UnitY());
            Mat3 M = Mat3::Identity();
            switch (row.change) {
                case LimbChange::All:
                    break;
                case LimbChange::Length:
                    M = d * d.transpose();
                    break;
                case LimbChange::Girth:
                    M = Mat3::Identity() - d * d.transpose();
                    break;
                case LimbChange::X:
                    M = Vec3(1, 0, 0).asDiagonal();
                    break;
                case LimbChange::Y:
                    M = Vec3(0, 1, 0).asDiagonal();
                    break;
                case LimbChange::Z:
                    M = Vec3(0, 0, 1).asDiagonal();
                    break;
            }
            // Per group u = M X + b, M = 0 outside the limb.
            std::vector<Mat3> linear(chain_.size(), Mat3::Zero());
            std::vector<Vec3> constant(chain_.size(), Vec3::Zero());
            const auto inside = [&](Index g) {
                return (from < 0 || has(g, from)) &&
                       std::none_of(until.begin(), until.end(),
                                    [&](Index j) { return j >= 0 && has(g, j); });
            };
            const auto fill = [&](Index g) {
                linear[at(g)] = M;
                constant[at(g)] = -M * c;
            };
            if (inside(0)) {
                fill(0);
            }
            for (const Moving& m : moving_) {
                const Vec3& centre = centres_[at(m.joint)];
                const Vec3 u = linear[at(m.parent)] * centre + constant[at(m.parent)];
                if (!m.is_between) {
                    mode.joints.row(m.joint) += u.transpose();
                }
                if (inside(m.child)) {
                    fill(m.child);
                } else {
                    constant[at(m.child)] = u;
                }
            }
            for (std::size_t v = 0; v < weights_.size(); ++v) {
                const auto i = static_cast<Eigen::Index>(v);
                for (const Weight& w : weights_[v]) {
                    mode.skin.row(i) += w.value * (linear[at(w.group)] * point(rest_.points, i) +
                                                   constant[at(w.group)])
                                                      .transpose();
                }
            }
        }
        modes.push_back(std::move(mode));
    }
    return modes;
}

}  // namespace sinew
