#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/mesh/quadratic_tets.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace sinew {

/// The elastic energy of quadratic tetrahedra with straight edges at rest.
///
///   E(x) = sum_t V_t/4 sum_q psi_t(F_q(x)),   F_q = sum_a x_a grad N_a(q)^T
///
/// with ten nodes a and the four points q of the rule of degree 2 [Hughes2000, chapter 3]. Strain
/// is linear in each element: bodies that keep their volume can bend and twist, where linear
/// tetrahedra lock. Four volumes are kept per element, but there are two to three times as many
/// unknowns.
class FemQuadratic final : public EnergyTerm {
public:
    static constexpr int kPoints = 4;  ///< of quadrature, each with a quarter of the volume

    /// Tetrahedron t follows laws[law_of_tet[t]].
    /// @throws InputError  when a rest volume is <= 0, a law is absent, or an index does not fit
    FemQuadratic(const QuadraticTets& rest, std::vector<std::shared_ptr<const Material>> laws,
                 std::vector<int> law_of_tet);

    TermOffers offers() const override {
        return {.hessian = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

    Eigen::Index count() const {
        return tets_.rows();
    }
    /// Of one tetrahedron at one of its points.
    Mat3 deformation_gradient(const Points& x, Eigen::Index t, int q) const;
    /// Cauchy stress (Pa) and volume ratio of each tetrahedron, means over its points.
    struct State {
        Mat3 cauchy = Mat3::Zero();
        double volume_ratio = 1.0;
        double least_ratio = 1.0;  ///< of its points
    };
    std::vector<State> states(const Points& x) const;

private:
    using Gradients = Eigen::Matrix<double, 10, 3>;
    Gradients gradients(Eigen::Index t, int q) const;
    const Material& law(Eigen::Index t) const {
        return *laws_[at(law_of_tet_[at(t)])];
    }

    Eigen::Matrix<Index, Eigen::Dynamic, 10, Eigen::RowMajor> tets_;
    std::vector<double> volume_;
    std::vector<Eigen::Matrix<double, 4, 3>> corner_gradients_;  // of barycentric coordinates
    std::vector<std::shared_ptr<const Material>> laws_;
    std::vector<int> law_of_tet_;
};

/// A force per undeformed volume (N/m^3, one row per tetrahedron) as forces on the nodes, N:
/// -1/20 of it to each corner, 1/5 to each middle.
Points quadratic_body_forces(const QuadraticTets& rest, const Points& force_density);
/// Masses of the nodes, kg: those of the consistent matrix's diagonal, scaled to the whole
/// [HintonRockZienkiewicz1976]: 1/36 to each corner, 4/27 to each middle.
/// @param density  one per tetrahedron, kg/m^3
std::vector<double> quadratic_masses(const QuadraticTets& rest, std::span<const double> density);

}  // namespace sinew
