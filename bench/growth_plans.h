#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::bench {

/// One plan of muscles: what was reported, and what is in the file that was written.
struct PlanBench {
    std::string plan;
    int iterations = 0;
    bool is_converged = false;
    bool is_reached = false;
    double reported_muscle = 0.0;  ///< bellies that were asked to change, l
    double written_muscle = 0.0;   ///< the same from tetrahedra and fractions of the file, l
    double median_error = 0.0;     ///< of bellies in the file against alpha^2
    double worst_error = 0.0;
    std::string worst_muscle;
    double mesh_error = 0.0;  ///< of surfaces against tetrahedra of the file, worst above 2 ml
    long inverted = 0;        ///< tetrahedra of the file
    long crossing = 0;        ///< pairs of its skin triangles
};

/// All muscles by 0.6, 1.6 and 1.8, quadriceps and adductors by 1.6 and 1.8: grown, written, read
/// back and measured.
/// @param file  is written and removed again
std::vector<PlanBench> run_growth_plans(const Body& body, const std::filesystem::path& file,
                                        const Progress& progress = {});

/// A slider of all muscles that is pulled from 1 to 1.3 by 0.02, with one iteration for each step.
struct SliderBench {
    int steps = 0;
    double step_ms = 0.0;        ///< new parameters and one iteration, the mean
    double skin_error_mm = 0.0;  ///< mean over the skin at the end of the pull, against convergence
    double first_error_mm = 0.0;  ///< the same after the first step
    int jump_iterations = 0;      ///< at once from 1 to 1.3: until the skin is within 0.5 mm
    /// The same with what is foreseen (growth/muscle_responses.h), new parameters and one
    /// iteration.
    struct Foreseen {
        std::string plan;
        double moved_mm = 0.0;  ///< mean over the skin, from rest to convergence
        double error_mm = 0.0;  ///< at once from rest, against convergence
        double plain_mm = 0.0;  ///< without what is foreseen
        double ms = 0.0;
    };
    double learning_s = 0.0;  ///< once per body, in idle time
    double foreseen_step_ms = 0.0;
    double foreseen_error_mm = 0.0;  ///< at the end of the pull
    std::vector<Foreseen> foreseen = {};
};
SliderBench run_slider_bench(const Body& body, const Progress& progress = {});

}  // namespace sinew::bench
