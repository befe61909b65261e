#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/atlas.h"
#include "sinew/build/body_builder.h"
#include "sinew/build/figure.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// Whose muscles a body has: those of the man that the figure was measured on (or of the atlas), or
/// those of people of its sex, stature and mass (growth/muscle_sizing.h). Auto: of people for the
/// built-in human, of the atlas for an atlas, which may be part of a body.
enum class MuscleSource { Auto, Specimen, People };

struct MakeBodyOptions {
    std::string atlas = {};     ///< folder with an atlas.json; empty: the built-in figure
    FigureOptions figure = {};  ///< of the built-in figure
    BodyOptions body = {};
    std::string shape = "specimen";  ///< of the built-in figure: shape_choice (shaped_body.h)
    MuscleSource muscles = MuscleSource::Auto;
    std::filesystem::path cache = {};  ///< folder of finished stages; empty: none
    std::string command = {};          ///< for the provenance
};

/// The job of `sinew build`.
template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MakeBodyOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.atlas, Field{.name = "from",
                     .help = "folder of an anatomical atlas with its atlas.json (docs/formats.md); "
                             "else the built-in human",
                     .is_path = true,
                     .metavar = "DIR"});
    v(o.muscles, Field{.name = "muscles",
                       .help = "sizes of the muscles: of people of this sex, stature and mass, or "
                               "of the specimen that was measured; auto: of people, but of an "
                               "atlas as they are",
                       .choices = {"auto", "specimen", "people"}});
    visit_fields(o.body, v);
    v(o.shape, Field{.name = "shape",
                     .help = "of the built-in human: specimen (as measured), mean (of people), or "
                             "sliders from the mean, 1 to 12, in standard deviations: 1=2,3=-0.5",
                     .metavar = "SHAPE"});
    // Grid cells follow from the resolution: figure_for.
    visit_fields(o.figure, [&](auto& value, const Field& field) {
        if (!field.name.ends_with("_cell") && field.name != "simplify") {
            v(value, field);
        }
    });
}
/// @throws InputError  for values out of range, and for options of the built-in human with an atlas
void check_make_body(const MakeBodyOptions& options);

struct MadeBody {
    Body body = {};
    std::string archive = {};  ///< its bytes, where they went to the cache
    bool was_cached = false;   ///< nothing had to be made
    double seconds = 0.0;
    AtlasReport atlas = {};  ///< what became of an atlas's parts; empty where it was cached
};

/// What `sinew build --json` says.
struct BuildSummary {
    struct Unused {
        std::string name;
        std::string reason;
    };
    std::string output;
    std::size_t vertices = 0;
    std::size_t tets = 0;
    std::size_t skin_vertices = 0;
    std::size_t muscles = 0;
    std::size_t bones = 0;
    double mass = 0.0;
    double stature = 0.0;
    double body_fat = 0.0;
    std::vector<Unused> unused = {};
    bool was_cached = false;
    double seconds = 0.0;
};
BuildSummary summary_of(const MadeBody& made);

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, BuildSummary::Unused>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the atlas's part"});
    v(o.reason, Field{.name = "reason", .help = "why it is not used"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, BuildSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.vertices, Field{.name = "vertices", .help = "of the tetrahedra"});
    v(o.tets, Field{.name = "tets", .help = "tetrahedra"});
    v(o.skin_vertices, Field{.name = "skin_vertices", .help = "vertices of the skin"});
    v(o.muscles, Field{.name = "muscles", .help = "number of muscles"});
    v(o.bones, Field{.name = "bones", .help = "number of bones"});
    v(o.mass, Field{.name = "mass_kg", .help = "of the body", .unit = "kg"});
    v(o.stature, Field{.name = "stature_m", .help = "height", .unit = "m"});
    v(o.body_fat, Field{.name = "body_fat", .help = "fraction of the mass"});
    v(o.unused, Field{.name = "unused", .help = "parts of an atlas that are not in the body"});
    v(o.was_cached, Field{.name = "cached", .help = "nothing had to be made"});
    v(o.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
}

/// Grid cells of the figure that suit a resolution: a preview shows less and is made faster.
FigureOptions figure_for(FigureOptions options, BodyResolution resolution);

/// The built-in figure or an atlas as a body ready for simulation: anatomy, volume, tissues. Each
/// stage is looked up in the cache by what it depends on (the files of the table or atlas, options,
/// the program) and kept there. Parts of an atlas that cannot be used are listed in the body's
/// provenance.
/// @throws InputError  as the stages do; Cancelled
MadeBody make_body(const MakeBodyOptions& options, const Progress& progress = {});

/// The same person at preview resolution, for what must be quick: built from the body's own skin,
/// bones and muscles, and looked up in the cache like the stages above.
Body preview_of(const Body& body, const std::filesystem::path& cache,
                const Progress& progress = {});

/// A Template as the cache keeps it, and back.
Body body_from_template(const Template& anatomy);
Template template_from_body(Body body);

}  // namespace sinew
