#include "sinew/meshing/sense.h"

#include "sinew/base/units.h"
#include "sinew/mesh/connectivity.h"

#include <cmath>

namespace sinew {

namespace {

// Winding number of all pieces but one: solid angles over 4 pi.
double winding_of_others(const TriangleMesh& mesh, const Components& pieces, Index piece,
                         const Vec3& at) {
    double angle = 0.0;
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        if (pieces.of_triangle[static_cast<std::size_t>(t)] == piece) {
            continue;
        }
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0)) - at;
        const Vec3 b = point(mesh.points, mesh.triangles(t, 1)) - at;
        const Vec3 c = point(mesh.points, mesh.triangles(t, 2)) - at;
        const double la = a.norm();
        const double lb = b.norm();
        const double lc = c.norm();
        // tan(omega / 2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)
        // [VanOosterom1983]
        angle += 2.0 * std::atan2(a.dot(b.cross(c)),
                                  la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
    }
    return angle / (4.0 * kPi);
}

}  // namespace

std::vector<Index> pieces_turned_inward(const TriangleMesh& mesh) {
    const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
    const auto n = static_cast<std::size_t>(pieces.count);
    std::vector<double> volume(n, 0.0);
    std::vector<Index> first(n, -1);
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        const auto piece =
            static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)]);
        if (first[piece] < 0) {
            first[piece] = t;
        }
        const Vec3 origin = point(mesh.points, mesh.triangles(first[piece], 0));
        volume[piece] += (point(mesh.points, mesh.triangles(t, 0)) - origin)
                             .cross(point(mesh.points, mesh.triangles(t, 1)) - origin)
                             .dot(point(mesh.points, mesh.triangles(t, 2)) - origin);
    }
    std::vector<Index> inward;
    int looked = 0;
    for (std::size_t piece = 0; piece < n; ++piece) {
        if (volume[piece] >= 0.0) {
            continue;
        }
        // Each test visits all triangles; a mesh of hundreds of pieces turned inside out needs
        // none.
        constexpr int kMaxTests = 200;
        const bool is_void =
            n > 1 && looked++ < kMaxTests &&
            std::abs(winding_of_others(mesh, pieces, static_cast<Index>(piece),
                                       point(mesh.points, mesh.triangles(first[piece], 0)))) > 0.5;
        if (!is_void) {
            inward.push_back(first[piece]);
        }
    }
    return inward;
}

}  // namespace sinew
