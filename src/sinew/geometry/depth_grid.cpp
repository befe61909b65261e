#include "sinew/geometry/depth_grid.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/scan_lines.h"
#include "sinew/geometry/surface_tree.h"

#include <algorithm>
#include <cmath>

// Depths on a grid. What is inside is told by lines along z; distances are searched for inside and
// one cell beyond only, for most of a bone's box is empty. All else is one cell outside, where the
// gradient is zero.

namespace sinew {

namespace {

constexpr int kGridMargin = 2;  // cells around the surface

}  // namespace

DepthGrid::DepthGrid(const TriangleMesh& mesh, double cell, int most_cells) {
    if (mesh.triangles.rows() == 0) {
        return;
    }
    const Vec3 least = mesh.points.colwise().minCoeff();
    const Vec3 most = mesh.points.colwise().maxCoeff();
    cell_ = std::max(cell, (most - least).maxCoeff() / most_cells);
    for (int a = 0; a < 3; ++a) {
        const auto i = static_cast<std::size_t>(a);
        size_[i] = static_cast<int>(std::ceil((most[a] - least[a]) / cell_)) + 2 * kGridMargin + 1;
        low_[a] = least[a] - kGridMargin * cell_;
        high_[a] = low_[a] + (size_[i] - 1) * cell_;
    }
    depth_.assign(node(0, 0, size_[2]), static_cast<float>(-cell_));
    // Lines through the nodes.
    const LineLattice lattice(low_.head<2>() - Vec2::Constant(0.5 * cell_), cell_,
                              {size_[0], size_[1]});
    std::vector<char> is_inside(depth_.size(), 0);
    for (const LineStretch& stretch : stretches_inside(mesh.points, mesh.triangles, lattice)) {
        const int i = stretch.line % size_[0];
        const int j = stretch.line / size_[0];
        const int first =
            std::max(0, static_cast<int>(std::ceil((stretch.low - low_.z()) / cell_)));
        const int last =
            std::min(size_[2] - 1, static_cast<int>(std::floor((stretch.high - low_.z()) / cell_)));
        for (int k = first; k <= last; ++k) {
            is_inside[node(i, j, k)] = 1;
        }
    }
    // Nodes inside and those beside the surface: beside an inner one, or with an inner one in
    // reach.
    const SurfaceTree tree(mesh);
    const auto is_near = [&](int i, int j, int k) {
        for (int z = std::max(0, k - 1); z <= std::min(size_[2] - 1, k + 1); ++z) {
            for (int y = std::max(0, j - 1); y <= std::min(size_[1] - 1, j + 1); ++y) {
                for (int x = std::max(0, i - 1); x <= std::min(size_[0] - 1, i + 1); ++x) {
                    if (is_inside[node(x, y, z)] != 0) {
                        return true;
                    }
                }
            }
        }
        return false;
    };
    parallel_for(static_cast<std::size_t>(size_[2]), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t layer = begin; layer < end; ++layer) {
            const int k = static_cast<int>(layer);
            for (int j = 0; j < size_[1]; ++j) {
                for (int i = 0; i < size_[0]; ++i) {
                    if (!is_near(i, j, k)) {
                        continue;
                    }
                    const double d = tree.closest_point(low_ + cell_ * Vec3(i, j, k)).distance;
                    depth_[node(i, j, k)] =
                        static_cast<float>(is_inside[node(i, j, k)] != 0 ? d : -std::min(d, cell_));
                }
            }
        }
    });
}

double DepthGrid::at(const Vec3& p, Vec3* gradient) const {
    if (gradient != nullptr) {
        gradient->setZero();
    }
    if (depth_.empty() || (p.array() <= low_.array()).any() || (p.array() >= high_.array()).any()) {
        return -cell_;
    }
    const Vec3 u = (p - low_) / cell_;
    std::array<int, 3> c;
    Vec3 t;
    for (int a = 0; a < 3; ++a) {
        const auto i = static_cast<std::size_t>(a);
        c[i] = std::min(static_cast<int>(u[a]), size_[i] - 2);
        t[a] = u[a] - c[i];
    }
    const auto value = [&](int x, int y, int z) {
        return static_cast<double>(depth_[node(c[0] + x, c[1] + y, c[2] + z)]);
    };
    // Along x, then y, then z.
    std::array<std::array<double, 2>, 2> along;
    std::array<std::array<double, 2>, 2> slope;
    for (int y = 0; y < 2; ++y) {
        for (int z = 0; z < 2; ++z) {
            const double a = value(0, y, z);
            const double b = value(1, y, z);
            along[static_cast<std::size_t>(y)][static_cast<std::size_t>(z)] = a + t[0] * (b - a);
            slope[static_cast<std::size_t>(y)][static_cast<std::size_t>(z)] = b - a;
        }
    }
    const double near = along[0][0] + t[1] * (along[1][0] - along[0][0]);
    const double far = along[0][1] + t[1] * (along[1][1] - along[0][1]);
    if (gradient != nullptr) {
        const double sx = (1.0 - t[2]) * (slope[0][0] + t[1] * (slope[1][0] - slope[0][0])) +
                          t[2] * (slope[0][1] + t[1] * (slope[1][1] - slope[0][1]));
        const double sy =
            (1.0 - t[2]) * (along[1][0] - along[0][0]) + t[2] * (along[1][1] - along[0][1]);
        *gradient = Vec3(sx, sy, far - near) / cell_;
    }
    return near + t[2] * (far - near);
}

}  // namespace sinew
