#include "sinew/io/figure_files.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

constexpr double kMillimetre = 1e-3;

void require_format(const StrictJson& json, const char* format) {
    if (json.at("format").text() != format) {
        json.refuse("format '" + json.at("format").text() + "'", fmt::format("'{}'", format));
    }
    if (json.at("version").number() != 1.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()), "version 1");
    }
}

FigureStroke read_stroke(const StrictJson& json) {
    json.allow_only({"blend", "e", "cap", "mirror", "op", "sq", "stations"});
    FigureStroke stroke;
    stroke.blend = json.at("blend").number();
    stroke.exponent = json.has("e") ? json.at("e").number() : 2.0;
    if (json.has("cap")) {
        const std::vector<double> cap = json.at("cap").numbers(2);
        stroke.cap = {cap[0], cap[1]};
    }
    stroke.mirror = json.has("mirror") && json.at("mirror").truth();
    stroke.squares_radii = json.has("sq") && json.at("sq").truth();
    if (json.has("op")) {
        const StrictJson op = json.at("op");
        stroke.is_cut = op.text() == "cut";
        if (!stroke.is_cut) {
            op.refuse("'" + op.text() + "'", "'cut'");
        }
    }
    for (const StrictJson& row : json.at("stations").items()) {
        const std::vector<double> v = row.numbers(9);
        FigureStation station;
        station.position = {v[0], v[1], v[2]};
        station.a = v[3];
        station.b = v[4];
        station.normal = {v[5], v[6], v[7]};
        station.skin = v[8] * kMillimetre;
        stroke.stations.push_back(station);
    }
    return stroke;
}

FigureSheet read_sheet(const StrictJson& json) {
    json.allow_only({"blend", "fibre_deg", "sheet"});
    FigureSheet sheet;
    sheet.blend = json.at("blend").number();
    sheet.fibre = json.at("fibre_deg").number() * kDegree;
    for (const StrictJson& row : json.at("sheet").items()) {
        const std::vector<StrictJson> nodes = row.items();
        if (sheet.rows > 0 && nodes.size() != static_cast<std::size_t>(sheet.columns)) {
            row.refuse(fmt::format("{} nodes", nodes.size()),
                       fmt::format("{} nodes as in the rows before", sheet.columns));
        }
        sheet.columns = static_cast<int>(nodes.size());
        ++sheet.rows;
        for (const StrictJson& node : nodes) {
            const std::vector<double> v = node.numbers(5);
            sheet.nodes.push_back(
                {.position = {v[0], v[1], v[2]}, .half = v[3], .skin = v[4] * kMillimetre});
        }
    }
    return sheet;
}

FigureKind read_kind(const StrictJson& json) {
    const std::string name = json.text();
    for (int k = 0; k <= static_cast<int>(FigureKind::Fill); ++k) {
        if (name_of(static_cast<FigureKind>(k)) == name) {
            return static_cast<FigureKind>(k);
        }
    }
    json.refuse("'" + name + "'", "bone, disc, cartilage, muscle, tendon, skin_detail or fill");
}

/// The right-hand name in another catalogue: "vaslat_l" -> "vaslat_r", "L_Soleus" -> "R_Soleus".
std::string right_alias(std::string name) {
    if (name.size() > 2 && name.ends_with("_l")) {
        name.back() = 'r';
    } else if (name.starts_with("L_")) {
        name.front() = 'R';
    }
    return name;
}

void read_aliases(const StrictJson& json, FigurePart& part) {
    const auto add = [](std::vector<Alias>& list, const char* scheme, const StrictJson& names) {
        for (std::string& name : names.texts()) {
            list.push_back({scheme, std::move(name)});
        }
    };
    if (json.has("fma")) {
        add(part.aliases, "fma", json.at("fma"));
    }
    if (json.has("fma_r")) {
        add(part.right_aliases, "fma", json.at("fma_r"));
    }
    if (!json.has("aliases")) {
        return;
    }
    const StrictJson aliases = json.at("aliases");
    aliases.allow_only({"opensim", "mass"});
    for (const char* scheme : {"opensim", "mass"}) {
        if (aliases.has(scheme)) {
            for (const std::string& name : aliases.at(scheme).texts()) {
                part.aliases.push_back({scheme, name});
                part.right_aliases.push_back({scheme, right_alias(name)});
            }
        }
    }
}

FigurePart read_part(const StrictJson& outer) {
    const std::string name = outer.at("name").text();
    const std::size_t comma = outer.where().find(',');
    const StrictJson json =
        outer.named(fmt::format("{}, part '{}'", outer.where().substr(0, comma), name));
    json.allow_only({"name", "kind", "group", "mirror", "source", "covers", "fma", "fma_r",
                     "aliases", "attach", "belly", "volume_ml", "atlas_volume_ml", "length_mm",
                     "fmax_n", "pennation_deg", "strokes"});
    FigurePart part;
    part.name = name;
    part.kind = read_kind(json.at("kind"));
    part.group = json.at("group").text();
    part.mirror = json.has("mirror") && json.at("mirror").truth();
    if (json.has("attach")) {
        const std::vector<std::string> bones = json.at("attach").texts();
        if (bones.size() != 2) {
            json.at("attach").refuse(fmt::format("{} names", bones.size()), "two bones");
        }
        part.origin = bones[0];
        part.insertion = bones[1];
    }
    if (json.has("belly")) {
        const std::vector<double> belly = json.at("belly").numbers(2);
        part.belly_begin = belly[0];
        part.belly_end = belly[1];
    }
    const auto optional_number = [&](const char* key, double scale) {
        return json.has(key) ? json.at(key).number() * scale : 0.0;
    };
    part.volume = optional_number("volume_ml", kMillilitre);
    optional_number("atlas_volume_ml", kMillilitre);  // for the reader of the file
    optional_number("length_mm", kMillimetre);
    part.fmax = optional_number("fmax_n", 1.0);
    part.pennation = optional_number("pennation_deg", kDegree);
    part.covers = json.has("covers") ? json.at("covers").texts() : part.covers;
    if (json.has("source") && json.at("source").text().empty()) {
        json.at("source").refuse("an empty text", "'measured', 'authored' or a reference");
    }
    read_aliases(json, part);
    for (const StrictJson& stroke : json.at("strokes").items()) {
        if (stroke.has("sheet")) {
            part.sheets.push_back(read_sheet(stroke));
        } else {
            part.strokes.push_back(read_stroke(stroke));
        }
    }
    return part;
}

void read_parts(const std::filesystem::path& path, std::vector<FigurePart>& parts) {
    const nlohmann::json document = parse_json_file(path);
    const StrictJson json(document, path.filename().string());
    json.allow_only({"format", "version", "title", "station", "node", "parts"});
    require_format(json, "sinew-figure-parts");
    if (json.at("station").texts() !=
            std::vector<std::string>{"x", "y", "z", "a", "b", "nx", "ny", "nz", "t_mm"} ||
        json.at("node").texts() != std::vector<std::string>{"x", "y", "z", "h", "t_mm"}) {
        json.refuse("other columns of stations or nodes",
                    "x y z a b nx ny nz t_mm, and x y z h t_mm");
    }
    for (const StrictJson& part : json.at("parts").items()) {
        parts.push_back(read_part(part));
    }
}

FigureJoint read_joint(const StrictJson& outer) {
    const std::string name = outer.at("name").text();
    const StrictJson json = outer.named(
        fmt::format("{}, joint '{}'", outer.where().substr(0, outer.where().find(',')), name));
    json.allow_only({"name", "parent", "child", "centre", "type", "mirror", "axis", "axes", "dof",
                     "limits_deg", "rest_deg"});
    FigureJoint joint;
    joint.name = name;
    joint.parent = json.at("parent").text();
    joint.child = json.at("child").text();
    joint.centre = read_vec3(json.at("centre"));
    joint.type = joint_type_from_name(json.at("type").text());
    joint.mirror = json.has("mirror") && json.at("mirror").truth();
    if (json.has("axis")) {
        joint.axes = {read_vec3(json.at("axis"))};
    } else if (json.has("axes")) {
        for (const StrictJson& axis : json.at("axes").items()) {
            joint.axes.push_back(read_vec3(axis));
        }
    }
    if (json.has("dof")) {
        joint.motions = json.at("dof").texts();
    }
    if (json.has("limits_deg")) {
        const std::vector<double> v = json.at("limits_deg").numbers(2 * joint.axes.size());
        for (std::size_t i = 0; i < v.size(); i += 2) {
            joint.limits.push_back({v[i] * kDegree, v[i + 1] * kDegree});
        }
    }
    joint.rest = json.has("rest_deg") ? json.at("rest_deg").number() * kDegree : 0.0;
    return joint;
}

void read_joints(const std::filesystem::path& path, FigureTable& table) {
    const nlohmann::json document = parse_json_file(path);
    const StrictJson json(document, path.filename().string());
    json.allow_only({"format", "version", "root", "joints"});
    require_format(json, "sinew-figure-joints");
    table.root = json.at("root").text();
    for (const StrictJson& joint : json.at("joints").items()) {
        table.joints.push_back(read_joint(joint));
    }
}

FigureSkin read_skin(const StrictJson& json) {
    json.allow_only({"smooth_k_mm", "blur_sigma_mm", "gap_mm", "fine_groups"});
    const StrictJson smooth = json.at("smooth_k_mm");
    const StrictJson blur = json.at("blur_sigma_mm");
    smooth.allow_only({"body", "fine"});
    blur.allow_only({"body", "fine"});
    return {.smooth_body = smooth.at("body").number() * kMillimetre,
            .smooth_fine = smooth.at("fine").number() * kMillimetre,
            .blur_body = blur.at("body").number() * kMillimetre,
            .blur_fine = blur.at("fine").number() * kMillimetre,
            .gap = json.at("gap_mm").number() * kMillimetre,
            .fine_groups = json.at("fine_groups").texts()};
}

FigureVariant read_variant(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    const StrictJson json(document, path.filename().string());
    json.allow_only({"format", "version", "sex", "stature_m", "trunk_columns", "trunk",
                     "limb_girth", "muscle_volume", "fat", "parts", "sources"});
    require_format(json, "sinew-figure-variant");
    FigureVariant variant;
    const std::string sex = json.at("sex").text();
    if (sex != "female" && sex != "male") {
        json.at("sex").refuse("'" + sex + "'", "'female' or 'male'");
    }
    variant.sex = sex == "female" ? Sex::Female : Sex::Male;
    variant.stature = json.at("stature_m").number();
    variant.limb_girth = json.at("limb_girth").number();
    variant.sources = json.at("sources").texts();
    if (json.at("trunk_columns").texts() != std::vector<std::string>{"y", "x_ratio", "z_ratio"}) {
        json.at("trunk_columns").refuse("other columns", "y, x_ratio, z_ratio");
    }
    for (const StrictJson& row : json.at("trunk").items()) {
        const std::vector<double> v = row.numbers(3);
        variant.trunk.push_back({v[0], v[1], v[2]});
    }
    for (const auto& [group, ratio] : json.at("muscle_volume").members()) {
        variant.muscle_volume.push_back({group, ratio.number()});
    }
    for (const auto& [group, numbers] : json.at("fat").members()) {
        const std::vector<double> v = numbers.numbers(2);
        variant.fat.push_back({group, v[0], v[1] * kMillimetre});
    }
    for (const StrictJson& part : json.at("parts").items()) {
        variant.extra_parts.push_back(read_part(part));
    }
    return variant;
}

void read_stances(const StrictJson& json, FigureTable& table) {
    for (const auto& [name, turns] : json.members()) {
        FigureStance stance{.name = name};
        for (const StrictJson& turn : turns.items()) {
            turn.allow_only({"joint", "motion", "deg"});
            stance.turns.push_back({.joint = turn.at("joint").text(),
                                    .motion = turn.at("motion").text(),
                                    .angle = turn.at("deg").number() * kDegree});
        }
        table.stances.push_back(std::move(stance));
    }
}

}  // namespace

FigureTable read_figure(const std::filesystem::path& folder) {
    const nlohmann::json document = parse_json_file(folder / "figure.json");
    const StrictJson json(document, "figure.json");
    json.allow_only({"format", "version", "name", "stature_m", "attribution", "part_files",
                     "joint_file", "variant_files", "skin", "stances", "landmarks"});
    require_format(json, "sinew-figure");
    FigureTable table;
    table.name = json.at("name").text();
    table.stature = json.at("stature_m").number();
    table.attribution = json.at("attribution").text();
    for (const std::string& file : json.at("part_files").texts()) {
        read_parts(folder / file, table.parts);
    }
    read_joints(folder / json.at("joint_file").text(), table);
    for (const std::string& file : json.at("variant_files").texts()) {
        table.variants.push_back(read_variant(folder / file));
    }
    table.skin = read_skin(json.at("skin"));
    read_stances(json.at("stances"), table);
    for (const auto& [name, position] : json.at("landmarks").members()) {
        table.landmarks.push_back({.name = name, .position = read_vec3(position)});
    }
    require_valid(table, folder.string());
    return table;
}

}  // namespace sinew
