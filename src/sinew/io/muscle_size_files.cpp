#include "sinew/io/muscle_size_files.h"

#include "sinew/io/data_folder.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

namespace sinew {

namespace {

constexpr double kCubicCentimetre = 1e-6;  // m^3

MuscleSizes muscle_sizes_from(const StrictJson& json) {
    json.allow_only({"format", "version", "source", "leg_cm3", "muscle_of_mass", "leg_muscles"});
    constexpr const char* kSizesFormat = "sinew-muscle-sizes";
    if (json.at("format").text() != kSizesFormat) {
        json.refuse("format '" + json.at("format").text() + "'", fmt::format("'{}'", kSizesFormat));
    }
    if (json.at("version").number() != 1.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()), "version 1");
    }
    MuscleSizes sizes{.source = json.at("source").text()};
    const StrictJson leg = json.at("leg_cm3");
    leg.allow_only({"per_m_kg", "constant"});
    sizes.leg_slope = kCubicCentimetre * leg.at("per_m_kg").number();
    sizes.leg_constant = kCubicCentimetre * leg.at("constant").number();
    const StrictJson part = json.at("muscle_of_mass");
    part.allow_only({"male", "female"});
    sizes.of_mass_male = part.at("male").number();
    sizes.of_mass_female = part.at("female").number();
    for (const StrictJson& muscle : json.at("leg_muscles").items()) {
        muscle.allow_only({"names", "slope", "constant_cm3"});
        sizes.legs.push_back({.names = muscle.at("names").texts(),
                              .slope = muscle.at("slope").number(),
                              .constant = kCubicCentimetre * muscle.at("constant_cm3").number()});
    }
    return sizes;
}

}  // namespace

MuscleSizes read_muscle_sizes(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return muscle_sizes_from(StrictJson(document, path.filename().string()));
}

MuscleSizes parse_muscle_sizes(std::string_view json, const std::string& where) {
    const nlohmann::json document = parse_json(json, where);
    return muscle_sizes_from(StrictJson(document, where));
}

MuscleSizes known_muscle_sizes() {
    return read_muscle_sizes(data_folder() / "people" / "muscles.json");
}

}  // namespace sinew
