#pragma once

#include "sinew/base/progress.h"
#include "sinew/geometry/scan_lines.h"
#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <vector>

namespace sinew {

/// Where the lines of a lattice run inside many closed surfaces, sorted by line, then by `low`.
class PartLines {
public:
    struct Stretch {
        float low = 0.0f;  ///< z, m
        float high = 0.0f;
        Index part = 0;
    };

    /// @throws Cancelled
    PartLines(std::span<const TriangleMesh* const> parts, const LineLattice& lattice,
              Progress::Stage& stage);

    const LineLattice& lattice() const {
        return lattice_;
    }
    std::span<const Stretch> on(Index line) const {
        const auto i = static_cast<std::size_t>(line);
        return {stretches_.data() + start_[i], stretches_.data() + start_[i + 1]};
    }

private:
    LineLattice lattice_;
    std::vector<std::uint32_t> start_;
    std::vector<Stretch> stretches_;
};

}  // namespace sinew
