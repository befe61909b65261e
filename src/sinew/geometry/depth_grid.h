#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <vector>

namespace sinew {

/// How deep points lie inside a closed surface, looked up instead of searched: distances on a grid,
/// trilinear in between, so that value and gradient belong together exactly. For energies that keep
/// paths out of bones; SignedDistance is the exact one.
class DepthGrid {
public:
    /// @param cell       wished edge of a cell, m, > 0; larger where the box would have more than
    /// @param most_cells along its longest side, >= 4
    explicit DepthGrid(const TriangleMesh& mesh, double cell = 0.004, int most_cells = 64);

    /// m, > 0 inside; outside less than 0 and never below one cell.
    /// @param gradient  of the depth; may be null
    double at(const Vec3& p, Vec3* gradient = nullptr) const;

    double cell() const {
        return cell_;
    }
    bool is_empty() const {
        return depth_.empty();
    }
    /// Corners of the box outside of which all is outside.
    const Vec3& low() const {
        return low_;
    }
    const Vec3& high() const {
        return high_;
    }

private:
    std::size_t node(int i, int j, int k) const {
        return static_cast<std::size_t>(i) +
               static_cast<std::size_t>(size_[0]) *
                   (static_cast<std::size_t>(j) +
                    static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(k));
    }

    Vec3 low_ = Vec3::Zero();   // the first node
    Vec3 high_ = Vec3::Zero();  // the last
    double cell_ = 1.0;
    std::array<int, 3> size_ = {};  // nodes
    std::vector<float> depth_ = {};
};

}  // namespace sinew
