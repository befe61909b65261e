#include "sinew/meshing/marching_cubes.h"

#include <algorithm>

namespace sinew {

namespace {

// Corners at both ends of cell edge e, low one first.
std::array<int, 2> ends_of_edge(int e) {
    const int axis = e / 4;
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const int low = ((e & 1) << u) | (((e >> 1) & 1) << v);
    return {low, low | (1 << axis)};
}

int cube_edge_between(int a, int b) {
    for (int e = 0; e < 12; ++e) {
        const auto ends = ends_of_edge(e);
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) {
            return e;
        }
    }
    return -1;
}

// The four corners of face f (axis f / 2, low or high side), counter-clockwise from outside.
std::array<int, 4> corners_of_face(int f) {
    const int axis = f / 2;
    const int side = f % 2;
    const int u = 1 << ((axis + 1) % 3);
    const int v = 1 << ((axis + 2) % 3);
    const int base = side << axis;
    std::array<int, 4> c = {base, base | u, base | u | v, base | v};
    if (side == 0) {
        std::swap(c[1], c[3]);
    }
    return c;
}

CellPatches patches_of(int inside) {
    // On each face the outline runs from where it leaves the inside to where it enters it: walking
    // round the face counter-clockwise seen from outside the cell, a crossing from inside to
    // outside is joined to the crossing from outside to inside just before it. Each inside run of
    // corners is thus cut off by itself.
    std::array<int, 12> next;
    next.fill(-1);
    for (int f = 0; f < 6; ++f) {
        const std::array<int, 4> c = corners_of_face(f);
        const auto is_in = [&](int k) {
            return (inside >> c[static_cast<std::size_t>(k & 3)]) & 1;
        };
        for (int k = 0; k < 4; ++k) {
            if (!is_in(k) || is_in(k + 1)) {
                continue;
            }
            int j = k;
            while (is_in(j - 1 + 4)) {
                j = (j + 3) & 3;
            }
            const auto at = [&](int i) { return c[static_cast<std::size_t>(i & 3)]; };
            const int leaving = cube_edge_between(at(k), at(k + 1));
            const int entering = cube_edge_between(at(j + 3), at(j));
            next[static_cast<std::size_t>(entering)] = leaving;
        }
    }
    CellPatches patches;
    std::array<bool, 12> is_done = {};
    for (int start = 0; start < 12; ++start) {
        if (next[static_cast<std::size_t>(start)] < 0 || is_done[static_cast<std::size_t>(start)]) {
            continue;
        }
        auto& polygon = patches.edges[static_cast<std::size_t>(patches.count)];
        int& size = patches.size[static_cast<std::size_t>(patches.count)];
        for (int e = start; !is_done[static_cast<std::size_t>(e)];
             e = next[static_cast<std::size_t>(e)]) {
            is_done[static_cast<std::size_t>(e)] = true;
            polygon[static_cast<std::size_t>(size++)] = static_cast<std::int8_t>(e);
        }
        ++patches.count;
    }
    return patches;
}

// Both edges lie on one face of the cell.
bool share_a_face(int e, int f) {
    const auto a = ends_of_edge(e);
    const auto b = ends_of_edge(f);
    for (int axis = 0; axis < 3; ++axis) {
        const int bit = 1 << axis;
        const int side = a[0] & bit;
        if ((a[1] & bit) == side && (b[0] & bit) == side && (b[1] & bit) == side) {
            return true;
        }
    }
    return false;
}

}  // namespace

const std::array<CellPatches, 256>& cell_patches() {
    static const std::array<CellPatches, 256> table = [] {
        std::array<CellPatches, 256> result;
        for (int inside = 0; inside < 256; ++inside) {
            result[static_cast<std::size_t>(inside)] = patches_of(inside);
        }
        return result;
    }();
    return table;
}

void SurfaceBuilder::add_cell(const std::array<int, 3>& cell, const std::array<float, 8>& values) {
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
        inside |= (values[static_cast<std::size_t>(c)] < 0.0f) << c;
    }
    const CellPatches& patches = cell_patches()[static_cast<std::size_t>(inside)];
    for (std::size_t p = 0; p < static_cast<std::size_t>(patches.count); ++p) {
        std::array<Index, 12> corner;
        for (std::size_t k = 0; k < static_cast<std::size_t>(patches.size[p]); ++k) {
            corner[k] = vertex(cell, values, patches.edges[p][k]);
        }
        add_polygon(corner, patches.edges[p], patches.size[p]);
    }
}

Index SurfaceBuilder::vertex(const std::array<int, 3>& cell, const std::array<float, 8>& values,
                             int edge) {
    const std::array<int, 2> ends = ends_of_edge(edge);
    const int axis = edge / 4;
    std::array<int, 3> low;
    std::uint64_t key = static_cast<std::uint64_t>(axis);
    for (int k = 0; k < 3; ++k) {
        const auto at = static_cast<std::size_t>(k);
        low[at] = cell[at] + ((ends[0] >> k) & 1);
        // 20 bits per axis: grids of more than a million cells across are refused before.
        key = key << 20 | (static_cast<std::uint64_t>(low[at] + (1 << 19)) & 0xfffffu);
    }
    const auto [it, is_new] = vertex_on_edge_.try_emplace(key, static_cast<Index>(points_.size()));
    if (is_new) {
        // Vertices keep a little distance from the grid's corners, so that no triangle degenerates.
        constexpr double kClear = 0.03;
        const double a = values[static_cast<std::size_t>(ends[0])];
        const double b = values[static_cast<std::size_t>(ends[1])];
        Vec3 p(low[0], low[1], low[2]);
        p[axis] += std::clamp(a / (a - b), kClear, 1.0 - kClear);
        points_.push_back(voxel_ * p);
    }
    return it->second;
}

void SurfaceBuilder::add_polygon(const std::array<Index, 12>& corner,
                                 const std::array<std::int8_t, 12>& edges, int size) {
    const auto n = static_cast<std::size_t>(size);
    // A fan from one corner, if none of its diagonals lies in a face of the cell, where the
    // neighbour might draw the same one.
    for (std::size_t start = 0; start < n; ++start) {
        bool is_safe = true;
        for (std::size_t k = 2; k + 1 < n && is_safe; ++k) {
            is_safe = !share_a_face(edges[start], edges[(start + k) % n]);
        }
        if (is_safe) {
            for (std::size_t k = 1; k + 1 < n; ++k) {
                triangles_.push_back(
                    {corner[start], corner[(start + k) % n], corner[(start + k + 1) % n]});
            }
            return;
        }
    }
    Vec3 centre = Vec3::Zero();
    for (std::size_t k = 0; k < n; ++k) {
        centre += points_[static_cast<std::size_t>(corner[k])];
    }
    const auto middle = static_cast<Index>(points_.size());
    points_.push_back(centre / static_cast<double>(n));
    for (std::size_t k = 0; k < n; ++k) {
        triangles_.push_back({middle, corner[k], corner[(k + 1) % n]});
    }
}

Points SurfaceBuilder::points() const {
    Points result(static_cast<Eigen::Index>(points_.size()), 3);
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
        result.row(i) = points_[static_cast<std::size_t>(i)].transpose();
    }
    return result;
}

Triangles SurfaceBuilder::triangles() const {
    Triangles result(static_cast<Eigen::Index>(triangles_.size()), 3);
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
        const auto& t = triangles_[static_cast<std::size_t>(i)];
        result.row(i) << t[0], t[1], t[2];
    }
    return result;
}

}  // namespace sinew
