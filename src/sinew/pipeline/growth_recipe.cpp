#include "sinew/pipeline/growth_recipe.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/body/person_measures.h"
#include "sinew/body/surface.h"
#include "sinew/build/segment_masses.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/muscle_size_files.h"
#include "sinew/io/people_files.h"
#include "sinew/io/settings_json.h"

#include <fmt/format.h>

#include <array>
#include <variant>

// Growth from a recipe, and what is written of it. Maps of fat and the tables of people are read
// here, since growth itself opens no files; the report is of the body that is written.

namespace sinew {

namespace {

/// How far gravity moves each skin vertex.
Attribute sag_of_skin(const GrowthResult& grown) {
    Attribute sag{.name = std::string(kSagMap), .components = 3, .values = {}, .unit = "m"};
    for (const Index v : grown.body.skin.tet_vertex) {
        const Eigen::RowVector3d moved = grown.sagged.row(v) - grown.body.tets.points.row(v);
        sag.values.insert(sag.values.end(), moved.data(), moved.data() + 3);
    }
    return sag;
}

/// Skin, muscles and bones of the body as it hangs; bones stand.
std::vector<MeshPart> hanging(const GrowthResult& grown) {
    constexpr std::array kLayers = {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones};
    return surfaces_at(grown.body, {.positions = grown.sagged}, kLayers);
}

bool is_glb(const std::filesystem::path& path) {
    return lower(path.extension().string()) == ".glb";
}

bool holds_volumes(const std::filesystem::path& path) {
    const std::string ending = lower(path.extension().string());
    return ending == ".sinew" || ending == ".vtu" || ending == ".msh" || ending == ".mesh";
}

}  // namespace

GrowthRecipe parse_growth_recipe(std::string_view json, const std::string& where) {
    return settings_from_json<GrowthRecipe>(json, where);
}

GrowthRecipe read_growth_recipe(const std::filesystem::path& path) {
    return read_job<GrowthRecipe>(path);
}

GrowthPlan complete_plan(const GrowthRecipe& recipe, const Body& body) {
    GrowthPlan plan = recipe.plan;
    plan.people.table = std::make_shared<const PeopleTable>(known_people());
    plan.people.muscles = std::make_shared<const MuscleSizes>(known_muscle_sizes());
    for (const auto& [name, file] : recipe.fat_maps) {
        const std::vector<MeshPart> painted = read_surface(file);
        if (painted.size() != 1) {
            throw InputError({.where = file,
                              .found = fmt::format("{} parts", painted.size()),
                              .needs = "one painted skin",
                              .remedy = "export the skin alone, as PLY"});
        }
        plan.fat_maps.emplace_back(name, fat_map_from_mesh(body, painted[0].mesh, file));
    }
    if (!recipe.fat_from.empty()) {
        plan.fat_transfer = fat_transfer_ratios(read_body_with_tets(recipe.fat_from), body);
    }
    return plan;
}

GrowthSummary summary_of(const GrowthResult& grown) {
    GrowthSummary summary{.iterations = grown.muscle_report.iterations,
                          .is_converged = grown.is_converged,
                          .seconds = grown.seconds,
                          .is_reached = grown.is_reached,
                          .muscle_error = grown.muscle_error,
                          .worst_muscle_error = grown.worst_muscle_error,
                          .loose = 1e3 * grown.handover.loose,
                          .volume_error = grown.muscle_report.volume_error.total,
                          .inverted_tets = grown.inverted_tets,
                          .refactorisations = grown.muscle_report.refactorisations,
                          .mass = grown.mass,
                          .body_fat = grown.body_fat,
                          .stature = grown.stature,
                          .fat = grown.fat_report.regions,
                          .warnings = grown.warnings};
    const auto names = person_measure_names();
    for (std::size_t m = 0; grown.person && m < names.size(); ++m) {
        summary.measures.push_back({.name = names[m],
                                    .reached = grown.person->measures[m],
                                    .expected = grown.person->expected[m],
                                    .spread = grown.person->spread[m]});
    }
    for (const MuscleMeasure& m : grown.muscles) {
        summary.muscles.push_back({.name = m.name,
                                   .alpha = m.alpha,
                                   .volume_before = 1e6 * m.before,
                                   .volume_after = 1e6 * m.after,
                                   .belly_before = 1e6 * m.belly_before,
                                   .belly_after = 1e6 * m.belly_after});
    }
    return summary;
}

Body read_body_with_tets(const std::filesystem::path& path) {
    Asset asset = read_asset(path);
    if (Body* body = std::get_if<Body>(&asset.content);
        body != nullptr && body->tets.tets.rows() > 0) {
        return std::move(*body);
    }
    throw InputError({.where = path.string(),
                      .found = "no body with tetrahedra",
                      .needs = "a .sinew file of a simulation-ready body",
                      .remedy = "make one with 'sinew build'"});
}

GrowthResult grow_person(const Body& body, const GrowthPlan& plan, const Progress& progress,
                         const IterationCallback& callback) {
    GrowthResult grown = grow(body, plan, progress, callback);
    finish_person(grown);
    return grown;
}

void finish_person(GrowthResult& grown) {
    grown.body.skeleton.segments = weigh_segments(grown.body);
    std::erase_if(grown.body.maps, [](const Attribute& map) { return map.name == kSagMap; });
    if (grown.sagged.rows() > 0) {
        grown.body.maps.push_back(sag_of_skin(grown));
    }
}

std::string growth_recipe_text(const GrowthRecipe& recipe) {
    return changed_settings_to_json(recipe);
}

std::string write_grown(const std::filesystem::path& path, const Body& rest,
                        const GrowthResult& grown) {
    const bool hangs = grown.sagged.rows() > 0;
    if (!is_glb(path)) {
        return hangs && !holds_volumes(path) ? write_asset(path, {.content = hanging(grown)})
                                             : write_asset(path, {.content = grown.body});
    }
    const std::vector<MeshPart> before = parts_of(rest);
    const std::vector<MeshPart> after = parts_of(grown.body);
    const std::vector<MeshPart> low = hangs ? hanging(grown) : std::vector<MeshPart>{};
    GltfScene scene = scene_of(before);
    for (std::size_t i = 0; i < before.size(); ++i) {
        scene.parts[i].morphs.push_back(
            {.name = "grown",
             .displacement = after[i].mesh.points - before[i].mesh.points,
             .weight = 1.0});
        if (hangs) {
            scene.parts[i].morphs.push_back(
                {.name = "gravity",
                 .displacement = low[i].mesh.points - after[i].mesh.points,
                 .weight = 0.0});
        }
    }
    write_glb(path, scene);
    return fmt::format("{} parts with morphs", before.size());
}

void write_jump(const std::filesystem::path& path, const Body& body,
                const std::vector<Points>& frames, double frames_per_second) {
    GltfScene scene =
        scene_of(std::vector<MeshPart>{{.name = "skin", .mesh = body.skin.mesh, .kind = "skin"}});
    std::vector<double> times;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        times.push_back(static_cast<double>(i) / frames_per_second);
    }
    add_vertex_animation(scene, 0, times, frames);
    write_glb(path, scene);
}

}  // namespace sinew
