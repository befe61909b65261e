#include "sinew/energy/constant_forces.h"

namespace sinew {

ConstantForces::ConstantForces(Points forces) : forces_(std::move(forces)) {}

double ConstantForces::value(const Points& x) const {
    return -forces_.cwiseProduct(x).sum();
}

void ConstantForces::add_gradient(const Points& /*x*/, Points& gradient) const {
    gradient -= forces_;
}

void ConstantForces::add_hessian(const Points& /*x*/, Tangent /*kind*/, BlockHessian& /*H*/) const {
}

double ConstantForces::add_force(const Points& x, Points& force, TermScratch& /*scratch*/) const {
    force += forces_;
    return value(x);
}

}  // namespace sinew
