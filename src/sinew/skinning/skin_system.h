#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/linalg/cholesky.h"

#include <span>
#include <vector>

namespace sinew {

/// The linear system of a skinning frame, kept factorised: (M / dt^2 + terms + D) d = f on the
/// free vertices, where D is a diagonal that contacts ask for.
class SkinSystem {
public:
    /// @param free    vertices that are unknowns, ascending
    /// @param masses  of all vertices over dt^2
    SkinSystem(const std::vector<const EnergyTerm*>& terms, std::span<const double> masses,
               std::span<const int> free);
    /// The same system, to be factorised often: in single precision, which is twice as fast. It is
    /// not factorised yet.
    static SkinSystem factored_often(const SkinSystem& same);

    /// Factorises with D on the free unknowns.
    void factor(std::span<const double> diagonal);

    /// f and d are rows of all vertices; rows that are not free are left alone.
    void solve(const Points& f, Points& d);

private:
    SkinSystem(const SkinSystem& same, const CholeskyOptions& options);

    std::vector<int> free_;
    bool is_contiguous_;  // the free vertices are 0, 1, 2, ...
    SparseSymmetric matrix_;
    std::vector<double> value_;             // without D
    std::vector<std::size_t> diagonal_at_;  // place of each unknown's diagonal entry
    SparseCholesky cholesky_;
    SparseCholesky::Workspace workspace_;
    std::vector<double> reduced_ = {};
};

}  // namespace sinew
