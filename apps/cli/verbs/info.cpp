#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/model_files.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/pipeline/any_model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>

#include "cli/verbs/file_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/model_results.h"
#include "cli/verbs/model_verbs.h"
#include "cli/verbs/trial_files.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InfoSettings {
    std::string file;
    std::string muscles;
    FileOptions files;
};

Json bounds_json(const Points& points) {
    if (points.rows() == 0) {
        return {{0, 0, 0}, {0, 0, 0}};
    }
    const Bounds b = bounds(points);
    return {{b.low.x(), b.low.y(), b.low.z()}, {b.high.x(), b.high.y(), b.high.z()}};
}

void describe(const std::vector<MeshPart>& parts, Json& result) {
    result["kind"] = "triangles";
    const TriangleMesh whole = merged(parts);
    bool is_closed = !parts.empty();
    double volume = 0.0;
    Json list = Json::array();
    for (const MeshPart& part : parts) {
        const bool is_part_closed = is_watertight(part.mesh.triangles);
        const double part_volume = enclosed_volume(part.mesh.points, part.mesh.triangles);
        is_closed = is_closed && is_part_closed;
        volume += part_volume;
        list.push_back({{"name", part.name},
                        {"vertices", part.mesh.points.rows()},
                        {"triangles", part.mesh.triangles.rows()},
                        {"volume_l", 1e3 * part_volume},
                        {"watertight", is_part_closed}});
    }
    result["vertices"] = whole.points.rows();
    result["triangles"] = whole.triangles.rows();
    result["bounds"] = bounds_json(whole.points);
    result["volume_l"] = 1e3 * volume;
    result["area_m2"] = surface_area(whole.points, whole.triangles);
    result["watertight"] = is_closed;
    Json data = Json::array();
    if (!parts.empty()) {
        for (const Attribute& a : parts.front().mesh.point_data) {
            data.push_back(a.name);
        }
    }
    result["point_data"] = data;
    result["parts"] = list;
}

void describe(const TetMesh& mesh, Json& result) {
    const Triangles surface = boundary_triangles(mesh.tets);
    result["kind"] = "tets";
    result["vertices"] = mesh.points.rows();
    result["tets"] = mesh.tets.rows();
    result["bounds"] = bounds_json(mesh.points);
    result["volume_l"] = 1e3 * volume(mesh.points, mesh.tets);
    result["area_m2"] = surface_area(mesh.points, surface);
    result["watertight"] = is_watertight(surface);
    result["surface_triangles"] = surface.rows();
    std::map<int, std::size_t> regions;
    for (const int r : mesh.region) {
        ++regions[r];
    }
    Json counts = Json::object();
    for (const auto& [region, count] : regions) {
        counts[std::to_string(region)] = count;
    }
    result["regions"] = counts;
}

void describe(const MotionClip& motion, Json& result) {
    result["kind"] = "motion";
    result["vertices"] = 0;
    result["triangles"] = 0;
    Points joints(static_cast<Eigen::Index>(motion.joints.size()), 3);
    const auto pose = motion.frame_count > 0 ? forward_kinematics(motion, 0) : offset_pose(motion);
    for (std::size_t i = 0; i < pose.size(); ++i) {
        joints.row(static_cast<Eigen::Index>(i)) = pose[i].translation().transpose();
    }
    result["bounds"] = bounds_json(joints);
    result["volume_l"] = 0.0;
    result["area_m2"] = 0.0;
    result["watertight"] = false;
    result["joints"] = motion.joints.size();
    result["frames"] = motion.frame_count;
    result["frame_time_s"] = motion.frame_time;
    result["duration_s"] = duration(motion);
}

void describe(const Body& body, Json& result) {
    const BodySummary summary = summarise(body);
    describe(body.tets, result);
    result["kind"] = "body";
    result["triangles"] = summary.skin_triangles;
    result["muscles"] = body.muscles.size();
    result["bones"] = body.bones.size();
    result["skin_vertices"] = summary.skin_vertices;
    result["mass_kg"] = summary.mass;
    result["stature_m"] = summary.stature;
    result["body_fat"] = summary.body_fat;
    result["segments"] = Json::array();
    for (const BodySummary::Part& s : summary.segments) {
        result["segments"].push_back(
            {{"name", s.name}, {"mass_kg", s.mass}, {"com", {s.com.x(), s.com.y(), s.com.z()}}});
    }
    result["muscle_list"] = Json::array();
    for (const BodySummary::Part& m : summary.muscles) {
        result["muscle_list"].push_back(
            {{"name", m.name}, {"group", m.group}, {"volume_ml", 1e6 * m.volume}});
    }
}

std::string shown(const Json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_number_float()) {
        return fmt::format("{:.5g}", value.get<double>());
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? "yes" : "no";
    }
    if (!value.is_structured()) {
        return value.dump();
    }
    std::string text;
    for (const auto& [key, item] : value.items()) {
        text += text.empty() ? "" : ", ";
        text += value.is_object() ? fmt::format("{}: {}", key, shown(item)) : shown(item);
    }
    return text;
}

// Rows of the same fields as columns as wide as their widest entry; numbers to the right.
void print_rows(const Json& rows) {
    std::vector<std::string> keys;
    std::vector<std::size_t> widths;
    for (const auto& [key, value] : rows[0].items()) {
        keys.push_back(key);
        widths.push_back(key.size());
    }
    for (const Json& row : rows) {
        for (std::size_t c = 0; c < keys.size(); ++c) {
            widths[c] = std::max(widths[c], shown(row.value(keys[c], Json(""))).size());
        }
    }
    const auto print_row = [&](const auto& cell) {
        std::string line = " ";
        for (std::size_t c = 0; c < keys.size(); ++c) {
            line += rows[0][keys[c]].is_number() ? fmt::format(" {:>{}}", cell(c), widths[c])
                                                 : fmt::format(" {:<{}}", cell(c), widths[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        fmt::print("{}\n", line);
    };
    print_row([&](std::size_t c) { return keys[c]; });
    for (const Json& row : rows) {
        print_row([&](std::size_t c) { return shown(row.value(keys[c], Json(""))); });
    }
}

void print_for_a_person(const Json& result) {
    for (const auto& [key, value] : result.items()) {
        if (key == "bounds") {
            fmt::print("{:<18} ({}) to ({}) m\n", key, shown(value[0]), shown(value[1]));
        } else if (value.is_array() && !value.empty() && value[0].is_object()) {
            fmt::print("{:<18} {}\n", key, value.size());
            print_rows(value);
        } else if (!value.is_structured() || !value.empty()) {
            fmt::print("{:<18} {}\n", key, shown(value));
        }
    }
}

}  // namespace

Verb info_verb() {
    auto settings = std::make_shared<InfoSettings>();
    Verb verb{.name = "info",
              .summary = "Print what a file holds: kind, counts, bounds, volume, area",
              .examples =
                  "  sinew info femur.ply\n"
                  "  sinew info scan.obj --unit mm --up z\n"
                  "  sinew info body.sinew --json\n"
                  "  sinew info arm26.osim\n"
                  "  sinew info walk.trc                 also .c3d, .mot, .sto",
              .options = {any_file_option(settings->file), muscles_option(settings->muscles)},
              .run = {}};
    settings->files.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", InfoResult{}, SchemaOf::Result, definitions);
        // Muscles of a model are names, those of a body rows.
        definitions["result"]["properties"]["muscle_list"] = {
            {"description", "muscles of a model by name; of a body with group and volume_ml"},
            {"type", "array"},
            {"items", {{"type", {"string", "object"}}}}};
    };
    verb.run = [settings](const Context& context, Json& result) {
        result["input"] = settings->file;
        if (is_trial_file(settings->file) || is_model_file(settings->file) ||
            is_body_file(settings->file)) {
            settings->files.require_no_unit(settings->file);
            settings->files.require_no_up(settings->file);
        }
        if (is_trial_file(settings->file)) {
            require_no_muscles("info", settings->muscles, settings->file);
            describe_trial_file(settings->file, result);
        } else if (is_model_file(settings->file)) {
            describe_model(settings->file, settings->muscles, result);
        } else {
            require_no_muscles("info", settings->muscles, settings->file);
            const Asset asset = read_asset(settings->file, settings->files.read_options());
            std::visit([&](const auto& content) { describe(content, result); }, asset.content);
            if (!asset.note.empty()) {
                result["converted"] = asset.note;
            }
        }
        if (context.tells()) {
            print_for_a_person(result);
        }
        return kOk;
    };
    return verb;
}

}  // namespace sinew::cli
