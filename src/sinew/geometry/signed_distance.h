#pragma once

#include "sinew/geometry/surface_tree.h"
#include "sinew/geometry/winding_number.h"

namespace sinew {

/// Distance to a surface, negative inside. The size is exact (SurfaceTree); the sign comes from the
/// generalised winding number, so surfaces with holes, overlaps or flipped pieces still have a
/// sensible inside.
class SignedDistance {
public:
    /// @throws InputError  as SurfaceTree and WindingNumber do
    explicit SignedDistance(const TriangleMesh& mesh);

    /// m; negative inside, +infinity for a surface without triangles.
    double at(const Vec3& p) const;
    /// For every row, in parallel.
    Eigen::VectorXd at_all(const Points& points) const;

    bool is_inside(const Vec3& p) const {
        return winding_.is_inside(p);
    }
    const SurfaceTree& surface() const {
        return surface_;
    }
    const WindingNumber& winding() const {
        return winding_;
    }

private:
    SurfaceTree surface_;
    WindingNumber winding_;
};

}  // namespace sinew
