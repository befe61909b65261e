#include "sinew/pipeline/muscle_motion_job.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/motion_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sinew {

namespace {

constexpr std::array<std::string_view, 11> kQuantities = {
    "length",       "velocity",      "fibre_length", "fibre_velocity", "pennation", "tendon_length",
    "active_force", "passive_force", "force",        "power",          "moment_arm"};

// Whether a muscle's column is of that quantity: "soleus_r_force" is, "soleus_r_active_force" not.
bool is_of(const std::string& rest, const std::string& quantity) {
    return rest == quantity || (quantity == "moment_arm" && rest.starts_with("moment_arm_"));
}

void keep_quantities(const MusculoskeletalModel& model, const std::vector<std::string>& wanted,
                     MotionTable& table) {
    for (const std::string& name : wanted) {
        if (std::find(kQuantities.begin(), kQuantities.end(), name) == kQuantities.end()) {
            const std::vector<std::string> known(kQuantities.begin(), kQuantities.end());
            throw InputError({.where = "--quantity",
                              .found = fmt::format("'{}'{}", name, did_you_mean(name, known)),
                              .needs = fmt::format("one of {}", join(known, ", ")),
                              .remedy = "correct the name"});
        }
    }
    if (wanted.empty()) {
        return;
    }
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        for (const MuscleUnit& unit : model.muscles) {
            const std::string& column = table.columns[c];
            if (column.starts_with(unit.name + "_") &&
                std::any_of(wanted.begin(), wanted.end(), [&](const std::string& q) {
                    return is_of(column.substr(unit.name.size() + 1), q);
                })) {
                kept.push_back(c);
                break;
            }
        }
    }
    MotionTable out{.name = table.name, .columns = {}, .times = table.times};
    for (const std::size_t c : kept) {
        out.columns.push_back(table.columns[c]);
    }
    for (std::size_t r = 0; r < table.times.size(); ++r) {
        for (const std::size_t c : kept) {
            out.values.push_back(table.at(r, c));
        }
    }
    table = std::move(out);
}

}  // namespace

MuscleAnalysis run_muscle_motion(const MusculoskeletalModel& model, const MotionTable& motion,
                                 const MuscleMotionJob& job, const Progress& progress) {
    MotionTable activations;
    if (!job.activations.empty()) {
        activations = read_motion_table(job.activations);
        const bool is_any = std::any_of(
            model.muscles.begin(), model.muscles.end(),
            [&](const MuscleUnit& unit) { return find_column(activations, unit.name) >= 0; });
        if (!is_any || activations.times.empty()) {
            throw InputError({.where = job.activations,
                              .found = "no column named after a muscle of the model",
                              .needs = "activations of these muscles",
                              .remedy = "choose what 'sinew activations' wrote for this model"});
        }
    }
    const ExternalLoads loads = loads_for(model, motion, job.loads, job.options.filter);
    MuscleAnalysis out = analyse_muscles(model, motion, job.options, activations, loads, progress);
    if (job.activations.empty()) {
        out.notes.push_back(
            fmt::format("no activations are given: forces, powers and work are those of muscles "
                        "activated by {:g} throughout",
                        job.options.activation));
    }
    keep_quantities(model, job.quantities, out.muscles);
    return out;
}

}  // namespace sinew
