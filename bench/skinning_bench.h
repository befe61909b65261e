#pragma once

#include "sinew/base/progress.h"

#include <string>
#include <vector>

namespace sinew::bench {

struct SkinningBenchOptions {
    int vertices = 4600;       ///< of the simulated skin, about
    int frames = 60;           ///< timed, per kind of run
    bool with_scaling = true;  ///< also sizes from 1k to 60k vertices
};

/// One method in one pose.
struct SkinComparison {
    std::string pose;
    std::string method;
    double volume_error = 0.0;      ///< of what the skin encloses, against rest; 0: none
    double deepest = 0.0;           ///< m, of the skin inside of itself
    double mean_penetration = 0.0;  ///< m, of vertices inside
};

/// A forearm bent by 2 rad and twisted by 2.6 rad, by linear blending, dual quaternions and flesh
/// without and with collisions.
std::vector<SkinComparison> compare_skinning();

/// Frames per second are of the simulation alone, with the threads allowed now; each frame counts
/// with the least time of several rounds. Those with local collisions and upsampled are the plain
/// ones over what paired blocks of frames say these add.
struct SkinningBench {
    int simulated_vertices = 0;
    int tets = 0;
    int fine_vertices = 0;
    int threads = 0;
    double fps = 0.0;  ///< frames of the simulated skin
    double fps_local_collisions = 0.0;
    double fps_global_collisions = 0.0;
    double mean_penetration_none = 0.0;  ///< of vertices inside, in any frame, m
    double mean_penetration_local = 0.0;
    double mean_penetration_global = 0.0;
    double max_penetration_global = 0.0;
    double fps_upsampled = 0.0;       ///< with positions of the fine skin
    double local_slowdown = 0.0;      ///< what local collisions add to a frame, share of it
    double upsampling_share = 0.0;    ///< the same of upsampling
    double local_ms = 0.0;            ///< of a frame: projections
    double global_ms = 0.0;           ///< of a frame: linear systems
    double preprocess_s = 0.0;        ///< bones, flesh, factor
    double preprocess_local_s = 0.0;  ///< that, and pairs for collisions
    double upsampling_s = 0.0;        ///< weights, once
    std::vector<SkinComparison> comparison = {};
    std::vector<int> scaling_vertices = {};
    std::vector<double> scaling_ms = {};
    double scaling_exponent = 0.0;  ///< 1: linear in vertices
};

SkinningBench run_skinning_bench(const SkinningBenchOptions& options = {},
                                 const Progress& progress = {});

}  // namespace sinew::bench
