#include "sinew/base/units.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/edge_table.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/predicates.h"
#include "sinew/meshing/problem_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace sinew {

namespace {

using Quad = std::array<Index, 4>;
constexpr std::array<std::array<int, 3>, 4> kFace = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

// Tetrahedra that can be looked at, and where they came from.
struct UsableTets {
    Tets tets;
    std::vector<Index> id;
};

UsableTets usable_part(const TetMesh& mesh, std::vector<Problem>& problems) {
    ProblemCollector not_finite("vertex");
    std::vector<char> is_bad(static_cast<std::size_t>(mesh.points.rows()), 0);
    for (Index v = 0; v < mesh.points.rows(); ++v) {
        if (!mesh.points.row(v).allFinite()) {
            not_finite.add(v);
            is_bad[at(v)] = 1;
        }
    }
    not_finite.into(problems, "non-finite vertices",
                    "make the tetrahedra again from a healthy surface");
    ProblemCollector out_of_range("tetrahedron");
    UsableTets usable;
    for (Index t = 0; t < mesh.tets.rows(); ++t) {
        const auto corners = mesh.tets.row(t);
        if ((corners.array() < 0).any() || (corners.array() >= mesh.points.rows()).any()) {
            out_of_range.add(t);
        } else if (std::none_of(corners.begin(), corners.end(),
                                [&](Index v) { return is_bad[at(v)] != 0; })) {
            usable.id.push_back(t);
        }
    }
    out_of_range.into(problems, "vertex indices out of range",
                      "write the mesh again; the file is damaged or truncated");
    usable.tets.resize(static_cast<Eigen::Index>(usable.id.size()), 4);
    for (Eigen::Index i = 0; i < usable.tets.rows(); ++i) {
        usable.tets.row(i) = mesh.tets.row(usable.id[at(i)]);
    }
    return usable;
}

// Smallest and largest angle between two faces, rad.
std::array<double, 2> dihedral_range(const std::array<Vec3, 4>& c) {
    std::array<Vec3, 4> normal;
    for (std::size_t k = 0; k < 4; ++k) {
        const Vec3& a = c[at(kFace[k][0])];
        const Vec3& b = c[at(kFace[k][1])];
        const Vec3& d = c[at(kFace[k][2])];
        normal[k] = (b - a).cross(d - a);
    }
    double low = kPi;
    double high = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = i + 1; j < 4; ++j) {
            const double angle =
                kPi - std::atan2(normal[i].cross(normal[j]).norm(), normal[i].dot(normal[j]));
            low = std::min(low, angle);
            high = std::max(high, angle);
        }
    }
    return {low, high};
}

class TetCheck {
public:
    TetCheck(const TetMesh& mesh, const UsableTets& usable, const TetHealthOptions& options,
             TetHealth& health)
        : mesh_(mesh), tets_(usable.tets), id_(usable.id), options_(options), health_(health) {}

    void run() {
        check_shapes();
        check_faces();
        check_boundary();
        check_unused();
        count_regions();
    }

private:
    Vec3 p(Index v) const {
        return point(mesh_.points, v);
    }
    Index id(Index t) const {
        return id_[at(t)];
    }

    void check_shapes() {
        ProblemCollector inverted("tetrahedron");
        ProblemCollector flat("tetrahedron");
        ProblemCollector slivers("tetrahedron");
        TetMeasures& m = health_.measures;
        m.smallest_volume = std::numeric_limits<double>::infinity();
        m.smallest_dihedral = kPi;
        for (Index t = 0; t < tets_.rows(); ++t) {
            const std::array<Vec3, 4> c = {p(tets_(t, 0)), p(tets_(t, 1)), p(tets_(t, 2)),
                                           p(tets_(t, 3))};
            const double volume = (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]) / 6.0;
            m.volume += volume;
            m.smallest_volume = std::min(m.smallest_volume, volume);
            const int sign = orientation(c[0], c[1], c[2], c[3]);
            const std::array<double, 2> range = dihedral_range(c);
            m.smallest_dihedral = std::min(m.smallest_dihedral, sign > 0 ? range[0] : 0.0);
            m.largest_dihedral = std::max(m.largest_dihedral, range[1]);
            ProblemCollector* const kind = sign < 0                              ? &inverted
                                           : sign == 0                           ? &flat
                                           : range[0] < options_.sliver_dihedral ? &slivers
                                                                                 : nullptr;
            if (kind) {
                kind->place_at(c[0]);
                kind->add(id(t));
            }
        }
        if (tets_.rows() == 0) {
            m.smallest_volume = m.smallest_dihedral = 0.0;
        }
        inverted.into(health_.problems, "inverted tetrahedra",
                      "swap two corners where all are inverted, else make the mesh again");
        flat.into(health_.problems, "flat tetrahedra", "make the mesh again from its surface");
        slivers.into(health_.problems, "slivers",
                     "make the mesh again with a smaller radius-edge ratio");
    }

    void check_faces() {
        struct Face {
            std::array<Index, 3> key;
            Index tet;
        };
        std::vector<Face> faces;
        faces.reserve(static_cast<std::size_t>(tets_.size()));
        for (Index t = 0; t < tets_.rows(); ++t) {
            for (const auto& f : kFace) {
                Face face{{tets_(t, f[0]), tets_(t, f[1]), tets_(t, f[2])}, t};
                std::sort(face.key.begin(), face.key.end());
                faces.push_back(face);
            }
        }
        std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
            return a.key != b.key ? a.key < b.key : a.tet < b.tet;
        });
        ProblemCollector crowded("tetrahedron");
        DisjointSets pieces(static_cast<std::size_t>(tets_.rows()));
        for (std::size_t i = 0; i < faces.size();) {
            std::size_t j = i + 1;
            for (; j < faces.size() && faces[j].key == faces[i].key; ++j) {
                pieces.join(faces[i].tet, faces[j].tet);
            }
            if (j - i > 2) {
                crowded.place_at(p(faces[i].key[0]));
                crowded.add(id(faces[i + 2].tet));
            }
            i = j;
        }
        for (Index t = 0; t < tets_.rows(); ++t) {
            health_.measures.components += pieces.find(t) == t;
        }
        crowded.into(health_.problems, "faces with more than two tetrahedra",
                     "remove the repeated tetrahedra");
    }

    void check_boundary() {
        const Triangles boundary = boundary_triangles(tets_);
        health_.measures.boundary_triangles = boundary.rows();
        const EdgeTable edges(boundary);
        ProblemCollector branching("vertex");
        for (std::size_t e = 0; e < edges.size(); ++e) {
            if (edges.sides(e).size() != 2) {
                branching.place_at(p(edges.low(e)));
                branching.add(edges.low(e));
            }
        }
        branching.into(health_.problems, "non-manifold boundary edges",
                       "separate the pieces that touch along an edge");
        const std::vector<Index> fans = fans_of_vertices(boundary, mesh_.points.rows(), edges);
        ProblemCollector pinched("vertex");
        for (Index v = 0; v < mesh_.points.rows(); ++v) {
            if (fans[at(v)] > 1) {
                pinched.place_at(p(v));
                pinched.add(v);
            }
        }
        pinched.into(health_.problems, "non-manifold boundary vertices",
                     "separate the pieces that touch in a point");
    }

    void check_unused() {
        std::vector<char> is_used(static_cast<std::size_t>(mesh_.points.rows()), 0);
        for (Index t = 0; t < tets_.rows(); ++t) {
            for (int k = 0; k < 4; ++k) {
                is_used[at(tets_(t, k))] = 1;
            }
        }
        ProblemCollector unused("vertex");
        for (Index v = 0; v < mesh_.points.rows(); ++v) {
            if (!is_used[at(v)] && mesh_.points.row(v).allFinite()) {
                unused.place_at(p(v));
                unused.add(v);
            }
        }
        unused.into(health_.problems, "unused vertices", "drop them");
    }

    void count_regions() {
        const std::set<int> labels(mesh_.region.begin(), mesh_.region.end());
        health_.measures.regions = static_cast<std::int64_t>(labels.size());
        if (health_.measures.components > 1) {
            health_.notes.push_back(
                {"components", health_.measures.components, "the whole mesh", "none needed"});
        }
    }

    const TetMesh& mesh_;
    const Tets& tets_;
    const std::vector<Index>& id_;
    const TetHealthOptions& options_;
    TetHealth& health_;
};

}  // namespace

TetHealth check_health(const TetMesh& mesh, const TetHealthOptions& options) {
    TetHealth health;
    health.measures.points = mesh.points.rows();
    health.measures.tets = mesh.tets.rows();
    if (mesh.tets.rows() == 0) {
        health.problems.push_back(
            {"no tetrahedra", 1, "the whole mesh", "read a file that holds tetrahedra"});
        return health;
    }
    const UsableTets usable = usable_part(mesh, health.problems);
    TetCheck(mesh, usable, options, health).run();
    return health;
}

}  // namespace sinew
