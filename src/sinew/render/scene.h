#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/render/colour_map.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A half space that is cut away: points with normal . x > offset are not drawn.
struct CutPlane {
    Vec3 normal = {0, 0, 1};  ///< unit, towards what is removed
    double offset = 0.0;      ///< m
};

/// Data shown as colours: parts that carry the attribute are coloured by it, the others stay as
/// they are.
struct ScalarMap {
    std::string attribute;  ///< name of point or triangle data with one component
    ColourMap map = ColourMap::Viridis;
    std::optional<double> low = {};   ///< value of the first colour; absent: the least value found
    std::optional<double> high = {};  ///< value of the last colour; absent: the largest
    std::string title = {};           ///< beside the colour bar; absent: the attribute's name
    std::string unit = {};            ///< absent: the attribute's unit
};

/// One surface of a picture. Vertex colours are the point data `colour`, triangle colours the
/// triangle data `colour` (3 or 4 components, linear).
struct SceneSurface {
    std::string name = {};
    std::string kind = {};  ///< "bone", "muscle", "skin" ...: colour, finish and layer
    TriangleMesh mesh = {};
    std::optional<Colour> colour = {};  ///< absent: the anatomical colour of kind and name
    double opacity = 1.0;               ///< [0, 1]
    bool is_flat = false;               ///< facets instead of smooth shading
    bool show_edges = false;            ///< dark lines along the triangles' edges
};

/// Round tubes along polylines: fibres, paths of muscles, skeletons.
struct SceneLines {
    std::string name = {};
    std::string kind = {};
    std::vector<std::vector<Vec3>> lines = {};  ///< each of at least two points, m
    double radius = 0.001;                      ///< m, > 0
    Colour colour = colour_from_hex(0xc9523f);
    std::vector<std::vector<Colour>> colours = {};  ///< per point, or empty
};

/// Small balls: landmarks, attachment points.
struct SceneDots {
    std::string name = {};
    std::string kind = {};
    std::vector<Vec3> points = {};
    double radius = 0.004;  ///< m, > 0
    Colour colour = colour_from_hex(0x2f6db5);
    std::vector<Colour> colours = {};  ///< per point, or empty
};

struct Scene {
    std::vector<SceneSurface> surfaces = {};
    std::vector<SceneLines> lines = {};
    std::vector<SceneDots> dots = {};
    std::optional<ScalarMap> scalar = {};
};

/// One surface per part. A part's own colour is kept unless it is MeshPart's default grey, which
/// stands for "none given".
Scene scene_from_parts(std::span<const MeshPart> parts);

struct TetSceneOptions {
    std::optional<CutPlane> cut = {};  ///< tetrahedra whose middle lies beyond are left out, whole
    std::map<int, Colour> region_colours = {};  ///< others get distinct colours of their own
    bool show_edges = true;
};

/// The outside of the tetrahedra that remain after the cut, each face in its tetrahedron's colour:
/// triangle data `colour` where given as tet data of that name, else by region. Point data and tet
/// data of one component are carried along for a ScalarMap.
Scene scene_from_tets(const TetMesh& mesh, const TetSceneOptions& options = {});

/// Whether a part of this kind belongs to the layers "skin,muscles,bones" (comma separated; "all"
/// or empty = every kind). `bones` brings teeth and cartilage, `muscles` brings tendons.
/// @throws InputError  for an unknown layer
bool is_in_layers(std::string_view kind, std::string_view name, std::string_view layers);

/// @throws InputError  when coordinates are not finite, indices or counts do not match, an opacity
///                     lies outside [0, 1], or a line has fewer than two points
void require_valid(const Scene& scene);

/// Range of the scene's scalar map: what is given, else what the data hold (finite values only).
struct ScalarRange {
    double low = 0.0;
    double high = 1.0;
    std::string unit = {};
};
/// @throws InputError  when no surface carries the attribute
ScalarRange scalar_range(const Scene& scene);

}  // namespace sinew
