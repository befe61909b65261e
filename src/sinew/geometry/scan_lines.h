#pragma once

#include "sinew/base/random.h"
#include "sinew/mesh/arrays.h"

#include <array>
#include <optional>
#include <vector>

namespace sinew {

/// Lines parallel to the z axis, one per cell of a square lattice in the plane of x and y: through
/// the middle of the cell, or, with a seed, through a random place of it (jittered, so stratified,
/// sampling). Places repeat after kTile cells.
class LineLattice {
public:
    static constexpr int kTile = 128;

    /// @param low      corner of cell (0, 0), m
    /// @param spacing  length of a cell, m, > 0
    /// @param size     cells along x and y, >= 1
    LineLattice(const Vec2& low, double spacing, std::array<int, 2> size,
                std::optional<Seed> jitter = {});

    const Vec2& low() const {
        return low_;
    }
    double spacing() const {
        return spacing_;
    }
    const std::array<int, 2>& size() const {
        return size_;
    }
    std::size_t count() const {
        return static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]);
    }
    Index line(int i, int j) const {
        return static_cast<Index>(i + size_[0] * j);
    }
    /// Where line (i, j) stands.
    Vec2 at(int i, int j) const {
        Vec2 place(i + 0.5, j + 0.5);
        if (!offsets_.empty()) {
            const auto k = static_cast<std::size_t>((i % kTile) + kTile * (j % kTile));
            place += offsets_[k];
        }
        return low_ + spacing_ * place;
    }
    /// The line of the cell that a place lies in, of the nearest cell outside.
    Index nearest_line(const Vec2& place) const;
    /// Cells that may hold a line within [low, high] of one coordinate (0: x, 1: y): [first, last].
    std::array<int, 2> range(int axis, double low, double high) const;

private:
    Vec2 low_;
    double spacing_;
    std::array<int, 2> size_;
    std::vector<Vec2> offsets_ = {};  // from the middle, in cells
};

/// A stretch of a line.
struct LineStretch {
    Index line = 0;
    double low = 0.0;  ///< z, m
    double high = 0.0;
};

/// Where the lines run inside a closed surface: where they have entered it once more than left it,
/// so pieces that overlap count once. Sorted by line, then z. Lines through an edge or a corner
/// that triangles share never slip through. Where a surface has holes, a line that does not leave
/// as often as it enters is left out.
std::vector<LineStretch> stretches_inside(const Points& points, const Triangles& triangles,
                                          const LineLattice& lattice);

}  // namespace sinew
