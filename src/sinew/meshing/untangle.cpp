#include "sinew/meshing/untangle.h"

#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"

#include <set>

namespace sinew {

bool smooth_crossings_away(TriangleMesh& mesh) {
    constexpr int kRounds = 9;
    constexpr double kMove = 0.08;  // of the local edge length, outward per round
    const Lists neighbours = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    for (int round = 0; round < kRounds; ++round) {
        const Intersections crossings = find_self_intersections(mesh);
        if (crossings.pairs.empty()) {
            return true;
        }
        std::set<Index> touched;
        for (const auto& [a, b] : crossings.pairs) {
            for (int k = 0; k < 3; ++k) {
                touched.insert(mesh.triangles(a, k));
                touched.insert(mesh.triangles(b, k));
            }
        }
        // What does not give way at once is smoothed over a wider place.
        for (int ring = 0; ring < round / 3; ++ring) {
            const std::set<Index> inner = touched;
            for (const Index v : inner) {
                const auto around = neighbours[at(v)];
                touched.insert(around.begin(), around.end());
            }
        }
        const Points normals = vertex_normals(mesh);
        const Points before = mesh.points;
        for (const Index v : touched) {
            const auto around = neighbours[at(v)];
            Vec3 mean = Vec3::Zero();
            double edge = 0.0;
            for (const Index w : around) {
                mean += point(before, w);
                edge += (before.row(w) - before.row(v)).norm();
            }
            const auto n = static_cast<double>(around.size());
            mesh.points.row(v) =
                (0.5 * point(before, v) + 0.5 * mean / n + kMove * edge / n * point(normals, v))
                    .transpose();
        }
    }
    return find_self_intersections(mesh).pairs.empty();
}

}  // namespace sinew
