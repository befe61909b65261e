#pragma once

#include "sinew/body/body.h"
#include "sinew/geometry/embedding.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// The surfaces of a body that can be asked for by name. `Skin` is the finest there is; `TetSkin`
/// the skin of the tetrahedra, which is what simulations move.
enum class DisplayLayer {
    Skin = 0,
    Muscles = 1,
    Bones = 2,
    Envelope = 3,
    Tissues = 4,
    TetSkin = 5
};
inline constexpr int kDisplayLayers = 5;  ///< that a viewer switches on and off: all but the last

/// "skin", "muscles", "bones", "envelope", "tissues", "tet_skin".
std::string_view name_of(DisplayLayer layer);
/// From "skin,muscles"; each layer once, in the order given.
/// @throws InputError  naming `where`, with the nearest known name
std::vector<DisplayLayer> layers_from_names(std::string_view names, std::string_view where);

/// One part of a layer: its rows among those of the layer's mesh.
struct DisplayPart {
    std::string name;
    std::string kind;              ///< "skin", "muscle", "tendon", "bone", ..., or a tissue
    std::string group = {};        ///< of a muscle
    Eigen::Index first = 0;        ///< triangle
    Eigen::Index count = 0;        ///< triangles
    Eigen::Index first_point = 0;  ///< points of parts are not shared
    Eigen::Index point_count = 0;
};

/// A layer as one mesh of many parts.
struct DisplayMesh {
    Points points = Points(0, 3);  ///< at rest
    Triangles triangles = Triangles(0, 3);
    std::vector<DisplayPart> parts = {};
    /// Texture coordinates of corners (geometry/uv_atlas.h) of a mesh of one part; none: empty.
    std::vector<Attribute> corner_uv = {};
};
using DisplayMeshes = std::map<DisplayLayer, DisplayMesh>;

/// A layer of a body at rest.
DisplayMesh display_mesh(const Body& body, DisplayLayer layer);
DisplayMeshes display_meshes(const Body& body, std::span<const DisplayLayer> layers);
/// A mesh that is one part.
DisplayMesh display_mesh(const TriangleMesh& mesh, DisplayPart part);

/// The parts of a layer as meshes of their own, coloured by what they are.
/// @param points  where the points of the mesh are now
std::vector<MeshPart> parts_of(const DisplayMesh& mesh, const Points& points);
/// Linear RGB and opacity of a part of this kind.
std::array<float, 4> colour_of_kind(std::string_view kind);

/// What leaves a simulation: where the points of some layers are at a time.
struct Frame {
    double time = 0.0;  ///< s
    std::map<DisplayLayer, Points> points = {};
};

/// Moves surfaces with a body: skins ride on the skin of its tetrahedra, bones are rigid with their
/// segments, all else is embedded in the tetrahedra.
///
/// The surfaces may be those of another resolution of the same person, so that fine meshes follow
/// coarse tetrahedra. (A fine skin rides on triangles because tetrahedra below a crease are
/// crushed, and would throw out what lies a little beside them.)
class BodySurfaces {
public:
    /// Copies what it needs.
    /// @param meshes  at rest where the body is at rest
    /// @throws InputError  when a surface is far from the tetrahedra
    BodySurfaces(const Body& body, const DisplayMeshes& meshes);

    bool has(DisplayLayer layer) const {
        return layers_.contains(layer);
    }
    /// Points of a layer in a state of the body.
    Points at(DisplayLayer layer, const State& state) const;
    /// Points of a layer when the rest shape itself becomes another one: bones, which growth
    /// reshapes, follow the tetrahedra like all else.
    Points reshaped(DisplayLayer layer, const Points& tet_points) const;

private:
    struct Layer {
        std::vector<Index> row = {};     // each is this point of the tets; else:
        SurfaceAttachment on_skin = {};  // rides on the skin of the tets; else:
        EmbeddedPoints embedded = {};    // is in the tets
        Points rest = Points(0, 3);      // of bones only
        std::vector<Index> segment = {};
    };
    Points follow(const Layer& layer, const Points& tet_points) const;

    Tets tets_;
    TetSurface skin_;
    std::map<DisplayLayer, Layer> layers_ = {};
};

/// The surfaces of a body in a state, as named parts.
std::vector<MeshPart> surfaces_at(const Body& body, const State& state,
                                  std::span<const DisplayLayer> layers);

}  // namespace sinew
