#include "sinew/pipeline/growth_recipe.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/body/surface.h"
#include "sinew/build/segment_masses.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

namespace sinew {

namespace {

constexpr int kRecipeVersion = 1;

std::vector<NamedValue> named_values(const StrictJson& object, double low, double high) {
    std::vector<NamedValue> values;
    for (const auto& [key, value] : object.members()) {
        const double number = value.number();
        if (!(number >= low && number <= high)) {
            value.refuse(fmt::format("{}", number),
                         fmt::format("a number from {} to {}", low, high));
        }
        values.emplace_back(key, number);
    }
    // What is meant for all comes first, so that single entries override it.
    std::stable_sort(values.begin(), values.end(), [](const NamedValue& a, const NamedValue& b) {
        return a.first == "all" && b.first != "all";
    });
    return values;
}

double number_in(const StrictJson& value, double low, double high) {
    const double number = value.number();
    if (!(number >= low && number <= high)) {
        value.refuse(fmt::format("{}", number), fmt::format("a number from {} to {}", low, high));
    }
    return number;
}

GrowthRecipe recipe_from(const StrictJson& file) {
    file.allow_only({"version", "name", "description", "muscles", "fat", "bones", "stature_m",
                     "weight_kg", "body_fat", "fat_model", "fat_distribution", "iterations",
                     "gravity"});
    if (file.at("version").number() != kRecipeVersion) {
        file.at("version").refuse("another version", fmt::format("{}", kRecipeVersion));
    }
    GrowthRecipe recipe;
    GrowthPlan& plan = recipe.plan;
    recipe.name = file.at("name").text();
    if (file.has("description")) {
        recipe.description = file.at("description").text();
    }
    if (file.has("muscles")) {
        plan.muscles = named_values(file.at("muscles"), 0.1, 5.0);
    }
    if (file.has("fat")) {
        plan.fat = named_values(file.at("fat"), 0.05, 20.0);
    }
    if (file.has("bones")) {
        plan.bones = named_values(file.at("bones"), 0.5, 2.0);
    }
    if (file.has("stature_m")) {
        plan.stature = number_in(file.at("stature_m"), 0.5, 3.0);
    }
    if (file.has("weight_kg")) {
        plan.weight = number_in(file.at("weight_kg"), 5.0, 1000.0);
    }
    if (file.has("body_fat")) {
        plan.body_fat = number_in(file.at("body_fat"), 0.01, 0.8);
    }
    if (file.has("fat_model")) {
        const StrictJson model = file.at("fat_model");
        if (model.text() != "pressure" && model.text() != "volume") {
            model.refuse(fmt::format("'{}'", model.text()), "'pressure' or 'volume'");
        }
        plan.fat_model = model.text() == "volume" ? FatModel::Volume : FatModel::Pressure;
    }
    if (file.has("fat_distribution")) {
        plan.fat_distribution = file.at("fat_distribution").text();
    }
    if (file.has("iterations")) {
        plan.iterations = static_cast<int>(number_in(file.at("iterations"), 1.0, 10000.0));
    }
    if (file.has("gravity")) {
        plan.shows_gravity = file.at("gravity").truth();
    }
    return recipe;
}

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
    const nlohmann::json document = parse_json(json, where);
    return recipe_from(StrictJson(document, where));
}

GrowthRecipe read_growth_recipe(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return recipe_from(StrictJson(document, path.filename().string()));
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
    const GrowthPlan& plan = recipe.plan;
    nlohmann::ordered_json file = {{"version", kRecipeVersion}, {"name", recipe.name}};
    if (!recipe.description.empty()) {
        file["description"] = recipe.description;
    }
    const auto put_words = [&](const char* key, const std::vector<NamedValue>& words) {
        for (const auto& [word, value] : words) {
            file[key][word] = value;
        }
    };
    const auto put_number = [&](const char* key, const std::optional<double>& value) {
        if (value) {
            file[key] = *value;
        }
    };
    put_words("muscles", plan.muscles);
    put_words("fat", plan.fat);
    put_words("bones", plan.bones);
    put_number("stature_m", plan.stature);
    put_number("weight_kg", plan.weight);
    put_number("body_fat", plan.body_fat);
    if (plan.fat_model == FatModel::Volume) {
        file["fat_model"] = "volume";
    }
    if (!plan.fat_distribution.empty()) {
        file["fat_distribution"] = plan.fat_distribution;
    }
    if (plan.shows_gravity) {
        file["gravity"] = true;
    }
    return file.dump(2) + "\n";
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
