#include "sinew/io/landmark_file.h"

#include "sinew/io/strict_json.h"

namespace sinew {
namespace {

std::vector<Landmark> landmarks_from(const StrictJson& json) {
    std::vector<Landmark> result;
    const bool is_wrapped = json.has("landmarks");
    if (is_wrapped) {
        json.allow_only({"landmarks", "units", "version"});
    }
    for (const auto& [name, place] : (is_wrapped ? json.at("landmarks") : json).members()) {
        result.push_back({.name = name, .position = read_vec3(place)});
    }
    return result;
}

}  // namespace

std::vector<Landmark> read_landmarks(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return landmarks_from(StrictJson(document, path.filename().string()));
}

std::vector<Landmark> parse_landmarks(std::string_view json, const std::string& where) {
    const nlohmann::json document = parse_json(json, where);
    return landmarks_from(StrictJson(document, where));
}

}  // namespace sinew
