#include "sinew/linalg/cholesky_panels.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#ifdef __AVX__
#include <immintrin.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sinew::cholesky {
namespace {

// Eight values; the compiler maps them to whatever registers the machine has.
typedef float EightFloats __attribute__((vector_size(kTile * sizeof(float))));
typedef double EightDoubles __attribute__((vector_size(kTile * sizeof(double))));
template <class S>
using Eight = std::conditional_t<sizeof(S) == 4, EightFloats, EightDoubles>;

#define SINEW_INLINE inline __attribute__((always_inline))

// Rows `rows[0..8)` of y, one vector per right-hand side.
template <class S, int Columns>
SINEW_INLINE void gather(const S* y, const int* rows, Eight<S>* v) {
    constexpr int stride = row_stride(Columns);
    for (int r = 0; r < kTile; ++r) {
        for (int c = 0; c < Columns; ++c) {
            v[c][r] = y[static_cast<std::ptrdiff_t>(rows[r]) * stride + c];
        }
    }
}

template <class S, int Columns>
SINEW_INLINE void scatter_add(const Eight<S>* v, const int* rows, S* y) {
    constexpr int stride = row_stride(Columns);
    for (int r = 0; r < kTile; ++r) {
        for (int c = 0; c < Columns; ++c) {
            y[static_cast<std::ptrdiff_t>(rows[r]) * stride + c] += v[c][r];
        }
    }
}

#ifdef __AVX__
// Eight rows of four floats, turned into columns in registers.
template <>
SINEW_INLINE void gather<float, 3>(const float* y, const int* rows, Eight<float>* v) {
    const auto two = [&](int r) {
        const __m128 low = _mm_loadu_ps(y + 4 * static_cast<std::ptrdiff_t>(rows[r]));
        const __m128 high = _mm_loadu_ps(y + 4 * static_cast<std::ptrdiff_t>(rows[r + 4]));
        return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    };
    const __m256 m0 = two(0);
    const __m256 m1 = two(1);
    const __m256 m2 = two(2);
    const __m256 m3 = two(3);
    const __m256 xy01 = _mm256_unpacklo_ps(m0, m1);
    const __m256 xy23 = _mm256_unpacklo_ps(m2, m3);
    const __m256 zw01 = _mm256_unpackhi_ps(m0, m1);
    const __m256 zw23 = _mm256_unpackhi_ps(m2, m3);
    const __m256 x = _mm256_shuffle_ps(xy01, xy23, 0x44);
    const __m256 yy = _mm256_shuffle_ps(xy01, xy23, 0xEE);
    const __m256 z = _mm256_shuffle_ps(zw01, zw23, 0x44);
    std::memcpy(&v[0], &x, sizeof x);
    std::memcpy(&v[1], &yy, sizeof yy);
    std::memcpy(&v[2], &z, sizeof z);
}

template <>
SINEW_INLINE void scatter_add<float, 3>(const Eight<float>* v, const int* rows, float* y) {
    __m256 x;
    __m256 yy;
    __m256 z;
    std::memcpy(&x, &v[0], sizeof x);
    std::memcpy(&yy, &v[1], sizeof yy);
    std::memcpy(&z, &v[2], sizeof z);
    const __m256 zero = _mm256_setzero_ps();
    const __m256 xy_low = _mm256_unpacklo_ps(x, yy);
    const __m256 xy_high = _mm256_unpackhi_ps(x, yy);
    const __m256 z_low = _mm256_unpacklo_ps(z, zero);
    const __m256 z_high = _mm256_unpackhi_ps(z, zero);
    const __m256 m[4] = {
        _mm256_shuffle_ps(xy_low, z_low, 0x44), _mm256_shuffle_ps(xy_low, z_low, 0xEE),
        _mm256_shuffle_ps(xy_high, z_high, 0x44), _mm256_shuffle_ps(xy_high, z_high, 0xEE)};
    for (int r = 0; r < 4; ++r) {
        float* to = y + 4 * static_cast<std::ptrdiff_t>(rows[r]);
        _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), _mm256_castps256_ps128(m[r])));
    }
    for (int r = 0; r < 4; ++r) {
        float* to = y + 4 * static_cast<std::ptrdiff_t>(rows[r + 4]);
        _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), _mm256_extractf128_ps(m[r], 1)));
    }
}
#endif

// Tiles are read once, in order of address: what comes next is asked for in time.
constexpr std::ptrdiff_t kAhead = 512;  // bytes, at least

template <int Bytes>
SINEW_INLINE void prefetch(const void* p) {
    for (int k = 0; k < Bytes; k += 64) {
        __builtin_prefetch(static_cast<const char*>(p) + k, 0, 2);
    }
}

// y[rows] += D b for T neighbouring tiles of `width` columns each.
template <class S, int Columns, int T>
SINEW_INLINE void forward_tiles(const S* tile, int width, const S* b, const int* rows, S* y) {
    constexpr int stride = row_stride(Columns);
    Eight<S> sum[T][Columns] = {};
    const S* next = tile + kAhead / static_cast<std::ptrdiff_t>(sizeof(S));
    for (int j = 0; j < width; ++j) {
        prefetch<T * kTile * sizeof(S)>(next + T * kTile * j);
        for (int t = 0; t < T; ++t) {
            Eight<S> d;
            std::memcpy(&d, tile + kTile * (T * j + t), sizeof d);
            for (int c = 0; c < Columns; ++c) {
                sum[t][c] += d * b[stride * j + c];
            }
        }
    }
    for (int t = 0; t < T; ++t) {
        scatter_add<S, Columns>(sum[t], rows + kTile * t, y);
    }
}

// sum += D^T y[rows] for T neighbouring tiles; sum[j][c] is a vector whose lanes are added later.
template <class S, int Columns, int T>
SINEW_INLINE void backward_tiles(const S* tile, int width, const S* y, const int* rows, S* sums) {
    Eight<S> v[T][Columns];
    for (int t = 0; t < T; ++t) {
        gather<S, Columns>(y, rows + kTile * t, v[t]);
    }
    const S* next = tile - kAhead / static_cast<std::ptrdiff_t>(sizeof(S));
    for (int j = width - 1; j >= 0; --j) {
        prefetch<T * kTile * sizeof(S)>(next + T * kTile * j);
        S* sums_j = sums + static_cast<std::ptrdiff_t>(j) * Columns * kTile;
        Eight<S> sum[Columns];
        for (int c = 0; c < Columns; ++c) {
            std::memcpy(&sum[c], sums_j + c * kTile, sizeof sum[c]);
        }
        for (int t = 0; t < T; ++t) {
            Eight<S> d;
            std::memcpy(&d, tile + kTile * (T * j + t), sizeof d);
            for (int c = 0; c < Columns; ++c) {
                sum[c] += d * v[t][c];
            }
        }
        for (int c = 0; c < Columns; ++c) {
            std::memcpy(sums_j + c * kTile, &sum[c], sizeof sum[c]);
        }
    }
}

template <class S>
SINEW_INLINE S lanes_sum(const S* p) {
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
    constexpr std::size_t kLargePage = std::size_t{2} << 20;
    constexpr std::size_t kLine = 64;
    const std::size_t border = bytes >= 2 * kLargePage ? kLargePage : kLine;
    const std::size_t whole = std::max(border, (bytes + border - 1) / border * border);
    void* memory = std::aligned_alloc(border, whole);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
#ifdef __linux__
    if (border == kLargePage) {
        madvise(memory, whole, MADV_HUGEPAGE);  // a wish; nothing depends on it
    }
#endif
    return memory;
}

void free_aligned(void* memory) {
    std::free(memory);
}

template <class S, int Columns>
void forward(const Panel& panel, const S* data, const int* rows, S* y, S* scratch) {
    constexpr int stride = row_stride(Columns);
    S* own = y + static_cast<std::ptrdiff_t>(stride) * panel.column;
    const std::size_t own_values = static_cast<std::size_t>(stride * panel.width);
    std::copy_n(own, own_values, scratch);
    std::fill_n(own, own_values, S{0});

    const S* tile = data + panel.data;
    const int* row = rows + panel.rows;
    int t = 0;
    for (; t < panel.tiles && panel.tile_columns(t) < panel.width; ++t) {
        forward_tiles<S, Columns, 1>(tile, panel.tile_columns(t), scratch, row, y);
        tile += kTile * panel.tile_columns(t);
        row += kTile;
    }
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(kTile) * panel.width;
    for (; t + 4 <= panel.tiles; t += 4, tile += 4 * step, row += 4 * kTile) {
        forward_tiles<S, Columns, 4>(tile, panel.width, scratch, row, y);
    }
    for (; t + 2 <= panel.tiles; t += 2, tile += 2 * step, row += 2 * kTile) {
        forward_tiles<S, Columns, 2>(tile, panel.width, scratch, row, y);
    }
    for (; t < panel.tiles; ++t, tile += step, row += kTile) {
        forward_tiles<S, Columns, 1>(tile, panel.width, scratch, row, y);
    }
}

template <class S, int Columns>
void backward(const Panel& panel, const S* data, const int* rows, S* y, S* scratch) {
    constexpr int stride = row_stride(Columns);
    std::fill_n(scratch, static_cast<std::size_t>(panel.width) * Columns * kTile, S{0});
    // From the last strip to the first, as panels are also taken from the last to the first.
    const S* tile = data + panel.data + panel.tile_offset(panel.tiles);
    const int* row = rows + panel.rows + static_cast<std::ptrdiff_t>(panel.tiles) * kTile;
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(kTile) * panel.width;
    const int short_tiles = panel.short_tiles();
    const int full_tiles = panel.tiles - short_tiles;
    const auto take = [&]<int T>(int strips, std::integral_constant<int, T>) {
        for (int k = 0; k < strips; ++k) {
            tile -= T * step;
            row -= T * kTile;
            backward_tiles<S, Columns, T>(tile, panel.width, y, row, scratch);
        }
    };
    take(full_tiles % 2, std::integral_constant<int, 1>());
    take(full_tiles % 4 / 2, std::integral_constant<int, 2>());
    take(full_tiles / 4, std::integral_constant<int, 4>());
    for (int t = short_tiles - 1; t >= 0; --t) {
        tile -= static_cast<std::ptrdiff_t>(kTile) * panel.tile_columns(t);
        row -= kTile;
        backward_tiles<S, Columns, 1>(tile, panel.tile_columns(t), y, row, scratch);
    }
    S* own = y + static_cast<std::ptrdiff_t>(stride) * panel.column;
    for (int j = 0; j < panel.width; ++j) {
        for (int c = 0; c < Columns; ++c) {
            own[stride * j + c] = lanes_sum(scratch + (j * Columns + c) * kTile);
        }
    }
}

template void forward<float, 1>(const Panel&, const float*, const int*, float*, float*);
template void forward<float, 3>(const Panel&, const float*, const int*, float*, float*);
template void forward<double, 1>(const Panel&, const double*, const int*, double*, double*);
template void forward<double, 3>(const Panel&, const double*, const int*, double*, double*);
template void backward<float, 1>(const Panel&, const float*, const int*, float*, float*);
template void backward<float, 3>(const Panel&, const float*, const int*, float*, float*);
template void backward<double, 1>(const Panel&, const double*, const int*, double*, double*);
template void backward<double, 3>(const Panel&, const double*, const int*, double*, double*);

}  // namespace sinew::cholesky
