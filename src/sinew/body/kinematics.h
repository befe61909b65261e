#pragma once

#include "sinew/body/function_value.h"
#include "sinew/body/musculoskeletal.h"

#include <span>
#include <vector>

namespace sinew {

/// How one coordinate moves the bodies beyond one joint: a point p of them has the velocity
/// linear + angular x p per unit of the coordinate's speed, everything in the world frame.
struct MotionColumn {
    Vec3 angular = Vec3::Zero();
    Vec3 linear = Vec3::Zero();
};

/// Where everything is in one pose.
struct ModelPlacement {
    std::vector<double> q = {};               ///< with coupled coordinates filled in
    std::vector<Placement> bodies = {};       ///< T_world_body
    std::vector<MotionColumn> columns = {};   ///< one per KinematicTree::dofs()
    std::vector<double> coupler_slopes = {};  ///< d dependent / d independent
    std::vector<double> q_before = {};        ///< scratch of KinematicTree::update
    std::vector<char> is_moved = {};          ///< scratch, per body
};

/// Velocity and acceleration in one pose, world frame.
struct ModelMotion {
    std::vector<Vec3> angular_velocity = {};      ///< per body
    std::vector<Vec3> angular_acceleration = {};  ///< per body
    std::vector<Vec3> com_acceleration = {};      ///< per body, without gravity
};

/// The bodies of a model as a tree, ready to be posed. Keeps a copy of what it needs.
class KinematicTree {
public:
    /// A pair of joint and coordinate: that coordinate moves all bodies beyond the joint.
    struct Dof {
        Index joint = 0;
        Index coordinate = 0;
    };

    /// @throws InputError  when the model is not valid
    explicit KinematicTree(const MusculoskeletalModel& model);

    std::size_t coordinate_count() const {
        return coordinate_count_;
    }
    std::size_t body_count() const {
        return parent_.size();
    }
    const std::vector<Dof>& dofs() const {
        return dofs_;
    }
    /// Dofs that move a body, ground to body; none for the ground (-1).
    std::span<const Index> chain(Index body) const;
    /// Parent of a body, -1 for those on the ground.
    Index parent(Index body) const {
        return parent_[at(body)];
    }
    /// Bodies with parents before children.
    const std::vector<Index>& order() const {
        return order_;
    }
    const std::vector<CoordinateCoupler>& couplers() const {
        return couplers_;
    }

    /// Poses the model. Coupled coordinates are taken from those they follow.
    /// @param q  one number per coordinate; m and rad
    void place(std::span<const double> q, ModelPlacement& placement) const;
    ModelPlacement place(std::span<const double> q) const;
    /// The same for a placement that place() or update() made of this tree: only what coordinates
    /// that changed since then carry is placed anew.
    /// @param wanted  per body, parents of wanted ones too; others stay as they are and must be
    ///                placed again before they are asked for. Empty: all
    void update(std::span<const double> q, ModelPlacement& placement,
                std::span<const char> wanted = {}) const;

    /// Velocities and accelerations for speeds and accelerations of the coordinates. Those of
    /// coupled coordinates are replaced. `com` are the centres of mass in the bodies.
    ModelMotion move(const ModelPlacement& placement, std::span<const double> speed,
                     std::span<const double> acceleration, std::span<const Vec3> com) const;

    /// Speeds with those of coupled coordinates taken from the ones they follow.
    std::vector<double> coupled_speeds(const ModelPlacement& placement,
                                       std::span<const double> speed) const;

    /// A derivative by all coordinates made one by the independent ones: the entries of coupled
    /// coordinates are added, times the coupler's slope, to those they follow, and set to 0.
    void fold_couplers(const ModelPlacement& placement, std::span<double> gradient) const;

private:
    struct Axis {
        Vec3 axis = Vec3::UnitX();
        Index coordinate = -1;
        Index dof = -1;
        bool is_rotation = true;
        FunctionEvaluator function = {};
    };
    struct Joint {
        Index parent = -1;
        Index child = 0;
        Placement parent_frame = {};
        Placement child_frame_inverse = {};
        std::vector<Axis> axes = {};  ///< translations, then rotations
        Vec3 radii = Vec3::Zero();
        std::vector<Index> turning = {};  ///< dofs of the rotations, each once
    };

    void set_coordinates(std::span<const double> q, ModelPlacement& placement) const;
    void place_joint(const Joint& joint, ModelPlacement& placement) const;

    std::size_t coordinate_count_ = 0;
    std::vector<Joint> joints_ = {};
    std::vector<Index> parent_ = {};
    std::vector<Index> order_ = {};
    std::vector<Dof> dofs_ = {};
    std::vector<Index> chain_start_ = {};
    std::vector<Index> chain_ = {};
    std::vector<CoordinateCoupler> couplers_ = {};
    std::vector<FunctionEvaluator> coupler_functions_ = {};
};

}  // namespace sinew
