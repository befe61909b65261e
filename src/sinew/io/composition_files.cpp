#include "sinew/io/composition_files.h"

#include "sinew/io/atomic_file.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

constexpr const char* kCompositionFormat = "sinew-composition";
constexpr std::size_t kMostTapes = 1000;
constexpr std::size_t kMostPlaces = 10000;  // of a tape

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

Eigen::VectorXd positive(const StrictJson& json, std::size_t count) {
    Eigen::VectorXd values = vector_of(json.numbers(count));
    if (!(values.array() > 0.0).all()) {
        json.refuse("a deviation that is not above 0", "positive numbers");
    }
    return values;
}

// Features are numbered in the tapes' order: each tape has that of the one before, or the next.
void read_tapes(const StrictJson& json, CompositionModel& model) {
    const std::vector<StrictJson> tapes = json.items();
    if (tapes.empty() || tapes.size() > kMostTapes) {
        json.refuse(fmt::format("{} tapes", tapes.size()), fmt::format("1 to {}", kMostTapes));
    }
    int next = 0;
    for (const StrictJson& tape : tapes) {
        tape.allow_only({"feature", "places"});
        const double feature = tape.at("feature").number();
        if (feature != next && !(next > 0 && feature == next - 1)) {
            tape.refuse(fmt::format("feature {}", feature),
                        fmt::format("{}, or that of the tape before", next));
        }
        next = static_cast<int>(feature) + 1;
        const std::vector<double> places = tape.at("places").numbers();
        if (places.size() < 9 || places.size() % 3 != 0 || places.size() > 3 * kMostPlaces) {
            tape.refuse(fmt::format("{} numbers of places", places.size()),
                        fmt::format("three for each of 3 to {} places", kMostPlaces));
        }
        model.tapes.push_back(
            {.feature = next - 1,
             .places = Eigen::Map<const Points>(places.data(),
                                                static_cast<Eigen::Index>(places.size() / 3), 3)});
    }
}

CompositionModel composition_from(const StrictJson& json) {
    json.allow_only({"format", "version", "sex", "source", "people", "tapes", "mean", "spread",
                     "components", "deviation", "fat", "muscle"});
    if (json.at("format").text() != kCompositionFormat) {
        json.refuse("format '" + json.at("format").text() + "'",
                    fmt::format("'{}'", kCompositionFormat));
    }
    if (json.at("version").number() != 3.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()),
                    "version 3 (trained by this version)");
    }
    CompositionModel model;
    const std::string sex = json.at("sex").text();
    if (sex != "male" && sex != "female") {
        json.refuse("sex '" + sex + "'", "'male' or 'female'");
    }
    model.sex = sex == "male" ? Sex::Male : Sex::Female;
    model.source = json.at("source").text();
    model.people = static_cast<int>(std::clamp(json.at("people").number(), 0.0, 1e9));
    read_tapes(json.at("tapes"), model);
    const std::size_t features = at(model.tapes.back().feature) + 1;
    model.mean = vector_of(json.at("mean").numbers(features));
    model.spread = positive(json.at("spread"), features);
    const std::vector<StrictJson> components = json.at("components").items();
    if (components.empty() || components.size() > features) {
        json.refuse(fmt::format("{} components", components.size()),
                    fmt::format("1 to {}, one for each area", features));
    }
    const std::size_t count = components.size();
    model.basis.resize(static_cast<Eigen::Index>(features), static_cast<Eigen::Index>(count));
    for (std::size_t k = 0; k < count; ++k) {
        model.basis.col(static_cast<Eigen::Index>(k)) = vector_of(components[k].numbers(features));
    }
    model.deviation = positive(json.at("deviation"), count);
    model.fat = vector_of(json.at("fat").numbers(count + 1));
    model.muscle = vector_of(json.at("muscle").numbers(count + 1));
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
    std::string tapes;
    for (const CompositionTape& tape : model.tapes) {
        tapes +=
            fmt::format("{}\n    {{\"feature\": {}, \"places\": {}}}", tapes.empty() ? "" : ",",
                        tape.feature, list_of(tape.places.data(), tape.places.size()));
    }
    const std::string source = nlohmann::json(model.source).dump();
    return fmt::format(
        "{{\n  \"format\": \"{}\",\n  \"version\": 3,\n  \"sex\": \"{}\",\n  \"source\": {},\n"
        "  \"people\": {},\n  \"tapes\": [{}\n  ],\n  \"mean\": {},\n  \"spread\": {},\n"
        "  \"components\": [{}\n  ],\n  \"deviation\": {},\n  \"fat\": {},\n  \"muscle\": {}\n}}\n",
        kCompositionFormat, model.sex == Sex::Female ? "female" : "male", source, model.people,
        tapes, list_of(model.mean.data(), model.mean.size()),
        list_of(model.spread.data(), model.spread.size()), components,
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
