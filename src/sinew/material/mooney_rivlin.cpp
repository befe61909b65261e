#include "sinew/material/mooney_rivlin.h"

#include "sinew/base/error.h"
#include "sinew/material/invariants.h"
#include "sinew/material/volume_functions.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

InvariantDerivatives derivatives(const MooneyRivlinConstants& c, const Mat3& F) {
    const Invariants i = compute_invariants(F);
    const VolumeFunction p1 = power_of_volume(i.J, -2.0 / 3.0);
    const VolumeFunction p2 = power_of_volume(i.J, -4.0 / 3.0);
    const VolumeFunction log = log_of_volume(i.J);
    return {.d1 = c.A * p1.value,
            .d2 = c.B * p2.value,
            .dJ = c.A * i.I1 * p1.first + c.B * i.I2 * p2.first + 2.0 * c.K * log.value * log.first,
            .dJJ = c.A * i.I1 * p1.second + c.B * i.I2 * p2.second +
                   2.0 * c.K * (log.first * log.first + log.value * log.second),
            .d1J = c.A * p1.first,
            .d2J = c.B * p2.first};
}

}  // namespace

MooneyRivlin::MooneyRivlin(const MooneyRivlinConstants& constants) : c_(constants) {
    const bool is_finite = std::isfinite(c_.A) && std::isfinite(c_.B) && std::isfinite(c_.K);
    if (!is_finite || c_.A < 0.0 || c_.B < 0.0 || !(c_.A + c_.B > 0.0) || !(c_.K > 0.0)) {
        throw InputError({.where = "Mooney-Rivlin material",
                          .found = fmt::format("A = {}, B = {}, K = {} Pa", c_.A, c_.B, c_.K),
                          .needs = "A >= 0, B >= 0, A + B > 0 and K > 0",
                          .remedy = "for tissue of shear modulus mu use A + B = mu / 2"});
    }
}

double MooneyRivlin::energy(const Mat3& F) const {
    const Invariants i = compute_invariants(F);
    const double log = log_of_volume(i.J).value;
    return c_.A * (power_of_volume(i.J, -2.0 / 3.0).value * i.I1 - 3.0) +
           c_.B * (power_of_volume(i.J, -4.0 / 3.0).value * i.I2 - 3.0) + c_.K * log * log;
}

Mat3 MooneyRivlin::stress(const Mat3& F) const {
    return stress_from_invariants(F, derivatives(c_, F));
}

Mat9 MooneyRivlin::tangent(const Mat3& F, Tangent kind) const {
    return tangent_from_invariants(F, derivatives(c_, F), kind);
}

}  // namespace sinew
