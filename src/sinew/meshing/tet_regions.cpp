#include "sinew/meshing/tet_regions.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/edge_table.h"
#include "sinew/meshing/predicates.h"
#include "sinew/meshing/problem_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr std::array<std::array<int, 3>, 4> kOutwardFace = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

[[noreturn]] void refuse(std::string found, std::string needs) {
    throw InputError({.where = "tetrahedralise, TetGen's result",
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "remesh the surfaces more evenly and try again"});
}

// Where a ray from `from` along the unit vector `direction` first meets a triangle other than
// `self`, as a distance; infinite when it meets none [Moller1997].
double first_hit(const TriangleMesh& mesh, Index self, const Vec3& from, const Vec3& direction) {
    double nearest = std::numeric_limits<double>::infinity();
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        if (t == self) {
            continue;
        }
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
        const Vec3 e1 = point(mesh.points, mesh.triangles(t, 1)) - a;
        const Vec3 e2 = point(mesh.points, mesh.triangles(t, 2)) - a;
        const Vec3 h = direction.cross(e2);
        const double det = e1.dot(h);
        if (det == 0.0) {
            continue;
        }
        const Vec3 s = from - a;
        const double u = s.dot(h) / det;
        const Vec3 q = s.cross(e1);
        const double v = direction.dot(q) / det;
        const double distance = e2.dot(q) / det;
        constexpr double kSlack = 1e-9;  // a hit on an edge must not slip through
        if (u >= -kSlack && v >= -kSlack && u + v <= 1.0 + kSlack && distance > 0.0) {
            nearest = std::min(nearest, distance);
        }
    }
    return nearest;
}

// The middle of the longest of a few chords that leave the given triangles against (or along) their
// normals.
Vec3 seed_beside(const TriangleMesh& mesh, const std::vector<Index>& triangles, double side) {
    constexpr std::size_t kTries = 7;
    Vec3 best = Vec3::Zero();
    double longest = -1.0;
    const std::size_t step = std::max<std::size_t>(1, triangles.size() / kTries);
    for (std::size_t i = 0; i < triangles.size(); i += step) {
        const Index t = triangles[i];
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
        const Vec3 b = point(mesh.points, mesh.triangles(t, 1));
        const Vec3 c = point(mesh.points, mesh.triangles(t, 2));
        const Vec3 normal = (b - a).cross(c - a).normalized();
        // Off the centre, so that the chords of symmetric shapes do not run along edges.
        const Vec3 from = 0.31 * a + 0.36 * b + 0.33 * c;
        const double length = first_hit(mesh, t, from, side * normal);
        if (std::isfinite(length) && length > longest) {
            longest = length;
            best = from + 0.5 * length * side * normal;
        }
    }
    return best;
}

struct Face {
    std::array<Index, 3> key;
    Index tet;     // -1 - t for triangle t of a surface
    bool is_even;  // the sense of the corners against the sorted key, outward
};

Face make_face(Index a, Index b, Index c, Index tet) {
    std::array<Index, 3> key = {a, b, c};
    bool is_even = true;
    const auto order = [&](std::size_t i, std::size_t j) {
        if (key[i] > key[j]) {
            std::swap(key[i], key[j]);
            is_even = !is_even;
        }
    };
    order(0, 1);
    order(1, 2);
    order(0, 1);
    return {key, tet, is_even};
}

std::vector<Face> sorted_faces(const Tets& tets, const Triangles& triangles) {
    std::vector<Face> faces;
    faces.reserve(static_cast<std::size_t>(tets.size() + triangles.rows()));
    for (Index t = 0; t < tets.rows(); ++t) {
        for (const auto& f : kOutwardFace) {
            faces.push_back(make_face(tets(t, f[0]), tets(t, f[1]), tets(t, f[2]), t));
        }
    }
    for (Index t = 0; t < triangles.rows(); ++t) {
        faces.push_back(make_face(triangles(t, 0), triangles(t, 1), triangles(t, 2), -1 - t));
    }
    std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
        return a.key != b.key ? a.key < b.key : a.tet < b.tet;
    });
    return faces;
}

}  // namespace

JoinedSurfaces::JoinedSurfaces(const std::vector<TriangleMesh>& surfaces) {
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    for (const TriangleMesh& s : surfaces) {
        points += s.points.rows();
        triangles += s.triangles.rows();
    }
    mesh.points.resize(points, 3);
    mesh.triangles.resize(triangles, 3);
    points = triangles = 0;
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
        const TriangleMesh& surface = surfaces[s];
        first_point.push_back(static_cast<Index>(points));
        first_triangle.push_back(static_cast<Index>(triangles));
        mesh.points.middleRows(points, surface.points.rows()) = surface.points;
        mesh.triangles.middleRows(triangles, surface.triangles.rows()) =
            surface.triangles.array() + static_cast<Index>(points);
        points += surface.points.rows();
        triangles += surface.triangles.rows();
        surface_of_triangle.resize(static_cast<std::size_t>(triangles), static_cast<Index>(s));
    }
}

std::string JoinedSurfaces::name_of_triangle(Index joined) const {
    const auto s = static_cast<std::size_t>(surface_of_triangle[at(joined)]);
    return fmt::format("surface {} triangle {}", s, joined - first_triangle[s]);
}

std::string JoinedSurfaces::name_of_vertex(Index joined) const {
    const auto s = static_cast<std::size_t>(
        std::upper_bound(first_point.begin(), first_point.end(), joined) - first_point.begin() - 1);
    return fmt::format("surface {} vertex {}", s, joined - first_point[s]);
}

Seeds find_seeds(const JoinedSurfaces& all) {
    const Components pieces = connected_components(all.mesh.triangles, all.mesh.points.rows());
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(pieces.count));
    for (Index t = 0; t < all.mesh.triangles.rows(); ++t) {
        members[at(pieces.of_triangle[at(t)])].push_back(t);
    }
    Seeds seeds;
    for (const std::vector<Index>& piece : members) {
        const Vec3 origin = point(all.mesh.points, all.mesh.triangles(piece.front(), 0));
        double volume = 0.0;
        for (const Index t : piece) {
            volume += (point(all.mesh.points, all.mesh.triangles(t, 0)) - origin)
                          .cross(point(all.mesh.points, all.mesh.triangles(t, 1)) - origin)
                          .dot(point(all.mesh.points, all.mesh.triangles(t, 2)) - origin);
        }
        if (volume > 0.0) {
            seeds.regions.emplace_back(seed_beside(all.mesh, piece, -1.0),
                                       all.surface_of_triangle[at(piece.front())]);
        } else {
            seeds.voids.push_back(seed_beside(all.mesh, piece, 1.0));
        }
    }
    return seeds;
}

void restore_points(TetMesh& mesh, const JoinedSurfaces& all) {
    const Eigen::Index n = all.mesh.points.rows();
    if (mesh.points.rows() < n) {
        refuse(fmt::format("{} points", mesh.points.rows()),
               fmt::format("the {} of the surfaces and more", n));
    }
    constexpr double kTextError = 1e-12;
    const double largest = all.mesh.points.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < n; ++i) {
        if ((mesh.points.row(i) - all.mesh.points.row(i)).norm() > kTextError * (1.0 + largest)) {
            refuse(fmt::format("point {} was moved from {} to {}", i,
                               place(point(all.mesh.points, i)), place(point(mesh.points, i))),
                   "the points of the surfaces, kept");
        }
    }
    mesh.points.topRows(n) = all.mesh.points;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        if (orientation(point(mesh.points, mesh.tets(t, 0)), point(mesh.points, mesh.tets(t, 1)),
                        point(mesh.points, mesh.tets(t, 2)),
                        point(mesh.points, mesh.tets(t, 3))) <= 0) {
            refuse(fmt::format("tetrahedron {} near {} has no volume", t,
                               place(point(mesh.points, mesh.tets(t, 0)))),
                   "tetrahedra of positive volume");
        }
    }
}

void label_regions(TetMesh& mesh, const JoinedSurfaces& all, const std::vector<int>& labels) {
    const std::vector<Face> faces = sorted_faces(mesh.tets, all.mesh.triangles);
    DisjointSets rooms(static_cast<std::size_t>(mesh.tets.rows()));
    std::vector<std::pair<Index, Index>> inner;  // tetrahedron behind a surface triangle, surface
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t j = i + 1;
        while (j < faces.size() && faces[j].key == faces[i].key) {
            ++j;
        }
        // Surface triangles come first: their number is negative.
        const bool is_wall = faces[i].tet < 0;
        if (is_wall && j - i < 2) {
            const Index t = -1 - faces[i].tet;
            refuse(fmt::format("{} near {} is no face of it", all.name_of_triangle(t),
                               place(point(all.mesh.points, all.mesh.triangles(t, 0)))),
                   "all triangles of the surfaces");
        }
        if (!is_wall && j - i == 1) {
            refuse(fmt::format("a boundary face near {} is no triangle of a surface",
                               place(point(mesh.points, faces[i].key[0]))),
                   "no other boundary than the surfaces");
        }
        if (!is_wall) {
            rooms.join(faces[i].tet, faces[i + 1].tet);
        } else {
            const Index t = -1 - faces[i].tet;
            for (std::size_t k = i + 1; k < j; ++k) {
                if (faces[k].is_even == faces[i].is_even) {
                    inner.emplace_back(faces[k].tet, all.surface_of_triangle[at(t)]);
                }
            }
        }
        i = j;
    }
    std::vector<Index> surface_of_room(static_cast<std::size_t>(mesh.tets.rows()), -1);
    for (const auto& [tet, surface] : inner) {
        Index& known = surface_of_room[at(rooms.find(tet))];
        if (known >= 0 && known != surface) {
            refuse(fmt::format("surfaces {} and {} bound one region from outside", known, surface),
                   "surfaces inside or beside one another");
        }
        known = surface;
    }
    mesh.region.resize(static_cast<std::size_t>(mesh.tets.rows()));
    for (Index t = 0; t < mesh.tets.rows(); ++t) {
        const Index surface = surface_of_room[at(rooms.find(t))];
        if (surface < 0) {
            refuse(fmt::format("tetrahedron {} near {} lies in a void", t,
                               place(point(mesh.points, mesh.tets(t, 0)))),
                   "tetrahedra inside the surfaces only");
        }
        mesh.region[at(t)] = labels[at(surface)];
    }
}

}  // namespace sinew
