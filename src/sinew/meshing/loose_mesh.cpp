#include "sinew/meshing/loose_mesh.h"

#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/edge_table.h"
#include "sinew/meshing/edit_mesh.h"
#include "sinew/meshing/near_points.h"
#include "sinew/meshing/sense.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {

Index start_of(const Triangles& triangles, const TriangleSide& side) {
    return triangles(side.triangle, side.corner);
}

// The sides of an edge of many triangles in pairs: around the edge from low to high, a side that
// runs down has the inside behind it (at larger angles), one that runs up has it before. What finds
// no partner stays alone.
std::vector<std::pair<TriangleSide, TriangleSide>> paired_sides(const LooseMesh& mesh,
                                                                const EdgeTable& edges,
                                                                std::size_t e) {
    const Vec3 low = point(mesh.points, edges.low(e));
    const Vec3 axis = (point(mesh.points, edges.high(e)) - low).normalized();
    const Vec3 u = axis.unitOrthogonal();
    const Vec3 v = axis.cross(u);
    struct Entry {
        double angle;
        TriangleSide side;
        bool is_up;
    };
    std::vector<Entry> around;
    for (const TriangleSide& side : edges.sides(e)) {
        const Vec3 apex =
            point(mesh.points, mesh.triangles(side.triangle, (side.corner + 2) % 3)) - low;
        around.push_back({std::atan2(apex.dot(v), apex.dot(u)), side,
                          start_of(mesh.triangles, side) == edges.low(e)});
    }
    std::stable_sort(around.begin(), around.end(),
                     [](const Entry& a, const Entry& b) { return a.angle < b.angle; });
    std::vector<std::pair<TriangleSide, TriangleSide>> pairs;
    for (std::size_t i = 0; i < around.size(); ++i) {
        const Entry& next = around[(i + 1) % around.size()];
        if (!around[i].is_up && next.is_up) {
            pairs.emplace_back(around[i].side, next.side);
        }
    }
    return pairs;
}

Index corner_at(const Triangles& triangles, const TriangleSide& side, Index vertex) {
    const Index next = (side.corner + 1) % 3;
    return 3 * side.triangle + (start_of(triangles, side) == vertex ? side.corner : next);
}

// The most sides of an edge that have the same fan at both ends: more than two still branch.
std::size_t most_in_one_fan(const LooseMesh& mesh, const EdgeTable& edges, std::size_t e,
                            DisjointSets& corners) {
    std::vector<std::pair<Index, Index>> ends;
    for (const TriangleSide& side : edges.sides(e)) {
        ends.emplace_back(corners.find(corner_at(mesh.triangles, side, edges.low(e))),
                          corners.find(corner_at(mesh.triangles, side, edges.high(e))));
    }
    std::size_t most = 0;
    for (const auto& end : ends) {
        most = std::max(most, static_cast<std::size_t>(std::count(ends.begin(), ends.end(), end)));
    }
    return most;
}

// Corners of triangles by the fan that they belong to. An edge of many triangles is cut first,
// which always leaves manifold sheets, and its sides are stitched in pairs. A stitch that brings
// three sides together again is taken back, all of that edge with it: so a fin comes off the sheet
// that it stands on, whichever side of the sheet it would have been paired with [Gueziec2001].
DisjointSets joined_fans(const LooseMesh& mesh, const EdgeTable& edges) {
    DisjointSets whole(static_cast<std::size_t>(mesh.triangles.size()));
    const auto join = [&](DisjointSets& corners, std::size_t e, const TriangleSide& a,
                          const TriangleSide& b) {
        for (const Index v : {edges.low(e), edges.high(e)}) {
            corners.join(corner_at(mesh.triangles, a, v), corner_at(mesh.triangles, b, v));
        }
    };
    std::vector<std::size_t> branching;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto sides = edges.sides(e);
        if (sides.size() == 2) {
            join(whole, e, sides[0], sides[1]);
        } else if (sides.size() > 2) {
            branching.push_back(e);
        }
    }
    std::vector<char> is_stitched(branching.size(), 1);
    for (;;) {
        DisjointSets corners = whole;
        for (std::size_t i = 0; i < branching.size(); ++i) {
            if (is_stitched[i]) {
                for (const auto& [a, b] : paired_sides(mesh, edges, branching[i])) {
                    join(corners, branching[i], a, b);
                }
            }
        }
        bool is_done = true;
        for (std::size_t i = 0; i < branching.size(); ++i) {
            if (is_stitched[i] && most_in_one_fan(mesh, edges, branching[i], corners) > 2) {
                is_stitched[i] = 0;
                is_done = false;
            }
        }
        if (is_done) {
            return corners;
        }
    }
}

}  // namespace

LooseMesh::LooseMesh(const TriangleMesh& mesh)
    : points(mesh.points),
      triangles(mesh.triangles),
      origin(static_cast<std::size_t>(mesh.points.rows())) {
    std::iota(origin.begin(), origin.end(), 0);
}

void LooseMesh::keep_triangles(const std::vector<char>& is_kept) {
    Eigen::Index row = 0;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        if (is_kept[static_cast<std::size_t>(t)]) {
            triangles.row(row++) = triangles.row(t).eval();
        }
    }
    triangles.conservativeResize(row, 3);
}

Index LooseMesh::add_vertex(const Vec3& at, Index from) {
    // Room grows by half, so that many additions cost little.
    const auto n = static_cast<Index>(origin.size());
    if (n >= points.rows()) {
        points.conservativeResize(n + n / 2 + 16, 3);
    }
    points.row(n) = at.transpose();
    origin.push_back(from);
    return n;
}

std::int64_t drop_not_finite(LooseMesh& mesh) {
    std::vector<char> is_bad(static_cast<std::size_t>(mesh.points.rows()), 0);
    std::int64_t bad = 0;
    for (Eigen::Index v = 0; v < mesh.points.rows(); ++v) {
        if (!mesh.points.row(v).allFinite()) {
            is_bad[static_cast<std::size_t>(v)] = 1;
            mesh.points.row(v).setZero();
            ++bad;
        }
    }
    if (bad > 0) {
        std::vector<char> is_kept(static_cast<std::size_t>(mesh.triangles.rows()), 1);
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                if (is_bad[static_cast<std::size_t>(mesh.triangles(t, k))]) {
                    is_kept[static_cast<std::size_t>(t)] = 0;
                }
            }
        }
        mesh.keep_triangles(is_kept);
    }
    return bad;
}

std::int64_t weld_vertices(LooseMesh& mesh, Weld which, double tolerance) {
    if (which == Weld::None) {
        return 0;
    }
    const auto n = static_cast<std::size_t>(mesh.points.rows());
    std::vector<char> takes_part(n, which == Weld::All);
    if (which == Weld::Seams) {
        const EdgeTable edges(mesh.triangles);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            if (edges.sides(e).size() == 1) {
                takes_part[static_cast<std::size_t>(edges.low(e))] = 1;
                takes_part[static_cast<std::size_t>(edges.high(e))] = 1;
            }
        }
    }
    std::vector<Index> target(n);
    std::iota(target.begin(), target.end(), 0);
    Points part(mesh.points.rows(), 3);
    std::vector<Index> who;
    for (std::size_t v = 0; v < n; ++v) {
        if (takes_part[v]) {
            part.row(static_cast<Eigen::Index>(who.size())) =
                mesh.points.row(static_cast<Eigen::Index>(v));
            who.push_back(static_cast<Index>(v));
        }
    }
    const std::vector<Index> first =
        first_within(part.topRows(static_cast<Eigen::Index>(who.size())), tolerance);
    for (std::size_t i = 0; i < who.size(); ++i) {
        target[static_cast<std::size_t>(who[i])] = who[static_cast<std::size_t>(first[i])];
    }
    std::int64_t joined = 0;
    for (std::size_t v = 0; v < n; ++v) {
        joined += target[v] != static_cast<Index>(v);
    }
    mesh.triangles =
        mesh.triangles.unaryExpr([&](Index v) { return target[static_cast<std::size_t>(v)]; })
            .eval();
    return joined;
}

std::int64_t drop_repeated(LooseMesh& mesh) {
    std::vector<char> is_kept(static_cast<std::size_t>(mesh.triangles.rows()), 1);
    struct Entry {
        std::array<Index, 3> key;
        bool is_even;
        Index triangle;
    };
    std::vector<Entry> sorted;
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        std::array<Index, 3> c = {mesh.triangles(t, 0), mesh.triangles(t, 1), mesh.triangles(t, 2)};
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) {
            is_kept[static_cast<std::size_t>(t)] = 0;
            continue;
        }
        std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
        const bool is_even = c[1] < c[2];
        std::sort(c.begin(), c.end());
        sorted.push_back({c, is_even, t});
    }
    std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
        return a.key != b.key ? a.key < b.key : a.triangle < b.triangle;
    });
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t j = i;
        std::int64_t balance = 0;
        for (; j < sorted.size() && sorted[j].key == sorted[i].key; ++j) {
            balance += sorted[j].is_even ? 1 : -1;
        }
        // One of the sense that has the majority stays.
        bool is_found = j - i > 1 && balance == 0;
        for (std::size_t k = i; k < j && j - i > 1; ++k) {
            const bool stays = !is_found && sorted[k].is_even == (balance > 0);
            is_found = is_found || stays;
            is_kept[static_cast<std::size_t>(sorted[k].triangle)] = stays;
        }
        i = j;
    }
    const auto dropped = std::count(is_kept.begin(), is_kept.end(), 0);
    if (dropped > 0) {
        mesh.keep_triangles(is_kept);
    }
    return dropped;
}

std::int64_t turn_alike(LooseMesh& mesh) {
    const EdgeTable edges(mesh.triangles);
    const auto n = static_cast<std::size_t>(mesh.triangles.rows());
    struct Link {
        Index to;
        bool is_same;
    };
    std::vector<std::vector<Link>> links(n);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto sides = edges.sides(e);
        if (sides.size() == 2) {
            const bool is_same =
                start_of(mesh.triangles, sides[0]) != start_of(mesh.triangles, sides[1]);
            links[static_cast<std::size_t>(sides[0].triangle)].push_back(
                {sides[1].triangle, is_same});
            links[static_cast<std::size_t>(sides[1].triangle)].push_back(
                {sides[0].triangle, is_same});
        }
    }
    std::vector<int> turn(n, -1);
    std::int64_t turned = 0;
    for (std::size_t first = 0; first < n; ++first) {
        if (turn[first] >= 0) {
            continue;
        }
        std::vector<Index> piece = {static_cast<Index>(first)};
        turn[first] = 0;
        std::size_t ones = 0;
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const auto t = static_cast<std::size_t>(piece[i]);
            ones += turn[t] == 1;
            for (const Link& link : links[t]) {
                int& other = turn[static_cast<std::size_t>(link.to)];
                if (other < 0) {
                    other = link.is_same ? turn[t] : 1 - turn[t];
                    piece.push_back(link.to);
                }
            }
        }
        const int wrong = 2 * ones <= piece.size() ? 1 : 0;
        for (const Index t : piece) {
            if (turn[static_cast<std::size_t>(t)] == wrong) {
                std::swap(mesh.triangles(t, 1), mesh.triangles(t, 2));
                ++turned;
            }
        }
    }
    return turned;
}

std::int64_t turn_outward(LooseMesh& mesh) {
    std::int64_t turned = 0;
    // Turning one piece may change what counts as outside for another: twice is enough for shells
    // in shells.
    for (int round = 0; round < 2; ++round) {
        TriangleMesh view;
        view.points = mesh.points;
        view.triangles = mesh.triangles;
        const std::vector<Index> inward = pieces_turned_inward(view);
        if (inward.empty()) {
            break;
        }
        const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
        std::vector<char> is_wrong(static_cast<std::size_t>(pieces.count), 0);
        for (const Index t : inward) {
            is_wrong[static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)])] = 1;
        }
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            if (is_wrong[static_cast<std::size_t>(
                    pieces.of_triangle[static_cast<std::size_t>(t)])]) {
                std::swap(mesh.triangles(t, 1), mesh.triangles(t, 2));
            }
        }
        turned += static_cast<std::int64_t>(inward.size());
    }
    return turned;
}

std::int64_t separate_sheets(LooseMesh& mesh) {
    const EdgeTable edges(mesh.triangles);
    DisjointSets corners = joined_fans(mesh, edges);
    // The first fan of a vertex keeps it, the others get copies.
    const auto n = static_cast<std::size_t>(mesh.points.rows());
    std::vector<Index> owner(n, -1);
    std::vector<Index> copy(static_cast<std::size_t>(mesh.triangles.size()), -1);
    std::int64_t added = 0;
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (Index k = 0; k < 3; ++k) {
            const Index root = corners.find(3 * t + k);
            const Index v = mesh.triangles(t, k);
            Index& known = copy[static_cast<std::size_t>(root)];
            if (known < 0) {
                Index& first = owner[static_cast<std::size_t>(v)];
                if (first < 0) {
                    first = root;
                    known = v;
                } else {
                    known = mesh.add_vertex(point(mesh.points, v),
                                            mesh.origin[static_cast<std::size_t>(v)]);
                    ++added;
                }
            }
        }
    }
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (Index k = 0; k < 3; ++k) {
            mesh.triangles(t, k) = copy[static_cast<std::size_t>(corners.find(3 * t + k))];
        }
    }
    mesh.points.conservativeResize(static_cast<Eigen::Index>(mesh.origin.size()), 3);
    return added;
}

std::int64_t collapse_degenerate(LooseMesh& mesh) {
    std::vector<Index> thin;
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        if (is_degenerate(point(mesh.points, mesh.triangles(t, 0)),
                          point(mesh.points, mesh.triangles(t, 1)),
                          point(mesh.points, mesh.triangles(t, 2)))) {
            thin.push_back(t);
        }
    }
    if (thin.empty()) {
        return 0;
    }
    TriangleMesh view;
    view.points = mesh.points;
    view.triangles = mesh.triangles;
    EditMesh edit(view);
    std::int64_t done = 0;
    for (const Index t : thin) {
        if (!edit.is_alive(t)) {
            continue;
        }
        const EditMesh::Corners c = edit.corners(t);
        std::array<std::size_t, 3> order = {0, 1, 2};
        std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
            return edit.length(c[i], c[(i + 1) % 3]) < edit.length(c[j], c[(j + 1) % 3]);
        });
        // A needle goes with its shortest edge, a cap by flipping its longest; either may help.
        const Index a = c[order[0]];
        const Index b = c[(order[0] + 1) % 3];
        if (edit.can_collapse(a, b, edit.position(a))) {
            edit.collapse(a, b, edit.position(a));
            ++done;
        } else if (edit.flip(c[order[2]], c[(order[2] + 1) % 3])) {
            ++done;
        }
    }
    std::vector<Index> vertex_of;
    const TriangleMesh result = edit.result(&vertex_of);
    std::vector<Index> origin;
    origin.reserve(vertex_of.size());
    for (const Index v : vertex_of) {
        origin.push_back(mesh.origin[static_cast<std::size_t>(v)]);
    }
    mesh.points = result.points;
    mesh.triangles = result.triangles;
    mesh.origin = std::move(origin);
    return done;
}

std::int64_t drop_specks(LooseMesh& mesh, double share) {
    if (share <= 0.0 || mesh.triangles.rows() == 0) {
        return 0;
    }
    const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
    std::vector<Bounds> box(static_cast<std::size_t>(pieces.count));
    Bounds all;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = point(mesh.points, mesh.triangles(t, k));
            all.add(p);
            box[static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)])].add(p);
        }
    }
    std::vector<char> is_kept(static_cast<std::size_t>(mesh.triangles.rows()));
    std::int64_t dropped = 0;
    for (const Bounds& b : box) {
        dropped += b.diagonal() < share * all.diagonal();
    }
    for (std::size_t t = 0; t < is_kept.size(); ++t) {
        is_kept[t] = box[static_cast<std::size_t>(pieces.of_triangle[t])].diagonal() >=
                     share * all.diagonal();
    }
    if (dropped > 0) {
        mesh.keep_triangles(is_kept);
    }
    return dropped;
}

std::int64_t drop_unused(LooseMesh& mesh) {
    const Compacted kept = without_unused_points(mesh.points, mesh.triangles);
    const std::int64_t dropped = mesh.points.rows() - kept.points.rows();
    std::vector<Index> origin;
    for (const Index v : kept.old_index) {
        origin.push_back(mesh.origin[static_cast<std::size_t>(v)]);
    }
    mesh.points = kept.points;
    mesh.triangles = kept.triangles;
    mesh.origin = std::move(origin);
    return dropped;
}

}  // namespace sinew
