#pragma once

#include "sinew/body/body.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Rest shapes as a linear space: skin and joint centres move together. Coefficients are unit-free.
struct ShapeMode {
    Points skin = Points(0, 3);    ///< displacement per vertex of the rig, m per unit
    Points joints = Points(0, 3);  ///< of the skeleton's joint centres, m per unit
    double sigma = 1.0;            ///< standard deviation of the coefficient among people, > 0
};

/// One angle that the fit may change: a coordinate of the skeleton, or several that share it.
struct RigAngle {
    std::string name;                   ///< "hip_l flexion"
    std::vector<Index> joints = {};     ///< of the skeleton
    int axis = 0;                       ///< of each of them
    std::vector<double> fraction = {};  ///< of the angle that each joint takes, sum 1
    double low = 0.0;                   ///< rad
    double high = 0.0;                  ///< rad
    double sigma = 0.5;                 ///< how far people hold it from the start, rad
};

/// Where the rig is: x = scale R (posed skin of the rest shape) + t.
struct RigState {
    Mat3 rotation = Mat3::Identity();
    Vec3 translation = Vec3::Zero();  ///< m
    double scale = 1.0;
    Eigen::VectorXd angles = {};  ///< rad, as many as RigAngles
    Eigen::VectorXd shape = {};   ///< coefficients of the modes
};

/// The skin of a body as its skeleton moves it: linear blend skinning with exact derivatives.
///
///   x_v = s R0 sum_g w_vg (R_g X_v + t_g) + t0,   X_v = X0_v + sum_k beta_k B_kv
///
/// Groups g are segments that no angle moves against each other. Weights are harmonic in the
/// tetrahedra, 1 on the bones of the group and 0 on others: flesh between two bones takes part in
/// both motions, and an arm beside the trunk has no part in it. Along the forearm pronation grows
/// from elbow to wrist, in steps of a quarter, so that no section collapses.
class PoseRig {
public:
    struct Weight {
        Index group = 0;
        double value = 0.0;
    };

    /// @throws InputError  when the body has no tetrahedra or attachments
    explicit PoseRig(const Body& body);
    /// The same skeleton under another surface: each vertex takes the weights of the nearest
    /// point of the rig's rest skin.
    PoseRig with_surface(const TriangleMesh& surface) const;

    const TriangleMesh& rest() const {
        return rest_;
    }
    const std::vector<RigAngle>& angles() const {
        return angles_;
    }
    const std::vector<Vec3>& joint_centres() const {
        return centres_;
    }
    const std::vector<std::vector<Weight>>& weights() const {
        return weights_;
    }
    Index angle_named(const std::string& name) const;  ///< -1 where there is none
    Index group_of_segment(Index segment) const {
        return group_of_[at(segment)];
    }
    const std::vector<ShapeMode>& modes() const {
        return modes_;
    }
    /// @param modes  one row per vertex of the rig and per joint of the skeleton
    void set_modes(std::vector<ShapeMode> modes);
    /// Lengths and thicknesses of limbs, trunk and head, each on its own: the shape space where no
    /// other is at hand.
    std::vector<ShapeMode> limb_modes(const Body& body) const;
    /// Another rest shape, with joint centres that go with it.
    void set_rest(const Points& skin, const std::vector<Vec3>& joints);

    RigState start() const;  ///< at rest, all 0
    Eigen::Index unknowns() const {
        return 7 + static_cast<Eigen::Index>(angles_.size() + modes_.size());
    }
    /// The state after a step: rotation vector, shift, log of the scale, angles, coefficients.
    /// Rotation and scale act about `centre`.
    RigState moved(const RigState& state, const Eigen::VectorXd& step, const Vec3& centre) const;

    /// Everything that depends on the state alone.
    struct Placement {
        RigState state = {};
        std::vector<Mat3> R = {};           ///< per group
        std::vector<Vec3> t = {};           ///< per group
        std::vector<Vec3> axis = {};        ///< per (moving joint, axis), in the frame of the model
        std::vector<Vec3> pivot = {};       ///< per moving joint
        Points rest = Points(0, 3);         ///< X
        Points model = Points(0, 3);        ///< posed, before R0, s and t0
        Points world = Points(0, 3);        ///< x
        Points shape_shift = Points(0, 3);  ///< d t_g / d beta_k, row g * modes + k
        Vec3 centre = Vec3::Zero();         ///< about which steps rotate and scale
    };
    Placement placed(const RigState& state) const;
    /// Adds factor * n . dx_v / d(step) to a row of `unknowns` numbers.
    void add_row(const Placement& placement, Index vertex, const Vec3& n, double factor,
                 double* row) const;
    /// Joint centres of a rest shape with these coefficients, m.
    std::vector<Vec3> joints_of(const RigState& state) const;
    /// Joint centres that go with a rest skin: they keep their position in the flesh around them.
    std::vector<Vec3> joints_with(const Points& rest_skin) const;
    /// Vertices taken back to the rest pose: the inverse of the blended transform of each.
    Points unposed(const Placement& placement, const Points& world) const;
    /// Coordinates of the body's skeleton; rotation and translation go into the free root joint.
    Pose pose_of(const Body& body, const RigState& state, const std::vector<Vec3>& joints) const;

private:
    struct Moving {
        Index joint = 0;  // of the skeleton
        Index parent = 0;
        Index child = 0;  // groups
        int axes = 0;
        std::array<Vec3, 3> axis = {};
        std::array<Index, 3> angle = {-1, -1, -1};
        std::array<double, 3> fraction = {0.0, 0.0, 0.0};
        bool is_between = false;  // a part of the forearm between ulna and radius
    };
    PoseRig() = default;
    void choose_angles(const Body& body);
    void make_groups(const Body& body);
    void make_weights(const Body& body);
    void spread_forearms(const Body& body);
    std::vector<Vec3> centres_at(const RigState& state) const;

    TriangleMesh rest_ = {};
    std::vector<Vec3> centres_ = {};
    std::vector<RigAngle> angles_ = {};
    std::vector<Moving> moving_ = {};                // parents first
    std::vector<std::vector<Index>> chain_ = {};     // of each group: moving joints from the root
    std::vector<Index> group_of_ = {};               // of each segment
    std::vector<std::vector<Weight>> weights_ = {};  // of each vertex
    std::vector<ShapeMode> modes_ = {};
};

}  // namespace sinew
