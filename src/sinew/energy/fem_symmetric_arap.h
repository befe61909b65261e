#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/tet_mesh.h"

#include <vector>

namespace sinew {

/// Symmetric as-rigid-as-possible energy over a mesh (material/symmetric_arap.h). Flat and inverted
/// rest tetrahedra are allowed.
///
///   E(x) = sum_t k_t |D_S,t - R_t D_M,t|^2                              [Kadlecek2022, eq. 4.6]
///
/// Edges are linear in x and R D_M is the nearest rotated rest shape, so that local/global steps
/// take it as well.
class FemSymmetricArap final : public EnergyTerm {
public:
    /// @param stiffness  k, one per tetrahedron, N/m, >= 0
    /// @throws InputError  when the number of values differs from the number of tetrahedra
    FemSymmetricArap(const TetMesh& rest, std::vector<double> stiffness);

    TermOffers offers() const override {
        return {.hessian = true, .projection = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    void add_quadratic(Triplets& A) const override;

private:
    Tets tets_;
    std::vector<Mat3> rest_edges_;  // D_M
    std::vector<double> stiffness_;
};

/// k of each tetrahedron for a shear modulus (Pa) per tetrahedron (symmetric_arap::stiffness).
std::vector<double> symmetric_arap_stiffness(const TetMesh& rest,
                                             const std::vector<double>& shear_modulus);

}  // namespace sinew
