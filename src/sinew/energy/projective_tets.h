#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/mesh/tet_mesh.h"

#include <memory>
#include <span>

namespace sinew {

/// Resistance of tetrahedra to change of shape and to change of volume, about a shape that may
/// grow.
///
///   E(x) = sum_t V_t ( w_rot/2 |F_e - R|^2 + w_vol/2 |F_e - P|^2 ),   F_e = F F_g^-1
///
/// R is the rotation nearest to F_e (det = +1, so inverted tetrahedra are pulled back) and P the
/// matrix of determinant `ratio` nearest to it [Saito2015, eqs. 2-4, 6]. V_t is the volume at rest.
/// Departs: the paper's energies lack the factor 1/2, so its weights are half of ours.
/// With w_vol = 0 this is corotated elasticity of mu = w_rot / 2, lambda = 0.
///
/// The local step runs eight tetrahedra at a time in single precision: blocks of neighbouring
/// tetrahedra read their vertices once, relative to the block, and add up their forces in memory of
/// their own; vertices then sum the few blocks that they lie in. No atomics, and the same bits for
/// any thread count.
class ProjectiveTets final : public EnergyTerm {
public:
    /// Copies what it needs.
    /// @param rotation_weight  w_rot, one per tetrahedron, Pa, >= 0; 2 mu for small strains
    /// @param volume_weight    w_vol, one per tetrahedron, Pa, >= 0
    /// @throws InputError      when a rest tetrahedron has volume <= 0 or a weight is negative
    ProjectiveTets(const TetMesh& rest, std::span<const double> rotation_weight,
                   std::span<const double> volume_weight);
    ~ProjectiveTets() override;
    ProjectiveTets(ProjectiveTets&&) noexcept;
    ProjectiveTets& operator=(ProjectiveTets&&) noexcept;

    /// Growth tensors F_g, one per tetrahedron, det > 0. Forces and energy change at once; a
    /// factorised matrix of rest stays usable [Saito2015, section 3.1].
    void set_growth(std::span<const Mat3> growth);

    /// det F_e that P asks for, one per tetrahedron, > 0; 1 from the start.
    void set_volume_ratio(std::span<const double> ratio);

    TermOffers offers() const override {
        return {.hessian = true, .projection = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    void add_quadratic(Triplets& A) const override;
    double add_force(const Points& x, Points& force, TermScratch& scratch) const override;
    /// By rest shape and growth tensors.
    std::optional<std::size_t> parameter_count(TermParameter parameter) const override;
    void add_mixed_product(const Points& x, TermParameter parameter, std::span<const double> dp,
                           Points& out) const override;
    void add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                           std::span<double> out) const override;
    /// Of det F_e against the ratios, over tetrahedra with a volume weight.
    VolumeError volume_error(const Points& x) const override;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
