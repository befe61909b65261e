#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/atlas.h"
#include "sinew/build/body_builder.h"
#include "sinew/build/figure.h"

#include <filesystem>
#include <string>

namespace sinew {

struct MakeBodyOptions {
    std::filesystem::path atlas = {};  ///< folder with an atlas.json; empty: the built-in figure
    FigureOptions figure = {};         ///< of the built-in figure
    BodyOptions body = {};
    std::filesystem::path cache = {};  ///< folder of finished stages; empty: none
    std::string command = {};          ///< for the provenance
};

struct MadeBody {
    Body body = {};
    std::string archive = {};  ///< its bytes, where they went to the cache
    bool was_cached = false;   ///< nothing had to be made
    double seconds = 0.0;
    AtlasReport atlas = {};  ///< what became of an atlas's parts; empty where it was cached
};

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
