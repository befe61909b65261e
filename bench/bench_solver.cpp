// The body-sized scene of solver_bench.h, with its reference implementation: bench_solver prints
// one line per figure. `bench_solver quick` leaves out scaling and baseline.

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "bench/solver_bench.h"

int main(int argc, char** argv) {
    const bool is_quick = argc > 1 && std::string_view(argv[1]) == "quick";
    const auto b =
        sinew::bench::run_solver_bench({.with_baseline = !is_quick, .with_scaling = !is_quick});
    const auto line = [](const char* name, double value) {
        std::puts(fmt::format("{:36} {:.6g}", name, value).c_str());
    };
    line("vertices", b.vertices);
    line("tets", b.tets);
    line("threads", b.threads);
    line("iteration_ms", b.iteration_ms);
    line("accelerated_iteration_ms", b.accelerated_iteration_ms);
    line("local_ms", b.local_ms);
    line("rhs_ms", b.rhs_ms);
    line("global_ms", b.global_ms);
    line("global_one_thread_ms", b.global_one_thread_ms);
    line("factor_s", b.factor_s);
    line("refactor_s", b.refactor_s);
    line("factor_nonzeros", b.factor_nonzeros);
    line("bandwidth_gbs", b.bandwidth_gbs);
    line("global_over_bound", b.global_over_bound);
    line("local_mtets_per_s", b.local_mtets_per_s);
    line("memory_mb", b.memory_mb);
    line("baseline_iteration_ms", b.baseline_iteration_ms);
    line("baseline_factor_s", b.baseline_factor_s);
    line("speedup", b.speedup);
    line("scaling_exponent", b.scaling_exponent);
    for (std::size_t k = 0; k < b.scaling_ms.size(); ++k) {
        std::puts(fmt::format("  {:8} vertices {:.3f} ms", b.scaling_vertices[k], b.scaling_ms[k])
                      .c_str());
    }
    return 0;
}
