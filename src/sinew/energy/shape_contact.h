#pragma once

#include "sinew/contact/rigid_shape.h"
#include "sinew/energy/energy_term.h"

#include <vector>

namespace sinew {

/// Vertices that rigid shapes push out, without friction.
///
///   E(x) = sum_v k a_v / 2 min(0, d(x_v))^2
///
/// d is the distance to the shape, negative inside, a_v the area that belongs to vertex v. The
/// pressure k |d| grows with depth: surfaces overlap by pressure / k.
class ShapeContact final : public EnergyTerm {
public:
    /// @param vertices   that may touch
    /// @param area       of each of these, m^2
    /// @param stiffness  k, Pa/m, >= 0
    ShapeContact(MovingShape shape, std::vector<Index> vertices, std::vector<double> area,
                 double stiffness);

    void set_pose(const Eigen::Isometry3d& T_world_shape) {
        shape_.T_world_shape = T_world_shape;
    }

    TermOffers offers() const override {
        return {.hessian = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    /// Positive semidefinite: without the curvature of the shape.
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }

    /// What the shape feels.
    struct Touch {
        Vec3 force = Vec3::Zero();  ///< of the body on the shape, N
        double depth = 0.0;         ///< the deepest vertex, m
        double area = 0.0;          ///< of vertices that touch, at rest, m^2
    };
    Touch touch(const Points& x) const;

private:
    MovingShape shape_;
    std::vector<Index> vertices_;
    std::vector<double> area_;
    double stiffness_;
};

}  // namespace sinew
