#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/energy/finite_volume.h"

#include <memory>
#include <span>
#include <vector>

namespace sinew {

/// The elastic energy of linear tetrahedra.
///
///   E(x) = sum_t V_t psi_t(F_t(x)),   F_t = D_s D_m^-1   [Kadlecek2022, eqs. 2.3, 2.4, 2.14]
///
/// Forces are computed as finite volumes do, G = P B_m [Teran2003, section 4.1]. Several such terms
/// over one mesh add up, e.g. an isotropic law and what fibres contribute.
class FemElastic final : public EnergyTerm {
public:
    /// One law for every tetrahedron. @throws InputError  when a rest volume is <= 0
    FemElastic(const TetMesh& rest, std::shared_ptr<const Material> law);

    /// Laws by tetrahedron: tetrahedron t follows laws[law_of_tet[t]].
    /// @throws InputError  when a rest volume is <= 0, a law is absent, or an index does not fit
    FemElastic(const TetMesh& rest, std::vector<std::shared_ptr<const Material>> laws,
               std::vector<int> law_of_tet);

    TermOffers offers() const override {
        return {.hessian = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

    /// By rest shape.
    std::optional<std::size_t> parameter_count(TermParameter parameter) const override;
    void add_mixed_product(const Points& x, TermParameter parameter, std::span<const double> dp,
                           Points& out) const override;
    void add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                           std::span<double> out) const override;

    const FiniteVolumeTets& elements() const {
        return elements_;
    }

private:
    const Material& law(Eigen::Index t) const {
        return *laws_[at(law_of_tet_[at(t)])];
    }

    FiniteVolumeTets elements_;
    std::vector<std::shared_ptr<const Material>> laws_;
    std::vector<int> law_of_tet_;
};

}  // namespace sinew
