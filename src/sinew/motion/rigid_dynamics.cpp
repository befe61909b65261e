#include "sinew/motion/rigid_dynamics.h"

#include <Eigen/Geometry>

// Dynamics of a tree of rigid bodies in world coordinates [Featherstone2008, chapters 5 and 6].
// Inverse dynamics is the recursive Newton-Euler method: accelerations from the root outwards
// (KinematicTree::move), forces that bodies need, summed from the leaves inwards; a coordinate's
// moment is its motion column dotted with what its joint passes. The mass matrix is by composite
// bodies: each coordinate moves all that is beyond its joint.
//
// All moments are about the world's origin: sums over bodies need no shifting then. Couplers are
// folded at the end, as dependent coordinates have no moment of their own.

namespace sinew {

RigidDynamics::RigidDynamics(const MusculoskeletalModel& model, const KinematicTree& tree)
    : tree_(&tree), passive_(model, tree), gravity_(model.gravity) {
    for (const RigidBody& body : model.bodies) {
        mass_.push_back(body.mass);
        com_.push_back(body.com);
        inertia_.push_back(body.inertia);
    }
}

double RigidDynamics::total_mass() const {
    double sum = 0.0;
    for (const double m : mass_) {
        sum += m;
    }
    return sum;
}

// For contact forces in joints passive elements must act as forces on bodies; for moments of
// coordinates their virtual work is enough (inverse).
std::vector<JointLoad> RigidDynamics::joint_loads(const ModelPlacement& placement,
                                                  std::span<const double> speed,
                                                  std::span<const double> acceleration,
                                                  std::span<const BodyLoad> loads) const {
    if (passive_.is_empty()) {
        return passed_loads(placement, speed, acceleration, loads);
    }
    std::vector<BodyLoad> all(loads.begin(), loads.end());
    passive_.add_loads(placement, speed, all);
    return passed_loads(placement, speed, acceleration, all);
}

std::vector<JointLoad> RigidDynamics::passed_loads(const ModelPlacement& placement,
                                                   std::span<const double> speed,
                                                   std::span<const double> acceleration,
                                                   std::span<const BodyLoad> loads) const {
    const ModelMotion motion = tree_->move(placement, speed, acceleration, com_);
    // Force and moment about the world's origin that each body needs, with all beyond it.
    std::vector<JointLoad> passed(mass_.size());
    for (std::size_t b = 0; b < mass_.size(); ++b) {
        const Placement& T = placement.bodies[b];
        const Mat3 I = T.rotation * inertia_[b] * T.rotation.transpose();
        const Vec3& w = motion.angular_velocity[b];
        passed[b].force = mass_[b] * (motion.com_acceleration[b] - gravity_);
        passed[b].moment = I * motion.angular_acceleration[b] + w.cross(I * w) +
                           (T * com_[b]).cross(passed[b].force);
    }
    // What others push with, the joint need not.
    for (const BodyLoad& load : loads) {
        passed[at(load.body)].force -= load.force;
        passed[at(load.body)].moment -= load.moment;
    }
    // From the leaves to the root: a joint carries its body and all beyond it.
    const auto& order = tree_->order();
    for (std::size_t k = order.size(); k-- > 0;) {
        const auto b = static_cast<std::size_t>(order[k]);
        const Index parent = tree_->parent(order[k]);
        if (parent >= 0) {
            passed[at(parent)].force += passed[b].force;
            passed[at(parent)].moment += passed[b].moment;
        }
    }
    return passed;
}

std::vector<double> RigidDynamics::inverse(const ModelPlacement& placement,
                                           std::span<const double> speed,
                                           std::span<const double> acceleration,
                                           std::span<const BodyLoad> loads) const {
    const std::vector<JointLoad> passed = passed_loads(placement, speed, acceleration, loads);
    const auto& order = tree_->order();
    std::vector<double> tau(tree_->coordinate_count(), 0.0);
    for (std::size_t d = 0; d < tree_->dofs().size(); ++d) {
        const KinematicTree::Dof& dof = tree_->dofs()[d];
        const auto child = static_cast<std::size_t>(order[at(dof.joint)]);
        const MotionColumn& c = placement.columns[d];
        tau[at(dof.coordinate)] +=
            c.angular.dot(passed[child].moment) + c.linear.dot(passed[child].force);
    }
    if (!passive_.is_empty()) {
        std::vector<double> given(tau.size(), 0.0);
        passive_.add_moments(placement, speed, given);
        for (std::size_t c = 0; c < tau.size(); ++c) {
            tau[c] -= given[c];
        }
    }
    tree_->fold_couplers(placement, tau);
    return tau;
}

Eigen::MatrixXd RigidDynamics::mass_matrix(const ModelPlacement& placement) const {
    // Composite bodies: mass, first moment and inertia about the world's origin.
    const std::size_t n = mass_.size();
    std::vector<double> mass = mass_;
    std::vector<Vec3> first(n);
    std::vector<Mat3> second(n);
    for (std::size_t b = 0; b < n; ++b) {
        const Placement& T = placement.bodies[b];
        const Vec3 c = T * com_[b];
        first[b] = mass[b] * c;
        second[b] = T.rotation * inertia_[b] * T.rotation.transpose() +
                    mass[b] * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
    }
    const auto& order = tree_->order();
    for (std::size_t k = order.size(); k-- > 0;) {
        const auto b = static_cast<std::size_t>(order[k]);
        if (tree_->parent(order[k]) >= 0) {
            const auto p = static_cast<std::size_t>(tree_->parent(order[k]));
            mass[p] += mass[b];
            first[p] += first[b];
            second[p] += second[b];
        }
    }
    const auto count = static_cast<Eigen::Index>(tree_->coordinate_count());
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(count, count);
    for (std::size_t d = 0; d < tree_->dofs().size(); ++d) {
        const KinematicTree::Dof& dof = tree_->dofs()[d];
        const Index child = order[at(dof.joint)];
        const auto b = static_cast<std::size_t>(child);
        const MotionColumn& c = placement.columns[d];
        // Momentum of everything beyond the joint when only this coordinate moves.
        const Vec3 p = mass[b] * c.linear + c.angular.cross(first[b]);
        const Vec3 L = second[b] * c.angular + first[b].cross(c.linear);
        for (const Index e : tree_->chain(child)) {
            const KinematicTree::Dof& other = tree_->dofs()[at(e)];
            const MotionColumn& o = placement.columns[at(e)];
            const double m = o.linear.dot(p) + o.angular.dot(L);
            M(dof.coordinate, other.coordinate) += m;
            if (other.joint != dof.joint) {
                M(other.coordinate, dof.coordinate) += m;
            }
        }
    }
    const auto& couplers = tree_->couplers();
    for (std::size_t k = couplers.size(); k-- > 0;) {
        const Index d = couplers[k].dependent;
        const Index i = couplers[k].independent;
        const double slope = placement.coupler_slopes[k];
        M.row(i) += slope * M.row(d);
        M.col(i) += slope * M.col(d);
        M.row(d).setZero();
        M.col(d).setZero();
    }
    return M;
}

}  // namespace sinew
