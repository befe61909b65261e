#pragma once

#include "sinew/body/anatomy.h"
#include "sinew/geometry/surface_tree.h"

namespace sinew {

/// All muscles and bones of an anatomy as one solid. Parts may overlap.
class AnatomySolid {
public:
    explicit AnatomySolid(const Template& anatomy);
    /// Closed, outward surfaces, any number of pieces in one mesh.
    explicit AnatomySolid(const TriangleMesh& parts);

    /// To the nearest surface of any part, m, >= 0; infinity where it is beyond `max_distance`.
    double distance(const Vec3& p,
                    double max_distance = std::numeric_limits<double>::infinity()) const;
    /// Whether p lies in a part: surfaces left less surfaces entered on the way out, along a ray.
    bool is_inside(const Vec3& p) const;
    /// distance(), negative inside. Where parts overlap that may be too little, never too much.
    double signed_distance(const Vec3& p) const;
    /// For every row, in parallel.
    Eigen::VectorXd signed_distances(const Points& points) const;

    const TriangleMesh& mesh() const {
        return mesh_;
    }

private:
    TriangleMesh mesh_;
    SurfaceTree tree_;
};

}  // namespace sinew
