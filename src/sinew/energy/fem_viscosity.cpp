#include "sinew/energy/fem_viscosity.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <fmt/format.h>

namespace sinew {

FemViscosity::FemViscosity(const TetMesh& rest, double shear, double bulk)
    : elements_(rest), shear_(shear), bulk_(bulk) {
    if (!(shear >= 0.0) || !(bulk >= 0.0)) {
        throw InputError({.where = "viscosity",
                          .found = fmt::format("shear {} Pa s, bulk {} Pa s", shear, bulk),
                          .needs = "values >= 0",
                          .remedy = "use 0 for no damping"});
    }
}

void FemViscosity::add_damping(const Points& x, const Points& v, Points& damping) const {
    constexpr std::size_t kViscosityGrain = 2048;
    std::vector<Mat3> G(static_cast<std::size_t>(elements_.count()));
    parallel_for(G.size(), kViscosityGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            const Mat3 F = elements_.deformation_gradient(x, t);
            const Mat3 rate = F.transpose() * elements_.deformation_gradient(v, t);
            const Mat3 D = 0.5 * (rate + rate.transpose());
            const Mat3 S = 2.0 * shear_ * D + bulk_ * D.trace() * Mat3::Identity();
            G[k] = F * S * elements_.normals(t);
        }
    });
    elements_.add_to_vertices(G, damping);
}

}  // namespace sinew
