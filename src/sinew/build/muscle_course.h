#pragma once

#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/triangle_mesh.h"

#include <memory>
#include <span>
#include <vector>

namespace sinew {

/// Gives the vertices of a muscle the data "share" (fraction of the path from origin to insertion)
/// and "tendon" (0 on the belly, rising to 1 over 4 % of the path where the belly ends).
void set_share(std::vector<double> share, double belly_begin, double belly_end, TriangleMesh& mesh);

/// The bones as one surface that tells which bone is near.
class BoneSurface {
public:
    explicit BoneSurface(std::span<const TriangleMesh* const> bones);
    struct Near {
        Index bone = -1;  ///< -1: none within reach
        double distance = 0.0;
    };
    Near nearest(const Vec3& p, double reach) const;

private:
    std::vector<Index> bone_of_triangle_;
    SurfaceTree tree_;
};

/// What is known about a muscle's ends.
struct CourseHints {
    Index origin = -1;     ///< bone; -1: find the nearest
    Index insertion = -1;  ///< bone; -1: find the nearest
    bool may_find_origin = true;
    bool may_find_insertion = true;
};

struct MuscleCourse {
    Index origin = -1;  ///< bone, -1 where none is near
    Index insertion = -1;
    double belly_begin = 0.0;
    double belly_end = 1.0;
    std::vector<double> share = {};  ///< per vertex, 0 at the origin to 1 at the insertion
};

/// Finds the path of a muscle from origin to insertion on its surface alone. The two ends are the
/// places farthest apart along the surface, of sheets widened to the edges that lie on their bones;
///   share = d_origin / (d_origin + d_insertion),  d: distances along edges from either end.
/// The belly lies where the section across the path is larger than 22 % of the largest. Of several
/// pieces each has its own path; the largest tells the belly. Where no hint says which end is the
/// origin, it is the one on the bone with fewer joints to the root, then the one nearer to the
/// midline.
/// @param depth  joints between each bone and the root
MuscleCourse find_course(const TriangleMesh& mesh, const CourseHints& hints,
                         std::span<const TriangleMesh* const> bones, const BoneSurface& surface,
                         std::span<const int> depth);

/// Areas of the sections share = (k + 1/2) / count for k = 0 .. count - 1, m^2.
std::vector<double> section_areas(const TriangleMesh& mesh, std::span<const double> share,
                                  int count);

}  // namespace sinew
