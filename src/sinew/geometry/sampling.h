#pragma once

#include "sinew/base/random.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew {

/// Points on a surface; sample i is the same whatever the number of samples and threads.
struct SurfaceSamples {
    Points points;
    std::vector<Index> triangle;
    Points barycentric;  ///< of each point in its triangle
};
/// Independent points, uniform by area.
/// @throws InputError  when samples are wanted of a mesh without area, or a coordinate is not
/// finite
SurfaceSamples sample_surface(const TriangleMesh& mesh, Eigen::Index count, Seed seed);

struct VolumeSamples {
    Points points;
    std::vector<Index> tet;
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> barycentric;
};
/// Independent points, uniform by volume; inverted tetrahedra count with their size.
/// @throws InputError  when samples are wanted of a mesh without volume, or a coordinate is not
///                     finite
VolumeSamples sample_volume(const TetMesh& mesh, Eigen::Index count, Seed seed);

}  // namespace sinew
