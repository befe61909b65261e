// Contacts of a body-sized mesh that moves, beside testing everything against everything (on a part
// of the vertices). Times are per frame; items are vertices.
#include "sinew/base/parallel.h"
#include "sinew/contact/surface_contact.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/geometry/simplex.h"
#include "sinew/mesh/connectivity.h"

#include <benchmark/benchmark.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

/// 76 176 vertices, 393 000 tetrahedra: a bar bent so that its ends overlap.
const TetMesh& bar() {
    static const TetMesh mesh = support::box_of_tets({262, 16, 16}, Vec3(4.0, 0.25, 0.25));
    return mesh;
}

Points bent(double turns) {
    Points x = bar().points;
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        const double angle = 2 * M_PI * turns * bar().points(i, 0) / 4.0;
        const double r = 4.0 / (2 * M_PI) + bar().points(i, 1);
        x(i, 0) = r * std::sin(angle);
        x(i, 1) = r * std::cos(angle);
    }
    return x;
}

void tet_contacts(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Points x = bent(1.05);
    TetContacts contacts(bar(), {.neighbourhood = 0.03});
    std::size_t found = 0;
    for (auto _ : state) {
        found = contacts.find(x).size();
    }
    state.counters["contacts"] = static_cast<double>(found);
}
BENCHMARK(tet_contacts)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void tet_contacts_build(benchmark::State& state) {
    for (auto _ : state) {
        const TetContacts contacts(bar());
        benchmark::DoNotOptimize(&contacts);
    }
}
BENCHMARK(tet_contacts_build)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Every vertex against every tetrahedron: 20 vertices, scaled up by the reader.
void tet_contacts_brute_force_20_vertices(benchmark::State& state) {
    const Points x = bent(1.05);
    const Tets& tets = bar().tets;
    for (auto _ : state) {
        int found = 0;
        for (Eigen::Index v = 0; v < 20; ++v) {
            const Vec3 p = point(x, v);
            for (Eigen::Index t = 0; t < tets.rows(); ++t) {
                const Vec4 w = tet_barycentric(p, point(x, tets(t, 0)), point(x, tets(t, 1)),
                                               point(x, tets(t, 2)), point(x, tets(t, 3)));
                found += w.minCoeff() >= 0.0 ? 1 : 0;
            }
        }
        benchmark::DoNotOptimize(found);
    }
}
BENCHMARK(tet_contacts_brute_force_20_vertices)->Unit(benchmark::kMillisecond)->UseRealTime();

void surface_contacts(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Points x = bent(0.999);
    SurfaceContacts contacts({.points = bar().points, .triangles = boundary_triangles(bar().tets)},
                             0.01);
    std::size_t found = 0;
    for (auto _ : state) {
        const SurfacePairs pairs = contacts.find(x);
        found = pairs.point_triangle.size() + pairs.edge_edge.size();
    }
    state.counters["pairs"] = static_cast<double>(found);
}
BENCHMARK(surface_contacts)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace sinew
