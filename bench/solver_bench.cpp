#include "bench/solver_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/energy/projective_attachment.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/linalg/cholesky.h"
#include "sinew/solver/local_global.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

namespace sinew::bench {
namespace {

// As in Saito 2015, section 3.1, doubled because our energies carry a factor 1/2.
constexpr double kRotation = 200.0;
constexpr double kVolume = 2000.0;
constexpr double kBone = 200.0;

struct Capsule {
    Vec3 a, b;
    double radius;
};

std::vector<Capsule> capsules() {
    std::vector<Capsule> all = {{{0, 0.95, 0}, {0, 1.35, 0}, 0.15},
                                {{0, 1.4, 0}, {0, 1.55, 0}, 0.06},
                                {{0, 1.62, 0}, {0, 1.68, 0}, 0.09}};
    for (const double side : {-1.0, 1.0}) {
        all.push_back({{side * 0.09, 0.9, 0}, {side * 0.1, 0.5, 0}, 0.08});
        all.push_back({{side * 0.1, 0.5, 0}, {side * 0.11, 0.08, 0}, 0.055});
        all.push_back({{side * 0.11, 0.04, -0.03}, {side * 0.12, 0.04, 0.15}, 0.04});
        all.push_back({{side * 0.16, 1.38, 0}, {side * 0.45, 1.3, 0}, 0.055});
        all.push_back({{side * 0.45, 1.3, 0}, {side * 0.75, 1.25, 0}, 0.04});
    }
    return all;
}

double distance_to_axis(const Vec3& p, const Capsule& c) {
    const Vec3 d = c.b - c.a;
    const double t = std::clamp((p - c.a).dot(d) / d.squaredNorm(), 0.0, 1.0);
    return (p - c.a - t * d).norm();
}

struct Scene {
    TetMesh mesh;
    std::shared_ptr<ProjectiveTets> tets;
    std::shared_ptr<ProjectiveAttachment> bones;
    Tets bone_corners = Tets(0, 4);
    Points bone_targets = Points(0, 3);
    std::vector<Mat3> growth;
};

Scene make_scene(double cell) {
    Scene scene;
    scene.mesh = lattice_body(cell);
    const auto count = static_cast<std::size_t>(scene.mesh.tets.rows());
    const std::vector<Capsule> limbs = capsules();
    std::vector<Eigen::Index> near_bone;
    for (std::size_t t = 0; t < count; ++t) {
        Vec3 centre = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            centre +=
                0.25 * point(scene.mesh.points, scene.mesh.tets(static_cast<Eigen::Index>(t), k));
        }
        // Muscles: all that is not close to an axis grows across it by a tenth.
        std::size_t best = 0;
        double nearest = 1e300;
        for (std::size_t c = 0; c < limbs.size(); ++c) {
            const double d = distance_to_axis(centre, limbs[c]) / limbs[c].radius;
            if (d < nearest) {
                nearest = d;
                best = c;
            }
        }
        const Vec3 axis = (limbs[best].b - limbs[best].a).normalized();
        const double alpha = nearest > 0.4 ? 1.1 : 1.0;
        scene.growth.push_back(alpha * Mat3::Identity() + (1.0 - alpha) * axis * axis.transpose());
        if (nearest < 0.25) {
            near_bone.push_back(static_cast<Eigen::Index>(t));
        }
    }
    const auto samples = static_cast<Eigen::Index>(near_bone.size());
    scene.bone_corners.resize(samples, 4);
    scene.bone_targets = Points::Zero(samples, 3);
    for (Eigen::Index i = 0; i < samples; ++i) {
        scene.bone_corners.row(i) = scene.mesh.tets.row(near_bone[static_cast<std::size_t>(i)]);
        for (int k = 0; k < 4; ++k) {
            scene.bone_targets.row(i) += 0.25 * scene.mesh.points.row(scene.bone_corners(i, k));
        }
    }
    scene.tets = std::make_shared<ProjectiveTets>(scene.mesh, std::vector<double>(count, kRotation),
                                                  std::vector<double>(count, kVolume));
    scene.bones = std::make_shared<ProjectiveAttachment>(
        scene.bone_corners,
        Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>::Constant(samples, 4, 0.25),
        scene.bone_targets, std::vector<double>(static_cast<std::size_t>(samples), kBone));
    return scene;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

double bandwidth_gbs() {
    const std::size_t count = std::size_t{1} << 25;
    std::vector<float> big(count, 1.0f);
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
        keep += sum[k];
        best = std::min(best, timer.seconds());
    }
    // The sum is used, so that the loop is not removed.
    return static_cast<double>(count) * 4.0 / best / 1e9 + (keep < 0.0f ? 1.0 : 0.0);
}

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

struct Timed {
    double iteration = 0.0, local = 0.0, global = 0.0, rhs = 0.0, tets = 0.0;
};

// Plain iterations, one call each so that medians can be taken.
Timed time_iterations(const Scene& scene, LocalGlobal& solver, int iterations) {
    std::vector<double> whole, local, global, rhs, tets;
    Points x = scene.mesh.points;
    Points force = Points::Zero(x.rows(), 3);
    solver.minimise(x, {.max_iterations = 2, .tolerance = 1e-12, .window = 0});
    for (int k = 0; k < iterations; ++k) {
        const auto before = scene.tets->times();
        const Timer timer;
        const auto report =
            solver.minimise(x, {.max_iterations = 2, .tolerance = 1e-12, .window = 0});
        static_cast<void>(timer);
        const auto after = scene.tets->times();
        if (report.iterations < 1) {
            break;
        }
        // Evaluations are one more than iterations.
        const double evaluations = report.iterations + report.shortened + 1;
        local.push_back(report.seconds_local / evaluations);
        global.push_back(report.seconds_global / report.iterations);
        rhs.push_back((after.sum - before.sum) / evaluations);
        tets.push_back((after.project + after.sum - before.project - before.sum) / evaluations);
        whole.push_back(local.back() + global.back());
    }
    return {median(whole), median(local), median(global), median(rhs), median(tets)};
}

}  // namespace

TetMesh lattice_body(double cell) {
    const std::vector<Capsule> limbs = capsules();
    const Vec3 low(-0.85, -0.02, -0.2);
    const Vec3 high(0.85, 1.82, 0.24);
    const Eigen::Vector3i cells = ((high - low) / cell).array().ceil().cast<int>();
    const auto key = [&](int i, int j, int k) {
        return (static_cast<std::int64_t>(i) * (cells.y() + 1) + j) * (cells.z() + 1) + k;
    };
    std::map<std::int64_t, Index> number;
    std::vector<Vec3> points;
    std::vector<std::array<Index, 4>> tets;
    const auto node = [&](const Eigen::Vector3i& at) {
        const auto [it, is_new] =
            number.try_emplace(key(at.x(), at.y(), at.z()), static_cast<Index>(points.size()));
        if (is_new) {
            points.push_back(low + cell * at.cast<double>());
        }
        return it->second;
    };
    // Six tetrahedra per cell, one for each order of walking the three axes.
    constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < cells.x(); ++i) {
        for (int j = 0; j < cells.y(); ++j) {
            for (int k = 0; k < cells.z(); ++k) {
                const Vec3 centre = low + cell * Vec3(i + 0.5, j + 0.5, k + 0.5);
                const bool is_inside = std::any_of(limbs.begin(), limbs.end(), [&](const auto& c) {
                    return distance_to_axis(centre, c) < c.radius;
                });
                if (!is_inside) {
                    continue;
                }
                for (int o = 0; o < 6; ++o) {
                    Eigen::Vector3i at(i, j, k);
                    std::array<Index, 4> tet = {node(at), 0, 0, 0};
                    for (std::size_t step = 0; step < 3; ++step) {
                        ++at[kOrders[o][step]];
                        tet[step + 1] = node(at);
                    }
                    if (o >= 3) {
                        std::swap(tet[2], tet[3]);
                    }
                    tets.push_back(tet);
                }
            }
        }
    }
    TetMesh mesh;
    mesh.points.resize(static_cast<Eigen::Index>(points.size()), 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
        mesh.points.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
    }
    mesh.tets.resize(static_cast<Eigen::Index>(tets.size()), 4);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        mesh.tets.row(static_cast<Eigen::Index>(t)) << tets[t][0], tets[t][1], tets[t][2],
            tets[t][3];
    }
    return mesh;
}

namespace {

// Factorisation alone, and solves on one thread against the bandwidth bound.
void time_factor(const Scene& scene, SolverBench& bench) {
    Triplets triplets(bench.vertices);
    scene.tets->add_quadratic(triplets);
    scene.bones->add_quadratic(triplets);
    const SparseSymmetric A = assemble(triplets);
    const Timer timer;
    SparseCholesky cholesky(A);
    cholesky.factor(A);
    bench.factor_s = timer.seconds();
    bench.factor_nonzeros = static_cast<double>(cholesky.nonzeros());
    const ThreadLimit one(1);
    auto workspace = cholesky.make_workspace();
    std::vector<double> b(3 * static_cast<std::size_t>(bench.vertices), 1.0);
    std::vector<double> samples;
    for (int k = 0; k < 20; ++k) {
        const Timer solve;
        cholesky.solve(b, 3, b, workspace);
        samples.push_back(solve.seconds());
        std::fill(b.begin(), b.end(), 1.0);
    }
    bench.global_one_thread_ms = 1e3 * median(samples);
    bench.bandwidth_gbs = bandwidth_gbs();
    const double bound_ms = bench.factor_nonzeros * 4.0 * 2.0 / (bench.bandwidth_gbs * 1e9) * 1e3;
    bench.global_over_bound = bench.global_one_thread_ms / bound_ms;
}

void measure_convergence(const Scene& scene, LocalGlobal& solver, SolverBench& bench) {
    Points x = scene.mesh.points;
    const double start = solver.minimise(x, {.max_iterations = 0}).energy.front();
    const double minimum =
        solver.minimise(x, {.max_iterations = 300, .tolerance = 1e-6}).energy.back();
    const auto history = [&](int window) {
        Points y = scene.mesh.points;
        return solver.minimise(y, {.max_iterations = 60, .tolerance = 1e-9, .window = window})
            .energy;
    };
    const auto first_within = [&](const std::vector<double>& energy, double level) {
        const auto it = std::find_if(energy.begin(), energy.end(),
                                     [&](double e) { return e - minimum <= level * minimum; });
        return static_cast<int>(it - energy.begin());
    };
    static_cast<void>(start);
    const auto plain = history(0);
    const auto fast = history(5);
    bench.energy_error_after_10 = fast[std::min<std::size_t>(10, fast.size() - 1)] / minimum - 1.0;
    bench.plain_iterations_to_permille = first_within(plain, 1e-3);
    bench.accelerated_iterations_to_permille = first_within(fast, 1e-3);
}

void measure_scaling(const SolverBenchOptions& options, SolverBench& bench) {
    // Cell sizes for about 5k, 20k, 76k and 200k vertices.
    std::vector<double> log_n, log_t;
    for (const double cell : {0.0285, 0.0174, 0.01085, 0.0077}) {
        const Scene scene = make_scene(cell);
        LocalGlobal solver(scene.mesh.points.rows(), {scene.tets, scene.bones});
        scene.tets->set_growth(scene.growth);
        const Timed t = time_iterations(scene, solver, std::min(options.iterations, 8));
        bench.scaling_vertices.push_back(static_cast<int>(scene.mesh.points.rows()));
        bench.scaling_ms.push_back(1e3 * t.iteration);
        log_n.push_back(std::log(static_cast<double>(scene.mesh.points.rows())));
        log_t.push_back(std::log(t.iteration));
    }
    const double count = static_cast<double>(log_n.size());
    double mean_n = 0.0, mean_t = 0.0, cov = 0.0, var = 0.0;
    for (std::size_t k = 0; k < log_n.size(); ++k) {
        mean_n += log_n[k] / count;
        mean_t += log_t[k] / count;
    }
    for (std::size_t k = 0; k < log_n.size(); ++k) {
        cov += (log_n[k] - mean_n) * (log_t[k] - mean_t);
        var += (log_n[k] - mean_n) * (log_n[k] - mean_n);
    }
    bench.scaling_exponent = cov / var;
}

}  // namespace

SolverBench run_solver_bench(const SolverBenchOptions& options, const Progress& progress) {
    SolverBench bench;
    auto stage = progress.stage("bench", 5);
    bench.threads = thread_count();
    const Scene scene = make_scene(options.cell);
    bench.vertices = static_cast<int>(scene.mesh.points.rows());
    bench.tets = static_cast<int>(scene.mesh.tets.rows());
    time_factor(scene, bench);
    stage.advance();
    {
        LocalGlobal solver(scene.mesh.points.rows(), {scene.tets, scene.bones});
        scene.tets->set_growth(scene.growth);
        const Timed t = time_iterations(scene, solver, options.iterations);
        bench.iteration_ms = 1e3 * t.iteration;
        bench.local_ms = 1e3 * t.local;
        bench.global_ms = 1e3 * t.global;
        bench.rhs_ms = 1e3 * t.rhs;
        bench.local_mtets_per_s = bench.tets / t.tets / 1e6;
        bench.memory_mb = peak_memory_mb();
        stage.advance();
        if (options.with_convergence) {
            measure_convergence(scene, solver, bench);
        }
        stage.advance();
    }
    if (options.with_scaling) {
        measure_scaling(options, bench);
    }
    stage.advance();
    if (options.with_baseline) {
        const BaselineTimes baseline =
            run_baseline({scene.mesh, kRotation, kVolume, scene.bone_corners, scene.bone_targets,
                          kBone, std::max(3, options.iterations / 4), bench.threads});
        bench.baseline_factor_s = baseline.factor_s;
        bench.baseline_iteration_ms = baseline.iteration_ms;
        bench.speedup = baseline.iteration_ms / bench.iteration_ms;
    }
    stage.advance();
    return bench;
}

}  // namespace sinew::bench
