#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/body_volume.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

#include "cli/interrupt.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

struct ExportSettings {
    std::string input;
    std::string output;
    std::string parts;
};

/// The surfaces that a word of --parts stands for.
std::vector<MeshPart> parts_named(const Body& body, const std::string& word) {
    std::vector<MeshPart> parts;
    if (word == "muscles") {
        for (const Muscle& muscle : body.muscles) {
            parts.push_back({.name = muscle.name, .mesh = muscle.mesh, .kind = "muscle"});
        }
    } else if (word == "bones") {
        for (const Bone& bone : body.bones) {
            parts.push_back({.name = bone.name, .mesh = bone.mesh, .kind = "bone"});
        }
    } else {
        const TetSurface& surface = word == "skin" ? body.skin : body.envelope;
        parts.push_back({.name = word, .mesh = surface.mesh, .kind = "skin"});
    }
    std::erase_if(parts, [](const MeshPart& p) { return p.mesh.triangles.rows() == 0; });
    return parts;
}

Names export_parts(const ExportSettings& settings, const Body& body, const Context& context) {
    const std::vector<MeshPart> parts = parts_named(body, settings.parts);
    if (parts.empty()) {
        throw InputError({.where = settings.input,
                          .found = fmt::format("no {}", settings.parts),
                          .needs = "a body that has them",
                          .remedy = "build one with 'sinew build'"});
    }
    make_output_folder(settings.output);
    Names files;
    for (const MeshPart& part : parts) {
        const fs::path file = fs::path(settings.output) / (part.name + ".ply");
        context.progress.check_cancelled();
        write_surface(file, {&part, 1});
        files.push_back(file.string());
        note_kept(fmt::format("{} of {} surfaces are complete in '{}'", files.size(), parts.size(),
                              settings.output));
    }
    return files;
}

int run_export(const ExportSettings& settings, const Context& context,
               nlohmann::ordered_json& result) {
    if (settings.parts.empty()) {
        require_writable_place(settings.output);
    }
    const Body body = read_archive(settings.input);
    std::string written;
    ExportResult said{.output = settings.output};
    if (!settings.parts.empty()) {
        said.files = export_parts(settings, body, context);
        written = fmt::format("{} surfaces", said.files->size());
    } else {
        written = write_body_volume(settings.output, body);
        said.vertices = body.tets.points.rows();
        said.tets = body.tets.tets.rows();
    }
    add_fields(said, result);
    if (context.tells()) {
        fmt::print("{}: {}\n", settings.output, written);
    }
    return kOk;
}

}  // namespace

Verb export_verb() {
    auto settings = std::make_shared<ExportSettings>();
    return {
        .name = "export",
        .summary = "Write a body's tetrahedra with their tissues, or its surfaces",
        .examples =
            "  sinew export man.sinew -o man.vtu                 tissue, muscle, fibre per cell\n"
            "  sinew export man.sinew -o man.msh                 a group of each muscle and "
            "tissue\n"
            "  sinew export man.sinew --parts muscles -o parts   one PLY per muscle\n"
            "  sinew export man.sinew --parts envelope -o parts",
        .options = {{.name = "body",
                     .help = "the body",
                     .target = &settings->input,
                     .metavar = "FILE.sinew",
                     .is_required = true},
                    {.name = "-o,--output",
                     .help = "file of tetrahedra (.vtu, .msh, .mesh ...), or folder for --parts",
                     .target = &settings->output,
                     .metavar = "OUT",
                     .is_required = true},
                    {.name = "--parts",
                     .help = "write these surfaces as PLY instead",
                     .target = &settings->parts,
                     .choices = {"muscles", "bones", "skin", "envelope"}}},
        .run =
            [settings](const Context& context, nlohmann::ordered_json& result) {
                return run_export(*settings, context, result);
            },
        .describe =
            [](nlohmann::ordered_json& definitions) {
                add_schema("result", ExportResult{}, SchemaOf::Result, definitions);
            }};
}

}  // namespace sinew::cli
