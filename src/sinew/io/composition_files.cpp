#include "sinew/io/composition_files.h"

#include "sinew/io/atomic_file.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

constexpr const char* kCompositionFormat = "sinew-composition";
constexpr std::size_t kMostPlaces = 100000;
constexpr std::size_t kMostComponents = 1000;

std::string list_of(const double* values, Eigen::Index count) {
    std::string text = "[";
    for (Eigen::Index i = 0; i < count; ++i) {
        text += fmt::format("{}{:.9g}", i > 0 ? ", " : "", values[i]);
    }
    return text + "]";
}

Eigen::VectorXd vector_of(const std::vector<double>& numbers) {
    return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                             static_cast<Eigen::Index>(numbers.size()));
}

CompositionModel composition_from(const StrictJson& json) {
    json.allow_only({"format", "version", "sex", "source", "people", "places", "mean", "components",
                     "centre", "deviation", "fat", "muscle"});
    if (json.at("format").text() != kCompositionFormat) {
        json.refuse("format '" + json.at("format").text() + "'",
                    fmt::format("'{}'", kCompositionFormat));
    }
    if (json.at("version").number() != 2.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()),
                    "version 2 (trained by this version)");
    }
    CompositionModel model;
    const std::string sex = json.at("sex").text();
    if (sex != "male" && sex != "female") {
        json.refuse("sex '" + sex + "'", "'male' or 'female'");
    }
    model.sex = sex == "male" ? Sex::Male : Sex::Female;
    model.source = json.at("source").text();
    model.people = static_cast<int>(std::clamp(json.at("people").number(), 0.0, 1e9));
    const std::vector<double> places = json.at("places").numbers();
    if (places.empty() || places.size() % 3 != 0 || places.size() > 3 * kMostPlaces) {
        json.refuse(fmt::format("{} numbers of places", places.size()),
                    fmt::format("three for each of 1 to {} places", kMostPlaces));
    }
    const auto rows = static_cast<Eigen::Index>(places.size());
    model.places = Eigen::Map<const Points>(places.data(), rows / 3, 3);
    model.mean = vector_of(json.at("mean").numbers(places.size()));
    const std::vector<StrictJson> components = json.at("components").items();
    if (components.size() > kMostComponents) {
        json.refuse(fmt::format("{} components", components.size()),
                    fmt::format("at most {}", kMostComponents));
    }
    const std::size_t count = components.size();
    model.basis.resize(rows, static_cast<Eigen::Index>(count));
    for (std::size_t k = 0; k < count; ++k) {
        model.basis.col(static_cast<Eigen::Index>(k)) =
            vector_of(components[k].numbers(places.size()));
    }
    model.centre = vector_of(json.at("centre").numbers(count + 1));
    model.deviation = vector_of(json.at("deviation").numbers(count + 1));
    if (!(model.deviation.array() > 0.0).all()) {
        json.refuse("a deviation that is not above 0", "positive numbers");
    }
    model.fat = vector_of(json.at("fat").numbers(count + 2));
    model.muscle = vector_of(json.at("muscle").numbers(count + 2));
    return model;
}

}  // namespace

std::string composition_text(const CompositionModel& model) {
    std::string components;
    for (Eigen::Index k = 0; k < model.basis.cols(); ++k) {
        const Eigen::VectorXd column = model.basis.col(k);
        components +=
            fmt::format("{}\n    {}", k > 0 ? "," : "", list_of(column.data(), column.size()));
    }
    const std::string source = nlohmann::json(model.source).dump();
    return fmt::format(
        "{{\n  \"format\": \"{}\",\n  \"version\": 2,\n  \"sex\": \"{}\",\n  \"source\": {},\n"
        "  \"people\": {},\n  \"places\": {},\n  \"mean\": {},\n  \"components\": [{}\n  ],\n"
        "  \"centre\": {},\n  \"deviation\": {},\n  \"fat\": {},\n  \"muscle\": {}\n}}\n",
        kCompositionFormat, model.sex == Sex::Female ? "female" : "male", source, model.people,
        list_of(model.places.data(), model.places.size()),
        list_of(model.mean.data(), model.mean.size()), components,
        list_of(model.centre.data(), model.centre.size()),
        list_of(model.deviation.data(), model.deviation.size()),
        list_of(model.fat.data(), model.fat.size()),
        list_of(model.muscle.data(), model.muscle.size()));
}

void write_composition(const std::filesystem::path& path, const CompositionModel& model) {
    write_file_bytes(path, composition_text(model));
}

CompositionModel parse_composition(std::string_view json, const std::string& where) {
    const nlohmann::json document = parse_json(json, where);
    return composition_from(StrictJson(document, where));
}

CompositionModel read_composition(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return composition_from(StrictJson(document, path.filename().string()));
}

std::optional<CompositionModel> known_composition(Sex sex) {
    const std::filesystem::path path =
        data_folder() / "fit" /
        (sex == Sex::Female ? "composition_female.json" : "composition_male.json");
    if (!std::filesystem::exists(path)) {
        return {};
    }
    return read_composition(path);
}

}  // namespace sinew
