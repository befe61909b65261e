#include "bench/solver_bench.h"

namespace sinew::bench {

// Compiled in place of solver_baseline.cpp where the compiler has no OpenMP.
std::optional<BaselineTimes> run_baseline(const BaselineScene&) {
    return std::nullopt;
}

}  // namespace sinew::bench
