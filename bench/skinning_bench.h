#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew::bench {

struct SkinningBenchOptions {
    int vertices = 4600;       ///< of the simulated skin, about
    int frames = 60;           ///< timed, per kind of run
    bool with_scaling = true;  ///< also sizes from 1k to 60k vertices
};

/// Frames per second are of the simulation alone, with the threads allowed now.
struct SkinningBench {
    int simulated_vertices = 0;
    int tets = 0;
    int fine_vertices = 0;
    int threads = 0;
    double fps = 0.0;            ///< frames of the simulated skin
    double fps_upsampled = 0.0;  ///< with positions of the fine skin
    double local_ms = 0.0;       ///< of a frame: projections
    double global_ms = 0.0;      ///< of a frame: linear systems
    double preprocess_s = 0.0;   ///< bones, flesh, factor
    double upsampling_s = 0.0;   ///< weights, once
    std::vector<int> scaling_vertices = {};
    std::vector<double> scaling_ms = {};
    double scaling_exponent = 0.0;  ///< 1: linear in vertices
};

/// A person of capsules, and its skeleton.
CharacterSkeleton capsule_person();
TriangleMesh capsule_person_skin(double cell);

SkinningBench run_skinning_bench(const SkinningBenchOptions& options = {},
                                 const Progress& progress = {});

}  // namespace sinew::bench
