#pragma once

#include "sinew/base/progress.h"

#include <vector>

namespace sinew::bench {

/// One way to minimise: what is left of the energy after each iteration.
struct ConvergenceCurve {
    const char* name = "";
    std::vector<double> error = {};  ///< (E_k - E) / E, E that of the converged state
    int to_percent = 0;              ///< iterations until the error is at most 1 %
    int to_permille = 0;             ///< ... at most 0.1 %
    double seconds = 0.0;            ///< of all iterations
};

/// The growth example, minimised with the factor of the shape at rest and with that of the grown
/// one, plain and accelerated [Saito2015, figure 20].
struct ConvergenceBench {
    int vertices = 0;
    double minimum = 0.0;     ///< E, J
    double refactor_s = 0.0;  ///< what the exact matrix costs whenever growth changes
    ConvergenceCurve rest_plain = {.name = "rest, plain"};
    ConvergenceCurve rest_accelerated = {.name = "rest, accelerated"};
    ConvergenceCurve exact_plain = {.name = "exact, plain"};
    ConvergenceCurve exact_accelerated = {.name = "exact, accelerated"};

    std::vector<const ConvergenceCurve*> curves() const {
        return {&rest_plain, &exact_plain, &rest_accelerated, &exact_accelerated};
    }
};

/// @param cell  edge of the lattice, m
ConvergenceBench run_convergence_bench(double cell = 0.01085, const Progress& progress = {});

/// Systems with rows that come and go on the body-sized matrix: what a change and a solve cost.
struct ChangingTimes {
    int rows = 0;
    double woodbury_change_ms = 0.0;
    double woodbury_solve_ms = 0.0;
    double second_change_ms = 0.0;  ///< a new factor of both
    double second_solve_ms = 0.0;
    double gradient_solve_ms = 0.0;  ///< conjugate gradients; a change costs nothing
    int gradient_steps = 0;
};
struct ChangingBench {
    int vertices = 0;
    double plain_solve_ms = 0.0;  ///< without any rows
    std::vector<ChangingTimes> times = {};
};
ChangingBench run_changing_bench(double cell = 0.01085, const Progress& progress = {});

}  // namespace sinew::bench
