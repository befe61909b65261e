#include "sinew/solver/least_squares.h"

#include "sinew/linalg/dense.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kMostDamping = 1e12;
constexpr double kLeastDiagonal = 1e-12;  // of the greatest entry, for unknowns without influence

}  // namespace

LeastSquaresResult minimise_squares(const Residuals& residuals, Eigen::VectorXd start,
                                    const LeastSquaresOptions& options) {
    LeastSquaresResult out{.x = std::move(start)};
    Eigen::VectorXd r;
    Eigen::VectorXd r_next;
    Eigen::MatrixXd J;
    residuals(out.x, r, nullptr);
    out.energy_before = out.energy = r.squaredNorm();
    double damping = options.damping;
    while (out.iterations < options.max_iterations && !out.has_converged) {
        residuals(out.x, r, &J);
        ++out.iterations;
        const Eigen::MatrixXd A = J.transpose() * J;
        const Eigen::VectorXd b = -(J.transpose() * r);
        const double floor = kLeastDiagonal * A.diagonal().maxCoeff();
        if (!(floor > 0.0)) {
            out.has_converged = true;  // nothing moves the residuals
            break;
        }
        // Raise the damping until a step helps; none helps at a minimum.
        for (out.has_converged = true; damping < kMostDamping; damping *= 4.0) {
            Eigen::MatrixXd M = A;
            M.diagonal() += damping * A.diagonal().cwiseMax(floor);
            const Eigen::VectorXd next = out.x + solve_symmetric(M, b);
            residuals(next, r_next, nullptr);
            const double energy = r_next.squaredNorm();
            if (std::isfinite(energy) && energy < out.energy) {
                out.has_converged = out.energy - energy <= options.tolerance * out.energy;
                out.x = next;
                out.energy = energy;
                damping = std::max(damping / 8.0, 1e-12);
                break;
            }
        }
    }
    return out;
}

}  // namespace sinew
