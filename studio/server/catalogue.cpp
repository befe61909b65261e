#include "studio/server/catalogue.h"

#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/body/names.h"
#include "sinew/body/posable_joints.h"
#include "sinew/body/summary.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/io/data_folder.h"
#include "sinew/pipeline/growth_recipe.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "studio/server/document.h"

namespace sinew::studio {

namespace {

Json named(const std::string& name) {
    return {{"name", name}, {"label", label_of(name)}};
}

const char* side_of(const std::string& name) {
    switch (split_side(name).side) {
        case Side::Left:
            return "left";
        case Side::Right:
            return "right";
        case Side::Middle:
            break;
    }
    return "middle";
}

Json muscles_of(const Body& body) {
    Json list = Json::array();
    const std::vector<double> volumes = muscle_volumes_in_tets(body);
    for (std::size_t m = 0; m < body.muscles.size(); ++m) {
        const Muscle& muscle = body.muscles[m];
        if (!muscle.is_passive) {
            list.push_back({{"name", muscle.name},
                            {"label", label_of(muscle.name)},
                            {"group", muscle.group},
                            {"side", side_of(muscle.name)},
                            {"volume_ml", 1e6 * volumes[m]},
                            {"force_n", muscle.fmax}});
        }
    }
    return list;
}

// Limbs first, then what can be scaled as a whole.
Json bones_of(const Body& body) {
    Json list = Json::array();
    const std::vector<BodyPart> parts = body_parts(body);
    const auto has = [&](const std::string& name) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const BodyPart& part) { return part.name == name; });
    };
    for (const char* limb : {"legs", "arms", "hands", "feet"}) {
        const std::string part = limb[0] == 'l'   ? "thigh_l"
                                 : limb[0] == 'a' ? "upper_arm_l"
                                 : limb[0] == 'h' ? "hand_l"
                                                  : "foot_l";
        if (has(part)) {
            list.push_back(named(limb));
        }
    }
    for (const BodyPart& part : parts) {
        if (part.is_long || part.segments.size() > 1 || part.name == "pelvis") {
            list.push_back(named(part.name));
            list.back()["position"] = {part.near_end.x(), part.near_end.y(), part.near_end.z()};
            if (part.is_long) {
                list.back()["end"] = {part.far_end.x(), part.far_end.y(), part.far_end.z()};
            }
        }
    }
    return list;
}

Json joints_of(const Body& body) {
    Json list = Json::array();
    const std::vector<PosableJoint> joints = posable_joints(body);
    for (const PosableJoint& joint : joints) {
        Json entry = named(joint.name);
        entry["position"] = {joint.centre.x(), joint.centre.y(), joint.centre.z()};
        entry["parent"] = joint.parent >= 0 ? Json(joints[at(joint.parent)].name) : Json(nullptr);
        entry["axes"] = Json::array();
        entry["limits_deg"] = Json::array();
        entry["motions"] = Json::array();
        for (std::size_t k = 0; k < static_cast<std::size_t>(joint.angles); ++k) {
            constexpr double kDegrees = 180.0 / kPi;
            entry["axes"].push_back({joint.axes[k].x(), joint.axes[k].y(), joint.axes[k].z()});
            entry["limits_deg"].push_back(
                {kDegrees * joint.limits[k].low, kDegrees * joint.limits[k].high});
            entry["motions"].push_back(joint.motions[k]);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

Json ranges() {
    Json all = Json::object();
    for (const char* kind : {"muscle", "fat", "bone", "stature", "weight", "body_fat"}) {
        const ValueRange range = range_of(kind);
        all[kind] = {range.low, range.high};
    }
    return all;
}

}  // namespace

std::string label_of(std::string_view name) {
    const SidedName sided = split_side(name);
    std::string label = sided.stem;
    std::replace(label.begin(), label.end(), '_', ' ');
    if (!label.empty() && label[0] >= 'a' && label[0] <= 'z') {
        label[0] = static_cast<char>(label[0] - 'a' + 'A');
    }
    if (sided.side != Side::Middle) {
        label += sided.side == Side::Left ? ", left" : ", right";
    }
    return label;
}

std::size_t first_part(const BodyDisplay& display, DisplayLayer layer) {
    std::size_t first = 0;
    for (int k = 0; k < static_cast<int>(layer); ++k) {
        first += display.mesh(static_cast<DisplayLayer>(k)).parts.size();
    }
    return first;
}

Json empty_catalogue() {
    Json catalogue = {
        {"muscles", Json::array()}, {"groups", Json::array()}, {"regions", Json::array()},
        {"bones", Json::array()},   {"joints", Json::array()}, {"recipes", Json::array()},
        {"motions", Json::array()}, {"parts", Json::array()},  {"ranges", ranges()}};
    for (const RecipeEntry& recipe : built_in_recipes()) {
        catalogue["recipes"].push_back(
            {{"name", recipe.name}, {"description", recipe.description}});
    }
    return catalogue;
}

Json catalogue_of(const Body& body, const BodyDisplay& display) {
    Json catalogue = empty_catalogue();
    catalogue["name"] = body.name;
    catalogue["muscles"] = muscles_of(body);
    for (const std::string& group : muscle_groups()) {
        const bool is_there =
            std::any_of(body.muscles.begin(), body.muscles.end(),
                        [&](const Muscle& m) { return m.group == group && !m.is_passive; });
        if (is_there) {
            catalogue["groups"].push_back(named(group));
        }
    }
    for (const std::string& region : fat_map_names()) {
        if (region != "android" && region != "gynoid") {  // second names of belly and hips
            catalogue["regions"].push_back(named(region));
        }
    }
    catalogue["bones"] = bones_of(body);
    catalogue["joints"] = joints_of(body);
    catalogue["motions"] = built_in_motions();
    for (int k = 0; k < kDisplayLayers; ++k) {
        for (const DisplayPart& part : display.mesh(static_cast<DisplayLayer>(k)).parts) {
            catalogue["parts"].push_back({{"mesh", k},
                                          {"name", part.name},
                                          {"label", label_of(part.name)},
                                          {"kind", part.kind},
                                          {"group", part.group}});
        }
    }
    return catalogue;
}

Json bone_ends_of(const Body& body) {
    Json ends = Json::object();
    for (const BodyPart& part : body_parts(body)) {
        if (part.is_long) {
            ends[part.name] = {part.far_end.x(), part.far_end.y(), part.far_end.z()};
            ends[part.name + ":start"] = {part.near_end.x(), part.near_end.y(), part.near_end.z()};
        }
    }
    return ends;
}

Json measures_of(const Body& body) {
    const BodySummary summary = summarise(body);
    Json measures = {{"stature_m", summary.stature}, {"mass_kg", summary.mass},
                     {"body_fat", summary.body_fat}, {"volume_l", 1e3 * summary.volume},
                     {"girths", Json::object()},     {"muscles", Json::object()}};
    for (const auto& [name, girth] : girths(body)) {
        measures["girths"][name] = girth;
    }
    const std::vector<double> volumes = muscle_volumes_in_tets(body);
    for (std::size_t m = 0; m < body.muscles.size(); ++m) {
        if (!body.muscles[m].is_passive) {
            measures["muscles"][body.muscles[m].name] = 1e6 * volumes[m];
        }
    }
    return measures;
}

std::vector<RecipeEntry> built_in_recipes() {
    namespace fs = std::filesystem;
    std::vector<RecipeEntry> recipes;
    std::error_code error;
    fs::path folder = data_folder() / "recipes";
    if (!fs::is_directory(folder, error)) {
        folder = data_folder().parent_path() / "recipes";
    }
    for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
        if (file.path().extension() == ".json") {
            const GrowthRecipe recipe = read_growth_recipe(file.path());
            recipes.push_back({recipe.name, recipe.description, file.path()});
        }
    }
    std::sort(recipes.begin(), recipes.end(),
              [](const RecipeEntry& a, const RecipeEntry& b) { return a.name < b.name; });
    return recipes;
}

}  // namespace sinew::studio
