#include "sinew/body/kinematics.h"

#include "sinew/base/error.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// R(axis, angle) for a unit axis (Rodrigues).
Mat3 turn(const Vec3& axis, double angle) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

KinematicTree::KinematicTree(const MusculoskeletalModel& model)
    : coordinate_count_(model.coordinates.size()), couplers_(model.couplers) {
    require_valid(model, "model");
    parent_.assign(model.bodies.size(), -1);
    std::vector<std::vector<Index>> own(model.bodies.size());
    for (const ModelJoint& source : model.joints) {
        Joint joint{.parent = source.parent,
                    .child = source.child,
                    .parent_frame = source.parent_frame,
                    .child_frame_inverse = source.child_frame.inverse(),
                    .radii = source.radii};
        // Translations stand first: they are along axes of the parent frame.
        for (const std::size_t i : {3U, 4U, 5U, 0U, 1U, 2U}) {
            const JointAxis& a = source.axes[i];
            const bool is_idle = a.coordinate < 0 &&
                                 a.function.kind == ScalarFunction::Kind::Constant &&
                                 a.function.coefficients[0] * a.function.scale == 0.0;
            if (is_idle) {
                continue;
            }
            Axis axis{.axis = a.axis.normalized(),
                      .coordinate = a.coordinate,
                      .is_rotation = i < 3,
                      .function = FunctionEvaluator(a.function)};
            if (a.coordinate >= 0) {
                for (const Index d : own[at(source.child)]) {
                    if (dofs_[at(d)].coordinate == a.coordinate) {
                        axis.dof = d;
                    }
                }
                if (axis.dof < 0) {
                    axis.dof = static_cast<Index>(dofs_.size());
                    dofs_.push_back({static_cast<Index>(joints_.size()), a.coordinate});
                    own[at(source.child)].push_back(axis.dof);
                }
            }
            if (axis.is_rotation && axis.dof >= 0 &&
                std::find(joint.turning.begin(), joint.turning.end(), axis.dof) ==
                    joint.turning.end()) {
                joint.turning.push_back(axis.dof);
            }
            joint.axes.push_back(std::move(axis));
        }
        parent_[at(source.child)] = source.parent;
        order_.push_back(source.child);
        joints_.push_back(std::move(joint));
    }
    std::vector<std::vector<Index>> chains(model.bodies.size());
    for (const Index body : order_) {
        const auto b = static_cast<std::size_t>(body);
        if (parent_[b] >= 0) {
            chains[b] = chains[at(parent_[b])];
        }
        chains[b].insert(chains[b].end(), own[b].begin(), own[b].end());
    }
    chain_start_.push_back(0);
    for (const auto& chain : chains) {
        chain_.insert(chain_.end(), chain.begin(), chain.end());
        chain_start_.push_back(static_cast<Index>(chain_.size()));
    }
    for (const CoordinateCoupler& coupler : couplers_) {
        coupler_functions_.emplace_back(coupler.function);
    }
}

std::span<const Index> KinematicTree::chain(Index body) const {
    if (body < 0) {
        return {};
    }
    const auto begin = static_cast<std::size_t>(chain_start_[at(body)]);
    const auto end = static_cast<std::size_t>(chain_start_[static_cast<std::size_t>(body) + 1]);
    return std::span(chain_).subspan(begin, end - begin);
}

ModelPlacement KinematicTree::place(std::span<const double> q) const {
    ModelPlacement placement;
    place(q, placement);
    return placement;
}

// Coupled coordinates are taken from those they follow.
void KinematicTree::set_coordinates(std::span<const double> q, ModelPlacement& placement) const {
    SINEW_ASSERT(q.size() == coordinate_count_, "{} numbers, {} coordinates", q.size(),
                 coordinate_count_);
    placement.q.assign(q.begin(), q.end());
    placement.coupler_slopes.resize(couplers_.size());
    for (std::size_t k = 0; k < couplers_.size(); ++k) {
        const FunctionValue v = coupler_functions_[k](placement.q[at(couplers_[k].independent)]);
        placement.q[at(couplers_[k].dependent)] = v.value;
        placement.coupler_slopes[k] = v.slope;
    }
}

void KinematicTree::place(std::span<const double> q, ModelPlacement& placement) const {
    set_coordinates(q, placement);
    placement.bodies.resize(parent_.size());
    placement.columns.resize(dofs_.size());
    for (const Joint& joint : joints_) {
        place_joint(joint, placement);
    }
}

void KinematicTree::update(std::span<const double> q, ModelPlacement& placement,
                           std::span<const char> wanted) const {
    SINEW_ASSERT(placement.bodies.size() == parent_.size(), "{} bodies, {} placed", parent_.size(),
                 placement.bodies.size());
    placement.q_before.swap(placement.q);
    set_coordinates(q, placement);
    placement.is_moved.assign(parent_.size(), 0);
    for (const Joint& joint : joints_) {
        if (!wanted.empty() && wanted[at(joint.child)] == 0) {
            continue;
        }
        const bool is_moved =
            (joint.parent >= 0 && placement.is_moved[at(joint.parent)] != 0) ||
            std::any_of(joint.axes.begin(), joint.axes.end(), [&](const Axis& axis) {
                return axis.coordinate >= 0 &&
                       placement.q[at(axis.coordinate)] != placement.q_before[at(axis.coordinate)];
            });
        if (is_moved) {
            placement.is_moved[at(joint.child)] = 1;
            place_joint(joint, placement);
        }
    }
}

void KinematicTree::place_joint(const Joint& joint, ModelPlacement& placement) const {
    for (const Axis& axis : joint.axes) {
        if (axis.dof >= 0) {
            placement.columns[at(axis.dof)] = {};
        }
    }
    Placement T = joint.parent_frame;
    if (joint.parent >= 0) {
        T = placement.bodies[at(joint.parent)] * T;
    }
    const Mat3 R_parent = T.rotation;
    for (const Axis& axis : joint.axes) {
        const double x = axis.coordinate < 0 ? 0.0 : placement.q[at(axis.coordinate)];
        const FunctionValue f = axis.function(x);
        // Rotations turn about the axis as the rotations before it left it.
        const Vec3 world = (axis.is_rotation ? T.rotation : R_parent) * axis.axis;
        if (axis.is_rotation) {
            if (axis.dof >= 0) {
                MotionColumn& column = placement.columns[at(axis.dof)];
                column.angular += f.slope * world;
                column.linear += f.slope * T.position.cross(world);
            }
            T.rotation = T.rotation * turn(axis.axis, f.value);
        } else {
            if (axis.dof >= 0) {
                placement.columns[at(axis.dof)].linear += f.slope * world;
            }
            T.position += f.value * world;
        }
    }
    if (!joint.radii.isZero()) {
        // s = D z rides on the ellipsoid: ds = D (w x z), and what turned about the joint's
        // centre now turns about centre + s.
        const Mat3 D = R_parent * joint.radii.asDiagonal() * R_parent.transpose();
        const Vec3 z = T.rotation.col(2);
        const Vec3 s = D * z;
        for (const Index dof : joint.turning) {
            MotionColumn& column = placement.columns[at(dof)];
            column.linear += s.cross(column.angular) + D * column.angular.cross(z);
        }
        T.position += s;
    }
    placement.bodies[at(joint.child)] = T * joint.child_frame_inverse;
}

ModelMotion KinematicTree::move(const ModelPlacement& placement, std::span<const double> speed,
                                std::span<const double> acceleration,
                                std::span<const Vec3> com) const {
    std::vector<double> u(speed.begin(), speed.end());
    std::vector<double> du(acceleration.begin(), acceleration.end());
    for (std::size_t k = 0; k < couplers_.size(); ++k) {
        const auto i = static_cast<std::size_t>(couplers_[k].independent);
        const auto d = static_cast<std::size_t>(couplers_[k].dependent);
        const FunctionValue f = coupler_functions_[k](placement.q[i]);
        u[d] = f.slope * u[i];
        du[d] = f.slope * du[i] + f.curvature * u[i] * u[i];
    }
    const std::size_t n = parent_.size();
    ModelMotion motion{std::vector<Vec3>(n, Vec3::Zero()), std::vector<Vec3>(n, Vec3::Zero()),
                       std::vector<Vec3>(n, Vec3::Zero())};
    std::vector<Vec3> origin_acceleration(n, Vec3::Zero());
    for (const Joint& joint : joints_) {
        Placement T = joint.parent_frame;
        Vec3 w = Vec3::Zero();
        Vec3 dw = Vec3::Zero();
        Vec3 a = Vec3::Zero();
        if (joint.parent >= 0) {
            const auto p = static_cast<std::size_t>(joint.parent);
            const Vec3 arm = placement.bodies[p].rotation * joint.parent_frame.position;
            T = placement.bodies[p] * T;
            w = motion.angular_velocity[p];
            dw = motion.angular_acceleration[p];
            a = origin_acceleration[p] + dw.cross(arm) + w.cross(w.cross(arm));
        }
        const Mat3 R_parent = T.rotation;
        const Vec3 w_parent = w;
        const Vec3 dw_parent = dw;
        for (const Axis& axis : joint.axes) {
            double x = 0.0;
            double rate = 0.0;
            double rise = 0.0;
            if (axis.coordinate >= 0) {
                const auto c = static_cast<std::size_t>(axis.coordinate);
                x = placement.q[c];
                rate = u[c];
                rise = du[c];
            }
            const FunctionValue f = axis.function(x);
            const double dy = f.slope * rate;
            const double ddy = f.slope * rise + f.curvature * rate * rate;
            const Vec3 world = (axis.is_rotation ? T.rotation : R_parent) * axis.axis;
            if (axis.is_rotation) {
                // d/dt (w + axis dy): the axis itself turns with w.
                dw += ddy * world + dy * w.cross(world);
                w += dy * world;
                T.rotation = T.rotation * turn(axis.axis, f.value);
            } else {
                // The frame that carries the axis turns with the parent.
                const Vec3 arm = f.value * world;
                a +=
                    ddy * world + 2.0 * dy * w.cross(world) + dw.cross(arm) + w.cross(w.cross(arm));
                T.position += arm;
            }
        }
        if (!joint.radii.isZero()) {
            // s = D z in a frame that turns with the parent; z turns in it with w - w_parent.
            const Mat3 D = R_parent * joint.radii.asDiagonal() * R_parent.transpose();
            const Vec3 z = T.rotation.col(2);
            const Vec3 turning = w - w_parent;
            const Vec3 rise = dw - dw_parent - w_parent.cross(turning);
            const Vec3 s = D * z;
            const Vec3 ds = D * turning.cross(z);
            const Vec3 dds = D * (rise.cross(z) + turning.cross(turning.cross(z)));
            a += dds + 2.0 * w_parent.cross(ds) + dw_parent.cross(s) +
                 w_parent.cross(w_parent.cross(s));
            T.position += s;
        }
        const auto c = static_cast<std::size_t>(joint.child);
        const Placement& body = placement.bodies[c];
        const Vec3 to_origin = body.position - T.position;
        origin_acceleration[c] = a + dw.cross(to_origin) + w.cross(w.cross(to_origin));
        const Vec3 to_com = body.rotation * com[c];
        motion.angular_velocity[c] = w;
        motion.angular_acceleration[c] = dw;
        motion.com_acceleration[c] =
            origin_acceleration[c] + dw.cross(to_com) + w.cross(w.cross(to_com));
    }
    return motion;
}

std::vector<double> KinematicTree::coupled_speeds(const ModelPlacement& placement,
                                                  std::span<const double> speed) const {
    std::vector<double> u(speed.begin(), speed.end());
    for (std::size_t k = 0; k < couplers_.size(); ++k) {
        u[at(couplers_[k].dependent)] =
            placement.coupler_slopes[k] * u[at(couplers_[k].independent)];
    }
    return u;
}

void KinematicTree::fold_couplers(const ModelPlacement& placement,
                                  std::span<double> gradient) const {
    for (std::size_t k = couplers_.size(); k-- > 0;) {
        const auto d = static_cast<std::size_t>(couplers_[k].dependent);
        gradient[at(couplers_[k].independent)] += placement.coupler_slopes[k] * gradient[d];
        gradient[d] = 0.0;
    }
}

}  // namespace sinew
