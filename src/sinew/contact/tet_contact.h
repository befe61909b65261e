#pragma once

#include "sinew/contact/moving_tree.h"
#include "sinew/contact/pairs.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/tet_mesh.h"

#include <optional>
#include <span>
#include <vector>

namespace sinew {

struct TetContactOptions {
    /// Vertices and tetrahedra nearer than this at rest never collide, m, >= 0.
    double neighbourhood = 0.0;
    /// A contact that has been resolved is kept while its vertex is above the triangle by less than
    /// this, m, >= 0: contacts at rest do not flicker [Komaritzan, section 3.2.5].
    double retain = 0.0;
};

/// Finds vertices of a body inside its own tetrahedra, and the surface triangle through which each
/// should leave [Komaritzan, section 3.2.5]. Bodies of several pieces are one mesh here.
///
/// The answer is the same for any number of threads: one contact per vertex at most, by ascending
/// vertex. Of several tetrahedra that hold a vertex the one with the shortest path out is taken.
class TetContacts {
public:
    /// The path out of a tetrahedron is the surface triangle that is nearest at rest to the
    /// material point where the vertex is.
    /// @throws InputError  when the mesh is not valid
    explicit TetContacts(const TetMesh& rest, const TetContactOptions& options = {});

    /// Tetrahedra that know their path out, such as those of prisms under a skin. They may be flat
    /// (and then hold nothing).
    /// @param vertices  that may collide
    /// @param exits     surface triangles
    /// @param exit_of   for each tetrahedron, a row of `exits`
    TetContacts(const Points& rest, const Tets& tets, std::span<const Index> vertices,
                const Triangles& exits, std::span<const Index> exit_of,
                const TetContactOptions& options = {});

    /// Contacts at positions x. Retained contacts make the answer depend on the call before.
    const std::vector<PointTriangleContact>& find(const Points& x);
    /// The same where only vertices near the asked ones have moved since the last answer: others
    /// keep what they had.
    /// @param asked  ascending
    const std::vector<PointTriangleContact>& find_again(const Points& x,
                                                        std::span<const Index> asked);
    /// The same where all others than the asked ones are known to be outside: those keep what is
    /// retained, and nothing else is sought for them.
    /// @param asked  ascending
    const std::vector<PointTriangleContact>& find_among(const Points& x,
                                                        std::span<const Index> asked);
    /// Drops retained contacts.
    void forget();

    /// Vertices among those of `find` that really are inside, and how deep: the distance to the
    /// plane of the triangle, m, > 0. In the order of the contacts.
    struct Depth {
        Index vertex;
        double depth;
    };
    std::vector<Depth> depths(const Points& x) const;

private:
    void prepare();
    void refit(const Points& x);
    std::vector<std::size_t> places_of(std::span<const Index> asked) const;
    void collect();
    Index find_exit(Index vertex, const Points& x, std::vector<Index>& candidates) const;
    Index exit_at(Index tet, const Vec4& barycentric) const;
    bool is_neighbour(Index vertex, Index tet) const;
    bool is_retained(Index vertex, Index exit, const Points& x) const;

    Points rest_ = Points(0, 3);
    Tets tets_ = Tets(0, 4);
    std::vector<Index> vertices_ = {};
    Triangles exits_ = Triangles(0, 3);
    std::vector<Index> exit_of_ = {};          // empty: nearest at rest
    std::optional<SurfaceTree> surface_ = {};  // of the rest shape, then
    TetContactOptions options_ = {};

    MovingTree tree_ = {};
    std::vector<Bounds> boxes_ = {};
    std::vector<Index> held_ = {};  // exit of vertices_[i] in the last answer, -1 without
    std::vector<PointTriangleContact> contacts_ = {};
};

/// Height of p above the plane of a triangle, m; negative behind it.
double height_above(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew
