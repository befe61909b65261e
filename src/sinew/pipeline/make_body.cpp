#include "sinew/pipeline/make_body.h"

#include "sinew/base/error.h"
#include "sinew/base/run_both.h"
#include "sinew/base/timer.h"
#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/growth/muscle_sizing.h"
#include "sinew/io/archive.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/muscle_size_files.h"
#include "sinew/io/settings_json.h"
#include "sinew/pipeline/atlas_template.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/shaped_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

// The built-in human or an atlas as a body, in stages that are kept in a cache: anatomy, volume,
// tissues. The key of a stage is all that it depends on, files by their content, options by their
// fields, and the program itself; a stage that is found is not made again, and equal keys give
// equal bytes.

namespace sinew {

namespace fs = std::filesystem;

namespace {

/// Names and contents of all files of a folder.
std::string folder_key(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
        std::error_code is_broken_link;
        if (entry.is_regular_file(is_broken_link)) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::string all;
    for (const fs::path& file : files) {
        all += fmt::format("{} {}\n", fs::relative(file, folder).string(), file_hash_text(file));
    }
    return content_hash_text(all);
}

void require_folder(const fs::path& folder, bool is_atlas) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        throw InputError({.where = folder.string(),
                          .found = "no folder of this name",
                          .needs = "a folder with an atlas.json",
                          .remedy = "check the path; docs/formats.md describes the layout"});
    }
    if (is_atlas && !fs::is_regular_file(folder / "atlas.json", error)) {
        throw InputError({.where = folder.string(),
                          .found = "no atlas.json in it",
                          .needs = "a folder with an atlas.json",
                          .remedy = "write one; docs/formats.md describes it"});
    }
}

template <class Options>
std::string options_key(const std::string& before, const Options& options) {
    return content_hash_text(before + settings_to_json(options));
}

/// Parts that could not be used, for people.
void note_unused(const AtlasReport& report, Template& anatomy, const Progress& progress) {
    for (const AtlasPartReport& part : report.parts) {
        if (!part.is_used) {
            std::string note =
                fmt::format("not used: {} '{}': {}", name_of(part.kind), part.name, part.reason);
            progress.warn(note);
            anatomy.provenance.notes.push_back(std::move(note));
        }
    }
}

/// An atlas has one skin: the plain one is empty.
FigureWithPlainSkin read_or_build(const MakeBodyOptions& options, const Progress& progress,
                                  AtlasReport& report) {
    if (options.atlas.empty()) {
        return build_figure_with_plain_skin(read_figure(data_folder() / "figure"), options.figure,
                                            progress);
    }
    Template anatomy = read_atlas_template(options.atlas, {}, {}, progress, report);
    note_unused(report, anatomy, progress);
    return {.figure = std::move(anatomy), .plain_skin = {}};
}

/// From the anatomy, which goes to the cache meanwhile where it is new.
BodyVolume volume_of(const MakeBodyOptions& options, const std::string& anatomy_key,
                     const BodyCache& cache, const Progress& progress, AtlasReport& report) {
    if (std::optional<Body> kept = cache.find("anatomy", anatomy_key, progress)) {
        const TriangleMesh plain =
            options.atlas.empty()
                ? plain_figure_skin(read_figure(data_folder() / "figure"), options.figure)
                : TriangleMesh();
        return build_volume(template_from_body(std::move(*kept)), plain, options.body, progress);
    }
    const auto [anatomy, plain_skin] = read_or_build(options, progress, report);
    BodyVolume volume;
    std::vector<std::string> warnings;  // given by this thread: a sink hears one at a time
    const Progress aside = progress_from_callback([&](const ProgressEvent& event) {
        if (event.kind == ProgressEvent::Kind::Message) {
            warnings.emplace_back(event.text);
        }
    });
    run_both(
        [&, &anatomy = anatomy, &plain_skin = plain_skin] {
            volume = build_volume(anatomy, plain_skin, options.body, progress);
        },
        [&, &anatomy = anatomy] {
            cache.keep("anatomy", anatomy_key, body_from_template(anatomy), aside);
        });
    for (const std::string& warning : warnings) {
        progress.warn(warning);
    }
    return volume;
}

BodyVolume made_volume(const MakeBodyOptions& options, const std::string& anatomy_key,
                       const std::string& key, const BodyCache& cache, const Progress& progress,
                       AtlasReport& report) {
    // Of a preview it is made about as fast as it is read.
    const bool is_kept = options.body.resolution != BodyResolution::Preview;
    if (std::optional<Body> kept =
            is_kept ? cache.find("volume", key, progress) : std::optional<Body>{}) {
        return {.body = std::move(*kept), .fields = {}};
    }
    BodyVolume volume = volume_of(options, anatomy_key, cache, progress, report);
    if (is_kept) {
        cache.keep("volume", key, volume.body, progress);
    }
    return volume;
}

/// Muscles of people in place of the specimen's.
Body with_people_sizes(const Body& body, const Progress& progress) {
    const MuscleSizes sizes = known_muscle_sizes();
    SizedMuscles sized = with_muscles_of_people(body, sizes, progress);
    sized.body.skeleton.segments = weigh_segments(sized.body);
    sized.body.provenance.notes.push_back(std::string(kMuscleSizesNote) + sizes.source);
    if (!sized.report.is_converged) {
        progress.warn(fmt::format("muscles of people did not settle in {} iterations",
                                  sized.report.iterations));
    }
    return std::move(sized.body);
}

}  // namespace

void check_make_body(const MakeBodyOptions& options) {
    check_ranges(options, "build");
    if (!shape_choice(options.shape).is_specimen &&
        (!options.atlas.empty() || options.figure.pose != FigurePose::A ||
         options.figure.arm_length != 1.0 || options.figure.leg_length != 1.0)) {
        throw InputError(
            {.where = "build, shape",
             .found = fmt::format("'{}' with an atlas, another pose or other limbs", options.shape),
             .needs = "the built-in human as it is",
             .remedy = "leave out the shape"});
    }
    if (!options.atlas.empty()) {
        const FigureOptions usual;
        std::vector<std::string> defaults;
        visit_fields(usual, [&](const auto& value, const Field& field) {
            defaults.push_back(detail::field_text(value, field));
        });
        std::size_t i = 0;
        visit_fields(options.figure, [&](const auto& value, const Field& field) {
            if (detail::field_text(value, field) != defaults[i++]) {
                throw InputError({.where = fmt::format("build, {}", field.name),
                                  .found = "an option of the built-in human, with an atlas",
                                  .needs = "one of the two",
                                  .remedy = "leave it out: an atlas has its own shape"});
            }
        });
    }
}

BuildSummary summary_of(const MadeBody& made) {
    const BodySummary body = summarise(made.body);
    BuildSummary summary{.vertices = body.points,
                         .tets = body.tets,
                         .skin_vertices = body.skin_vertices,
                         .muscles = body.muscles.size(),
                         .bones = body.bones.size(),
                         .mass = body.mass,
                         .stature = body.stature,
                         .body_fat = body.body_fat,
                         .was_cached = made.was_cached,
                         .seconds = made.seconds};
    for (const AtlasPartReport& part : made.atlas.parts) {
        if (!part.is_used) {
            summary.unused.push_back({part.name, part.reason});
        }
    }
    return summary;
}

FigureOptions figure_for(FigureOptions options, BodyResolution resolution) {
    if (resolution == BodyResolution::Preview) {
        options.part_cell = 0.005;
        options.thin_part_cell = 0.002;
        options.simplify = 0.0003;
        options.skin_cell = 0.006;
    }
    return options;
}

namespace {

// Somebody of another shape than the specimen, made of it.
MadeBody make_shaped(const MakeBodyOptions& asked, const Progress& progress) {
    const Timer timer;
    MakeBodyOptions plain = asked;
    plain.shape = "specimen";
    plain.figure.stature = 0.0;
    MadeBody made = make_body(plain, progress);
    made.archive.clear();
    const BodyCache cache(asked.cache);
    const std::string key = content_hash_text(
        fmt::format("{} {} {} {} {} {}", program_key(), static_cast<int>(asked.body.resolution),
                    static_cast<int>(asked.figure.sex), asked.shape, asked.figure.stature,
                    content_hash_text(archive_bytes(made.body))));
    if (std::optional<Body> kept = cache.find("shape", key, progress)) {
        made.body = std::move(*kept);
    } else {
        made.body = shaped_body(made.body, shape_choice(asked.shape), asked.figure.stature,
                                asked.cache, progress);
        cache.keep("shape", key, made.body, progress);
        made.was_cached = false;
    }
    made.body.provenance.command = asked.command;
    made.seconds = timer.seconds();
    return made;
}

}  // namespace

MadeBody make_body(const MakeBodyOptions& asked, const Progress& progress) {
    const Timer timer;
    check_make_body(asked);
    if (!shape_choice(asked.shape).is_specimen) {
        return make_shaped(asked, progress);
    }
    MakeBodyOptions options = asked;
    options.figure = figure_for(asked.figure, asked.body.resolution);
    const BodyCache cache(options.cache);
    const fs::path source =
        options.atlas.empty() ? data_folder() / "figure" : fs::path(options.atlas);
    require_folder(source, !options.atlas.empty());
    const std::string source_key = folder_key(source);
    const std::string anatomy_key =
        options.atlas.empty() ? options_key(program_key() + " figure " + source_key, options.figure)
                              : content_hash_text(program_key() + " atlas " + source_key);
    const std::string volume_key = options_key(anatomy_key + " volume", options.body);
    const bool has_people_sizes = options.muscles == MuscleSource::People ||
                                  (options.muscles == MuscleSource::Auto && options.atlas.empty());
    const std::string body_key =
        content_hash_text(volume_key + (has_people_sizes ? " body, muscles of people " +
                                                               folder_key(data_folder() / "people")
                                                         : " body"));
    MadeBody made;
    if (std::optional<Body> kept = cache.find("body", body_key, progress)) {
        made.body = std::move(*kept);
        made.was_cached = true;
    } else {
        made.body =
            fill_volume(made_volume(options, anatomy_key, volume_key, cache, progress, made.atlas),
                        options.body, progress);
        if (has_people_sizes) {
            made.body = with_people_sizes(made.body, progress);
        }
        made.body.provenance.inputs.push_back(
            {.name = options.atlas.empty() ? "figure" : "atlas", .hash = source_key});
        made.body.provenance.command = options.command;
        if (!options.cache.empty()) {
            made.archive = archive_bytes(made.body);
            cache.keep_archive("body", body_key, made.archive, progress);
        }
    }
    made.body.provenance.command = options.command;
    made.seconds = timer.seconds();
    return made;
}

Body preview_of(const Body& body, const fs::path& cache_folder, const Progress& progress) {
    const BodyCache cache(cache_folder);
    const std::string key =
        content_hash_text(program_key() + " preview " + content_hash_text(archive_bytes(body)));
    if (std::optional<Body> kept = cache.find("preview", key, progress)) {
        return std::move(*kept);
    }
    // Details of the displayed skin are too fine for its tetrahedra.
    Body finest = body;
    TriangleMesh plain_skin;
    if (body.display_skin.triangles.rows() > 0) {
        plain_skin = std::move(finest.skin.mesh);
        finest.skin.mesh = body.display_skin;
    }
    Body preview = build_body(template_from_body(std::move(finest)), plain_skin,
                              {.resolution = BodyResolution::Preview}, progress);
    cache.keep("preview", key, preview, progress);
    return preview;
}

Body body_from_template(const Template& anatomy) {
    Body body;
    body.name = anatomy.name;
    body.sex = anatomy.sex;
    body.skin.mesh = anatomy.skin;
    body.bones = anatomy.bones;
    body.muscles = anatomy.muscles;
    body.skeleton = anatomy.skeleton;
    body.landmarks = anatomy.landmarks;
    body.materials = anatomy.materials;
    body.provenance = anatomy.provenance;
    return body;
}

Template template_from_body(Body body) {
    Template anatomy;
    anatomy.name = std::move(body.name);
    anatomy.sex = body.sex;
    anatomy.skin = std::move(body.skin.mesh);
    anatomy.bones = std::move(body.bones);
    anatomy.muscles = std::move(body.muscles);
    anatomy.skeleton = std::move(body.skeleton);
    anatomy.landmarks = std::move(body.landmarks);
    anatomy.materials = std::move(body.materials);
    anatomy.provenance = std::move(body.provenance);
    return anatomy;
}

}  // namespace sinew
