#include "sinew/base/timer.h"

#include <cholmod.h>

#include <algorithm>

#include "bench/solver_bench.h"
#include "bench/solver_scene.h"

namespace sinew::bench {

std::optional<OtherSolver> run_cholmod(int size, std::span<const std::int64_t> start,
                                       std::span<const int> column, std::span<const double> value) {
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_METIS;
    const auto n = static_cast<std::size_t>(size);
    // Rows of a symmetric matrix are its columns; the lower triangle is read.
    cholmod_sparse* A =
        cholmod_allocate_sparse(n, n, column.size(), 1, 1, -1, CHOLMOD_REAL, &common);
    std::transform(start.begin(), start.end(), static_cast<int*>(A->p),
                   [](std::int64_t s) { return static_cast<int>(s); });
    std::copy(column.begin(), column.end(), static_cast<int*>(A->i));
    std::copy(value.begin(), value.end(), static_cast<double*>(A->x));

    OtherSolver result;
    const Timer timer;
    cholmod_factor* L = cholmod_analyze(A, &common);
    cholmod_factorize(A, L, &common);
    result.factor_s = timer.seconds();
    result.nonzeros = static_cast<double>(L->xsize);
    cholmod_dense* b = cholmod_ones(n, 3, CHOLMOD_REAL, &common);
    cholmod_dense* x = nullptr;
    cholmod_dense* y = nullptr;
    cholmod_dense* e = nullptr;
    std::vector<double> samples;
    for (int k = 0; k < 10; ++k) {
        const Timer solve;
        cholmod_solve2(CHOLMOD_A, L, b, nullptr, &x, nullptr, &y, &e, &common);
        samples.push_back(solve.seconds());
    }
    result.solve_ms = 1e3 * median(samples);
    for (cholmod_dense** dense : {&b, &x, &y, &e}) {
        cholmod_free_dense(dense, &common);
    }
    cholmod_free_factor(&L, &common);
    cholmod_free_sparse(&A, &common);
    cholmod_finish(&common);
    return result;
}

}  // namespace sinew::bench
