#include "cli/verbs/model_verbs.h"

#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/model_shapes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verbs/model_options.h"

namespace sinew::cli {

int check_model(const std::string& file, const std::string& muscles, const Context& context,
                nlohmann::ordered_json& result) {
    const MusculoskeletalModel model = read_model(file, muscles);
    const std::vector<ModelFinding> findings = examine_model(model);
    auto problems = nlohmann::ordered_json::array();
    auto notes = nlohmann::ordered_json::array();
    for (const ModelFinding& f : findings) {
        (f.is_problem ? problems : notes)
            .push_back({{"what", f.what},
                        {"where", f.where},
                        {"value", f.value},
                        {"expected", {f.low, f.high}},
                        {"unit", f.unit},
                        {"source", f.source}});
    }
    for (const std::string& note : model.notes) {
        notes.push_back({{"what", note}, {"where", file}});
    }
    const bool is_healthy = problems.empty();
    if (!context.wants_json) {
        fmt::print("{}: {}\n", file,
                   is_healthy ? "healthy" : fmt::format("{} problems", problems.size()));
        for (const ModelFinding& f : findings) {
            fmt::print("  {}{}: {}\n    {:.4g} {}, expected {:.4g} to {:.4g} ({})\n",
                       f.is_problem ? "" : "note: ", f.where, f.what, f.value,
                       f.unit == "-" ? "" : f.unit, f.low, f.high, f.source);
        }
        for (const std::string& note : model.notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    result = {{"file", file},
              {"healthy", is_healthy},
              {"problems", problems},
              {"notes", notes},
              {"measures",
               {{"bodies", model.bodies.size()},
                {"coordinates", model.coordinates.size()},
                {"muscles", model.muscles.size()},
                {"wrap_objects", model.wraps.size()}}}};
    return is_healthy ? kOk : kUnusable;
}

void describe_model(const std::string& file, const std::string& muscles,
                    nlohmann::ordered_json& result) {
    const MusculoskeletalModel model = read_model(file, muscles);
    double mass = 0.0;
    for (const RigidBody& body : model.bodies) {
        mass += body.mass;
    }
    auto coordinates = nlohmann::ordered_json::array();
    for (const Coordinate& c : model.coordinates) {
        coordinates.push_back(c.name);
    }
    auto units = nlohmann::ordered_json::array();
    for (const MuscleUnit& unit : model.muscles) {
        units.push_back(unit.name);
    }
    result["kind"] = "model";
    result["name"] = model.name;
    result["bodies"] = model.bodies.size();
    result["joints"] = model.joints.size();
    result["coordinates"] = model.coordinates.size();
    result["muscles"] = model.muscles.size();
    result["wrap_objects"] = model.wraps.size();
    result["markers"] = model.markers.size();
    result["mass_kg"] = mass;
    result["coordinate_list"] = coordinates;
    result["muscle_list"] = units;
    result["notes"] = model.notes;
}

int convert_model(const std::string& from, const std::string& muscles, const std::string& to,
                  const Context& context, nlohmann::ordered_json& result) {
    require_writable_place(to);
    const MusculoskeletalModel model = read_any_model(from, muscles);
    std::vector<std::string> notes;
    if (lower(std::filesystem::path(to).extension().string()) == ".glb") {
        write_surface(to, model_shapes(model, rest_coordinates(model)));
    } else {
        notes = write_model(to, model);
    }
    notes.insert(notes.end(), model.notes.begin(), model.notes.end());
    const std::string wrote =
        fmt::format("{} bodies, {} coordinates, {} muscles", model.bodies.size(),
                    model.coordinates.size(), model.muscles.size());
    result = {{"from", from}, {"to", to}, {"wrote", wrote}, {"notes", notes}};
    if (!context.is_quiet && !context.wants_json) {
        fmt::print("{}: {}\n", to, wrote);
        for (const std::string& note : notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    return kOk;
}

}  // namespace sinew::cli
