#include "sinew/energy/energy_term.h"

#include "sinew/base/error.h"

namespace sinew {

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

VolumeError EnergyTerm::volume_error(const Points& /*x*/) const {
    return {};
}

}  // namespace sinew
