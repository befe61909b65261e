#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// The text formats of the program TetGen (.node .ele .face .poly .smesh), held in memory: files are
// opened elsewhere. All readers throw InputError with `where` and the line for whatever is not as
// it should be: missing rows, words that are no numbers, numbers that are not finite, indices out
// of range, more rows than announced. Everything is numbered from 0 here; files may count from 0 or
// 1.

/// A .node file: positions, attributes, boundary markers.
struct NodeText {
    Points points = Points(0, 3);
    std::vector<Attribute> attributes = {};  ///< "attribute_1" ..., one component each
    std::vector<int> markers = {};           ///< empty when the file has none
    Index first = 0;                         ///< number of the first point in the file: 0 or 1
};
NodeText parse_node(std::string_view text, std::string_view where);

/// An .ele file: tetrahedra (of 10-node ones the four corners are kept) and attributes.
struct EleText {
    Tets tets = Tets(0, 4);
    std::vector<Attribute> attributes = {};
};
/// @param first   number of the first point in the .node file
/// @param points  how many points there are
EleText parse_ele(std::string_view text, Index first, Eigen::Index points, std::string_view where);

/// A .face file: triangles and boundary markers.
struct FaceText {
    Triangles triangles = Triangles(0, 3);
    std::vector<int> markers = {};  ///< empty when the file has none
};
FaceText parse_face(std::string_view text, Index first, Eigen::Index points,
                    std::string_view where);

/// A seed: the region that holds this place gets the attribute and at most this volume per
/// tetrahedron (m^3; <= 0: no limit).
struct RegionSeed {
    Vec3 at = Vec3::Zero();
    double attribute = 0.0;
    double max_volume = -1.0;
};

/// A .poly or .smesh file: a surface made of polygons, holes and region seeds.
struct PolyText {
    Points points = Points(0, 3);  ///< empty when they stand in a .node file
    std::vector<std::vector<Index>> polygons = {};
    std::vector<int> markers = {};  ///< one per polygon
    std::vector<Vec3> holes = {};
    std::vector<RegionSeed> regions = {};
};
/// @param points  how many points the separate .node file has; used when the text holds none
PolyText parse_poly(std::string_view text, std::string_view where, Eigen::Index points = 0,
                    Index first = 0);
PolyText parse_smesh(std::string_view text, std::string_view where, Eigen::Index points = 0,
                     Index first = 0);

/// A tet mesh from the texts of a .node and an .ele file. The first attribute of the tetrahedra, if
/// whole numbers, becomes `region`; tetrahedra of negative volume are turned round when all are.
TetMesh parse_tetgen(std::string_view node_text, std::string_view ele_text, std::string_view where);

/// Texts counted from 0, with all digits: reading them back gives the same bits.
std::string format_node(const Points& points);
std::string format_ele(const Tets& tets, const std::vector<int>& region = {});
std::string format_face(const Triangles& triangles, const std::vector<int>& markers = {});
std::string format_smesh(const Points& points, const Triangles& triangles,
                         const std::vector<int>& markers, const std::vector<Vec3>& holes,
                         const std::vector<RegionSeed>& regions);

}  // namespace sinew
