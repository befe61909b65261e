#pragma once

#include "sinew/body/anatomy.h"
#include "sinew/mesh/tet_mesh.h"

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Barycentric weights, one row per point, each row summing to 1.
using Weights4 = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;

/// Points given by the tetrahedra they lie in: p = sum_k weight[k] * corner_k. Weights may be
/// slightly negative for points just outside the mesh.
struct EmbeddedPoints {
    std::vector<Index> tet = {};
    Weights4 weights = Weights4(0, 4);

    std::size_t size() const {
        return tet.size();
    }
};

/// Positions of embedded points when the tet mesh has these positions.
Points positions_of(const EmbeddedPoints& embedded, const Points& tet_points, const Tets& tets);

/// A surface made of faces of the tet mesh: vertex i of the mesh is point tet_vertex[i].
struct TetSurface {
    TriangleMesh mesh = {};
    std::vector<Index> tet_vertex = {};
};

/// Positions of a surface's vertices when the tet mesh has these positions.
Points positions_of(const TetSurface& surface, const Points& tet_points);

/// What each tetrahedron is made of. Tetrahedron t has the entries start[t] .. start[t+1]; its
/// fractions sum to 1.
struct TissueShares {
    std::vector<Index> start = {0};
    std::vector<Index> material = {};   ///< into Body::materials
    std::vector<Index> part = {};       ///< muscle (muscle, tendon) or bone (bone); -1 for the rest
    std::vector<double> fraction = {};  ///< of the tetrahedron's volume, in (0, 1]
};

/// Direction of the fibres of every muscle in every tetrahedron it fills. Tetrahedron t has the
/// entries start[t] .. start[t+1], each of another muscle.
struct Fibres {
    std::vector<Index> start = {0};
    std::vector<Index> muscle = {};
    Points direction = Points(0, 3);  ///< unit vectors at rest, from origin to insertion
};

/// Samples of the bone surfaces that hold the flesh.
struct Attachments {
    EmbeddedPoints points = {};
    std::vector<Index> bone = {};  ///< one per point
};

/// One person at rest, ready for simulation. Plain data: nobody changes it in place; growth and
/// fitting return a new one. Frame and units are those of the whole library: metres, Y up, +Z
/// forward, +X the body's left, soles on y = 0.
struct Body {
    std::string name;
    Sex sex = Sex::Unknown;

    TetMesh tets = {};  ///< fills the skin; the envelope's faces are among its faces
    TetSurface skin = {};
    TetSurface envelope = {};  ///< the surface of muscles and bones; fat lies outside
    std::vector<TissueMaterial> materials = {};
    TissueShares shares = {};
    Fibres fibres = {};
    Attachments attachments = {};

    Skeleton skeleton = {};
    std::vector<Bone> bones = {};
    std::vector<Muscle> muscles = {};
    /// Vertices of the display meshes in the tets; as many entries as bones and muscles, or none.
    std::vector<EmbeddedPoints> bone_embeddings = {};
    std::vector<EmbeddedPoints> muscle_embeddings = {};
    /// A finer skin for pictures, embedded in the tets; without points where there is none.
    TriangleMesh display_skin = {};
    EmbeddedPoints display_skin_embedding = {};

    std::vector<Landmark> landmarks = {};
    std::vector<Attribute> maps = {};  ///< named values per skin vertex
    Provenance provenance = {};
};

/// One number in [0, 1] per muscle of the body.
struct Activation {
    std::vector<double> values = {};
};

/// The present of a body. Every simulator fills one, every surface, picture and file is made of
/// one (body_surfaces.h).
struct State {
    double time = 0.0;                 ///< s
    Points positions = Points(0, 3);   ///< of the tet mesh's points, m
    Points velocities = Points(0, 3);  ///< of the same, m/s; without rows: still
    /// T_posed_rest of each segment of the skeleton; none: bones stand as at rest.
    std::vector<Eigen::Isometry3d> segments = {};
};

/// A body that stands still as it was built.
State rest_state(const Body& body);

/// Checks every promise above: sizes, ranges, indices, unit vectors, sums of fractions, tets of
/// positive volume, surfaces that lie where their tet vertices lie. Linear in the body's size.
/// A body without tets (surfaces and skeleton only) is valid.
/// @throws InputError  naming `where` and the first thing that is wrong
void require_valid(const Body& body, std::string_view where);
/// @throws InputError  when there is not one value in [0, 1] per muscle
void require_valid(const Activation& activation, const Body& body, std::string_view where);

}  // namespace sinew
