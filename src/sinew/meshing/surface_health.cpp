#include "sinew/base/units.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/edge_table.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/problem_list.h"
#include "sinew/meshing/sense.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

Vec3 centre(const TriangleMesh& mesh, Index t) {
    return (point(mesh.points, mesh.triangles(t, 0)) + point(mesh.points, mesh.triangles(t, 1)) +
            point(mesh.points, mesh.triangles(t, 2))) /
           3.0;
}

// Leaves out triangles that cannot be looked at; their points are moved to the origin.
// `triangle_id` tells where the remaining ones came from.
struct Usable {
    TriangleMesh mesh;
    std::vector<Index> triangle_id;
};

Usable usable_part(const TriangleMesh& mesh, std::vector<Problem>& problems) {
    Usable usable;
    usable.mesh.points = mesh.points;
    ProblemCollector not_finite("vertex");
    std::vector<char> is_bad(static_cast<std::size_t>(mesh.points.rows()), 0);
    for (Index v = 0; v < mesh.points.rows(); ++v) {
        if (!mesh.points.row(v).allFinite()) {
            not_finite.add(v);
            is_bad[at(v)] = 1;
            usable.mesh.points.row(v).setZero();
        }
    }
    not_finite.into(problems, "non-finite vertices",
                    "remove these vertices in the program that wrote the mesh, or repair it, "
                    "which drops them and closes the holes");
    ProblemCollector out_of_range("triangle");
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        const auto corners = mesh.triangles.row(t);
        if ((corners.array() < 0).any() || (corners.array() >= mesh.points.rows()).any()) {
            out_of_range.add(t);
        } else if (!is_bad[at(corners[0])] && !is_bad[at(corners[1])] && !is_bad[at(corners[2])]) {
            usable.triangle_id.push_back(t);
        }
    }
    out_of_range.into(problems, "vertex indices out of range",
                      "write the mesh again; the file is damaged or truncated");
    usable.mesh.triangles.resize(static_cast<Eigen::Index>(usable.triangle_id.size()), 3);
    for (Eigen::Index i = 0; i < usable.mesh.triangles.rows(); ++i) {
        usable.mesh.triangles.row(i) = mesh.triangles.row(usable.triangle_id[at(i)]);
    }
    return usable;
}

class SurfaceCheck {
public:
    SurfaceCheck(const Usable& usable, const SurfaceHealthOptions& options, SurfaceHealth& health)
        : mesh_(usable.mesh),
          id_(usable.triangle_id),
          options_(options),
          health_(health),
          measures_(health.measures),
          edges_(mesh_.triangles),
          first_(first_coincident(mesh_.points)) {}

    void run() {
        measure_triangles();
        find_duplicates();
        check_edges();
        check_borders();
        check_vertices();
        count_pieces();
        check_sense();
        check_intersections();
    }

private:
    Vec3 p(Index v) const {
        return point(mesh_.points, v);
    }

    void measure_triangles() {
        ProblemCollector degenerate("triangle");
        ProblemCollector needles("triangle");
        constexpr double kNeedle = kPi / 180.0;
        double smallest = kPi;
        double largest = 0.0;
        for (Index t = 0; t < mesh_.triangles.rows(); ++t) {
            const std::array<Vec3, 3> c = {p(mesh_.triangles(t, 0)), p(mesh_.triangles(t, 1)),
                                           p(mesh_.triangles(t, 2))};
            measures_.area += 0.5 * (c[1] - c[0]).cross(c[2] - c[0]).norm();
            measures_.volume += (c[0]).cross(c[1]).dot(c[2]) / 6.0;
            if (is_degenerate(c[0], c[1], c[2])) {
                degenerate.place_at(c[0]);
                degenerate.add(id_[at(t)]);
                smallest = 0.0;
                continue;
            }
            double own = kPi;
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3 u = c[(k + 1) % 3] - c[k];
                const Vec3 v = c[(k + 2) % 3] - c[k];
                const double angle = std::atan2(u.cross(v).norm(), u.dot(v));
                own = std::min(own, angle);
                largest = std::max(largest, angle);
            }
            smallest = std::min(smallest, own);
            if (own < kNeedle) {
                needles.place_at(c[0]);
                needles.add(id_[at(t)]);
            }
        }
        measures_.smallest_angle = mesh_.triangles.rows() > 0 ? smallest : 0.0;
        measures_.largest_angle = largest;
        degenerate.into(health_.problems, "degenerate triangles",
                        "repair the mesh: they are collapsed");
        needles.into(health_.notes, "needles (an angle below 1 degree)",
                     "remesh where solvers need good triangles");
    }

    void find_duplicates() {
        std::vector<std::pair<std::array<Index, 3>, Index>> sorted;
        for (Index t = 0; t < mesh_.triangles.rows(); ++t) {
            std::array<Index, 3> key = {mesh_.triangles(t, 0), mesh_.triangles(t, 1),
                                        mesh_.triangles(t, 2)};
            std::sort(key.begin(), key.end());
            sorted.emplace_back(key, t);
        }
        std::sort(sorted.begin(), sorted.end());
        ProblemCollector duplicates("triangle");
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            if (sorted[i].first == sorted[i - 1].first) {
                duplicates.place_at(centre(mesh_, sorted[i].second));
                duplicates.add(id_[at(sorted[i].second)]);
            }
        }
        duplicates.into(health_.problems, "duplicate triangles",
                        "repair the mesh: all but one are dropped");
    }

    void check_edges() {
        ProblemCollector branching("vertex");
        ProblemCollector flipped("triangle");
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const auto sides = edges_.sides(e);
            if (sides.size() > 2) {
                branching.place_at(0.5 * (p(edges_.low(e)) + p(edges_.high(e))));
                branching.add(edges_.low(e));
            } else if (sides.size() == 1) {
                ++measures_.border_edges;
            } else if (mesh_.triangles(sides[0].triangle, sides[0].corner) ==
                       mesh_.triangles(sides[1].triangle, sides[1].corner)) {
                flipped.place_at(0.5 * (p(edges_.low(e)) + p(edges_.high(e))));
                flipped.add(id_[at(sides[1].triangle)]);
            }
        }
        measures_.edges = static_cast<std::int64_t>(edges_.size());
        branching_edges_ = branching.count();
        flipped_edges_ = flipped.count();
        branching.into(health_.problems, "non-manifold edges",
                       "repair the mesh: the sheets that meet there are separated");
        flipped.into(health_.problems, "edges with inconsistent orientation",
                     "repair the mesh: its triangles are turned the same way");
    }

    // Borders that lie on each other are seams that were never joined, as in STL files.
    void check_borders() {
        if (measures_.border_edges == 0) {
            return;
        }
        const std::vector<std::vector<Index>> loops = boundary_loops(mesh_.triangles);
        measures_.border_loops = static_cast<std::int64_t>(loops.size());
        std::vector<std::pair<Index, Index>> seams;
        Vec3 first_border = Vec3::Zero();
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            if (edges_.sides(e).size() == 1) {
                if (seams.empty()) {
                    first_border = p(edges_.low(e));
                }
                const Index a = first_[at(edges_.low(e))];
                const Index b = first_[at(edges_.high(e))];
                seams.emplace_back(std::minmax(a, b));
            }
        }
        std::sort(seams.begin(), seams.end());
        ProblemCollector unwelded("vertex");
        for (std::size_t i = 1; i < seams.size(); ++i) {
            if (seams[i] == seams[i - 1]) {
                unwelded.place_at(p(seams[i].first));
                unwelded.add(seams[i].first);
            }
        }
        const std::int64_t open = measures_.border_edges - 2 * unwelded.count();
        if (unwelded.count() > 0) {
            unwelded.into(health_.problems, "unwelded seams",
                          "repair the mesh with welding: vertices at the same place are joined");
        }
        if (open > 0) {
            ProblemCollector holes("vertex");
            for (const std::vector<Index>& loop : loops) {
                holes.place_at(p(loop.front()));
                holes.add(loop.front());
            }
            // Borders that branch close no loop: then their first vertex is named.
            const std::string loops_from =
                holes.count() > 0
                    ? fmt::format("; loops from {}", holes.where())
                    : fmt::format(", no loop closes; first at {}", place(first_border));
            health_.problems.push_back({"open borders", std::max<std::int64_t>(1, holes.count()),
                                        fmt::format("{} border edges{}", open, loops_from),
                                        "repair the mesh: holes are filled"});
        }
    }

    void check_vertices() {
        const std::vector<Index> fans =
            fans_of_vertices(mesh_.triangles, mesh_.points.rows(), edges_);
        ProblemCollector pinched("vertex");
        ProblemCollector unused("vertex");
        ProblemCollector coincident("vertex");
        for (Index v = 0; v < mesh_.points.rows(); ++v) {
            const Index n = fans[at(v)];
            if (n == 0) {
                unused.place_at(p(v));
                unused.add(v);
            } else if (n > 1) {
                pinched.place_at(p(v));
                pinched.add(v);
            }
            used_ += n > 0;
            const Index twin = first_[at(v)];
            if (twin != v && n > 0 && fans[at(twin)] > 0) {
                coincident.place_at(p(v));
                coincident.add(v);
            }
        }
        pinched.into(health_.problems, "non-manifold vertices",
                     "repair the mesh: the fans that meet there get a vertex each");
        unused.into(health_.problems, "unused vertices", "repair the mesh: they are dropped");
        coincident.into(health_.notes, "coincident vertices",
                        "none needed where the surface is closed: welding could join sheets that "
                        "only touch");
        measures_.is_manifold = branching_edges_ == 0 && pinched.count() == 0;
    }

    void count_pieces() {
        const Components pieces = connected_components(mesh_.triangles, mesh_.points.rows());
        piece_ = pieces.of_triangle;
        measures_.components = pieces.count;
        measures_.euler = used_ - measures_.edges + measures_.triangles;
        measures_.is_closed = measures_.triangles > 0 && measures_.border_edges == 0 &&
                              flipped_edges_ == 0 && branching_edges_ == 0;
        if (measures_.is_closed && measures_.is_manifold) {
            // V - E + F = 2 - 2 g for each piece.
            measures_.genus = pieces.count - measures_.euler / 2;
        }
        if (pieces.count > 1) {
            health_.notes.push_back(
                {"components", pieces.count,
                 fmt::format("the second begins with triangle {}", id_[first_of_piece(1)]),
                 "none needed; split the file where one piece is wanted"});
        }
    }

    std::size_t first_of_piece(Index piece) const {
        return static_cast<std::size_t>(std::find(piece_.begin(), piece_.end(), piece) -
                                        piece_.begin());
    }

    void check_sense() {
        if (!measures_.is_closed) {
            return;
        }
        ProblemCollector inward("triangle");
        for (const Index t : pieces_turned_inward(mesh_)) {
            inward.place_at(p(mesh_.triangles(t, 0)));
            inward.add(id_[at(t)]);
        }
        inward.into(health_.problems, "pieces turned inside out",
                    "repair the mesh: its triangles are turned outward");
    }

    void check_intersections() {
        if (!options_.find_intersections) {
            return;
        }
        const Intersections found = find_self_intersections(mesh_, options_.intersections);
        measures_.intersections = static_cast<std::int64_t>(found.pairs.size());
        if (found.pairs.empty() && found.is_complete) {
            return;
        }
        std::string where;
        for (std::size_t i = 0; i < std::min<std::size_t>(found.pairs.size(), 3); ++i) {
            where += fmt::format("{}{}-{}", i == 0 ? "triangles " : ", ",
                                 id_[at(found.pairs[i].first)], id_[at(found.pairs[i].second)]);
        }
        if (found.pairs.size() > 3) {
            where += fmt::format(" and {}{} more pairs", found.is_complete ? "" : "at least ",
                                 found.pairs.size() - 3);
        }
        if (!found.pairs.empty()) {
            where += fmt::format("; first at {}", place(centre(mesh_, found.pairs.front().first)));
        } else {
            where = "the search was stopped: too many triangles lie over each other";
        }
        health_.problems.push_back(
            {"self-intersections", std::max<std::int64_t>(1, measures_.intersections), where,
             "repair the mesh and ask for --remove-intersections, or smooth by hand"});
    }

    const TriangleMesh& mesh_;
    const std::vector<Index>& id_;
    const SurfaceHealthOptions& options_;
    SurfaceHealth& health_;
    SurfaceMeasures& measures_;
    EdgeTable edges_;
    std::vector<Index> first_;
    std::vector<Index> piece_;
    std::int64_t used_ = 0;
    std::int64_t branching_edges_ = 0;
    std::int64_t flipped_edges_ = 0;
};

}  // namespace

SurfaceHealth check_health(const TriangleMesh& mesh, const SurfaceHealthOptions& options) {
    SurfaceHealth health;
    health.measures.vertices = mesh.points.rows();
    health.measures.triangles = mesh.triangles.rows();
    if (mesh.triangles.rows() == 0) {
        health.problems.push_back(
            {"no triangles", 1, "the whole mesh", "read a file that holds a surface"});
        return health;
    }
    const Usable usable = usable_part(mesh, health.problems);
    health.measures.triangles = usable.mesh.triangles.rows();
    SurfaceCheck(usable, options, health).run();
    health.measures.triangles = mesh.triangles.rows();
    return health;
}

}  // namespace sinew
