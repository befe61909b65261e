#pragma once

// Eight boxes that are compared at once.

#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace sinew::eight {

inline constexpr int kWidth = 8;

// The compiler maps them to whatever registers the machine has.
typedef float Floats __attribute__((vector_size(kWidth * sizeof(float))));
typedef int Ints __attribute__((vector_size(kWidth * sizeof(int))));

// Bit k says whether comparison k holds.
inline unsigned bits(const Ints& holds) {
#ifdef __AVX__
    __m256 v;
    std::memcpy(&v, &holds, sizeof v);
    return static_cast<unsigned>(_mm256_movemask_ps(v));
#else
    unsigned all = 0;
    for (int k = 0; k < kWidth; ++k) {
        all |= holds[k] != 0 ? 1u << static_cast<unsigned>(k) : 0u;
    }
    return all;
#endif
}

/// Which of eight boxes, given by planes, meet one.
inline unsigned meeting(const float (&low)[3][kWidth], const float (&high)[3][kWidth],
                        const float (&query_low)[3], const float (&query_high)[3]) {
    Ints all = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int k = 0; k < 3; ++k) {
        Floats from;
        Floats to;
        std::memcpy(&from, low[k], sizeof from);
        std::memcpy(&to, high[k], sizeof to);
        all &= (from <= query_high[k]) & (to >= query_low[k]);
    }
    return bits(all);
}

/// To the nearest float, then outward by more than the rounding: nothing branches, so that the
/// compiler takes many at once.
inline constexpr float kRounding = 1.2e-7f;  // of the number
inline constexpr float kSmallest = 1e-37f;   // below, floats are not as dense
inline float rounded_down(double x) {
    const auto f = static_cast<float>(x);
    return f - (kRounding * (f < 0.0f ? -f : f) + kSmallest);
}
inline float rounded_up(double x) {
    const auto f = static_cast<float>(x);
    return f + (kRounding * (f < 0.0f ? -f : f) + kSmallest);
}

}  // namespace sinew::eight
