#include "sinew/body/muscle_sizes.h"

#include <algorithm>

namespace sinew {

std::vector<double> expected_bellies(const MuscleSizes& sizes, std::span<const Muscle> muscles,
                                     std::span<const double> bellies, Sex sex, double stature,
                                     double mass, double density) {
    std::vector<double> wanted(bellies.begin(), bellies.end());
    std::vector<char> is_leg(bellies.size(), 0);
    const double leg = sizes.leg_slope * stature * mass + sizes.leg_constant;
    for (const MuscleSizes::Leg& entry : sizes.legs) {
        for (const char* side : {"_l", "_r"}) {
            std::vector<std::size_t> members;
            double present = 0.0;
            for (std::size_t m = 0; m < muscles.size(); ++m) {
                const bool is_member =
                    std::any_of(entry.names.begin(), entry.names.end(),
                                [&](const std::string& n) { return muscles[m].name == n + side; });
                if (is_member && bellies[m] > 0.0) {
                    members.push_back(m);
                    present += bellies[m];
                }
            }
            const double volume = entry.slope * leg + entry.constant;
            for (const std::size_t m : members) {
                wanted[m] = volume > 0.0 ? bellies[m] / present * volume : bellies[m];
                is_leg[m] = 1;
            }
        }
    }
    // What is left for all other muscles.
    double legs = 0.0;
    double others = 0.0;
    for (std::size_t m = 0; m < bellies.size(); ++m) {
        (is_leg[m] != 0 ? legs : others) += wanted[m];
    }
    const double share = sex == Sex::Female ? sizes.of_mass_female : sizes.of_mass_male;
    const double ratio = others > 0.0 ? (share * mass / density - legs) / others : 1.0;
    for (std::size_t m = 0; m < bellies.size() && ratio > 0.0; ++m) {
        wanted[m] *= is_leg[m] != 0 ? 1.0 : ratio;
    }
    return wanted;
}

}  // namespace sinew
