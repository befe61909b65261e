#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/tet_mesh.h"

#include <vector>

namespace sinew::bench {

struct SolverBenchOptions {
    double cell = 0.01085;         ///< edge of the lattice, m; the default gives some 76k vertices
    int iterations = 20;           ///< local/global iterations that are timed
    bool with_baseline = true;     ///< also the reference implementation
    bool with_scaling = true;      ///< also sizes from 5k to 200k vertices
    bool with_convergence = true;  ///< also energies against the converged state
};

/// Times are medians over iterations, all with the threads allowed now unless said otherwise.
struct SolverBench {
    int vertices = 0;
    int tets = 0;
    int threads = 0;
    double iteration_ms = 0.0;
    double local_ms = 0.0;   ///< projections and forces of all terms
    double global_ms = 0.0;  ///< one solve with three right-hand sides
    double rhs_ms = 0.0;     ///< of local_ms: summing forces at the vertices
    double factor_s = 0.0;   ///< ordering, analysis and factorisation
    double factor_nonzeros = 0.0;
    double baseline_iteration_ms = 0.0;
    double baseline_factor_s = 0.0;
    double speedup = 0.0;            ///< baseline_iteration_ms / iteration_ms
    double bandwidth_gbs = 0.0;      ///< reading, one thread
    double global_over_bound = 0.0;  ///< one thread, against two passes over L at that bandwidth
    double global_one_thread_ms = 0.0;
    double local_mtets_per_s = 0.0;  ///< strain and volume, gather and scatter included
    double memory_mb = 0.0;          ///< peak of the process before the baseline ran
    double scaling_exponent = 0.0;   ///< of iteration time in the number of vertices
    std::vector<int> scaling_vertices = {};
    std::vector<double> scaling_ms = {};
    double energy_error_after_10 = 0.0;  ///< relative to the converged energy, accelerated
    int plain_iterations_to_permille = 0;
    int accelerated_iterations_to_permille = 0;
};

/// A figure of capsules filled with a lattice of tetrahedra: the size and elongated shape of a
/// body.
TetMesh lattice_body(double cell);

SolverBench run_solver_bench(const SolverBenchOptions& options = {}, const Progress& progress = {});

/// What a user would write: Eigen's SimplicialLDLT in double with METIS ordering, JacobiSVD,
/// OpenMP loops; positions from a right-hand side assembled in order.
struct BaselineTimes {
    double factor_s = 0.0;
    double iteration_ms = 0.0;
};
struct BaselineScene {
    const TetMesh& rest;
    double rotation_weight;
    double volume_weight;
    const Tets& bone_corners;  ///< samples at tetrahedron centres
    const Points& bone_targets;
    double bone_weight;
    int iterations;
    int threads;
};
BaselineTimes run_baseline(const BaselineScene& scene);

}  // namespace sinew::bench
