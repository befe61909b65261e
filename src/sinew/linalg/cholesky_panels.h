#pragma once

// The factor as it is stored for solving, and the two products that a solve consists of. Inside of
// linalg; users include cholesky.h.

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sinew::cholesky {

inline constexpr int kMaxPanel = 64;  ///< columns of a panel
inline constexpr int kTile = 8;       ///< rows of a tile

/// Memory that is not touched when allocated: on cache-line borders, or in large pages where it is
/// large and the system has them, so that streaming through it misses fewer addresses.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory);

template <class T>
class AlignedArray {
public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count)
        : data_(static_cast<T*>(allocate_aligned(count * sizeof(T)))), size_(count) {}
    AlignedArray(AlignedArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    AlignedArray& operator=(AlignedArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~AlignedArray() {
        free_aligned(data_);
    }
    T* data() {
        return data_;
    }
    const T* data() const {
        return data_;
    }
    std::size_t size() const {
        return size_;
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Columns of L with their rows, the panel's own columns first. With L11 the diagonal block and L21
/// the rows below, what is stored is
///
///   D = [ L11^-1 ; -L21 L11^-1 ]
///
/// in tiles of eight rows. Tile t holds columns 0 .. tile_columns(t) - 1; the zeros above the
/// diagonal of whole tiles are left out. Tiles with all columns stand in strips of four, then one
/// of two and one alone as needed; a strip is stored column by column, so that a solve reads it in
/// one go.
struct Panel {
    int column = 0;         ///< first column, counted within the part
    int width = 0;          ///< columns
    int tiles = 0;          ///< rows of D / 8, rounded up
    std::int64_t rows = 0;  ///< place in the list of row numbers: tiles * 8 of them
    std::int64_t data = 0;  ///< place of the first tile

    int tile_columns(int t) const {
        const int columns = kTile * (t + 1);
        return columns < width ? columns : width;
    }
    /// Tiles that lie above the last ones of the diagonal block and have fewer columns.
    int short_tiles() const {
        return (width - 1) / kTile;
    }
    /// Tiles of the strip that begins with tile t.
    int strip_tiles(int t) const {
        if (t < short_tiles()) {
            return 1;
        }
        const int left = tiles - t;
        return left >= 4 ? 4 : (left >= 2 ? 2 : 1);
    }
    /// Values that the tiles before t take.
    std::int64_t tile_offset(int t) const {
        const std::int64_t s = t < short_tiles() ? t : short_tiles();
        return kTile * (kTile * s * (s + 1) / 2 + static_cast<std::int64_t>(width) * (t - s));
    }
};

/// Vectors of a solve hold one row per unknown of a part, padded to 4 values for three right-hand
/// sides; the last row is a place for padding rows of tiles to read zero from and write to.
constexpr int row_stride(int columns) {
    return columns == 3 ? 4 : 1;
}

/// y[own] = 0, then y[rows] += D y[own]: one panel of the forward half.
template <class S, int Columns>
void forward(const Panel& panel, const S* data, const int* rows, S* y, S* scratch);

/// y[own] = D^T y[rows]: one panel of the backward half.
template <class S, int Columns>
void backward(const Panel& panel, const S* data, const int* rows, S* y, S* scratch);

/// Values of scratch that forward and backward need.
inline constexpr std::size_t kScratch = kMaxPanel * 3 * kTile;

}  // namespace sinew::cholesky
