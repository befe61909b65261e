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

/// Functions along one axis whose products make the gradients' products, as polynomials: products
/// of the linear functions 1 - x and x (as many x as the number says), these two themselves, and 1.
using AxisFunction = std::array<double, 3>;
constexpr std::size_t kFunctions = 6;
constexpr std::array<AxisFunction, kFunctions> kAxisFunctions = {{{1.0, -2.0, 1.0},
                                                                  {0.0, 1.0, -1.0},
                                                                  {0.0, 0.0, 1.0},
                                                                  {1.0, -1.0, 0.0},
                                                                  {0.0, 1.0, 0.0},
                                                                  {1.0, 0.0, 0.0}}};
constexpr std::size_t kFirstLinear = 3;
constexpr std::size_t kOne = 5;
/// The two linear functions.
constexpr std::array<std::array<double, 2>, 2> kLinear = {{{1.0, -1.0}, {0.0, 1.0}}};

constexpr std::array<std::size_t, 3> kStride = {1, 3, 9};

constexpr std::size_t bit(std::size_t corner, std::size_t axis) {
    return corner >> axis & 1;
}

/// Integrals of dN_a/dx_d dN_b/dx_e as signed integrals of products of three axis functions, for
/// the tensor components d e = xx yy zz xy xz yz (the mixed ones with both orders), entries a <= b.
struct StiffnessTerms {
    struct Term {
        std::uint8_t component = 0;
        std::uint8_t product = 0;  // of functions: x + 6 y + 36 z
        double sign = 0.0;
    };
    static constexpr std::size_t kTerms = 9;
    std::array<std::array<Term, kTerms>, 36> of_entry = {};

    /// dN_a/dx_d dN_b/dx_e
    static constexpr Term term(std::size_t component, std::size_t a, std::size_t b, std::size_t d,
                               std::size_t e) {
        std::size_t product = 0, stride = 1;
        for (std::size_t axis = 0; axis < 3; ++axis, stride *= kFunctions) {
            std::size_t function = bit(a, axis) + bit(b, axis);
            if (axis == d || axis == e) {
                function = d == e      ? kOne
                           : axis == d ? kFirstLinear + bit(b, axis)
                                       : kFirstLinear + bit(a, axis);
            }
            product += stride * function;
        }
        const bool is_plus = bit(a, d) == bit(b, e);
        return {static_cast<std::uint8_t>(component), static_cast<std::uint8_t>(product),
                is_plus ? 1.0 : -1.0};
    }

    constexpr StiffnessTerms() {
        std::size_t entry = 0;
        for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t b = a; b < 8; ++b, ++entry) {
                of_entry[entry] = {term(0, a, b, 0, 0), term(1, a, b, 1, 1), term(2, a, b, 2, 2),
                                   term(3, a, b, 0, 1), term(3, a, b, 1, 0), term(4, a, b, 0, 2),
                                   term(4, a, b, 2, 0), term(5, a, b, 1, 2), term(5, a, b, 2, 1)};
            }
        }
    }
};
constexpr StiffnessTerms kStiffnessTerms;

/// Integrals of all products of three axis functions, x + 6 y + 36 z.
std::array<double, kFunctions * kFunctions * kFunctions> product_integrals(
    const CutGrid::Moments& moments) {
    const auto fold = [](double a, double b, double c, const AxisFunction& f) {
        return f[0] * a + f[1] * b + f[2] * c;
    };
    std::array<double, 9 * kFunctions> along_z = {};  // x + 3 y + 9 f
    for (std::size_t f = 0; f < kFunctions; ++f) {
        for (std::size_t i = 0; i < 9; ++i) {
            along_z[9 * f + i] =
                fold(moments[i], moments[9 + i], moments[18 + i], kAxisFunctions[f]);
        }
    }
    std::array<double, kFunctions* kFunctions* kFunctions> products = {};
    for (std::size_t z = 0; z < kFunctions; ++z) {
        const double* m = along_z.data() + 9 * z;
        for (std::size_t y = 0; y < kFunctions; ++y) {
            const AxisFunction& g = kAxisFunctions[y];
            const double p = fold(m[0], m[3], m[6], g), q = fold(m[1], m[4], m[7], g),
                         r = fold(m[2], m[5], m[8], g);
            for (std::size_t x = 0; x < kFunctions; ++x) {
                products[x + kFunctions * (y + kFunctions * z)] = fold(p, q, r, kAxisFunctions[x]);
            }
        }
    }
    return products;
}

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
    const auto products = product_integrals(moments);
    std::array<double, 36> sum = {};
    for (std::size_t entry = 0; entry < sum.size(); ++entry) {
        for (const StiffnessTerms::Term& t : kStiffnessTerms.of_entry[entry]) {
            sum[entry] += t.sign * tensor[t.component] * products[t.product];
        }
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
