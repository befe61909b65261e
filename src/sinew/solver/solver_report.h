#pragma once

#include <limits>
#include <vector>

namespace sinew {

enum class SolverStatus {
    Converged,           ///< the residual is below the tolerance; without loads: all is rounding
    IterationLimit,      ///< stopped early; the energy has fallen so far
    Stalled,             ///< no step makes it better, and the residual is above the tolerance
    NotPositiveDefinite  ///< nothing was solved: the matrix of the terms has no factor
};

/// What every minimiser reports. Histories start with the first state: iterations + 1 entries.
struct SolverReport {
    SolverStatus status = SolverStatus::IterationLimit;
    int iterations = 0;
    std::vector<double> energy = {};    ///< J
    std::vector<double> residual = {};  ///< |forces on free vertices|, relative; see the solver
    double seconds_total = 0.0;

    /// Where it ended; infinite when nothing was solved.
    double last_residual() const {
        return residual.empty() ? std::numeric_limits<double>::infinity() : residual.back();
    }
};

}  // namespace sinew
