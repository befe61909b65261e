#include "sinew/energy/finite_volume.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <array>

namespace sinew {

namespace {

constexpr std::size_t kFiniteVolumeGrain = 2048;

/// The corners of the face opposite corner k, counter-clockwise seen from outside.
constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// One third of the area-weighted outward normals of the faces that meet at each corner.
std::array<Vec3, 4> corner_normals(const Points& x, const Tets& tets, Eigen::Index t) {
    std::array<Vec3, 4> b;
    b.fill(Vec3::Zero());
    for (const auto& face : kFaces) {
        const Vec3 p = point(x, tets(t, face[0]));
        const Vec3 q = point(x, tets(t, face[1]));
        const Vec3 r = point(x, tets(t, face[2]));
        // The cross product is twice the area: a sixth of it goes to each corner.
        const Vec3 share = (q - p).cross(r - p) / 6.0;
        for (const int corner : face) {
            b[static_cast<std::size_t>(corner)] += share;
        }
    }
    return b;
}

Lists corners_of_vertices(const Tets& tets, Eigen::Index vertices) {
    Lists lists;
    lists.start.assign(static_cast<std::size_t>(vertices) + 1, 0);
    for (const Index v : tets.reshaped()) {
        ++lists.start[static_cast<std::size_t>(v) + 1];
    }
    for (std::size_t v = 1; v < lists.start.size(); ++v) {
        lists.start[v] += lists.start[v - 1];
    }
    lists.items.resize(static_cast<std::size_t>(tets.size()));
    std::vector<Index> next(lists.start.begin(), lists.start.end() - 1);
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        for (int c = 0; c < 4; ++c) {
            Index& at = next[static_cast<std::size_t>(tets(t, c))];
            lists.items[static_cast<std::size_t>(at++)] = static_cast<Index>(4 * t + c);
        }
    }
    return lists;
}

}  // namespace

Mat3 edge_matrix(const Points& x, const Tets& tets, Eigen::Index t) {
    Mat3 D;
    for (int c = 0; c < 3; ++c) {
        D.col(c) = (x.row(tets(t, c + 1)) - x.row(tets(t, 0))).transpose();
    }
    return D;
}

Eigen::Index count_inverted(const Points& x, const Tets& tets) {
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        count += !(edge_matrix(x, tets, t).determinant() > 0.0);
    }
    return count;
}

FiniteVolumeTets::FiniteVolumeTets(const TetMesh& rest)
    : tets_(rest.tets),
      vertices_(rest.points.rows()),
      volume_(static_cast<std::size_t>(rest.tets.rows())),
      normals_(static_cast<std::size_t>(rest.tets.rows())),
      corners_of_vertices_(corners_of_vertices(rest.tets, rest.points.rows())) {
    for (Eigen::Index t = 0; t < count(); ++t) {
        const auto k = static_cast<std::size_t>(t);
        volume_[k] = edge_matrix(rest.points, tets_, t).determinant() / 6.0;
        if (!(volume_[k] > 0.0)) {
            throw InputError({.where = fmt::format("rest tetrahedron {}", t),
                              .found = fmt::format("volume {} m^3", volume_[k]),
                              .needs = "a volume > 0",
                              .remedy = "reorder its corners or repair the mesh"});
        }
        const std::array<Vec3, 4> b = corner_normals(rest.points, tets_, t);
        normals_[k] << b[1], b[2], b[3];
    }
}

Mat3 FiniteVolumeTets::deformation_gradient(const Points& x, Eigen::Index t) const {
    return edge_matrix(x, tets_, t) * normals(t).transpose() / volume(t);
}

void FiniteVolumeTets::add_to_vertices(const std::vector<Mat3>& corner_forces,
                                       Points& nodal) const {
    parallel_for(static_cast<std::size_t>(vertices_), kFiniteVolumeGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t v = begin; v < end; ++v) {
                         Vec3 sum = Vec3::Zero();
                         for (const Index item : corners_of_vertices_[v]) {
                             const Mat3& G = corner_forces[static_cast<std::size_t>(item / 4)];
                             // g_0 = -(g_1 + g_2 + g_3)
                             sum += item % 4 == 0 ? Vec3(-G.rowwise().sum()) : G.col(item % 4 - 1);
                         }
                         nodal.row(static_cast<Eigen::Index>(v)) += sum.transpose();
                     }
                 });
}

}  // namespace sinew
