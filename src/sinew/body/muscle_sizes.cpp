#include "sinew/body/muscle_sizes.h"

#include <algorithm>

namespace sinew {

namespace {

// Calls visit(muscles measured as one, slope, constant) for every entry and side.
template <class Visit>
void visit_legs(const MuscleSizes& sizes, std::span<const Muscle> muscles,
                std::span<const double> bellies, Visit&& visit) {
    for (const MuscleSizes::Leg& entry : sizes.legs) {
        for (const char* side : {"_l", "_r"}) {
            std::vector<std::size_t> members;
            for (std::size_t m = 0; m < muscles.size(); ++m) {
                const bool is_member =
                    std::any_of(entry.names.begin(), entry.names.end(),
                                [&](const std::string& n) { return muscles[m].name == n + side; });
                if (is_member && bellies[m] > 0.0) {
                    members.push_back(m);
                }
            }
            visit(members, entry);
        }
    }
}

double leg_volume(const MuscleSizes& sizes, double stature, double mass) {
    return sizes.leg_slope * stature * mass + sizes.leg_constant;
}

}  // namespace

std::vector<double> expected_bellies(const MuscleSizes& sizes, std::span<const Muscle> muscles,
                                     std::span<const double> bellies, Sex sex, double stature,
                                     double mass, double density) {
    std::vector<double> wanted(bellies.begin(), bellies.end());
    std::vector<char> is_leg(bellies.size(), 0);
    const double leg = leg_volume(sizes, stature, mass);
    visit_legs(sizes, muscles, bellies,
               [&](const std::vector<std::size_t>& members, const MuscleSizes::Leg& entry) {
                   double present = 0.0;
                   for (const std::size_t m : members) {
                       present += bellies[m];
                   }
                   const double volume = entry.slope * leg + entry.constant;
                   for (const std::size_t m : members) {
                       wanted[m] = volume > 0.0 ? bellies[m] / present * volume : bellies[m];
                       is_leg[m] = 1;
                   }
               });
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

bool has_muscles_of_people(const Body& body) {
    const std::vector<std::string>& notes = body.provenance.notes;
    return std::any_of(notes.begin(), notes.end(),
                       [](const std::string& note) { return note.starts_with(kMuscleSizesNote); });
}

std::vector<double> legs_of_other_size(const MuscleSizes& sizes, std::span<const Muscle> muscles,
                                       std::span<const double> bellies, double old_stature,
                                       double old_mass, double stature, double mass) {
    std::vector<double> wanted(bellies.size(), 0.0);
    const double before = leg_volume(sizes, old_stature, old_mass);
    const double after = leg_volume(sizes, stature, mass);
    visit_legs(sizes, muscles, bellies,
               [&](const std::vector<std::size_t>& members, const MuscleSizes::Leg& entry) {
                   const double was = entry.slope * before + entry.constant;
                   const double is = entry.slope * after + entry.constant;
                   for (const std::size_t m : members) {
                       wanted[m] = was > 0.0 && is > 0.0 ? is / was * bellies[m] : 0.0;
                   }
               });
    return wanted;
}

}  // namespace sinew
