#include "bench/people_bench.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/body/person_measures.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/composition.h"
#include "sinew/growth/muscle_growth.h"
#include "sinew/growth/person_fit.h"
#include "sinew/io/muscle_size_files.h"
#include "sinew/io/people_files.h"
#include "sinew/meshing/intersections.h"
#include "sinew/pipeline/people.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew::bench {

namespace {

// Statures of each sex from the shortest to the tallest of a hundred, m.
constexpr std::array kMen = {1.60, 1.68, 1.76, 1.84, 1.92};
constexpr std::array kWomen = {1.48, 1.56, 1.63, 1.70, 1.78};
constexpr std::array kIndices = {16.0, 20.0, 25.0, 33.0, 45.0};  // kg/m^2

void run_grid(const PersonShaper& shaper, const PeopleTable& table,
              const std::shared_ptr<const MuscleSizes>& sizes, bool is_short, PeopleBench& b,
              const Progress& progress) {
    const Sex sex = shaper.rest().sex;
    for (std::size_t i = 0; i < kMen.size(); i += is_short ? 4 : 1) {
        for (std::size_t k = 0; k < kIndices.size(); k += is_short ? 2 : 1) {
            const double stature = sex == Sex::Male ? kMen[i] : kWomen[i];
            const double mass = kIndices[k] * stature * stature;
            const double share = expected_composition(sex, stature, mass).fat / mass;
            const std::string who =
                fmt::format("{} {:.2f} m {:.1f} kg", name_of(sex), stature, mass);
            ++b.grid;
            try {
                PersonTargets targets = person_targets(table, sex, stature, mass, share);
                targets.muscles = sizes;
                const MadePerson person = make_person(shaper, targets, table, progress);
                const BodySummary made = summarise(person.body);
                ++b.grid_made;
                b.worst_mass_error = std::max(b.worst_mass_error, std::abs(made.mass - mass));
                b.worst_body_fat_error =
                    std::max(b.worst_body_fat_error, std::abs(made.body_fat - share));
                b.worst_stature_error =
                    std::max(b.worst_stature_error, std::abs(made.stature - stature));
                b.inverted += (tet_volumes(person.body.tets).array() <= 0.0).count();
                if (!find_self_intersections(person.body.skin.mesh).pairs.empty()) {
                    b.crossing.push_back(who);
                }
            } catch (const InputError& error) {
                b.refused.push_back(fmt::format("{}: {}", who, error.what()));
            }
        }
    }
}

// Those that were measured as one count as one, left and right apart.
void judge_legs(const Body& body, const MuscleSizes& sizes, const std::string& who,
                std::vector<double>& errors, PeopleBench& b) {
    const BodySummary size = summarise(body);
    const std::vector<double> bellies = belly_volumes(body);
    const double leg = sizes.leg_slope * size.stature * size.mass + sizes.leg_constant;
    for (const MuscleSizes::Leg& entry : sizes.legs) {
        for (const char* side : {"_l", "_r"}) {
            double present = 0.0;
            for (std::size_t m = 0; m < bellies.size(); ++m) {
                for (const std::string& name : entry.names) {
                    present += body.muscles[m].name == name + side ? bellies[m] : 0.0;
                }
            }
            const double expected = entry.slope * leg + entry.constant;
            if (!(present > 0.0 && expected > 0.0)) {
                continue;
            }
            const double error = present / expected - 1.0;
            errors.push_back(std::abs(error));
            if (std::abs(error) > std::abs(b.worst_leg_error)) {
                b.worst_leg_error = error;
                b.worst_leg = fmt::format("{}{} of {}", entry.names.front(), side, who);
            }
        }
    }
}

}  // namespace

PeopleBench run_people_bench(const Body& man, const Body& woman, bool is_short,
                             const Progress& progress) {
    const Timer timer;
    const PeopleTable table = known_people();
    const PersonShaper men(man);
    const PersonShaper women(woman);
    PeopleBench b;
    const auto sizes = std::make_shared<const MuscleSizes>(known_muscle_sizes());
    run_grid(men, table, sizes, is_short, b, progress);
    run_grid(women, table, sizes, is_short, b, progress);

    const auto names = person_measure_names();
    std::vector<double> all;
    std::vector<double> legs;
    std::vector<double> squares(names.size(), 0.0);
    for (const DrawnPerson& person : drawn_people(table, {.count = is_short ? 10 : 100})) {
        ++b.people;
        const double stature = person.values[0];
        const double mass = person.values[1];
        PersonTargets targets =
            person_targets(table, person.sex, stature, mass,
                           expected_composition(person.sex, stature, mass).fat / mass);
        targets.muscles = sizes;
        try {
            const MadePerson made =
                make_person(person.sex == Sex::Male ? men : women, targets, table, progress);
            ++b.people_made;
            judge_legs(made.body, *sizes,
                       fmt::format("{} {:.2f} m {:.1f} kg", name_of(person.sex), stature, mass),
                       legs, b);
            for (std::size_t m = 0; m < names.size(); ++m) {
                const auto c = static_cast<Eigen::Index>(find_measure(table, names[m], "bench"));
                const double z =
                    (made.report.measures[m] - targets.measures[c]) / targets.spread[c];
                all.push_back(std::abs(z));
                squares[m] += z * z;
            }
        } catch (const InputError& error) {
            b.refused.emplace_back(error.what());
        }
    }
    if (!all.empty()) {
        std::sort(all.begin(), all.end());
        b.median_z = all[all.size() / 2];
        b.within_2 =
            static_cast<double>(std::upper_bound(all.begin(), all.end(), 2.0) - all.begin()) /
            static_cast<double>(all.size());
    }
    if (!legs.empty()) {
        std::sort(legs.begin(), legs.end());
        b.median_leg_error = legs[legs.size() / 2];
    }
    for (std::size_t m = 0; m < names.size(); ++m) {
        b.rms_z.emplace_back(names[m], std::sqrt(squares[m] / std::max(1, b.people_made)));
    }
    b.seconds = timer.seconds();
    return b;
}

}  // namespace sinew::bench
