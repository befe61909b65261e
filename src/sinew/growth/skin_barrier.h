#pragma once

#include "sinew/body/body.h"
#include "sinew/mesh/connectivity.h"

#include <vector>

namespace sinew {

/// A sheet between parts of a skin that face each other (thighs, arms and trunk), which neither
/// side may pass: it stands still in the air of the rest shape, a little nearer to each side than
/// the middle (skin_room.h). A vertex is held against it where it is now: it may slide along its
/// own side into narrower places.
class SkinBarrier {
public:
    /// @param skin  at rest; may be destroyed afterwards
    explicit SkinBarrier(const TetSurface& skin);

    /// Vertices that have skin in front of them.
    std::size_t size() const {
        return vertices_.size();
    }
    /// Number among the tets' points, and area at rest, m^2.
    Index tet_vertex(std::size_t k) const {
        return tet_vertex_[at(vertices_[k])];
    }
    double area(std::size_t k) const {
        return area_[k];
    }

    struct Height {
        double beyond = 0.0;         ///< the sheet, m; negative on its own side
        Vec3 normal = Vec3::Zero();  ///< towards the sheet
    };
    /// Of every vertex in front of skin, by walking over the rest skin from its own place.
    /// @param x  points of all tets
    void measure(const Points& x, std::vector<Height>& heights) const;

    /// Puts back whatever is beyond the sheet. @returns  the furthest that a vertex was beyond, m
    double clamp(Points& x) const;

private:
    Index walk(Index from, const Vec3& p) const;
    Height height(Index nearest, const Vec3& p) const;

    Points rest_;
    Triangles triangles_;
    Points normals_;
    std::vector<double> room_;
    Lists around_;
    Lists triangles_of_;
    std::vector<Index> tet_vertex_;
    std::vector<Index> vertices_ = {};  // of the skin, with a finite room
    std::vector<double> area_ = {};
};

}  // namespace sinew
