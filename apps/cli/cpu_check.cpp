#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// Runs before any other code of the program, which may use instructions that this CPU lacks.
__attribute__((constructor(101))) void check_cpu() {
#if defined(__x86_64__)
    if (std::strcmp(SINEW_ARCH_NAME, "x86-64-v3") != 0) {
        return;
    }
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        return;
    }
    std::fputs(
        "sinew: this CPU lacks AVX2, FMA or BMI2, which this build needs (x86-64-v3).\n"
        "What to do: build for this machine with\n"
        "  cmake --preset release -DSINEW_ARCH=native && cmake --build --preset release\n",
        stderr);
    std::_Exit(2);
#endif
}

}  // namespace
