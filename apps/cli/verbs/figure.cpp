#include "sinew/build/figure.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/template_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

#include "cli/field_options.h"
#include "cli/interrupt.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct FigureSettings {
    std::string output;
    FigureOptions figure;
};

int run_figure(const FigureSettings& settings, const Context& context,
               nlohmann::ordered_json& result) {
    std::error_code ignored;
    if (std::filesystem::exists(settings.output, ignored) &&
        !std::filesystem::is_directory(settings.output, ignored)) {
        throw bad_value("figure", "--output", settings.output, "a folder, not a file");
    }
    make_output_folder(settings.output);
    const FigureTable table = read_figure(data_folder() / "figure");
    Template figure = build_figure(table, settings.figure, context.progress);
    figure.provenance.command = context.command_line;
    note_kept(fmt::format("of the parts some may be complete in '{}'", settings.output));
    write_template_folder(settings.output, figure);
    double muscle = 0.0;
    for (const Muscle& m : figure.muscles) {
        muscle += m.is_passive ? 0.0 : m.volume;
    }
    const double stature =
        figure.skin.points.col(1).maxCoeff() - figure.skin.points.col(1).minCoeff();
    const double litres = 1e3 * enclosed_volume(figure.skin.points, figure.skin.triangles);
    add_fields(FigureResult{.output = settings.output,
                            .sex = std::string(name_of(figure.sex)),
                            .bones = static_cast<Count>(figure.bones.size()),
                            .muscles = static_cast<Count>(figure.muscles.size()),
                            .skin_vertices = figure.skin.points.rows(),
                            .stature = stature,
                            .volume = litres,
                            .muscle_volume = 1e3 * muscle},
               result);
    if (context.tells()) {
        fmt::print("{}: {} bones, {} muscles ({:.1f} l), skin of {} vertices, {:.3f} m, {:.1f} l\n",
                   settings.output, figure.bones.size(), figure.muscles.size(), 1e3 * muscle,
                   figure.skin.points.rows(), stature, litres);
    }
    return kOk;
}

}  // namespace

Verb figure_verb() {
    auto settings = std::make_shared<FigureSettings>();
    Verb verb{.name = "figure",
              .summary = "Make the built-in human: bones, muscles and skin as meshes",
              .examples =
                  "  sinew figure -o man                          A-pose, stature of the table\n"
                  "  sinew figure --sex female --stature 1.70 -o woman\n"
                  "  sinew figure --pose measured -o man          arms hanging",
              .options = {{.name = "-o,--output",
                           .help = "folder to write to",
                           .target = &settings->output,
                           .metavar = "DIR",
                           .is_required = true}},
              .run = {}};
    add_field_options(verb.options, settings->figure);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", FigureResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        return run_figure(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
