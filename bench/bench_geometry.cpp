// Queries and operators at the size of a body, each beside the obvious way to do the same. Times of
// queries are per query (items_per_second); naive baselines run on a part of the queries.
#include "sinew/base/random.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/simplex.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/geometry/tet_locator.h"
#include "sinew/geometry/winding_number.h"

#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

/// A closed skin of 60 000 vertices and 120 000 triangles, 1.7 m wide, with folds.
const TriangleMesh& skin() {
    static const TriangleMesh mesh = [] {
        TriangleMesh m = support::torus(0.55, 0.3, 200, 300);
        for (Eigen::Index i = 0; i < m.points.rows(); ++i) {
            const Vec3 p = point(m.points, i);
            m.points.row(i) *=
                1.0 + 0.03 * std::sin(25 * p.x()) * std::cos(19 * p.y()) * std::sin(31 * p.z());
        }
        return m;
    }();
    return mesh;
}

/// 74 088 vertices, 413 526 tetrahedra.
const TetMesh& flesh() {
    static const TetMesh mesh = support::cube_of_tets(41);
    return mesh;
}

/// Points near the skin, up to 5 cm off, in no order.
const Points& near_skin() {
    static const Points points = [] {
        Points p = sample_surface(skin(), 20000, Seed{1}).points;
        Random random(Seed{2});
        for (Eigen::Index i = 0; i < p.size(); ++i) {
            p.data()[i] += random.uniform(-0.05, 0.05);
        }
        return p;
    }();
    return points;
}

const Points& in_flesh() {
    static const Points points = sample_volume(flesh(), 20000, Seed{3}).points;
    return points;
}

Points head(const Points& points, Eigen::Index n) {
    return points.topRows(n);
}

void SurfaceTree_Build(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(SurfaceTree(skin()));
    }
}
BENCHMARK(SurfaceTree_Build)->Unit(benchmark::kMillisecond)->UseRealTime();

void ClosestPoint_Tree(benchmark::State& state) {
    const SurfaceTree tree(skin());
    for (auto _ : state) {
        benchmark::DoNotOptimize(tree.closest_points(near_skin()));
    }
    state.SetItemsProcessed(state.iterations() * near_skin().rows());
}
BENCHMARK(ClosestPoint_Tree)->Unit(benchmark::kMillisecond)->UseRealTime();

double naive_squared_distance(const TriangleMesh& mesh, const Vec3& query) {
    double best = 1e300;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        best = std::min(best, closest_on_triangle(query, point(mesh.points, mesh.triangles(t, 0)),
                                                  point(mesh.points, mesh.triangles(t, 1)),
                                                  point(mesh.points, mesh.triangles(t, 2)))
                                  .squared_distance);
    }
    return best;
}

void ClosestPoint_NaiveAllTriangles(benchmark::State& state) {
    const Points queries = head(near_skin(), 50);
    for (auto _ : state) {
        double sum = 0.0;
        for (Eigen::Index i = 0; i < queries.rows(); ++i) {
            sum += naive_squared_distance(skin(), point(queries, i));
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * queries.rows());
}
BENCHMARK(ClosestPoint_NaiveAllTriangles)->Unit(benchmark::kMillisecond)->UseRealTime();

void FirstHit_Tree(benchmark::State& state) {
    const SurfaceTree tree(skin());
    std::vector<Ray> rays;
    for (Eigen::Index i = 0; i + 1 < near_skin().rows(); ++i) {
        const Vec3 p = point(near_skin(), i);
        rays.push_back({.origin = 3.0 * p, .direction = point(near_skin(), i + 1) - 3.0 * p});
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(tree.first_hits(rays));
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rays.size()));
}
BENCHMARK(FirstHit_Tree)->Unit(benchmark::kMillisecond)->UseRealTime();

void FirstHit_NaiveAllTriangles(benchmark::State& state) {
    const TriangleMesh& mesh = skin();
    for (auto _ : state) {
        double best = 1e300;
        for (Eigen::Index i = 0; i < 50; ++i) {
            const Vec3 o = 3.0 * point(near_skin(), i);
            const Vec3 d = point(near_skin(), i + 1) - o;
            for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
                const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
                const Vec3 e1 = point(mesh.points, mesh.triangles(t, 1)) - a;
                const Vec3 e2 = point(mesh.points, mesh.triangles(t, 2)) - a;
                const Vec3 h = d.cross(e2);
                const double det = e1.dot(h);
                const double u = (o - a).dot(h) / det;
                const Vec3 q = (o - a).cross(e1);
                const double v = d.dot(q) / det;
                if (u >= 0 && v >= 0 && u + v <= 1) {
                    best = std::min(best, e2.dot(q) / det);
                }
            }
        }
        benchmark::DoNotOptimize(best);
    }
    state.SetItemsProcessed(state.iterations() * 50);
}
BENCHMARK(FirstHit_NaiveAllTriangles)->Unit(benchmark::kMillisecond)->UseRealTime();

void Winding_Build(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(WindingNumber(skin()));
    }
}
BENCHMARK(Winding_Build)->Unit(benchmark::kMillisecond)->UseRealTime();

void Winding_Fast(benchmark::State& state) {
    const WindingNumber winding(skin(), {.accuracy = static_cast<double>(state.range(0))});
    for (auto _ : state) {
        benchmark::DoNotOptimize(winding.at_all(near_skin()));
    }
    state.SetItemsProcessed(state.iterations() * near_skin().rows());
}
BENCHMARK(Winding_Fast)->Arg(2)->Arg(3)->Unit(benchmark::kMillisecond)->UseRealTime();

void Winding_NaiveAllTriangles(benchmark::State& state) {
    const WindingNumber winding(skin());
    for (auto _ : state) {
        double sum = 0.0;
        for (Eigen::Index i = 0; i < 50; ++i) {
            sum += winding.exact_at(point(near_skin(), i));
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * 50);
}
BENCHMARK(Winding_NaiveAllTriangles)->Unit(benchmark::kMillisecond)->UseRealTime();

void SignedDistance_Fast(benchmark::State& state) {
    const SignedDistance distance(skin());
    for (auto _ : state) {
        benchmark::DoNotOptimize(distance.at_all(near_skin()));
    }
    state.SetItemsProcessed(state.iterations() * near_skin().rows());
}
BENCHMARK(SignedDistance_Fast)->Unit(benchmark::kMillisecond)->UseRealTime();

void SignedDistance_NaiveAllTriangles(benchmark::State& state) {
    const WindingNumber winding(skin());
    for (auto _ : state) {
        double sum = 0.0;
        for (Eigen::Index i = 0; i < 50; ++i) {
            const Vec3 p = point(near_skin(), i);
            const double distance = std::sqrt(naive_squared_distance(skin(), p));
            sum += winding.exact_at(p) > 0.5 ? -distance : distance;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * 50);
}
BENCHMARK(SignedDistance_NaiveAllTriangles)->Unit(benchmark::kMillisecond)->UseRealTime();

void TetLocator_Build(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(TetLocator(flesh()));
    }
}
BENCHMARK(TetLocator_Build)->Unit(benchmark::kMillisecond)->UseRealTime();

void TetLocation_Tree(benchmark::State& state) {
    const TetLocator locator(flesh());
    for (auto _ : state) {
        benchmark::DoNotOptimize(locator.find_all(in_flesh()));
    }
    state.SetItemsProcessed(state.iterations() * in_flesh().rows());
}
BENCHMARK(TetLocation_Tree)->Unit(benchmark::kMillisecond)->UseRealTime();

void TetLocation_NaiveAllTets(benchmark::State& state) {
    const TetMesh& mesh = flesh();
    for (auto _ : state) {
        Index found = 0;
        for (Eigen::Index i = 0; i < 20; ++i) {
            for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
                const Vec4 w = tet_barycentric(
                    point(in_flesh(), i), point(mesh.points, mesh.tets(t, 0)),
                    point(mesh.points, mesh.tets(t, 1)), point(mesh.points, mesh.tets(t, 2)),
                    point(mesh.points, mesh.tets(t, 3)));
                if (w.minCoeff() >= 0.0) {
                    found += static_cast<Index>(t);
                    break;
                }
            }
        }
        benchmark::DoNotOptimize(found);
    }
    state.SetItemsProcessed(state.iterations() * 20);
}
BENCHMARK(TetLocation_NaiveAllTets)->Unit(benchmark::kMillisecond)->UseRealTime();

void Embedding_Apply(benchmark::State& state) {
    const TetEmbedding embedding = embed(in_flesh(), flesh());
    for (auto _ : state) {
        benchmark::DoNotOptimize(apply(embedding, flesh().points));
    }
    state.SetItemsProcessed(state.iterations() * in_flesh().rows());
}
BENCHMARK(Embedding_Apply)->Unit(benchmark::kMicrosecond)->UseRealTime();

void Embedding_NaiveSparseMatrix(benchmark::State& state) {
    const Eigen::SparseMatrix<double> W =
        embedding_matrix(embed(in_flesh(), flesh()), flesh().points.rows());
    for (auto _ : state) {
        const Points moved = W * flesh().points;
        benchmark::DoNotOptimize(moved.data());
    }
    state.SetItemsProcessed(state.iterations() * in_flesh().rows());
}
BENCHMARK(Embedding_NaiveSparseMatrix)->Unit(benchmark::kMicrosecond)->UseRealTime();

void TetLaplacian(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(cotangent_laplacian(flesh().points, flesh().tets));
    }
    state.SetItemsProcessed(state.iterations() * flesh().tets.rows());
}
BENCHMARK(TetLaplacian)->Unit(benchmark::kMillisecond)->UseRealTime();

void TetLaplacian_NaiveTriplets(benchmark::State& state) {
    const TetMesh& mesh = flesh();
    for (auto _ : state) {
        std::vector<Eigen::Triplet<double>> entries;
        for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
            Eigen::Matrix4d M;
            for (int k = 0; k < 4; ++k) {
                M.col(k) << 1.0, point(mesh.points, mesh.tets(t, k));
            }
            const Eigen::Matrix<double, 4, 3> G = M.inverse().rightCols<3>();
            const Eigen::Matrix4d L = std::abs(M.determinant()) / 6.0 * G * G.transpose();
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 4; ++j) {
                    entries.emplace_back(mesh.tets(t, i), mesh.tets(t, j), L(i, j));
                }
            }
        }
        Eigen::SparseMatrix<double> L(mesh.points.rows(), mesh.points.rows());
        L.setFromTriplets(entries.begin(), entries.end());
        benchmark::DoNotOptimize(L.valuePtr());
    }
    state.SetItemsProcessed(state.iterations() * mesh.tets.rows());
}
BENCHMARK(TetLaplacian_NaiveTriplets)->Unit(benchmark::kMillisecond)->UseRealTime();

void VertexNormals(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(vertex_normals(skin()));
    }
}
BENCHMARK(VertexNormals)->Unit(benchmark::kMillisecond)->UseRealTime();

void IsWatertight(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(is_watertight(skin()));
    }
}
BENCHMARK(IsWatertight)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Centres spread over the skin and a smooth displacement of them.
std::pair<Points, Points> landmarks(Eigen::Index n) {
    const Points c = sample_surface(skin(), n, Seed{9}).points;
    Points t = c;
    for (Eigen::Index i = 0; i < n; ++i) {
        t(i, 0) += 0.05 * std::sin(3.0 * c(i, 1));
    }
    return {c, t};
}

void RbfWarp_Fit(benchmark::State& state) {
    const auto [c, t] = landmarks(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(RbfWarp(c, t));
    }
}
BENCHMARK(RbfWarp_Fit)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond)->UseRealTime();

void RbfWarp_FitNaiveLu(benchmark::State& state) {
    const auto [c, t] = landmarks(state.range(0));
    const Eigen::Index n = c.rows();
    for (auto _ : state) {
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 4, n + 4);
        for (Eigen::Index i = 0; i < n; ++i) {
            for (Eigen::Index j = 0; j < n; ++j) {
                A(i, j) = std::pow((c.row(i) - c.row(j)).norm(), 3);
            }
            A.row(i).tail<4>() << 1, c.row(i);
            A.col(i).tail<4>() << 1, c.row(i).transpose();
        }
        Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n + 4, 3);
        b.topRows(n) = t;
        const Eigen::MatrixXd x = A.partialPivLu().solve(b);
        benchmark::DoNotOptimize(x.data());
    }
}
BENCHMARK(RbfWarp_FitNaiveLu)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond)->UseRealTime();

void RbfWarp_Apply145kPoints(benchmark::State& state) {
    const auto [c, t] = landmarks(state.range(0));
    const RbfWarp warp(c, t);
    const Points points = sample_surface(skin(), 145000, Seed{10}).points;
    for (auto _ : state) {
        benchmark::DoNotOptimize(warp.apply(points));
    }
    state.SetItemsProcessed(state.iterations() * points.rows());
}
BENCHMARK(RbfWarp_Apply145kPoints)
    ->Arg(1000)
    ->Arg(4000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void RbfWarp_ApplyNaiveLoop(benchmark::State& state) {
    const auto [c, t] = landmarks(state.range(0));
    const Points points = sample_surface(skin(), 2000, Seed{10}).points;
    for (auto _ : state) {
        Points moved = points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            for (Eigen::Index j = 0; j < c.rows(); ++j) {
                moved.row(i) += std::pow((points.row(i) - c.row(j)).norm(), 3) * t.row(j);
            }
        }
        benchmark::DoNotOptimize(moved.data());
    }
    state.SetItemsProcessed(state.iterations() * points.rows());
}
BENCHMARK(RbfWarp_ApplyNaiveLoop)->Arg(4000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace sinew
