#pragma once

#include "sinew/contact/pairs.h"
#include "sinew/energy/projective_constraints.h"

#include <array>

namespace sinew {

/// Vertices held near planes, free to slide in them; or, on one side, pushed back to planes when
/// they are behind them, free to leave. A plane rests, or goes along with the corners of a
/// triangle, which then are pushed in the other direction.
///
///   E(x) = sum_i k_i / 2 h_i^2,   h_i = n_i . (x_v(i) - o_i - sum_j w_ij x_s(i,j))
///
/// and on one side min(0, h_i) instead [Bouaziz2014, plane constraint; Kadlecek2022, eq. 4.7]. The
/// list may change; see LocalGlobal::set_changing.
class Planes final : public ProjectiveConstraints {
public:
    struct Plane {
        Index vertex = 0;
        Vec3 origin = Vec3::Zero();  ///< o: a point of the plane, from the support if it has one, m
        Vec3 normal = Vec3::UnitY();  ///< any length but zero; towards the free side
        double stiffness = 0.0;       ///< k, N/m, >= 0
        bool is_one_sided = false;    ///< pushes only what is behind
        std::array<Index, 3> support = {-1, -1, -1};  ///< corners of a triangle, or -1: rests
        Vec3 weight = Vec3::Zero();                   ///< w, >= 0, sum 1 with a support
        bool is_coupled = true;  ///< to its support in the Hessian, which needs room in the pattern
    };
    /// @throws InputError  when a normal has no length or a stiffness is negative
    explicit Planes(std::vector<Plane> planes = {});

    /// Another list; a kept factor does not know of it.
    void set_planes(std::vector<Plane> planes);
    const std::vector<Plane>& planes() const {
        return planes_;
    }

    void add_pattern(BlockPattern& pattern) const override;
    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }
    /// Departs: where a plane is not coupled to its support, k n n^T (w w^T) is replaced by twice
    /// its rows' sums on the diagonal, which is never less: steps only become more careful. Far too
    /// careful where both sides must move on together; for planes that are hardly ever reached.
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;
    bool has_hessian() const override {
        return true;
    }

private:
    double height(const Plane& plane, const Points& x) const;

    std::vector<Plane> planes_;  // with unit normals
};

/// Planes that keep vertices out of rigid shapes (contact/rigid_shape.h).
/// @param stiffness  N/m
std::vector<Planes::Plane> planes_at(std::span<const RigidContact> contacts, double stiffness);

}  // namespace sinew
