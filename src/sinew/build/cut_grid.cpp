#include "sinew/build/cut_grid.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/scan_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

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

/// Integrals of dN_a/dx_d dN_b/dx_e as sums of moments, for the tensor components d e = xx yy zz xy
/// xz yz (the mixed ones with both orders), entries a <= b in one list.
struct Terms {
    static constexpr std::size_t kMost = 6000;
    struct Term {
        std::uint8_t component = 0;
        std::uint8_t entry = 0;
        std::uint8_t moment = 0;
        double factor = 0.0;
    };
    std::array<Term, kMost> terms = {};
    std::size_t count = 0;

    /// Adds dN_a/dx_d dN_b/dx_e.
    constexpr void add(std::size_t component, std::size_t entry, std::size_t a, std::size_t b,
                       std::size_t d, std::size_t e) {
        std::array<double, 27> sum = {};
        const double sign = (bit(a, d) == 1 ? 1.0 : -1.0) * (bit(b, e) == 1 ? 1.0 : -1.0);
        std::array<std::array<double, 3>, 3> factor = {};  // polynomial along each axis
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto& one = kLinear[bit(a, axis)];
            const auto& other = kLinear[bit(b, axis)];
            if (axis == d && axis == e) {
                factor[axis] = {1.0, 0.0, 0.0};
            } else if (axis == d) {
                factor[axis] = {other[0], other[1], 0.0};
            } else if (axis == e) {
                factor[axis] = {one[0], one[1], 0.0};
            } else {
                factor[axis] = kProducts[bit(a, axis)][bit(b, axis)];
            }
        }
        for (std::size_t m = 0; m < 27; ++m) {
            sum[m] = sign * factor[0][m % 3] * factor[1][m / 3 % 3] * factor[2][m / 9];
            if (sum[m] != 0.0) {
                terms[count++] = {static_cast<std::uint8_t>(component),
                                  static_cast<std::uint8_t>(entry), static_cast<std::uint8_t>(m),
                                  sum[m]};
            }
        }
    }

    constexpr Terms() {
        std::size_t entry = 0;
        for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t b = a; b < 8; ++b, ++entry) {
                for (std::size_t d = 0; d < 3; ++d) {
                    add(d, entry, a, b, d, d);
                }
                add(3, entry, a, b, 0, 1);
                add(3, entry, a, b, 1, 0);
                add(4, entry, a, b, 0, 2);
                add(4, entry, a, b, 2, 0);
                add(5, entry, a, b, 1, 2);
                add(5, entry, a, b, 2, 1);
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

CellStiffness cell_stiffness(const CutGrid::Moments& moments, const Mat3& C) {
    const std::array<double, 6> tensor = {C(0, 0), C(1, 1), C(2, 2), C(0, 1), C(0, 2), C(1, 2)};
    std::array<double, 36> sum = {};
    for (std::size_t i = 0; i < kTerms.count; ++i) {
        const Terms::Term& term = kTerms.terms[i];
        sum[term.entry] += tensor[term.component] * term.factor * moments[term.moment];
    }
    CellStiffness K;
    std::size_t entry = 0;
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = a; b < 8; ++b, ++entry) {
            K[a][b] = sum[entry];
            K[b][a] = sum[entry];
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
