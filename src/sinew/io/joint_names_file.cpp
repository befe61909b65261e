#include "sinew/io/joint_names_file.h"

#include "sinew/io/data_folder.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

namespace sinew {

namespace {

JointConvention read_convention(const StrictJson& json) {
    json.allow_only({"name", "left", "right", "parts"});
    JointConvention convention;
    convention.name = json.at("name").text();
    convention.left = json.at("left").text();
    convention.right = json.at("right").text();
    for (const auto& [part, names] : json.at("parts").members()) {
        convention.parts[part] = names.texts();
    }
    return convention;
}

JointNames joint_names_from(const StrictJson& json) {
    json.allow_only({"format", "version", "prefixes", "conventions"});
    constexpr const char* kFormat = "sinew-joint-names";
    if (json.at("format").text() != kFormat) {
        json.refuse("format '" + json.at("format").text() + "'", fmt::format("'{}'", kFormat));
    }
    if (json.at("version").number() != 1.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()), "version 1");
    }
    JointNames names;
    if (json.has("prefixes")) {
        names.prefixes = json.at("prefixes").texts();
    }
    for (const StrictJson& convention : json.at("conventions").items()) {
        names.conventions.push_back(read_convention(convention));
    }
    require_valid(names, json.where());
    return names;
}

}  // namespace

JointNames read_joint_names(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return joint_names_from(StrictJson(document, path.filename().string()));
}

JointNames parse_joint_names(std::string_view json, const std::string& where) {
    const nlohmann::json document = parse_json(json, where);
    return joint_names_from(StrictJson(document, where));
}

JointNames known_joint_names(const std::filesystem::path& own) {
    JointNames names = read_joint_names(data_folder() / "motion" / "joint_names.json");
    if (!own.empty()) {
        JointNames mine = read_joint_names(own);
        names.conventions.insert(names.conventions.begin(), mine.conventions.begin(),
                                 mine.conventions.end());
        names.prefixes.insert(names.prefixes.begin(), mine.prefixes.begin(), mine.prefixes.end());
    }
    return names;
}

}  // namespace sinew
