#pragma once

#include "sinew/build/cut_grid.h"

#include <array>
#include <span>
#include <vector>

namespace sinew {

/// The 26 nodes around each node of a grid and itself (entry 13), -1 where there is none. Nodes are
/// numbered in the order of the grid, x fastest, so that entries before 13 have lower numbers.
class GridNeighbours {
public:
    /// @param node_at  number of the node at each place of the grid, -1: none. Nodes do not lie at
    ///                 the grid's border.
    GridNeighbours(const std::array<int, 3>& size, std::span<const Index> node_at,
                   std::size_t nodes);

    std::span<const Index, 27> of(std::size_t node) const {
        return std::span<const Index, 27>(around_[node]);
    }

private:
    std::vector<std::array<Index, 27>> around_;
};

struct GridSolve {
    int iterations = 0;
    double residual = 0.0;  ///< relative to the right-hand side
    bool has_converged = false;
};

/// A symmetric positive semidefinite matrix that couples nodes of a grid with their 26 neighbours.
class GridStencil {
public:
    GridStencil(const std::array<int, 3>& size, std::span<const Index> node_at, std::size_t nodes);

    /// Adds the stiffness of a cell; corners as in cut_grid.h, all >= 0.
    void add(const std::array<Index, 8>& nodes, const CellStiffness& K);
    /// Adds weight N N^T; corners of -1 are passed over.
    void add_outer(const std::array<Index, 8>& nodes, const std::array<double, 8>& N,
                   double weight);

    /// Conjugate gradients, preconditioned by symmetric Gauss-Seidel sweeps; x holds the first
    /// guess.
    GridSolve solve(const std::vector<double>& rhs, std::vector<double>& x, double tolerance,
                    int max_iterations) const;

private:
    void multiply(const std::vector<double>& x, std::vector<double>& y) const;
    void precondition(const std::vector<double>& r, std::vector<double>& z) const;

    GridNeighbours around_;
    std::vector<std::array<double, 27>> value_;
};

}  // namespace sinew
