#pragma once

#include "sinew/base/progress.h"
#include "sinew/build/body_builder.h"
#include "sinew/build/segment_masses.h"

#include <optional>
#include <string>
#include <vector>

#include "bench/fibre_course.h"
#include "bench/figure_atlas.h"

namespace sinew::bench {

struct TemplateBenchOptions {
    bool with_standard = true;  ///< else the preview only
};

/// One body, built without a cache, then once more with one that is filled.
struct BuiltBody {
    std::string resolution;
    double seconds = 0.0;
    double cached_seconds = 0.0;
    double memory_mb = 0.0;  ///< peak of the process until then
    long vertices = 0;
    long tets = 0;
    long skin_vertices = 0;
    double mass = 0.0;      ///< kg
    double body_fat = 0.0;  ///< of the mass
    BodyQuality quality = {};
    double closed_parts = 0.0;        ///< share of bones and muscles that are closed 2-manifolds
    double aligned_muscles = 0.0;     ///< share whose fibres follow their strokes, 25 degrees mean
    double aligned_end_to_end = 0.0;  ///< whose streamlines' ends follow the centre line's
    std::vector<FibreCourse> fibres = {};
    std::vector<SegmentShare> segments = {};
};

struct FigureAgainstAtlas {
    VolumesAgainstAtlas volumes = {};
    SkinAgainstAtlas skin = {};
    std::vector<JointAgainstAtlas> joints = {};
};
/// Nothing where the environment variable SINEW_SHARED names no folder with an atlas/.
std::optional<FigureAgainstAtlas> compare_with_shared_atlas(const Progress& progress = {});

std::vector<BuiltBody> run_template_bench(const TemplateBenchOptions& options = {},
                                          const Progress& progress = {});

}  // namespace sinew::bench
