#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/body/names.h"
#include "sinew/io/atlas_files.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <map>

namespace sinew {

namespace {

constexpr std::size_t kMaxParts = 100'000;
constexpr std::size_t kMaxName = 200;
// A guessed end farther than this from its bone is not on that bone.
constexpr double kFarGuess = 15.0;  // mm

double read_number(const StrictJson& json, double low, double high) {
    const double value = json.number();
    if (!(value >= low && value <= high)) {
        json.refuse(fmt::format("{}", value), fmt::format("a number from {} to {}", low, high));
    }
    return value;
}

template <class Enum>
Enum read_word(const StrictJson& json, const std::vector<std::pair<std::string, Enum>>& words) {
    const std::string word = json.text();
    std::vector<std::string> known;
    for (const auto& [name, value] : words) {
        if (name == word) {
            return value;
        }
        known.push_back(name);
    }
    json.refuse(fmt::format("'{}'{}", word.substr(0, 80), did_you_mean(word.substr(0, 80), known)),
                "one of " + join(known, ", "));
}

std::string read_name(const StrictJson& json) {
    const std::string name = json.text();
    if (name.size() > kMaxName || slug(name).empty()) {
        json.refuse(fmt::format("'{}'", name.substr(0, 60)),
                    fmt::format("a name with letters, of at most {} characters", kMaxName));
    }
    return name;
}

/// Inside the folder, so that a manifest from elsewhere cannot read anything else.
std::string read_file_name(const StrictJson& json) {
    const std::filesystem::path path(json.text());
    bool is_inside = !path.empty() && path.is_relative();
    for (const auto& step : path) {
        is_inside = is_inside && step != "..";
    }
    if (!is_inside) {
        json.refuse(fmt::format("'{}'", path.string().substr(0, 80)),
                    "a file in the atlas's folder or below");
    }
    return path.generic_string();
}

/// Facts that are true of the mesh itself: looked at by people, checked for their type only.
void check_facts(const StrictJson& json) {
    for (const char* key : {"vertices", "triangles", "surface_area_cm2", "components",
                            "axis_length_mm", "decimation_error_p99_mm", "decimation_error_max_mm",
                            "origin_distance_mm", "insertion_distance_mm"}) {
        if (json.has(key)) {
            json.at(key).number();
        }
    }
    for (const char* key : {"watertight", "self_intersecting"}) {
        if (json.has(key)) {
            json.at(key).truth();
        }
    }
    for (const char* key : {"source", "note"}) {
        if (json.has(key)) {
            json.at(key).text();
        }
    }
    for (const char* key : {"centroid", "principal_axis"}) {
        if (json.has(key)) {
            json.at(key).numbers(3);
        }
    }
    if (json.has("bbox")) {
        for (const StrictJson& corner : json.at("bbox").items()) {
            corner.numbers(3);
        }
    }
}

void read_aliases(const StrictJson& json, const std::string& given, AtlasPart& part) {
    const auto add = [&](const std::string& scheme, const StrictJson& names) {
        for (std::string& name : names.texts()) {
            if (!name.empty()) {
                part.aliases.push_back({scheme, std::move(name)});
            }
        }
    };
    for (const char* scheme : {"fma", "terminologia", "english"}) {
        if (json.has(scheme)) {
            add(scheme, json.at(scheme));
        }
    }
    if (json.has("aliases")) {
        for (const auto& [scheme, names] : json.at("aliases").members()) {
            add(scheme, names);
        }
    }
    if (given != part.name) {
        part.aliases.push_back({"atlas", given});
    }
}

/// `origin` is certain; `origin_bone` with its distance is a guess, left out where it is far off.
void read_end(const StrictJson& json, const std::string& end, std::string& bone, bool& is_sure) {
    const std::string guess = end + "_bone", distance = end + "_distance_mm";
    is_sure = json.has(end.c_str());
    if (is_sure) {
        bone = json.at(end.c_str()).text();
    } else if (json.has(guess.c_str())) {
        bone = json.at(guess.c_str()).text();
        if (json.has(distance.c_str()) && json.at(distance.c_str()).number() > kFarGuess) {
            bone.clear();
        }
    }
}

void read_muscle(const StrictJson& json, AtlasPart& part) {
    read_end(json, "origin", part.origin, part.is_origin_sure);
    read_end(json, "insertion", part.insertion, part.is_insertion_sure);
    if (json.has("belly")) {
        const std::vector<double> belly = json.at("belly").numbers(2);
        if (!(belly[0] >= 0.0 && belly[0] <= belly[1] && belly[1] <= 1.0)) {
            json.at("belly").refuse(fmt::format("[{}, {}]", belly[0], belly[1]),
                                    "begin and end of the belly, 0 <= begin <= end <= 1");
        }
        part.belly = {belly[0], belly[1]};
    }
    part.fmax = json.has("fmax_n") ? read_number(json.at("fmax_n"), 0.0, 1e6) : 0.0;
    part.pennation = json.has("pennation_deg")
                         ? kDegree * read_number(json.at("pennation_deg"), 0.0, 89.0)
                         : 0.0;
}

AtlasPart read_part(const StrictJson& outer, std::size_t number, const std::string& where) {
    const std::string given =
        read_name(outer.named(fmt::format("{}, part {}", where, number)).at("name"));
    const StrictJson json = outer.named(fmt::format("{}, part {} '{}'", where, number, given));
    json.allow_only({"name",
                     "kind",
                     "file",
                     "side",
                     "group",
                     "fma",
                     "terminologia",
                     "english",
                     "aliases",
                     "origin",
                     "insertion",
                     "belly",
                     "fmax_n",
                     "pennation_deg",
                     "volume_ml",
                     "origin_bone",
                     "insertion_bone",
                     "origin_distance_mm",
                     "insertion_distance_mm",
                     "vertices",
                     "triangles",
                     "watertight",
                     "surface_area_cm2",
                     "bbox",
                     "centroid",
                     "source",
                     "note",
                     "components",
                     "self_intersecting",
                     "decimation_error_p99_mm",
                     "decimation_error_max_mm",
                     "principal_axis",
                     "axis_length_mm"});
    AtlasPart part;
    part.kind = read_word<AtlasKind>(json.at("kind"), {{"bone", AtlasKind::Bone},
                                                       {"cartilage", AtlasKind::Cartilage},
                                                       {"disc", AtlasKind::Disc},
                                                       {"muscle", AtlasKind::Muscle},
                                                       {"tendon", AtlasKind::Tendon},
                                                       {"ligament", AtlasKind::Tendon},
                                                       {"skin", AtlasKind::Skin}});
    const Side side =
        json.has("side")
            ? read_word<Side>(json.at("side"),
                              {{"l", Side::Left}, {"r", Side::Right}, {"m", Side::Middle}})
            : Side::Middle;
    part.name = canonical_name(given, side);
    part.file = read_file_name(json.at("file"));
    part.group = json.has("group") ? json.at("group").text() : "";
    part.volume =
        json.has("volume_ml") ? kMillilitre * read_number(json.at("volume_ml"), 0.0, 1e9) : 0.0;
    read_aliases(json, given, part);
    check_facts(json);
    if (part.kind == AtlasKind::Muscle || part.kind == AtlasKind::Tendon) {
        read_muscle(json, part);
    } else {
        for (const char* key : {"origin", "insertion", "belly", "fmax_n", "pennation_deg"}) {
            if (json.has(key)) {
                json.refuse(fmt::format("'{}' of a {}", key, name_of(part.kind)),
                            "that only for muscles and tendons");
            }
        }
    }
    return part;
}

BoneJoint read_joint(const StrictJson& outer, std::size_t number, const std::string& where) {
    const std::string name =
        read_name(outer.named(fmt::format("{}, joint {}", where, number)).at("name"));
    const StrictJson json = outer.named(fmt::format("{}, joint '{}'", where, name));
    json.allow_only(
        {"name", "parent", "child", "centre", "type", "axes", "limits_deg", "motions", "rest_deg"});
    BoneJoint result;
    result.parent = json.at("parent").text();
    result.child = json.at("child").text();
    Joint& joint = result.joint;
    joint.name = name;
    joint.centre = read_vec3(json.at("centre"));
    joint.type = read_word<JointType>(json.at("type"), {{"ball", JointType::Ball},
                                                        {"universal", JointType::Universal},
                                                        {"hinge", JointType::Hinge},
                                                        {"fixed", JointType::Fixed}});
    const auto angles = static_cast<std::size_t>(angle_count(joint.type));
    const auto require_count = [&](const StrictJson& list, std::size_t count, std::size_t wanted) {
        if (count != wanted) {
            list.refuse(fmt::format("{} entries", count),
                        fmt::format("{} for a {} joint", wanted, name_of(joint.type)));
        }
    };
    if (json.has("axes") || joint.type == JointType::Hinge || joint.type == JointType::Universal) {
        const std::vector<StrictJson> axes = json.at("axes").items();
        require_count(json.at("axes"), axes.size(), angles);
        for (std::size_t k = 0; k < angles; ++k) {
            const Vec3 axis = read_vec3(axes[k]);
            if (!(axis.norm() > 1e-6)) {
                axes[k].refuse("a vector without length", "a direction");
            }
            joint.axes[k] = axis.normalized();
        }
    }
    if (json.has("limits_deg")) {
        const std::vector<double> limits = json.at("limits_deg").numbers(2 * angles);
        for (std::size_t k = 0; k < angles; ++k) {
            joint.limits[k] = {limits[2 * k] * kDegree, limits[2 * k + 1] * kDegree};
            if (!(limits[2 * k] <= limits[2 * k + 1])) {
                json.at("limits_deg")
                    .refuse(fmt::format("{} before {}", limits[2 * k], limits[2 * k + 1]),
                            "the lower limit first");
            }
        }
    }
    if (json.has("motions")) {
        const std::vector<std::string> motions = json.at("motions").texts();
        require_count(json.at("motions"), motions.size(), angles);
        std::copy(motions.begin(), motions.end(), joint.motions.begin());
    }
    if (json.has("rest_deg")) {
        const std::vector<double> rest = json.at("rest_deg").numbers(angles);
        for (std::size_t k = 0; k < angles; ++k) {
            joint.rest[k] = rest[k] * kDegree;
        }
    }
    return result;
}

void read_parts(const StrictJson& list, const std::string& where, Atlas& atlas) {
    const std::vector<StrictJson> items = list.items();
    if (items.empty() || items.size() > kMaxParts) {
        list.refuse(fmt::format("{} parts", items.size()),
                    fmt::format("a skin, bones and muscles, at most {} parts", kMaxParts));
    }
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < items.size(); ++i) {
        atlas.parts.push_back(read_part(items[i], i, where));
        const auto [known, is_new] = first.insert({atlas.parts.back().name, i});
        if (!is_new) {
            items[i]
                .named(fmt::format("{}, part {}", where, i))
                .refuse(fmt::format("the name '{}', which part {} has too", atlas.parts.back().name,
                                    known->second),
                        "a name of its own for every part (sides told apart by _l and _r)");
        }
    }
}

/// What stands around the parts when the manifest is an object.
void read_frame(const StrictJson& json, AtlasManifest& result) {
    json.allow_only({"format", "version", "name", "sex", "unit", "up", "front", "attribution",
                     "root", "parts", "joints", "landmarks"});
    if (json.has("format") && json.at("format").text() != "sinew-atlas") {
        json.at("format").refuse("'" + json.at("format").text().substr(0, 40) + "'",
                                 "'sinew-atlas'");
    }
    if (json.has("version") && json.at("version").number() != 1.0) {
        json.at("version").refuse(fmt::format("version {}", json.at("version").number()),
                                  "version 1");
    }
    Atlas& atlas = result.atlas;
    atlas.name = json.has("name") ? read_name(json.at("name")) : atlas.name;
    if (json.has("sex")) {
        atlas.sex = read_word<Sex>(
            json.at("sex"),
            {{"female", Sex::Female}, {"male", Sex::Male}, {"unknown", Sex::Unknown}});
    }
    if (json.has("unit")) {
        result.unit = read_word<Unit>(
            json.at("unit"),
            {{"m", Unit::Metre}, {"cm", Unit::Centimetre}, {"mm", Unit::Millimetre}});
    }
    if (json.has("up")) {
        result.up = read_word<UpAxis>(json.at("up"), {{"y", UpAxis::Y}, {"z", UpAxis::Z}});
    }
    result.faces_back =
        json.has("front") && read_word<bool>(json.at("front"), {{"z", false}, {"-z", true}});
    atlas.attribution = json.has("attribution") ? json.at("attribution").text() : "";
    atlas.root = json.has("root") ? json.at("root").text() : "";
}

}  // namespace

AtlasManifest parse_atlas_manifest(std::string_view text, const std::string& where) {
    const nlohmann::json document = parse_json(text, where);
    const StrictJson json(document, where);
    AtlasManifest result;
    result.atlas.name = "atlas";
    if (document.is_array()) {
        read_parts(json, where, result.atlas);
        return result;
    }
    read_frame(json, result);
    read_parts(json.at("parts"), where, result.atlas);
    if (json.has("joints")) {
        const std::vector<StrictJson> joints = json.at("joints").items();
        for (std::size_t i = 0; i < joints.size(); ++i) {
            result.atlas.joints.push_back(read_joint(joints[i], i, where));
        }
    }
    if (json.has("landmarks")) {
        for (const auto& [name, position] : json.at("landmarks").members()) {
            result.atlas.landmarks.push_back({.name = name, .position = read_vec3(position)});
        }
    }
    return result;
}

}  // namespace sinew
