#include "studio/server/forces.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/muscle_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studio/server/catalogue.h"
#include "studio/server/growth.h"
#include "studio/server/verbs.h"
#include "studio/server/workspace.h"

namespace sinew::studio {

namespace {

constexpr std::size_t kMostCurves = 24;  // of a plot

Json forces_of(Growth& growth, const Workspace& workspace, const std::string& file,
               const std::string& wanted) {
    growth.require_grown();
    const MusculoskeletalModel model =
        file.empty() ? model_from_body(growth.body()) : read_model(workspace.existing(file));
    Json names = Json::array();
    Index chosen = -1;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const std::string& name = model.coordinates[c].name;
        names.push_back(name);
        const bool is_default = wanted.empty() && name == "elbow_l_flexion";
        if (name == wanted || is_default || (wanted.empty() && chosen < 0)) {
            chosen = static_cast<Index>(c);
        }
    }
    if (chosen < 0) {
        throw InputError({.where = "field 'coordinate'",
                          .found = fmt::format("unknown coordinate '{}'", wanted),
                          .needs = "a coordinate of the model",
                          .remedy = "choose one of the list"});
    }
    MuscleSweep sweep = sweep_coordinate(model, chosen);
    // The strongest about this joint.
    const auto largest_moment = [](const MuscleSweep::Curve& curve) {
        double largest = 0.0;
        for (std::size_t k = 0; k < curve.force.size(); ++k) {
            largest = std::max(largest, std::abs(curve.force[k] * curve.moment_arm[k]));
        }
        return largest;
    };
    std::stable_sort(sweep.muscles.begin(), sweep.muscles.end(),
                     [&](const MuscleSweep::Curve& a, const MuscleSweep::Curve& b) {
                         return largest_moment(a) > largest_moment(b);
                     });
    Json curves = Json::array();
    for (std::size_t m = 0; m < std::min(kMostCurves, sweep.muscles.size()); ++m) {
        const MuscleSweep::Curve& curve = sweep.muscles[m];
        curves.push_back({{"name", curve.muscle},
                          {"label", label_of(curve.muscle)},
                          {"moment_arm_m", curve.moment_arm},
                          {"length_m", curve.length},
                          {"force_n", curve.force}});
    }
    for (double& value : sweep.values) {
        value /= sweep.is_rotation ? kDegree : 1.0;
    }
    return {{"model", model.name},    {"coordinate", sweep.coordinate},
            {"coordinates", names},   {"unit", sweep.is_rotation ? "deg" : "m"},
            {"values", sweep.values}, {"muscles", curves}};
}

}  // namespace

void add_forces_verb(Verbs& verbs, Growth& growth, const Workspace& workspace) {
    verbs.add({.name = "forces",
               .fields = {{.name = "file", .kind = FieldKind::Text},
                          {.name = "coordinate", .kind = FieldKind::Text}},
               .is_long = true,
               .answer = [&growth, &workspace](ClientId, const Json& message) {
                   return forces_of(growth, workspace, optional_text(message, "file"),
                                    optional_text(message, "coordinate"));
               }});
}

}  // namespace sinew::studio
