#include "sinew/energy/energy_term.h"

#include "sinew/base/error.h"

namespace sinew {

double EnergyTerm::work(const Points& from, const Points& to) const {
    return value(from) - value(to);
}

void EnergyTerm::add_pattern(BlockPattern& /*pattern*/) const {}

void EnergyTerm::add_hessian(const Points& /*x*/, Tangent /*kind*/, BlockHessian& /*H*/) const {
    SINEW_ASSERT(!offers().hessian, "a term offers a Hessian that it does not have ({})", 0);
}

void EnergyTerm::add_quadratic(Triplets& /*A*/) const {}

double EnergyTerm::add_force(const Points& x, Points& force, TermScratch& scratch) const {
    Points& gradient = scratch.points(x.rows());
    gradient.setZero();
    add_gradient(x, gradient);
    force -= gradient;
    return value(x);
}

std::optional<std::size_t> EnergyTerm::parameter_count(TermParameter parameter) const {
    // Most terms are made from a rest shape; the others say that they are not.
    return parameter == TermParameter::RestShape ? std::nullopt : std::optional<std::size_t>(0);
}

void EnergyTerm::add_mixed_product(const Points& /*x*/, TermParameter /*parameter*/,
                                   std::span<const double> /*dp*/, Points& /*out*/) const {}

void EnergyTerm::add_mixed_adjoint(const Points& /*x*/, TermParameter /*parameter*/,
                                   const Points& /*w*/, std::span<double> /*out*/) const {}

VolumeError EnergyTerm::volume_error(const Points& /*x*/) const {
    return {};
}

}  // namespace sinew
