#include "sinew/growth/composition.h"

#include "sinew/base/error.h"

#include <algorithm>
#include <cmath>

// How much of a person is fat. One equation in one unknown, fat over stature squared, solved in its
// logarithm, where the left side is convex and rises, so that Newton's method converges from any
// start. Sources and what we changed are in the header.

namespace sinew {

namespace {

constexpr double kForbes = 10.4 / (1.64 * 1.64);  // kg/m^2
constexpr double kYoung = 26.0;                   // years

struct ReferenceIndices {
    double lean = 0.0;      // kg/m^2
    double fat = 0.0;       // kg/m^2
    double per_year = 0.0;  // share of fat
};

ReferenceIndices reference_of(Sex sex) {
    if (sex == Sex::Unknown) {
        throw InputError({.where = "composition of a person",
                          .found = "a body of unknown sex",
                          .needs = "a woman or a man",
                          .remedy = "build the body with --sex female or --sex male"});
    }
    return sex == Sex::Male ? ReferenceIndices{18.9, 4.0, 0.0013}
                            : ReferenceIndices{15.4, 5.5, 0.0008};
}

}  // namespace

BodyComposition expected_composition(Sex sex, double stature, double mass,
                                     std::optional<double> age) {
    const ReferenceIndices r = reference_of(sex);
    const double bmi = mass / (stature * stature);
    // fat + l + k log(fat / f) rises with fat: Newton from above keeps to one side of the root in
    // log(fat).
    double y = std::log(std::max(0.3, bmi - 0.6 * r.lean));
    for (int round = 0; round < 50; ++round) {
        const double value = std::exp(y) + r.lean + kForbes * (y - std::log(r.fat)) - bmi;
        const double step = value / (std::exp(y) + kForbes);
        y -= step;
        if (std::abs(step) < 1e-13) {
            break;
        }
    }
    // Age comes on top, as a share of the mass: the reference medians are of young adults.
    double share = std::exp(y) / bmi;
    if (age) {
        share += r.per_year * std::max(0.0, *age - kYoung);
    }
    share = std::clamp(share, 0.02, 0.75);
    return {.mass = mass, .fat = share * mass, .fat_free = (1.0 - share) * mass};
}

}  // namespace sinew
