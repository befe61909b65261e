#include "sinew/meshing/smooth.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"

#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kGrain = 2048;

void pass(Points& x, const Lists& neighbours, const std::vector<char>& is_fixed, double step) {
    const Points old = x;
    parallel_for(neighbours.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const auto ring = neighbours[v];
            if (is_fixed[v] || ring.empty()) {
                continue;
            }
            Eigen::RowVector3d mean = Eigen::RowVector3d::Zero();
            for (const Index w : ring) {
                mean += old.row(w);
            }
            mean /= static_cast<double>(ring.size());
            const auto row = static_cast<Eigen::Index>(v);
            x.row(row) += step * (mean - old.row(row));
        }
    });
}

// Along the normals by d: the volume grows by d times the area. Repeated, as the area changes.
void restore_volume(Points& x, const Triangles& triangles, const std::vector<char>& is_fixed,
                    double wanted) {
    for (int k = 0; k < 5; ++k) {
        const double missing = wanted - enclosed_volume(x, triangles);
        const double area = surface_area(x, triangles);
        if (area == 0.0 || std::abs(missing) <= 1e-12 * std::abs(wanted)) {
            return;
        }
        const Points normal = vertex_normals(x, triangles);
        for (Eigen::Index v = 0; v < x.rows(); ++v) {
            if (!is_fixed[at(v)]) {
                x.row(v) += missing / area * normal.row(v);
            }
        }
    }
}

}  // namespace

TriangleMesh smoothed(const TriangleMesh& mesh, const SmoothOptions& options) {
    require_valid(mesh, "smooth");
    check_ranges(options, "smooth");
    const Lists neighbours = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    std::vector<char> is_fixed(static_cast<std::size_t>(mesh.points.rows()), 0);
    if (options.keep_border) {
        const Triangles across = triangle_neighbours(mesh.triangles);
        for (Eigen::Index t = 0; t < across.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                if (across(t, k) < 0) {
                    is_fixed[at(mesh.triangles(t, k))] = 1;
                    is_fixed[at(mesh.triangles(t, (k + 1) % 3))] = 1;
                }
            }
        }
    }
    TriangleMesh result = mesh;
    const double back = 1.0 / (options.pass_band - 1.0 / options.step);
    for (int k = 0; k < options.iterations; ++k) {
        pass(result.points, neighbours, is_fixed, options.step);
        if (options.method == SmoothMethod::Taubin) {
            pass(result.points, neighbours, is_fixed, back);
        }
    }
    if (options.keep_volume) {
        restore_volume(result.points, result.triangles, is_fixed,
                       enclosed_volume(mesh.points, mesh.triangles));
    }
    return result;
}

}  // namespace sinew
