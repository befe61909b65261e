#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <vector>

namespace sinew {

/// Cubic cells of which only the part inside a closed surface counts. Lengths inside a cell are
/// given in cells: x, y, z in [0, 1].
struct CutGrid {
    /// int x^i y^j z^k over the inside of a cell is entry i + 3 j + 9 k, i, j, k <= 2.
    using Moments = std::array<double, 27>;
    struct Cell {
        std::array<int, 3> at = {0, 0, 0};
        Moments moments = {};

        double volume() const {  // fraction of the cell
            return moments[0];
        }
    };
    Vec3 low = Vec3::Zero();  ///< corner of cell (0, 0, 0), m
    double edge = 1.0;        ///< m
    std::array<int, 3> size = {0, 0, 0};
    std::vector<Cell> cells = {};  ///< those with an inside, z slowest

    /// Number of a corner among all (size + 1)^3 of them, x fastest.
    std::size_t corner(int x, int y, int z) const {
        const auto nx = static_cast<std::size_t>(size[0] + 1);
        const auto ny = static_cast<std::size_t>(size[1] + 1);
        return static_cast<std::size_t>(x) +
               nx * (static_cast<std::size_t>(y) + ny * static_cast<std::size_t>(z));
    }
    std::size_t corner_count() const {
        return corner(0, 0, size[2] + 1);
    }
};

/// Cuts a grid by a closed surface. Integrals run along lines parallel to z, exactly, 8 by 8 lines
/// through each cell; cells of which less than 1e-3 is inside are dropped.
/// @param edge    of a cell, m, > 0
/// @param margin  empty cells on all sides, >= 1
CutGrid cut_grid(const Points& points, const Triangles& triangles, double edge, int margin);

/// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2); N_c is 1 there, trilinear, 0 at the
/// others. Entry (a, b): int grad N_a . C grad N_b over the inside, symmetric as C is.
using CellStiffness = std::array<std::array<double, 8>, 8>;
CellStiffness cell_stiffness(const CutGrid::Moments& moments, const Mat3& C);
/// int grad N_a over the inside, one row per corner.
std::array<Vec3, 8> cell_gradients(const CutGrid::Moments& moments);

/// N_a at a position in the cell.
inline std::array<double, 8> trilinear(double x, double y, double z) {
    return {
        (1 - x) * (1 - y) * (1 - z), x * (1 - y) * (1 - z), (1 - x) * y * (1 - z), x * y * (1 - z),
        (1 - x) * (1 - y) * z,       x * (1 - y) * z,       (1 - x) * y * z,       x * y * z};
}

}  // namespace sinew
