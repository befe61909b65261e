#include "sinew/render/render.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/json_schema.h"
#include "sinew/render/body_sheet.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/png.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/field_options.h"
#include "cli/verbs/file_options.h"
#include "cli/verbs/part_files.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

const std::vector<std::string> kViews = {"front", "back", "left", "right", "three-quarter", "top"};

struct RenderSettings {
    std::vector<std::string> inputs;
    std::string output;
    std::string size = "1200x1600";
    std::string views = "front";
    std::string scalar;
    std::string range;
    std::string map = "viridis";
    bool as_sheet = false;
    RenderOptions render;
    FileOptions files;
};

void set_size(const std::string& text, RenderOptions& options) {
    const char* end = text.data() + text.size();
    const auto [cross, first_error] = std::from_chars(text.data(), end, options.width);
    if (first_error != std::errc() || cross == end || (*cross != 'x' && *cross != 'X')) {
        throw bad_value("render", "--size", text, "WIDTHxHEIGHT in pixels, as in 1200x1600");
    }
    const auto [stop, second_error] = std::from_chars(cross + 1, end, options.height);
    if (second_error != std::errc() || stop != end || options.width < 1 || options.height < 1) {
        throw bad_value("render", "--size", text, "WIDTHxHEIGHT in pixels, as in 1200x1600");
    }
}

std::vector<View> views_from(const std::string& text) {
    std::vector<View> views;
    for (const std::string& word : split(text, ',')) {
        const auto it = std::find(kViews.begin(), kViews.end(), word);
        if (it == kViews.end()) {
            throw bad_value(
                "render", "--view", word + did_you_mean(word, kViews),
                fmt::format("one or more of {}, separated by commas", join(kViews, ", ")));
        }
        views.push_back(static_cast<View>(it - kViews.begin()));
    }
    return views;
}

std::pair<double, double> range_from(const std::string& text) {
    const std::vector<std::string> ends = split(text, ',');
    double low = 0.0;
    double high = 0.0;
    const auto is_number = [](const std::string& word, double& value) {
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        return error == std::errc() && stop == word.data() + word.size() && std::isfinite(value);
    };
    if (ends.size() != 2 || !is_number(ends[0], low) || !is_number(ends[1], high) ||
        !(low < high)) {
        throw bad_value("render", "--range", text, "LOW,HIGH with LOW < HIGH");
    }
    return {low, high};
}

void set_scalar(const RenderSettings& settings, Scene& scene) {
    if (settings.scalar.empty()) {
        if (!settings.range.empty()) {
            throw bad_value("render", "--range", settings.range, "--scalar NAME beside it");
        }
        return;
    }
    static const std::vector<std::string> kMaps = {"viridis", "diverging", "heat", "grey"};
    ScalarMap map{.attribute = settings.scalar};
    map.map =
        static_cast<ColourMap>(std::find(kMaps.begin(), kMaps.end(), settings.map) - kMaps.begin());
    if (!settings.range.empty()) {
        std::tie(map.low, map.high) = range_from(settings.range);
    }
    scene.scalar = map;
}

// One scene of all inputs, or one per input for a contact sheet.
std::vector<Scene> scenes_from(const RenderSettings& settings, std::vector<std::string>& captions) {
    std::vector<Scene> scenes;
    Scene all;
    for (const std::string& input : settings.inputs) {
        Scene scene = scene_from_file(input, settings.files.read_options(), settings.render);
        if (settings.as_sheet) {
            scenes.push_back(std::move(scene));
            captions.push_back(std::filesystem::path(input).stem().string());
        } else {
            std::move(scene.surfaces.begin(), scene.surfaces.end(),
                      std::back_inserter(all.surfaces));
        }
    }
    if (!settings.as_sheet) {
        scenes.push_back(std::move(all));
        captions.emplace_back();
    }
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        require_visible(scenes[i], settings.render,
                        settings.as_sheet ? settings.inputs[i] : join(settings.inputs, ", "));
        set_scalar(settings, scenes[i]);
    }
    return scenes;
}

/// A body alone on a sheet shows all that it is made of.
std::optional<Body> body_for_sheet(const RenderSettings& settings) {
    if (!settings.as_sheet || settings.inputs.size() != 1 ||
        lower(std::filesystem::path(settings.inputs.front()).extension().string()) != ".sinew") {
        return std::nullopt;
    }
    return read_archive(settings.inputs.front());
}

Image draw(const RenderSettings& settings, const Context& context) {
    if (const std::optional<Body> body = body_for_sheet(settings)) {
        RenderOptions options = settings.render;
        options.view = views_from(settings.views).front();
        return body_sheet(*body, options, context.progress);
    }
    const std::vector<View> views = views_from(settings.views);
    std::vector<std::string> captions;
    const std::vector<Scene> scenes = scenes_from(settings, captions);
    std::vector<SheetPicture> pictures;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        for (const View view : views) {
            RenderOptions options = settings.render;
            options.view = view;
            const bool is_only = scenes.size() * views.size() == 1;
            Image image = render(scenes[i], options, context.progress);
            if (is_only) {
                return image;
            }
            std::string caption = captions[i];
            if (views.size() > 1) {
                caption += (caption.empty() ? "" : ", ") + kViews[at(view)];
            }
            pictures.push_back({.image = std::move(image), .caption = std::move(caption)});
        }
    }
    return contact_sheet(
        pictures, {.columns = static_cast<int>(
                       scenes.size() > 1 && views.size() > 1 ? views.size() : pictures.size())});
}

}  // namespace

Verb render_verb() {
    auto settings = std::make_shared<RenderSettings>();
    Verb verb{
        .name = "render",
        .summary = "Draw meshes, tetrahedra and bodies to a PNG picture",
        .examples =
            "  sinew render body.ply -o body.png --view three-quarter\n"
            "  sinew render bones muscles -o ecorche.png       folders of parts, by kind\n"
            "  sinew render body.sinew -o x.png --skin-opacity 0.3 --view front,left,back\n"
            "  sinew render a.ply b.ply c.ply --sheet -o compare.png\n"
            "  sinew render body.sinew --sheet --size 500x680 -o body.png   layers, fibres, "
            "tissues\n"
            "  sinew render arm.msh -o cut.png --cut front --cut-at 0.02\n"
            "  sinew render scan.ply -o map.png --scalar thickness --range 0,0.03",
        .options = {{.name = "inputs",
                     .help = "files, or folders of parts (bones/, muscles/, skin/ ...)",
                     .target = &settings->inputs,
                     .metavar = "IN",
                     .is_required = true},
                    {.name = "-o,--output",
                     .help = "the picture to write",
                     .target = &settings->output,
                     .metavar = "FILE.png",
                     .is_required = true},
                    {.name = "--view",
                     .help = "front, back, left, right, three-quarter, top; several, separated by "
                             "commas, side by side",
                     .target = &settings->views},
                    {.name = "--size",
                     .help = "pixels of each picture",
                     .target = &settings->size,
                     .metavar = "WxH"},
                    {.name = "--sheet",
                     .help = "one picture per input, side by side with captions; of a single body, "
                             "one per layer",
                     .target = &settings->as_sheet},
                    {.name = "--scalar",
                     .help = "colour by this data of the vertices or elements",
                     .target = &settings->scalar,
                     .metavar = "NAME"},
                    {.name = "--range",
                     .help = "values of the first and last colour",
                     .target = &settings->range,
                     .metavar = "LOW,HIGH"},
                    {.name = "--map",
                     .help = "colours of --scalar",
                     .target = &settings->map,
                     .choices = {"viridis", "diverging", "heat", "grey"}}},
        .run = {}};
    add_field_options(verb.options, settings->render, {"width", "height", "view"});
    settings->files.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", RenderResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        const Timer timer;
        set_size(settings->size, settings->render);
        if (lower(std::filesystem::path(settings->output).extension().string()) != ".png") {
            throw bad_value("render", "--output", settings->output, "a name that ends in .png");
        }
        require_writable_place(settings->output);
        const Image image = draw(*settings, context);
        write_file_bytes(settings->output, encode_png(image));
        add_fields(RenderResult{.output = settings->output,
                                .width = image.width,
                                .height = image.height,
                                .seconds = timer.seconds()},
                   result);
        if (context.tells()) {
            fmt::print("{}: {} x {} pixels, {:.1f} s\n", settings->output, image.width,
                       image.height, timer.seconds());
        }
        return kOk;
    };
    return verb;
}

}  // namespace sinew::cli
