#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <concepts>
#include <string>
#include <vector>

namespace sinew {

struct TetrahedraliseOptions {
    double max_edge = 0.0;     ///< aim for edges of this length inside, m; 0: no limit
    double max_volume = 0.0;   ///< largest tetrahedron, m^3; 0: no limit. The stricter one counts.
    double radius_edge = 1.4;  ///< circumradius over shortest edge, the bound asked for, [1.1, 100]
    double min_dihedral = 0.1745;    ///< asked for, rad, [0, 0.35]; neither bound is a promise
    double timeout = 600.0;          ///< s, > 0, at most a week
    double max_memory = 8e9;         ///< address space of the child, bytes, >= 1e8
    std::string program = "tetgen";  ///< name in PATH, or a path
    std::vector<int> labels = {};    ///< region label per surface; empty: 1, 2, 3, ...
    std::vector<double> max_volumes = {};  ///< per surface, m^3, 0: only max_volume; may be empty
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TetrahedraliseOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.max_edge, Field{.name = "max_edge", .help = "edge length inside", .unit = "m", .min = 0});
    v(o.max_volume,
      Field{.name = "max_volume", .help = "largest tetrahedron", .unit = "m^3", .min = 0});
    v(o.radius_edge, Field{.name = "radius_edge",
                           .help = "bound on circumradius over shortest edge",
                           .min = 1.1,
                           .max = 100});
    v(o.min_dihedral, Field{.name = "min_dihedral",
                            .help = "smallest dihedral angle asked for",
                            .unit = "rad",
                            .min = 0,
                            .max = 0.35});
    v(o.timeout, Field{.name = "timeout",
                       .help = "time limit of TetGen",
                       .unit = "s",
                       .max = 604800,
                       .above = 0});
    v(o.max_memory,
      Field{.name = "max_memory", .help = "memory limit of TetGen", .unit = "B", .min = 1e8});
    v(o.program, Field{.name = "program", .help = "the TetGen program"});
}

/// Fills closed surfaces with tetrahedra. Surfaces may lie inside or beside one another and must
/// not touch; a piece that looks inward bounds a void. A tetrahedron belongs to the innermost
/// surface around it and carries its label in `region`.
///
/// The surfaces are kept: their vertices, in order, are the first points of the result, bit for
/// bit, and every triangle is a face of it (TetGen's -Y). The work is done by the separate program
/// TetGen, a child process that exchanges files with us in a temporary folder; what it returns is
/// checked (positive volumes, faces, regions, boundary) before it is handed on.
///
/// @throws InputError when the surfaces are open, pinched, turned inside out, touch or intersect
///         (naming triangles and positions), and when TetGen is missing, fails or takes too long;
///         Cancelled
TetMesh tetrahedralise(const std::vector<TriangleMesh>& surfaces,
                       const TetrahedraliseOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
