#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/tet_mesh.h"

#include <optional>
#include <span>
#include <vector>

namespace sinew::bench {

struct SolverBenchOptions {
    double cell = 0.01085;      ///< edge of the lattice, m; the default gives some 76k vertices
    int iterations = 24;        ///< local/global iterations that are timed
    bool with_baseline = true;  ///< also the reference implementation
    bool with_scaling = true;   ///< also sizes from 5k to 200k vertices
};

/// A sparse solver for comparison: factorisation, and one solve with three right-hand sides.
struct OtherSolver {
    double factor_s = 0.0;
    double solve_ms = 0.0;
    double nonzeros = 0.0;
};

/// Times are medians, all with the threads allowed now unless said otherwise.
struct SolverBench {
    int vertices = 0;
    int tets = 0;
    int threads = 0;
    double iteration_ms = 0.0;              ///< from one plain iterate to the next, all included
    double accelerated_iteration_ms = 0.0;  ///< the same with Anderson acceleration
    double local_ms = 0.0;                  ///< projections and forces of all terms
    double global_ms = 0.0;                 ///< one solve with three right-hand sides
    double rhs_ms = 0.0;                    ///< of local_ms: summing forces at the vertices
    double factor_s = 0.0;                  ///< ordering, analysis and factorisation
    double refactor_s = 0.0;                ///< of which the numbers alone
    double factor_nonzeros = 0.0;
    bool has_baseline = false;  ///< false: not asked for, or built without OpenMP
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
    std::optional<OtherSolver> cholmod = {};  ///< where Sinew was built with it
};

SolverBench run_solver_bench(const SolverBenchOptions& options = {}, const Progress& progress = {});

/// How fast memory can be read in order by one thread, GB/s.
double read_bandwidth();

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
/// Nothing where the compiler has no OpenMP.
std::optional<BaselineTimes> run_baseline(const BaselineScene& scene);

/// The same matrix by CHOLMOD's supernodal factorisation in double, METIS ordering; nothing unless
/// built with SINEW_BENCH_CHOLMOD. CHOLMOD's supernodal part is under the GPL, so no default build
/// contains it.
/// @param start, column, value  all rows of the symmetric matrix
std::optional<OtherSolver> run_cholmod(int size, std::span<const std::int64_t> start,
                                       std::span<const int> column, std::span<const double> value);

}  // namespace sinew::bench
