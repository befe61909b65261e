#pragma once

#include "sinew/mesh/arrays.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace sinew {

/// Which muscles pull how much, so that their moments add up:
///
///   min  sum_m cost/p a_m^p + 1/2 r' S^-1 r    subject to  B a + r = tau,  low <= a <= high
///
/// B holds in column m the generalised forces of muscle m at full activation; r is what reserve
/// actuators add. Static optimisation takes S = diag(optimal force^2), Ryu's QP for wanted
/// accelerations S = M^2 with cost = w_reg [Ryu2021, eqs. 12-13].
///
/// Solved by Newton's method on the dual: with multipliers y, a_m = clip((b_m.y / cost)^(1/(p-1)))
/// and r = S y, so that B a(y) + S y = tau is a system of as many equations as coordinates,
/// monotone and with one solution. A line search
/// along its slope makes it converge from anywhere.
struct CoordinationProblem {
    /// Columns of B: muscle m has the entries start[m] .. start[m+1].
    std::vector<Index> start = {0};
    std::vector<Index> row = {};
    std::vector<double> value = {};
    std::vector<double> low = {};   ///< per muscle, >= 0
    std::vector<double> high = {};  ///< per muscle, >= low
    Eigen::VectorXd tau = {};
    Eigen::MatrixXd reserve = {};  ///< S, symmetric and positive definite
    double cost = 1.0;             ///< > 0
    double exponent = 2.0;         ///< p, > 1
};

struct CoordinationResult {
    std::vector<double> activation = {};
    Eigen::VectorXd reserve = {};     ///< r
    Eigen::VectorXd multiplier = {};  ///< y; hand it to the next frame
    int iterations = 0;
    double residual = 0.0;  ///< |B a + r - tau| / (1 + |tau|)
    bool has_converged = false;
};

/// @param guess  multipliers to begin with, of a similar problem; empty: 0
CoordinationResult coordinate_muscles(const CoordinationProblem& problem,
                                      const Eigen::VectorXd& guess = {});

}  // namespace sinew
