#include "sinew/material/lame.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

Lame lame_from_young(double young, double poisson) {
    if (!(young > 0.0) || !std::isfinite(young)) {
        throw InputError({.where = "young_modulus",
                          .found = fmt::format("{} Pa", young),
                          .needs = "a finite value > 0",
                          .remedy = "give the stiffness in Pa, e.g. 30e3 for soft tissue"});
    }
    if (!(poisson > -1.0) || !(poisson < 0.5)) {
        throw InputError({.where = "poisson_ratio",
                          .found = fmt::format("{}", poisson),
                          .needs = "a value in (-1, 0.5)",
                          .remedy = "use 0.45 to 0.499 for nearly incompressible tissue"});
    }
    return {.mu = young / (2.0 * (1.0 + poisson)),
            .lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))};
}

double bulk_modulus(const Lame& lame) {
    return lame.lambda + 2.0 * lame.mu / 3.0;
}

double young_modulus(const Lame& lame) {
    return lame.mu * (3.0 * lame.lambda + 2.0 * lame.mu) / (lame.lambda + lame.mu);
}

double poisson_ratio(const Lame& lame) {
    return lame.lambda / (2.0 * (lame.lambda + lame.mu));
}

void require_stable(const Lame& lame, const char* law) {
    const bool is_finite = std::isfinite(lame.mu) && std::isfinite(lame.lambda);
    if (!is_finite || !(lame.mu > 0.0) || !(bulk_modulus(lame) > 0.0)) {
        throw InputError({.where = law,
                          .found = fmt::format("mu = {} Pa, lambda = {} Pa", lame.mu, lame.lambda),
                          .needs = "mu > 0 and lambda + 2 mu / 3 > 0",
                          .remedy = "compute them from a Young's modulus and a Poisson's ratio"});
    }
}

}  // namespace sinew
