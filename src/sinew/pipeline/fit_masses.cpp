#include "sinew/pipeline/fit_masses.h"

#include "sinew/base/error.h"
#include "sinew/body/girths.h"
#include "sinew/fit/composition.h"
#include "sinew/io/composition_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

// What a person is made of before the anatomy is fitted: given masses count, others are estimated
// from the skin, and published formulas stand beside the estimate.

namespace sinew {

namespace {

constexpr double kWater = 1000.0;       // kg/m^3, about the density of people
constexpr double kLeastBodyFat = 0.04;  // of the mass: below, formulas are wrong
constexpr double kMostBodyFat = 0.55;
constexpr double kMostStrangeness = 3.0;  // standard deviations: beyond, regressors guess
constexpr double kDisagree = 0.06;  // of the mass: twice the formula's standard error [Hodgdon1984]

std::optional<CompositionModel> model_for(const FitJob& job, Sex sex) {
    if (job.composition.empty()) {
        return sex == Sex::Unknown ? std::nullopt : known_composition(sex);
    }
    const CompositionModel model = read_composition(job.composition);
    if (model.sex != sex) {
        throw InputError({.where = std::filesystem::path(job.composition).filename().string(),
                          .found = fmt::format("regressors of {} people", name_of(model.sex)),
                          .needs = fmt::format("those of {} ones, as this person", name_of(sex)),
                          .remedy = "give --sex, or the other file"});
    }
    return model;
}

}  // namespace

CompositionTargets masses_from_skin(const FitJob& job, FittedScan& fitted) {
    std::vector<std::string>& remarks = fitted.skin.report.remarks;
    const Sex sex = fitted.body.sex;
    const CompositionWitnesses formulas =
        composition_witnesses(sex, fitted.stature, fitted.girths, {});
    if (formulas.navy_body_fat) {
        fitted.witnesses.emplace_back("navy_body_fat", *formulas.navy_body_fat);
    }
    CompositionTargets targets;
    targets.weight_kg = job.weight ? *job.weight : kWater * fitted.volume;
    targets.muscle_kg = job.muscle;
    targets.body_fat = job.body_fat;
    const std::optional<CompositionModel> model = model_for(job, sex);
    if (model && !(job.body_fat && job.muscle)) {
        const CompositionEstimate told =
            estimate_composition(*model, fitted.body.skin.mesh, fitted.skin.rest);
        fitted.witnesses.emplace_back("regressed_fat_kg", told.fat_kg);
        fitted.witnesses.emplace_back("regressed_muscle_kg", told.muscle_kg);
        if (told.strangeness > kMostStrangeness || told.fat_kg <= 0.0 || told.muscle_kg <= 0.0) {
            remarks.push_back(
                fmt::format("the regressors of masses do not know such shapes ({:.1f} standard "
                            "deviations): not used",
                            told.strangeness));
        } else {
            if (!job.body_fat) {
                targets.fat_kg = told.fat_kg;
                remarks.push_back(
                    fmt::format("fat of {:.1f} kg was told by regressors", told.fat_kg));
                const double share = told.fat_kg / *targets.weight_kg;
                if (formulas.navy_body_fat &&
                    std::abs(share - *formulas.navy_body_fat) > kDisagree) {
                    remarks.push_back(
                        fmt::format("girths say {:.0f} % body fat instead of {:.0f} %: a measured "
                                    "one is better "
                                    "here (--body-fat)",
                                    100.0 * *formulas.navy_body_fat, 100.0 * share));
                }
            }
            if (!job.muscle) {
                targets.muscle_kg = told.muscle_kg;
                remarks.push_back(
                    fmt::format("muscle of {:.1f} kg was told by regressors", told.muscle_kg));
            }
        }
    }
    if (!targets.body_fat && !targets.fat_kg && formulas.navy_body_fat) {
        targets.body_fat = std::clamp(*formulas.navy_body_fat, kLeastBodyFat, kMostBodyFat);
        remarks.push_back(
            fmt::format("body fat of {:.0f} % was told from girths", 100.0 * *targets.body_fat));
    }
    return targets;
}

void add_anatomy_witnesses(FittedScan& fitted) {
    if (!fitted.person) {
        return;
    }
    Body flesh;
    flesh.skin.mesh = fitted.person->body.envelope.mesh;
    flesh.skeleton = fitted.person->body.skeleton;
    const CompositionWitnesses formulas =
        composition_witnesses(fitted.body.sex, fitted.stature, girths(flesh), 0.0);
    if (formulas.lee_muscle_kg) {
        fitted.witnesses.emplace_back("lee_muscle_kg", *formulas.lee_muscle_kg);
    }
}

}  // namespace sinew
