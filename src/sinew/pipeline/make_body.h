#pragma once

#include "sinew/base/progress.h"
#include "sinew/build/body_builder.h"
#include "sinew/build/figure.h"

#include <filesystem>
#include <string>

namespace sinew {

struct MakeBodyOptions {
    FigureOptions figure = {};  ///< of the built-in figure
    BodyOptions body = {};
    std::filesystem::path cache = {};  ///< folder of finished stages; empty: none
    std::string command = {};          ///< for the provenance
};

struct MadeBody {
    Body body = {};
    bool was_cached = false;  ///< nothing had to be made
    double seconds = 0.0;
};

/// Grid cells of the figure that suit a resolution: a preview shows less and is made faster.
FigureOptions figure_for(FigureOptions options, BodyResolution resolution);

/// The built-in figure as a body ready for simulation: figure, volume, tissues. Each stage is
/// looked up in the cache by what it depends on (the table's files, options, the program) and kept
/// there.
/// @throws InputError  as the stages do; Cancelled
MadeBody make_body(const MakeBodyOptions& options, const Progress& progress = {});

/// A Template as the cache keeps it, and back.
Body body_from_template(const Template& anatomy);
Template template_from_body(Body body);

}  // namespace sinew
