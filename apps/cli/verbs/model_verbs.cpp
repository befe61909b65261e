#include "cli/verbs/model_verbs.h"

#include "sinew/io/atomic_file.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/model_files.h"
#include "sinew/io/motion_files.h"
#include "sinew/motion/length_difference.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/model_shapes.h"
#include "sinew/motion/smoothing.h"
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/mujoco_check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "cli/verbs/model_options.h"

namespace sinew::cli {

int check_model(const std::string& file, const std::string& muscles, const Context& context,
                nlohmann::ordered_json& result) {
    const MusculoskeletalModel model = read_model(file, muscles);
    const std::vector<ModelFinding> findings = examine_model(model);
    auto problems = nlohmann::ordered_json::array();
    auto notes = nlohmann::ordered_json::array();
    for (const ModelFinding& f : findings) {
        (f.is_error ? problems : notes)
            .push_back({{"what", f.what},
                        {"where", f.where},
                        {"value", f.value},
                        {"expected", {f.low, f.high}},
                        {"unit", f.unit},
                        {"source", f.source},
                        {"remedy", f.remedy}});
    }
    for (const std::string& note : model.notes) {
        notes.push_back({{"what", note}, {"where", file}});
    }
    const bool is_healthy = problems.empty();
    if (context.tells()) {
        fmt::print("{}: {}\n", file,
                   is_healthy ? "healthy" : fmt::format("{} errors", problems.size()));
        for (const ModelFinding& f : findings) {
            fmt::print("  {}: {}: {}\n", f.is_error ? "error" : "remark", f.where, f.what);
            if (f.low != f.high) {
                fmt::print("    {:.4g} {}, expected {:.4g} to {:.4g} ({})\n", f.value,
                           f.unit == "-" ? "" : f.unit, f.low, f.high, f.source);
            }
            if (!f.remedy.empty()) {
                fmt::print("    try: {}\n", f.remedy);
            }
        }
        for (const std::string& note : model.notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    result = {{"input", file},
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
    result["ligaments"] = model.ligaments.size();
    result["coordinate_limits"] = model.limits.size();
    result["bushings"] = model.bushings.size();
    result["meshes"] = model.shapes.size();
    result["mass_kg"] = mass;
    if (!model.credits.empty()) {
        result["credits"] = model.credits;
    }
    result["coordinate_list"] = coordinates;
    result["muscle_list"] = units;
    result["notes"] = model.notes;
}

namespace {

// Shapes of a model over a motion, at most kMostFrames of it: every frame is a set of vertices.
void write_playing(const std::string& to, const MusculoskeletalModel& model,
                   const CoordinateMotion& motion) {
    constexpr std::size_t kMostFrames = 60;
    const std::size_t n = model.coordinates.size();
    const std::size_t every = (motion.times.size() + kMostFrames - 1) / kMostFrames;
    std::vector<double> times;
    std::vector<std::vector<Points>> frames;
    GltfScene scene;
    for (std::size_t r = 0; r < motion.times.size(); r += every) {
        const std::vector<MeshPart> parts =
            model_shapes(model, std::span(motion.q).subspan(r * n, n));
        if (r == 0) {
            scene = scene_of(parts);
            frames.resize(parts.size());
        }
        for (std::size_t p = 0; p < parts.size(); ++p) {
            frames[p].push_back(parts[p].mesh.points);
        }
        times.push_back(motion.times[r] - motion.times[0]);
    }
    for (std::size_t p = 0; p < frames.size(); ++p) {
        add_vertex_animation(scene, static_cast<Index>(p), times, frames[p]);
    }
    write_glb(to, scene);
}

// What writing cost, in lengths of muscles.
void add_difference(const MusculoskeletalModel& model, const MusculoskeletalModel& written,
                    std::vector<std::string>& notes) {
    const LengthDifference d = compare_lengths(model, written);
    if (d.greatest > 1e-6) {
        notes.push_back(fmt::format(
            "muscles are up to {:.3g} mm longer or shorter than in the model ({}{}), {:.2g} mm on "
            "average",
            1e3 * d.greatest, d.muscle,
            d.coordinate.empty() ? "" : fmt::format(" at {} = {:.3g}", d.coordinate, d.at),
            1e3 * d.mean));
    }
}

// Lengths in MuJoCo against ours, the worst first.
nlohmann::ordered_json length_rows(const MujocoCheck& check) {
    std::vector<MujocoCheck::Muscle> rows = check.muscles;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.most > b.most; });
    auto out = nlohmann::ordered_json::array();
    for (const MujocoCheck::Muscle& row : rows) {
        out.push_back({{"name", row.name},
                       {"cannot_express", row.lacks},
                       {"rms_mm", 1e3 * row.rms},
                       {"most_mm", 1e3 * row.most},
                       {"over_1mm", row.share_over_1mm}});
    }
    return out;
}

}  // namespace

int convert_model(const std::string& from, const std::string& to, const ModelConversion& settings,
                  const Context& context, nlohmann::ordered_json& result) {
    const std::string& muscles = settings.muscles;
    const std::string& motion = settings.motion;
    require_writable_place(to);
    const std::string ending = lower(std::filesystem::path(to).extension().string());
    const bool is_scene = ending == ".glb";
    if (!is_scene && ending != ".osim" && ending != ".xml") {
        throw InputError({.where = to,
                          .found = fmt::format("the ending '{}'", ending),
                          .needs = ".osim (OpenSim), .xml (MuJoCo) or .glb (its shapes)",
                          .remedy = "choose one of these endings"});
    }
    if (!motion.empty() && !is_scene) {
        throw InputError({.where = "--motion",
                          .found = fmt::format("'{}' as output", to),
                          .needs = "a .glb, which can play a motion",
                          .remedy = "write a .glb, or leave --motion out"});
    }
    std::vector<std::string> notes;
    const MusculoskeletalModel model =
        settings.meshes ? read_model_with_shapes(from, muscles, settings.geometry, notes)
                        : read_any_model(from, muscles);
    if (is_scene && !motion.empty()) {
        write_playing(to, model,
                      coordinate_motion(model, read_model_motion(motion, model).motion, 0.0));
    } else if (is_scene) {
        write_surface(to, model_shapes(model, rest_coordinates(model)));
    } else {
        const std::vector<std::string> lost =
            write_any_model(to, model, {.up = settings.up, .has_meshes = settings.meshes});
        notes.insert(notes.end(), lost.begin(), lost.end());
        if (!lost.empty()) {
            add_difference(model, read_model(to), notes);
        }
        if (ending == ".xml") {
            const MujocoCheck check = check_in_mujoco(to, model);
            const std::vector<std::string> found = sentences(check);
            notes.insert(notes.end(), found.begin(), found.end());
            result["muscles"] = length_rows(check);
        }
    }
    notes.insert(notes.end(), model.notes.begin(), model.notes.end());
    const std::string wrote =
        fmt::format("{} bodies, {} coordinates, {} muscles", model.bodies.size(),
                    model.coordinates.size(), model.muscles.size());
    result["input"] = from;
    result["output"] = to;
    result["summary"] = wrote;
    result["notes"] = notes;
    if (context.tells()) {
        fmt::print("{}: {}\n", to, wrote);
        for (const std::string& note : notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    return kOk;
}

}  // namespace sinew::cli
