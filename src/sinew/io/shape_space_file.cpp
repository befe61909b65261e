#include "sinew/io/shape_space_file.h"

#include "sinew/base/error.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {
namespace {

constexpr double kGrid = 1e-4;     // m: lengths are stored as multiples of this
constexpr double kFarthest = 1e7;  // of the grid: what lies a kilometre away is no person
constexpr const char* kShapeFormat = "sinew-shape-space";

Points read_rows(const StrictJson& json) {
    const std::vector<double> numbers = json.numbers();
    if (numbers.size() % 3 != 0) {
        json.refuse(fmt::format("{} numbers", numbers.size()), "three per point");
    }
    Points points(static_cast<Eigen::Index>(numbers.size() / 3), 3);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!(std::abs(numbers[i]) < kFarthest)) {
            json.refuse(fmt::format("{}", numbers[i]), "lengths in tenths of a millimetre");
        }
        points.data()[i] = kGrid * numbers[i];
    }
    return points;
}

Triangles read_triangles(const StrictJson& json) {
    const std::vector<double> numbers = json.numbers();
    if (numbers.size() % 3 != 0) {
        json.refuse(fmt::format("{} numbers", numbers.size()), "three per triangle");
    }
    Triangles triangles(static_cast<Eigen::Index>(numbers.size() / 3), 3);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!(numbers[i] >= 0.0 && numbers[i] < 1e9)) {
            json.refuse(fmt::format("vertex {}", numbers[i]), "a vertex number");
        }
        triangles.data()[i] = static_cast<Index>(numbers[i]);
    }
    return triangles;
}

ShapeSpace shape_space_from(const StrictJson& json) {
    json.allow_only({"format", "version", "name", "source", "sex", "people", "points", "triangles",
                     "joints", "mean", "mean_joints", "components", "landmarks"});
    if (json.at("format").text() != kShapeFormat) {
        json.refuse("format '" + json.at("format").text() + "'", fmt::format("'{}'", kShapeFormat));
    }
    if (json.at("version").number() != 1.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()), "version 1");
    }
    ShapeSpace space;
    space.name = json.at("name").text();
    space.source = json.at("source").text();
    const std::string sex = json.at("sex").text();
    space.sex = sex == "male" ? Sex::Male : sex == "female" ? Sex::Female : Sex::Unknown;
    const double people = json.at("people").number();
    if (!(people >= 0.0 && people < 1e9)) {
        json.at("people").refuse(fmt::format("{}", people), "a number of people");
    }
    space.people = static_cast<int>(people);
    space.reference.points = read_rows(json.at("points"));
    space.reference.triangles = read_triangles(json.at("triangles"));
    for (const StrictJson& joint : json.at("joints").items()) {
        space.joint_names.push_back(joint.text());
    }
    space.mean_skin = read_rows(json.at("mean"));
    space.mean_joints = read_rows(json.at("mean_joints"));
    for (const StrictJson& component : json.at("components").items()) {
        component.allow_only({"skin", "joints"});
        space.components.push_back(
            {read_rows(component.at("skin")), read_rows(component.at("joints"))});
    }
    for (const auto& [name, place] : json.at("landmarks").members()) {
        place.allow_only({"position", "vertex"});
        const std::vector<double> p = place.at("position").numbers(3);
        if (!(Vec3(p[0], p[1], p[2]).cwiseAbs().maxCoeff() < kFarthest)) {
            place.refuse("a position that is far away", "lengths in tenths of a millimetre");
        }
        const double vertex = place.at("vertex").number();
        if (!(vertex >= 0.0 && vertex < 1e9)) {
            place.refuse(fmt::format("vertex {}", vertex), "a vertex number");
        }
        space.landmarks.push_back({.name = name,
                                   .position = kGrid * Vec3(p[0], p[1], p[2]),
                                   .skin_vertex = static_cast<Index>(vertex)});
    }
    require_valid(space, json.where());
    return space;
}

std::string rows_text(const Points& points) {
    std::string text = "[";
    for (Eigen::Index i = 0; i < points.size(); ++i) {
        text += fmt::format("{}{}",
                            i == 0        ? ""
                            : i % 60 == 0 ? ",\n"
                                          : ",",
                            std::llround(points.data()[i] / kGrid));
    }
    return text + "]";
}

}  // namespace

ShapeSpace read_shape_space(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return shape_space_from(StrictJson(document, path.filename().string()));
}

ShapeSpace parse_shape_space(std::string_view json, const std::string& where) {
    const nlohmann::json document = parse_json(json, where);
    return shape_space_from(StrictJson(document, where));
}

std::string format_shape_space(const ShapeSpace& space) {
    require_valid(space, space.name);
    const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
    std::string text = fmt::format(
        "{{\"format\": \"{}\", \"version\": 1,\n\"name\": {},\n\"source\": {},\n\"sex\": \"{}\", "
        "\"people\": {},\n",
        kShapeFormat, quoted(space.name), quoted(space.source), name_of(space.sex), space.people);
    text += "\"points\": " + rows_text(space.reference.points) + ",\n\"triangles\": [";
    for (Eigen::Index i = 0; i < space.reference.triangles.size(); ++i) {
        text += fmt::format("{}{}",
                            i == 0        ? ""
                            : i % 60 == 0 ? ",\n"
                                          : ",",
                            space.reference.triangles.data()[i]);
    }
    text += "],\n\"joints\": " + nlohmann::json(space.joint_names).dump() + ",\n";
    text += "\"mean\": " + rows_text(space.mean_skin) + ",\n";
    text += "\"mean_joints\": " + rows_text(space.mean_joints) + ",\n\"components\": [";
    for (std::size_t k = 0; k < space.components.size(); ++k) {
        text +=
            fmt::format("{}\n{{\"skin\": {},\n\"joints\": {}}}", k == 0 ? "" : ",",
                        rows_text(space.components[k].skin), rows_text(space.components[k].joints));
    }
    text += "],\n\"landmarks\": {";
    for (std::size_t k = 0; k < space.landmarks.size(); ++k) {
        const Landmark& landmark = space.landmarks[k];
        Points place(1, 3);
        place.row(0) = landmark.position.transpose();
        text += fmt::format("{}\n{}: {{\"position\": {}, \"vertex\": {}}}", k == 0 ? "" : ",",
                            quoted(landmark.name), rows_text(place), landmark.skin_vertex);
    }
    return text + "}}\n";
}

ShapeSpace built_in_shape_space(Sex sex) {
    if (sex == Sex::Unknown) {
        throw InputError({.where = "shape space",
                          .found = "a body of unknown sex",
                          .needs = "male or female",
                          .remedy = "use the built-in man or woman"});
    }
    return read_shape_space(data_folder() / "shape" /
                            (sex == Sex::Male ? "man.json" : "woman.json"));
}

}  // namespace sinew
