#include "bench/solver_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/linalg/cholesky.h"
#include "sinew/solver/local_global.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "bench/solver_scene.h"

namespace sinew::bench {
namespace {

double peak_memory_mb() {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with("VmHWM:")) {
            return std::stod(line.substr(6)) / 1024.0;
        }
    }
    return 0.0;
}

// Seconds from one iterate to the next.
class IterationClock {
public:
    IterationCallback callback() {
        return [this](int, const Points&) {
            const double now = timer_.seconds();
            if (last_ > 0.0) {
                samples_.push_back(now - last_);
            }
            last_ = now;
        };
    }
    double median_ms() const {
        return 1e3 * median(samples_);
    }
    void pause() {
        last_ = 0.0;
    }

private:
    Timer timer_;
    double last_ = 0.0;
    std::vector<double> samples_;
};

struct Timed {
    double iteration_ms = 0.0, local_ms = 0.0, global_ms = 0.0, rhs_ms = 0.0, tets_ms = 0.0;
};

// Runs of a few iterations, each from the shape at rest towards the grown one.
Timed time_iterations(const BodyScene& scene, LocalGlobal& solver, int iterations, int window) {
    constexpr int kPerRun = 6;
    const LocalGlobalOptions options{
        .max_iterations = kPerRun, .tolerance = 1e-12, .window = window};
    IterationClock clock;
    std::vector<double> local, global, rhs, tets;
    Points x = scene.mesh.points;
    solver.minimise(x, options);  // warms up
    for (int done = 0; done < iterations; done += kPerRun) {
        x = scene.mesh.points;
        clock.pause();
        const LocalGlobalReport report = solver.minimise(x, options, {}, clock.callback());
        const double evaluations = report.iterations + report.shortened + report.refused + 1;
        const double project = report.tets.project / evaluations;
        local.push_back(report.seconds_local / evaluations);
        global.push_back(report.seconds_global / std::max(1, report.iterations));
        rhs.push_back(report.tets.sum / evaluations);
        tets.push_back(project + rhs.back());
    }
    return {clock.median_ms(), 1e3 * median(local), 1e3 * median(global), 1e3 * median(rhs),
            1e3 * median(tets)};
}

SparseSymmetric matrix_of(const BodyScene& scene) {
    Triplets triplets(static_cast<int>(scene.mesh.points.rows()));
    for (const auto& term : scene.terms()) {
        term->add_quadratic(triplets);
    }
    return assemble(triplets);
}

// Factorisation alone, and solves on one thread against the bandwidth bound.
void time_factor(const SparseSymmetric& A, SolverBench& bench) {
    const Timer timer;
    SparseCholesky cholesky(A);
    const double analysed = timer.seconds();
    cholesky.factor(A);
    bench.factor_s = timer.seconds();
    bench.refactor_s = bench.factor_s - analysed;
    bench.factor_nonzeros = static_cast<double>(cholesky.nonzeros());
    const ThreadLimit one(1);
    auto workspace = cholesky.make_workspace();
    const std::vector<double> b(3 * static_cast<std::size_t>(A.size), 1.0);
    std::vector<double> x(b.size());
    std::vector<double> samples;
    for (int k = 0; k < 20; ++k) {
        const Timer solve;
        cholesky.solve(b, 3, x, workspace);
        samples.push_back(solve.seconds());
    }
    bench.global_one_thread_ms = 1e3 * median(samples);
    bench.bandwidth_gbs = read_bandwidth();
    const double bound_ms = bench.factor_nonzeros * 4.0 * 2.0 / (bench.bandwidth_gbs * 1e9) * 1e3;
    bench.global_over_bound = bench.global_one_thread_ms / bound_ms;
}

// Slope of log(y) over log(x) by least squares.
double fitted_exponent(const std::vector<int>& x, const std::vector<double>& y) {
    const auto count = static_cast<double>(x.size());
    double mean_x = 0.0, mean_y = 0.0, covariance = 0.0, variance = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        mean_x += std::log(x[k]) / count;
        mean_y += std::log(y[k]) / count;
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double dx = std::log(x[k]) - mean_x;
        covariance += dx * (std::log(y[k]) - mean_y);
        variance += dx * dx;
    }
    return covariance / variance;
}

void measure_scaling(int iterations, SolverBench& bench, const Progress& progress) {
    // Cell sizes for about 5k, 10k, 20k, 40k, 76k, 130k and 200k vertices.
    constexpr double kCells[] = {0.0285, 0.0222, 0.0174, 0.0136, 0.01085, 0.009, 0.00773};
    auto stage = progress.stage("scaling", std::size(kCells));
    for (const double cell : kCells) {
        const BodyScene scene = body_scene(cell);
        LocalGlobal solver(scene.mesh.points.rows(), scene.terms());
        scene.tets->set_growth(scene.growth);
        const Timed t = time_iterations(scene, solver, iterations, 0);
        bench.scaling_vertices.push_back(static_cast<int>(scene.mesh.points.rows()));
        bench.scaling_ms.push_back(t.iteration_ms);
        stage.advance();
    }
    bench.scaling_exponent = fitted_exponent(bench.scaling_vertices, bench.scaling_ms);
}

}  // namespace

double read_bandwidth() {
    const std::size_t count = std::size_t{1} << 25;
    const std::vector<float> big(count, 1.0f);
    double best = 1e300;
    float keep = 0.0f;
    for (int k = 0; k < 8; ++k) {
        const Timer timer;
        float sum[64] = {};
        for (std::size_t i = 0; i < count; i += 64) {
            for (std::size_t j = 0; j < 64; ++j) {
                sum[j] += big[i + j];
            }
        }
        // All sums are used, so that no part of the loop is removed.
        for (const float s : sum) {
            keep += s;
        }
        best = std::min(best, timer.seconds());
    }
    return static_cast<double>(count) * 4.0 / best / 1e9 + (keep < 0.0f ? 1.0 : 0.0);
}

#ifndef SINEW_BENCH_CHOLMOD
std::optional<OtherSolver> run_cholmod(int, std::span<const std::int64_t>, std::span<const int>,
                                       std::span<const double>) {
    return std::nullopt;
}
#endif

SolverBench run_solver_bench(const SolverBenchOptions& options, const Progress& progress) {
    SolverBench bench;
    auto stage = progress.stage("solver bench", 4);
    bench.threads = thread_count();
    const BodyScene scene = body_scene(options.cell);
    bench.vertices = static_cast<int>(scene.mesh.points.rows());
    bench.tets = static_cast<int>(scene.mesh.tets.rows());
    const SparseSymmetric A = matrix_of(scene);
    time_factor(A, bench);
    stage.advance();
    {
        LocalGlobal solver(scene.mesh.points.rows(), scene.terms());
        scene.tets->set_growth(scene.growth);
        const Timed t = time_iterations(scene, solver, options.iterations, 0);
        bench.iteration_ms = t.iteration_ms;
        bench.local_ms = t.local_ms;
        bench.global_ms = t.global_ms;
        bench.rhs_ms = t.rhs_ms;
        bench.local_mtets_per_s = bench.tets / t.tets_ms / 1e3;
        bench.accelerated_iteration_ms =
            time_iterations(scene, solver, options.iterations, LocalGlobalOptions{}.window)
                .iteration_ms;
        bench.memory_mb = peak_memory_mb();
    }
    stage.advance();
    if (options.with_baseline) {
        const std::optional<BaselineTimes> baseline =
            run_baseline({scene.mesh, BodyScene::kRotation, BodyScene::kVolume, scene.bone_corners,
                          scene.bone_targets, BodyScene::kBone, std::max(5, options.iterations / 3),
                          bench.threads});
        if (baseline) {
            bench.has_baseline = true;
            bench.baseline_factor_s = baseline->factor_s;
            bench.baseline_iteration_ms = baseline->iteration_ms;
            bench.speedup = baseline->iteration_ms / bench.iteration_ms;
        }
        bench.cholmod = run_cholmod(A.size, A.start, A.column, A.value);
    }
    stage.advance();
    if (options.with_scaling) {
        measure_scaling(std::min(options.iterations, 12), bench, progress);
    }
    stage.advance();
    return bench;
}

}  // namespace sinew::bench
