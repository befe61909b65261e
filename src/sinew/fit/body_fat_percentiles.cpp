#include "sinew/fit/body_fat_percentiles.h"

#include "sinew/base/error.h"

// Published percentiles of body fat, and where a person lies among them.

namespace sinew {

const std::array<double, 7>& kyle_body_fat(Sex sex) {
    static constexpr std::array<double, 7> kMen = {0.109, 0.126, 0.157, 0.192, 0.235, 0.270, 0.292};
    static constexpr std::array<double, 7> kWomen = {0.185, 0.208, 0.238, 0.281,
                                                     0.326, 0.375, 0.405};
    if (sex == Sex::Unknown) {
        throw InputError({.where = "percentile of body fat",
                          .found = "a body of unknown sex",
                          .needs = "a man or a woman",
                          .remedy = "give --sex"});
    }
    return sex == Sex::Female ? kWomen : kMen;
}

double kyle_percentile(Sex sex, double body_fat) {
    const std::array<double, 7>& fat = kyle_body_fat(sex);
    if (!(body_fat > fat.front())) {
        return kPercentiles.front();
    }
    for (std::size_t i = 1; i < fat.size(); ++i) {
        if (body_fat <= fat[i]) {
            const double part = (body_fat - fat[i - 1]) / (fat[i] - fat[i - 1]);
            return kPercentiles[i - 1] + part * (kPercentiles[i] - kPercentiles[i - 1]);
        }
    }
    return kPercentiles.back();
}

}  // namespace sinew
