#include "sinew/build/cut_grid.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/scan_lines.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kLines = 8;           // through a cell, along x and along y
constexpr double kSmallest = 1e-3;  // share of a cell that is worth an unknown

/// Moments of the strip of a cell that a line stands for, along x or y.
std::array<std::array<double, 3>, kLines> strip_moments() {
    std::array<std::array<double, 3>, kLines> moments = {};
    for (int i = 0; i < kLines; ++i) {
        const double a = static_cast<double>(i) / kLines;
        const double b = static_cast<double>(i + 1) / kLines;
        moments[static_cast<std::size_t>(i)] = {b - a, (b * b - a * a) / 2.0,
                                                (b * b * b - a * a * a) / 3.0};
    }
    return moments;
}

/// Products of the linear functions 1 - x (0) and x (1) as polynomials: entry [a][b][power].
using Product = std::array<double, 3>;
constexpr std::array<std::array<Product, 2>, 2> kProducts = {
    {{{{1.0, -2.0, 1.0}, {0.0, 1.0, -1.0}}}, {{{0.0, 1.0, -1.0}, {0.0, 0.0, 1.0}}}}};
/// The functions themselves.
constexpr std::array<std::array<double, 2>, 2> kLinear = {{{1.0, -1.0}, {0.0, 1.0}}};

constexpr std::array<std::size_t, 3> kStride = {1, 3, 9};

constexpr std::size_t bit(std::size_t corner, std::size_t axis) {
    return corner >> axis & 1;
}

/// Coefficients of the moments in each entry (a <= b) of the stiffness, in one list.
struct Terms {
    std::array<std::array<double, 27>, 36> coefficient = {};

    constexpr Terms() {
        std::size_t entry = 0;
        for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t b = a; b < 8; ++b, ++entry) {
                for (std::size_t d = 0; d < 3; ++d) {
                    const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
                    const double sign = bit(a, d) == bit(b, d) ? 1.0 : -1.0;
                    const Product& p = kProducts[bit(a, e)][bit(b, e)];
                    const Product& q = kProducts[bit(a, f)][bit(b, f)];
                    for (std::size_t i = 0; i < 3; ++i) {
                        for (std::size_t j = 0; j < 3; ++j) {
                            coefficient[entry][i * kStride[e] + j * kStride[f]] +=
                                sign * p[i] * q[j];
                        }
                    }
                }
            }
        }
    }
};
constexpr Terms kTerms;

}  // namespace

CutGrid cut_grid(const Points& points, const Triangles& triangles, double edge, int margin) {
    const Bounds box = bounds(points);
    CutGrid grid;
    grid.edge = edge;
    for (int a = 0; a < 3; ++a) {
        const int cells = std::max(1, static_cast<int>(std::ceil(box.size()[a] / edge)));
        grid.size[static_cast<std::size_t>(a)] = cells + 2 * margin;
        grid.low[a] = box.centre()[a] - 0.5 * edge * (cells + 2 * margin);
    }
    const LineLattice lattice(grid.low.head<2>(), edge / kLines,
                              {grid.size[0] * kLines, grid.size[1] * kLines});
    const auto strips = strip_moments();
    const auto nx = static_cast<std::size_t>(grid.size[0]);
    const auto ny = static_cast<std::size_t>(grid.size[1]);
    std::vector<Index> cell_at(nx * ny * static_cast<std::size_t>(grid.size[2]), -1);
    std::vector<CutGrid::Cell> cells;
    for (const LineStretch& s : stretches_inside(points, triangles, lattice)) {
        const int i = s.line % lattice.size()[0], j = s.line / lattice.size()[0];
        const auto& wx = strips[static_cast<std::size_t>(i % kLines)];
        const auto& wy = strips[static_cast<std::size_t>(j % kLines)];
        const double from = (s.low - grid.low.z()) / edge;
        const double to = (s.high - grid.low.z()) / edge;
        const int last = std::min(static_cast<int>(to), grid.size[2] - 1);
        for (int k = std::max(0, static_cast<int>(from)); k <= last; ++k) {
            const double a = std::max(from - k, 0.0), b = std::min(to - k, 1.0);
            const std::array<double, 3> wz = {b - a, (b * b - a * a) / 2.0,
                                              (b * b * b - a * a * a) / 3.0};
            const std::array<int, 3> at = {i / kLines, j / kLines, k};
            Index& cell =
                cell_at[static_cast<std::size_t>(at[0]) +
                        nx * (static_cast<std::size_t>(at[1]) + ny * static_cast<std::size_t>(k))];
            if (cell < 0) {
                cell = static_cast<Index>(cells.size());
                cells.push_back({.at = at});
            }
            double* m = cells[static_cast<std::size_t>(cell)].moments.data();
            for (std::size_t z = 0; z < 3; ++z) {
                for (std::size_t y = 0; y < 3; ++y) {
                    const double w = wz[z] * wy[y];
                    for (std::size_t x = 0; x < 3; ++x) {
                        *m++ += w * wx[x];
                    }
                }
            }
        }
    }
    for (const Index cell : cell_at) {
        if (cell >= 0 && cells[static_cast<std::size_t>(cell)].volume() > kSmallest) {
            grid.cells.push_back(cells[static_cast<std::size_t>(cell)]);
        }
    }
    return grid;
}

CellStiffness cell_stiffness(const CutGrid::Moments& moments) {
    CellStiffness K;
    std::size_t entry = 0;
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = a; b < 8; ++b, ++entry) {
            double sum = 0.0;
            for (std::size_t m = 0; m < 27; ++m) {
                sum += kTerms.coefficient[entry][m] * moments[m];
            }
            K[a][b] = sum;
            K[b][a] = sum;
        }
    }
    return K;
}

std::array<Vec3, 8> cell_gradients(const CutGrid::Moments& moments) {
    std::array<Vec3, 8> gradients;
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
            double sum = 0.0;
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) {
                    sum += kLinear[bit(a, e)][i] * kLinear[bit(a, f)][j] *
                           moments[i * kStride[e] + j * kStride[f]];
                }
            }
            gradients[a][static_cast<Eigen::Index>(d)] = bit(a, d) == 1 ? sum : -sum;
        }
    }
    return gradients;
}

}  // namespace sinew
