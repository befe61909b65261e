// Meshing at the size of a skin, each method beside a plain one that does the same.
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/predicates.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/repair.h"
#include "sinew/meshing/smooth.h"
#include "sinew/meshing/tetgen_format.h"
#include "sinew/meshing/tetrahedralise.h"

#include <benchmark/benchmark.h>

#include <sstream>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

void per_triangle(benchmark::State& state, const TriangleMesh& mesh) {
    state.SetItemsProcessed(state.iterations() * mesh.triangles.rows());
}

void self_intersections_tree(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(static_cast<int>(state.range(0)), 1.0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(find_self_intersections(mesh));
    }
    per_triangle(state, mesh);
}
BENCHMARK(self_intersections_tree)->Arg(3)->Arg(6)->Unit(benchmark::kMillisecond);

// Baseline: every triangle against every other.
void self_intersections_all_pairs(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(static_cast<int>(state.range(0)), 1.0);
    for (auto _ : state) {
        int found = 0;
        for (Index i = 0; i < mesh.triangles.rows(); ++i) {
            const Vec3 a[3] = {point(mesh.points, mesh.triangles(i, 0)),
                               point(mesh.points, mesh.triangles(i, 1)),
                               point(mesh.points, mesh.triangles(i, 2))};
            for (Index j = i + 1; j < mesh.triangles.rows(); ++j) {
                const Vec3 b[3] = {point(mesh.points, mesh.triangles(j, 0)),
                                   point(mesh.points, mesh.triangles(j, 1)),
                                   point(mesh.points, mesh.triangles(j, 2))};
                found += triangles_touch(a, b);
            }
        }
        benchmark::DoNotOptimize(found);
    }
    per_triangle(state, mesh);
}
BENCHMARK(self_intersections_all_pairs)->Arg(3)->Unit(benchmark::kMillisecond);

void orientation_exact(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(4, 1.0);
    for (auto _ : state) {
        int sum = 0;
        for (Index t = 0; t + 1 < mesh.triangles.rows(); ++t) {
            sum += orientation(point(mesh.points, mesh.triangles(t, 0)),
                               point(mesh.points, mesh.triangles(t, 1)),
                               point(mesh.points, mesh.triangles(t, 2)),
                               point(mesh.points, mesh.triangles(t + 1, 0)));
        }
        benchmark::DoNotOptimize(sum);
    }
    per_triangle(state, mesh);
}
BENCHMARK(orientation_exact);

// Baseline: the determinant in plain doubles, wrong near zero.
void orientation_plain(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(4, 1.0);
    for (auto _ : state) {
        int sum = 0;
        for (Index t = 0; t + 1 < mesh.triangles.rows(); ++t) {
            const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
            sum += (point(mesh.points, mesh.triangles(t, 1)) - a)
                       .cross(point(mesh.points, mesh.triangles(t, 2)) - a)
                       .dot(point(mesh.points, mesh.triangles(t + 1, 0)) - a) > 0.0;
        }
        benchmark::DoNotOptimize(sum);
    }
    per_triangle(state, mesh);
}
BENCHMARK(orientation_plain);

void health_of_skin(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(6, 1.0);  // 82k triangles
    for (auto _ : state) {
        benchmark::DoNotOptimize(check_health(mesh));
    }
    per_triangle(state, mesh);
}
BENCHMARK(health_of_skin)->Unit(benchmark::kMillisecond);

void decimate_quadrics(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(5, 1.0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(decimated(mesh, {.target_triangles = 2000}));
    }
    per_triangle(state, mesh);
}
BENCHMARK(decimate_quadrics)->Unit(benchmark::kMillisecond);

// Baseline: a coarser level set; quick, but it knows nothing of where detail is needed.
void decimate_by_level_set(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(5, 1.0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(LevelSet::from_mesh(mesh, {.voxel = 0.12}).to_mesh());
    }
    per_triangle(state, mesh);
}
BENCHMARK(decimate_by_level_set)->Unit(benchmark::kMillisecond);

void remesh_isotropic(benchmark::State& state) {
    const TriangleMesh mesh = support::torus(1.0, 0.3, 60, 200);
    for (auto _ : state) {
        benchmark::DoNotOptimize(remeshed(mesh, {.edge_length = 0.04}));
    }
    per_triangle(state, mesh);
}
BENCHMARK(remesh_isotropic)->Unit(benchmark::kMillisecond);

void smooth_taubin(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(6, 1.0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(smoothed(mesh, {.iterations = 10}));
    }
    per_triangle(state, mesh);
}
BENCHMARK(smooth_taubin)->Unit(benchmark::kMillisecond);

void level_set_function_sparse(benchmark::State& state) {
    const auto distance = [](const Points& at, Eigen::VectorXd& d) {
        d = at.rowwise().norm().array() - 0.9;
    };
    for (auto _ : state) {
        benchmark::DoNotOptimize(LevelSet::from_function(
            distance, Bounds{Vec3::Constant(-1.0), Vec3::Constant(1.0)}, {.voxel = 0.01}));
    }
}
BENCHMARK(level_set_function_sparse)->Unit(benchmark::kMillisecond);

// Baseline: the function at all grid points of the box.
void level_set_function_dense(benchmark::State& state) {
    for (auto _ : state) {
        std::vector<float> values;
        values.reserve(201 * 201 * 201);
        for (int x = -100; x <= 100; ++x) {
            for (int y = -100; y <= 100; ++y) {
                for (int z = -100; z <= 100; ++z) {
                    values.push_back(
                        static_cast<float>(Vec3(0.01 * x, 0.01 * y, 0.01 * z).norm() - 0.9));
                }
            }
        }
        benchmark::DoNotOptimize(values.data());
    }
}
BENCHMARK(level_set_function_dense)->Unit(benchmark::kMillisecond);

void level_set_from_mesh(benchmark::State& state) {
    const TriangleMesh mesh = support::sphere(5, 1.0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(LevelSet::from_mesh(mesh, {.voxel = 0.02}));
    }
}
BENCHMARK(level_set_from_mesh)->Unit(benchmark::kMillisecond);

void level_set_to_mesh(benchmark::State& state) {
    const LevelSet set = LevelSet::from_mesh(support::sphere(4, 1.0), {.voxel = 0.02});
    for (auto _ : state) {
        benchmark::DoNotOptimize(set.to_mesh());
    }
}
BENCHMARK(level_set_to_mesh)->Unit(benchmark::kMillisecond);

void parse_node_text(benchmark::State& state) {
    const std::string text = format_node(support::sphere(5, 1.0).points);
    for (auto _ : state) {
        benchmark::DoNotOptimize(parse_node(text, "bench"));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_node_text)->Unit(benchmark::kMillisecond);

// Baseline: a string stream, which checks nothing.
void parse_node_stream(benchmark::State& state) {
    const std::string text = format_node(support::sphere(5, 1.0).points);
    for (auto _ : state) {
        std::istringstream in(text);
        double sum = 0.0;
        for (double x = 0.0; in >> x;) {
            sum += x;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_node_stream)->Unit(benchmark::kMillisecond);

void tetrahedralise_ball(benchmark::State& state) {
    const std::vector<TriangleMesh> surfaces = {support::sphere(4, 1.0), support::sphere(3, 0.5)};
    std::int64_t tets = 0;
    for (auto _ : state) {
        tets = tetrahedralise(surfaces, {.max_edge = 0.15}).tets.rows();
    }
    state.SetItemsProcessed(state.iterations() * tets);
}
BENCHMARK(tetrahedralise_ball)->Unit(benchmark::kMillisecond);

void repair_scan_with_hole(benchmark::State& state) {
    TriangleMesh mesh = support::sphere(5, 1.0);
    mesh.triangles = mesh.triangles.topRows(mesh.triangles.rows() * 9 / 10).eval();
    for (auto _ : state) {
        TriangleMesh copy = mesh;
        benchmark::DoNotOptimize(repair(copy));
    }
    per_triangle(state, mesh);
}
BENCHMARK(repair_scan_with_hole)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace sinew
