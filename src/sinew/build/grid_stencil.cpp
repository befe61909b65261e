#include "sinew/build/grid_stencil.h"

#include <cmath>

namespace sinew {

namespace {

/// Entry of the stencil that leads from corner a of a cell to corner b.
std::size_t entry(std::size_t a, std::size_t b) {
    const auto step = [&](int axis) {
        return static_cast<int>(b >> axis & 1) - static_cast<int>(a >> axis & 1);
    };
    return static_cast<std::size_t>(13 + step(0) + 3 * step(1) + 9 * step(2));
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

}  // namespace

GridNeighbours::GridNeighbours(const std::array<int, 3>& size, std::span<const Index> node_at,
                               std::size_t nodes)
    : around_(nodes) {
    const std::ptrdiff_t row = size[0];
    const std::ptrdiff_t plane = row * size[1];
    for (std::size_t place = 0; place < node_at.size(); ++place) {
        if (node_at[place] < 0) {
            continue;
        }
        std::array<Index, 27>& around = around_[at(node_at[place])];
        std::size_t k = 0;
        for (std::ptrdiff_t z = -1; z <= 1; ++z) {
            for (std::ptrdiff_t y = -1; y <= 1; ++y) {
                for (std::ptrdiff_t x = -1; x <= 1; ++x, ++k) {
                    around[k] =
                        node_at[at(static_cast<std::ptrdiff_t>(place) + x + row * y + plane * z)];
                }
            }
        }
    }
}

GridStencil::GridStencil(const std::array<int, 3>& size, std::span<const Index> node_at,
                         std::size_t nodes)
    : around_(size, node_at, nodes), value_(nodes) {
    for (auto& row : value_) {
        row.fill(0.0);
    }
}

void GridStencil::add(const std::array<Index, 8>& nodes, const CellStiffness& K) {
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = 0; b < 8; ++b) {
            value_[at(nodes[a])][entry(a, b)] += K[a][b];
        }
    }
}

void GridStencil::add_outer(const std::array<Index, 8>& nodes, const std::array<double, 8>& N,
                            double weight) {
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = 0; b < 8; ++b) {
            if (nodes[a] >= 0 && nodes[b] >= 0) {
                value_[at(nodes[a])][entry(a, b)] += weight * N[a] * N[b];
            }
        }
    }
}

void GridStencil::multiply(const std::vector<double>& x, std::vector<double>& y) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto around = around_.of(i);
        const std::array<double, 27>& a = value_[i];
        double sum = 0.0;
        for (std::size_t k = 0; k < 27; ++k) {
            // Entries without a neighbour are zero.
            sum += a[k] * x[at(around[k] < 0 ? 0 : around[k])];
        }
        y[i] = sum;
    }
}

/// z = M^-1 r with M = (D + L) D^-1 (D + L^T): one sweep forward, one back.
void GridStencil::precondition(const std::vector<double>& r, std::vector<double>& z) const {
    for (std::size_t i = 0; i < r.size(); ++i) {
        const auto around = around_.of(i);
        const std::array<double, 27>& a = value_[i];
        double sum = r[i];
        for (std::size_t k = 0; k < 13; ++k) {
            sum -= a[k] * z[at(around[k] < 0 ? 0 : around[k])];
        }
        z[i] = a[13] > 0.0 ? sum / a[13] : 0.0;
    }
    for (std::size_t i = r.size(); i-- > 0;) {
        const auto around = around_.of(i);
        const std::array<double, 27>& a = value_[i];
        double sum = 0.0;
        for (std::size_t k = 14; k < 27; ++k) {
            sum += a[k] * z[at(around[k] < 0 ? 0 : around[k])];
        }
        z[i] -= a[13] > 0.0 ? sum / a[13] : 0.0;
    }
}

GridSolve GridStencil::solve(const std::vector<double>& rhs, std::vector<double>& x,
                             double tolerance, int max_iterations) const {
    const std::size_t n = rhs.size();
    std::vector<double> r(n), z(n, 0.0), p(n), q(n);
    multiply(x, q);
    for (std::size_t i = 0; i < n; ++i) {
        r[i] = rhs[i] - q[i];
    }
    precondition(r, z);
    p = z;
    double rz = dot(r, z);
    // In the norm of the preconditioner, so that small cells count as much as large ones.
    GridSolve result;
    precondition(rhs, q);
    const double scale = std::sqrt(std::max(dot(rhs, q), 1e-300));
    for (; result.iterations < max_iterations; ++result.iterations) {
        result.residual = std::sqrt(std::max(rz, 0.0)) / scale;
        if (result.residual <= tolerance) {
            result.has_converged = true;
            break;
        }
        multiply(p, q);
        const double pq = dot(p, q);
        if (!(pq > 0.0)) {
            break;
        }
        const double step = rz / pq;
        for (std::size_t i = 0; i < n; ++i) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        precondition(r, z);
        const double next = dot(r, z);
        const double turn = next / rz;
        rz = next;
        for (std::size_t i = 0; i < n; ++i) {
            p[i] = z[i] + turn * p[i];
        }
    }
    return result;
}

}  // namespace sinew
