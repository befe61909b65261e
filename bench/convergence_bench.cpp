#include "bench/convergence_bench.h"

#include "sinew/base/timer.h"
#include "sinew/energy/pins.h"
#include "sinew/solver/local_global.h"

#include <algorithm>

#include "bench/solver_scene.h"

namespace sinew::bench {
namespace {

constexpr int kIterations = 160;

void trace(const BodyScene& scene, LocalGlobal& solver, int window, double minimum,
           ConvergenceCurve& curve) {
    Points x = scene.mesh.points;
    const LocalGlobalReport report =
        solver.minimise(x, {.max_iterations = kIterations, .tolerance = 1e-9, .window = window});
    for (const double e : report.energy) {
        curve.error.push_back(e / minimum - 1.0);
    }
    const auto first_within = [&](double level) {
        const auto it = std::find_if(curve.error.begin(), curve.error.end(),
                                     [&](double e) { return e <= level; });
        return static_cast<int>(it - curve.error.begin());
    };
    curve.to_percent = first_within(1e-2);
    curve.to_permille = first_within(1e-3);
    curve.seconds = report.seconds_total;
}

}  // namespace

ConvergenceBench run_convergence_bench(double cell, const Progress& progress) {
    auto stage = progress.stage("convergence bench", 5);
    const BodyScene scene = body_scene(cell);
    ConvergenceBench bench;
    bench.vertices = static_cast<int>(scene.mesh.points.rows());
    LocalGlobal solver(scene.mesh.points.rows(), scene.terms());
    scene.tets->set_growth(scene.growth);

    Points x = scene.mesh.points;
    bench.minimum =
        solver.minimise(x, {.max_iterations = 400, .tolerance = 1e-7, .window = 8}).energy.back();
    stage.advance();
    const int window = LocalGlobalOptions{}.window;
    trace(scene, solver, 0, bench.minimum, bench.rest_plain);
    stage.advance();
    trace(scene, solver, window, bench.minimum, bench.rest_accelerated);
    stage.advance();
    const Timer timer;
    solver.refactor();
    bench.refactor_s = timer.seconds();
    trace(scene, solver, 0, bench.minimum, bench.exact_plain);
    stage.advance();
    trace(scene, solver, window, bench.minimum, bench.exact_accelerated);
    stage.advance();
    return bench;
}

ChangingBench run_changing_bench(double cell, const Progress& progress) {
    const BodyScene scene = body_scene(cell);
    ChangingBench bench;
    bench.vertices = static_cast<int>(scene.mesh.points.rows());
    Triplets triplets(bench.vertices);
    for (const auto& term : scene.terms()) {
        term->add_quadratic(triplets);
    }
    const SparseSymmetric A = assemble(triplets);
    SparseCholesky factor(A);
    factor.factor(A);
    auto workspace = factor.make_workspace();
    std::vector<int> number(static_cast<std::size_t>(bench.vertices));
    for (std::size_t v = 0; v < number.size(); ++v) {
        number[v] = static_cast<int>(v);
    }
    LowRankSystem system(A, factor, number);
    std::vector<double> f(3 * number.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        f[i] = std::sin(0.37 * static_cast<double>(i));
    }
    std::vector<double> d(f.size());
    const auto solve_ms = [&](int repeats) {
        std::vector<double> samples;
        for (int k = 0; k < repeats; ++k) {
            const Timer timer;
            system.solve(f, d, workspace);
            samples.push_back(1e3 * timer.seconds());
        }
        return median(samples);
    };
    bench.plain_solve_ms = solve_ms(9);

    // Contacts in patches, ten times as stiff as the flesh around them.
    double mean_diagonal = 0.0;
    for (int i = 0; i < A.size; ++i) {
        for (auto e = A.start[number[i]]; e < A.start[number[i] + 1]; ++e) {
            mean_diagonal += A.column[e] == i ? A.value[e] / A.size : 0.0;
        }
    }
    constexpr int kRows[] = {3, 12, 48, 192, 768};
    auto stage = progress.stage("changing constraints bench", std::size(kRows));
    for (const int rows : kRows) {
        ChangingTimes t{.rows = rows};
        std::vector<Index> vertices;
        for (int i = 0; i < rows; ++i) {
            constexpr int kPatch = 24;
            const std::int64_t patch = i / kPatch;
            vertices.push_back(static_cast<Index>((patch * 7919 + i % kPatch) % bench.vertices));
        }
        const Pins anchors(
            vertices, Points::Zero(rows, 3),
            std::vector<double>(static_cast<std::size_t>(rows), 10.0 * mean_diagonal));
        const ProjectiveConstraints* lists[] = {&anchors};
        const auto change_ms = [&](ChangingMethod method) {
            const Timer timer;
            system.set_rows(lists, method, workspace);
            return 1e3 * timer.seconds();
        };
        t.woodbury_change_ms = change_ms(ChangingMethod::Woodbury);
        t.woodbury_solve_ms = solve_ms(5);
        t.second_change_ms = change_ms(ChangingMethod::SecondMatrix);
        t.second_solve_ms = solve_ms(5);
        change_ms(ChangingMethod::ConjugateGradient);
        t.gradient_solve_ms = solve_ms(5);
        t.gradient_steps = system.steps();
        bench.times.push_back(t);
        stage.advance();
    }
    return bench;
}

}  // namespace sinew::bench
