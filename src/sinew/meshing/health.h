#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/meshing/intersections.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// One kind of defect.
struct Problem {
    std::string what;        ///< "self-intersections"; the names are listed in docs/meshing.md
    std::int64_t count = 0;  ///< how many
    std::string where;       ///< the first few, with a position in metres
    std::string remedy;      ///< what to do about it
};

struct SurfaceHealthOptions {
    bool find_intersections = true;  ///< the costly part
    IntersectionOptions intersections = {};
};

struct SurfaceMeasures {
    std::int64_t vertices = 0, edges = 0, triangles = 0;
    std::int64_t components = 0;     ///< connected pieces
    std::int64_t border_edges = 0;   ///< edges with one triangle
    std::int64_t border_loops = 0;   ///< holes
    std::int64_t euler = 0;          ///< used vertices - edges + triangles
    std::int64_t genus = -1;         ///< handles of all pieces together; -1 when not closed
    std::int64_t intersections = 0;  ///< pairs of triangles; see find_self_intersections
    double area = 0.0;               ///< m^2
    double volume = 0.0;             ///< m^3, signed; meaningful when closed
    double smallest_angle = 0.0;     ///< rad, over all triangles
    double largest_angle = 0.0;      ///< rad
    bool is_manifold = false;        ///< every edge has one or two triangles, every vertex one fan
    bool is_closed = false;          ///< every edge is used once in each direction
};

/// What is wrong with a surface. `notes` holds what is worth knowing but no defect: several pieces,
/// vertices that coincide though the surface is closed, needles.
struct SurfaceHealth {
    std::vector<Problem> problems;
    std::vector<Problem> notes;
    SurfaceMeasures measures;
};

struct TetMeasures {
    std::int64_t points = 0, tets = 0, boundary_triangles = 0;
    std::int64_t components = 0;     ///< pieces joined across faces
    std::int64_t regions = 0;        ///< different labels
    double volume = 0.0;             ///< m^3
    double smallest_volume = 0.0;    ///< m^3, signed
    double smallest_dihedral = 0.0;  ///< rad
    double largest_dihedral = 0.0;   ///< rad
};

struct TetHealthOptions {
    double sliver_dihedral = 0.02;  ///< a smaller angle between two faces makes a sliver, rad
};

struct TetHealth {
    std::vector<Problem> problems;
    std::vector<Problem> notes;
    TetMeasures measures;
};

/// Accepts anything: not-finite coordinates and indices out of range are problems of their own, and
/// the rest is checked without them. About n log n.
SurfaceHealth check_health(const TriangleMesh& mesh, const SurfaceHealthOptions& options = {});
TetHealth check_health(const TetMesh& mesh, const TetHealthOptions& options = {});

inline bool is_healthy(const SurfaceHealth& health) {
    return health.problems.empty();
}
inline bool is_healthy(const TetHealth& health) {
    return health.problems.empty();
}

/// "3 open borders (...); 12 self-intersections (...)" or "healthy".
std::string summary(const std::vector<Problem>& problems);

}  // namespace sinew
