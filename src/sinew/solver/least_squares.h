#pragma once

#include <Eigen/Core>

#include <functional>

namespace sinew {

struct LeastSquaresOptions {
    int max_iterations = 60;  ///< >= 0
    double tolerance =
        1e-6;               ///< stop once a step lowers the energy by less than this fraction of it
    double damping = 1e-3;  ///< of the first step, relative to the diagonal, > 0
};

struct LeastSquaresResult {
    Eigen::VectorXd x = {};
    double energy_before = 0.0;  ///< |r|^2
    double energy = 0.0;         ///< |r|^2, never above energy_before
    int iterations = 0;          ///< Jacobians that were asked for
    bool has_converged = false;
};

/// Fills r(x), and the Jacobian dr/dx where the pointer is not null. Both keep their sizes.
using Residuals =
    std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J)>;

/// A minimum of |r(x)|^2 near a start, by Levenberg and Marquardt: (J'J + damping diag(J'J)) dx =
/// -J'r, damping raised until the energy falls. For small dense problems.
LeastSquaresResult minimise_squares(const Residuals& residuals, Eigen::VectorXd start,
                                    const LeastSquaresOptions& options = {});

}  // namespace sinew
