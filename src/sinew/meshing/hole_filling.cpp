#include "sinew/meshing/hole_filling.h"

#include "sinew/base/units.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/edge_table.h"
#include "sinew/meshing/edit_mesh.h"
#include "sinew/meshing/loose_mesh.h"
#include "sinew/meshing/remesh_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace sinew {

namespace {

using Loop = std::vector<Index>;
using Patch = std::vector<std::array<Index, 3>>;

std::uint64_t edge_key(Index a, Index b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 |
           static_cast<std::uint64_t>(std::max(a, b));
}

// Fills loops of vertices with triangles, without any vertex of its own unless there is no other
// way.
class LoopFiller {
public:
    explicit LoopFiller(LooseMesh& mesh) : mesh_(mesh) {
        const EdgeTable edges(mesh.triangles);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            edges_.insert(edge_key(edges.low(e), edges.high(e)));
        }
    }

    // The patch runs round the loop in the order given.
    void fill(const Loop& loop, Patch& patch) {
        if (loop.size() > kLargest) {
            split(loop, patch);
        } else if (loop.size() >= 3) {
            fill_by_area(loop, patch);
        }
    }

private:
    static constexpr std::size_t kLargest = 96;

    Vec3 p(Index v) const {
        return point(mesh_.points, v);
    }
    bool exists(Index a, Index b) const {
        return edges_.contains(edge_key(a, b));
    }

    // Cuts a long loop in two along a short chord between far-away places of it.
    void split(const Loop& loop, Patch& patch) {
        const std::size_t n = loop.size();
        const std::size_t stride = std::max<std::size_t>(1, n * n / 4'000'000);
        double best = std::numeric_limits<double>::infinity();
        std::size_t from = n;
        std::size_t to = n;
        for (std::size_t i = 0; i < n; i += stride) {
            for (std::size_t j = i + n / 4; j <= i + n / 2 && j < n; j += stride) {
                const double length = (p(loop[i]) - p(loop[j])).norm();
                if (length < best && loop[i] != loop[j] && !exists(loop[i], loop[j])) {
                    best = length;
                    from = i;
                    to = j;
                }
            }
        }
        if (from == n) {
            fan(loop, patch);
            return;
        }
        edges_.insert(edge_key(loop[from], loop[to]));
        const auto at = [&](std::size_t i) {
            return loop.begin() + static_cast<std::ptrdiff_t>(i);
        };
        Loop inner(at(from), at(to + 1));
        Loop outer(loop.begin(), at(from + 1));
        outer.insert(outer.end(), at(to), loop.end());
        fill(inner, patch);
        fill(outer, patch);
    }

    // The triangulation of least area among all, by dynamic programming over the chords
    // [Barequet1995].
    void fill_by_area(const Loop& loop, Patch& patch) {
        const std::size_t n = loop.size();
        constexpr double kNever = std::numeric_limits<double>::infinity();
        std::vector<double> cost(n * n, 0.0);
        std::vector<std::size_t> apex(n * n, 0);
        for (std::size_t span = 2; span < n; ++span) {
            for (std::size_t i = 0; i + span < n; ++i) {
                const std::size_t j = i + span;
                const bool is_chord = !(i == 0 && j == n - 1);
                double best = kNever;
                if (!is_chord || !exists(loop[i], loop[j])) {
                    for (std::size_t k = i + 1; k < j; ++k) {
                        const double c =
                            cost[i * n + k] + cost[k * n + j] + price(loop[i], loop[k], loop[j]);
                        if (c < best) {
                            best = c;
                            apex[i * n + j] = k;
                        }
                    }
                }
                cost[i * n + j] = best;
            }
        }
        if (!(cost[n - 1] < kNever)) {
            fan(loop, patch);
            return;
        }
        std::vector<std::pair<std::size_t, std::size_t>> open = {{0, n - 1}};
        while (!open.empty()) {
            const auto [i, j] = open.back();
            open.pop_back();
            if (j - i < 2) {
                continue;
            }
            const std::size_t k = apex[i * n + j];
            patch.push_back({loop[i], loop[k], loop[j]});
            edges_.insert(edge_key(loop[i], loop[k]));
            edges_.insert(edge_key(loop[k], loop[j]));
            open.emplace_back(i, k);
            open.emplace_back(k, j);
        }
    }

    // Area, and a little of the boundary so that equal areas prefer compact triangles.
    double price(Index a, Index b, Index c) const {
        constexpr double kCompact = 1e-3;
        const double area = 0.5 * (p(b) - p(a)).cross(p(c) - p(a)).norm();
        return area + kCompact * ((p(b) - p(a)).squaredNorm() + (p(c) - p(b)).squaredNorm() +
                                  (p(a) - p(c)).squaredNorm());
    }

    void fan(const Loop& loop, Patch& patch) {
        Vec3 centre = Vec3::Zero();
        for (const Index v : loop) {
            centre += p(v);
        }
        const Index middle = mesh_.add_vertex(centre / static_cast<double>(loop.size()), -1);
        for (std::size_t i = 0; i < loop.size(); ++i) {
            patch.push_back({loop[i], loop[(i + 1) % loop.size()], middle});
        }
    }

    LooseMesh& mesh_;
    std::unordered_set<std::uint64_t> edges_;
};

double mean_length(const LooseMesh& mesh, const Loop& loop) {
    double sum = 0.0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        sum += (mesh.points.row(loop[i]) - mesh.points.row(loop[(i + 1) % loop.size()])).norm();
    }
    return sum / static_cast<double>(loop.size());
}

// Gives a patch triangles of the size of those at its rim and lets it settle to a smooth membrane.
void refine(LooseMesh& mesh, const Patch& patch, double edge_length, Patch& refined) {
    // The patch alone, its rim fixed: what is around it does not change.
    std::vector<Index> old;
    for (const auto& t : patch) {
        old.insert(old.end(), t.begin(), t.end());
    }
    std::sort(old.begin(), old.end());
    old.erase(std::unique(old.begin(), old.end()), old.end());
    const auto local = [&](Index v) {
        return static_cast<Index>(std::lower_bound(old.begin(), old.end(), v) - old.begin());
    };
    TriangleMesh part;
    part.points.resize(static_cast<Eigen::Index>(old.size()), 3);
    for (Eigen::Index i = 0; i < part.points.rows(); ++i) {
        part.points.row(i) = mesh.points.row(old[static_cast<std::size_t>(i)]);
    }
    part.triangles.resize(static_cast<Eigen::Index>(patch.size()), 3);
    for (Eigen::Index t = 0; t < part.triangles.rows(); ++t) {
        const auto& c = patch[static_cast<std::size_t>(t)];
        part.triangles.row(t) << local(c[0]), local(c[1]), local(c[2]);
    }
    EditMesh edit(part);
    // Chords between rim vertices are split first: the rounds leave fixed ends alone.
    const Edges chords = unique_edges(part.triangles);
    for (Eigen::Index e = 0; e < chords.rows(); ++e) {
        const std::array<Index, 2> sides = edit.on_edge(chords(e, 0), chords(e, 1));
        if (sides[0] >= 0 && sides[1] >= 0 &&
            edit.length(chords(e, 0), chords(e, 1)) > 4.0 / 3.0 * edge_length) {
            edit.split(chords(e, 0), chords(e, 1),
                       0.5 * (edit.position(chords(e, 0)) + edit.position(chords(e, 1))));
        }
    }
    RemeshRounds rounds(edit, edge_length, kPi, std::vector<char>(old.size(), 1));
    for (int k = 0; k < 8; ++k) {
        rounds.split_long();
        rounds.collapse_short();
        rounds.equalise_valence();
        rounds.relax(true);
    }
    for (int k = 0; k < 30; ++k) {
        rounds.relax(true);
    }
    std::vector<Index> number(static_cast<std::size_t>(edit.vertex_count()), -1);
    for (Index v = 0; v < edit.vertex_count(); ++v) {
        const auto i = static_cast<std::size_t>(v);
        if (i < old.size()) {
            number[i] = old[i];
        } else if (!edit.triangles_at(v).empty()) {
            number[i] = mesh.add_vertex(edit.position(v), -1);
        }
    }
    for (Index t = 0; t < edit.triangle_count(); ++t) {
        if (edit.is_alive(t)) {
            const EditMesh::Corners& c = edit.corners(t);
            refined.push_back({number[static_cast<std::size_t>(c[0])],
                               number[static_cast<std::size_t>(c[1])],
                               number[static_cast<std::size_t>(c[2])]});
        }
    }
}

// A patch is a disc with the loop as its rim: V - E + F = 1 and no edge of more than two triangles.
bool is_disc(const Patch& patch) {
    Triangles triangles(static_cast<Eigen::Index>(patch.size()), 3);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const auto& c = patch[static_cast<std::size_t>(t)];
        triangles.row(t) << c[0], c[1], c[2];
    }
    const EdgeTable edges(triangles);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges.sides(e).size() > 2) {
            return false;
        }
    }
    return true;
}

std::int64_t fill_holes(LooseMesh& mesh, const std::vector<Loop>& loops) {
    if (loops.empty()) {
        return 0;
    }
    LoopFiller filler(mesh);
    Patch all;
    std::int64_t filled = 0;
    for (const Loop& found : loops) {
        if (found.size() < 3) {
            continue;
        }
        // The patch runs against the sense of the triangles around the hole.
        const Loop loop(found.rbegin(), found.rend());
        Patch patch;
        filler.fill(loop, patch);
        const double edge_length = mean_length(mesh, loop);
        if (patch.size() > 1 && edge_length > 0.0 && is_disc(patch)) {
            refine(mesh, patch, edge_length, all);
        } else {
            all.insert(all.end(), patch.begin(), patch.end());
        }
        ++filled;
    }
    mesh.points.conservativeResize(static_cast<Eigen::Index>(mesh.origin.size()), 3);
    Eigen::Index row = mesh.triangles.rows();
    mesh.triangles.conservativeResize(row + static_cast<Eigen::Index>(all.size()), 3);
    for (const auto& t : all) {
        mesh.triangles.row(row++) << t[0], t[1], t[2];
    }
    return filled;
}

// Of the box around a loop: ragged borders are long, whatever they are around.
double extent(const Points& points, const Loop& loop) {
    Vec3 low = point(points, loop[0]);
    Vec3 high = low;
    for (const Index v : loop) {
        low = low.cwiseMin(point(points, v));
        high = high.cwiseMax(point(points, v));
    }
    return (high - low).norm();
}

// Of the box around each connected piece, in the order of the triangles.
std::vector<double> sizes_of_pieces(const Points& points, const Triangles& triangles,
                                    const Components& pieces) {
    const auto count = static_cast<std::size_t>(pieces.count);
    std::vector<Vec3> low(count, Vec3::Constant(std::numeric_limits<double>::infinity()));
    std::vector<Vec3> high(count, Vec3::Constant(-std::numeric_limits<double>::infinity()));
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const auto piece =
            static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)]);
        for (int k = 0; k < 3; ++k) {
            low[piece] = low[piece].cwiseMin(point(points, triangles(t, k)));
            high[piece] = high[piece].cwiseMax(point(points, triangles(t, k)));
        }
    }
    std::vector<double> sizes;
    for (std::size_t piece = 0; piece < count; ++piece) {
        sizes.push_back((high[piece] - low[piece]).norm());
    }
    return sizes;
}

}  // namespace

std::int64_t fill_all_holes(LooseMesh& mesh) {
    return fill_holes(mesh, boundary_loops(mesh.triangles));
}

TriangleMesh with_small_holes_closed(const TriangleMesh& mesh, double widest) {
    std::vector<Loop> loops = boundary_loops(mesh.triangles);
    const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
    const std::vector<double> size = sizes_of_pieces(mesh.points, mesh.triangles, pieces);
    const Lists around = triangles_of_vertices(mesh.triangles, mesh.points.rows());
    LooseMesh work(mesh);
    std::erase_if(loops, [&](const Loop& loop) {
        const Index t = around[static_cast<std::size_t>(loop[0])][0];
        const auto piece =
            static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)]);
        return !(extent(mesh.points, loop) <= widest * size[piece]);
    });
    fill_holes(work, loops);
    TriangleMesh closed;
    closed.points = std::move(work.points);
    closed.triangles = std::move(work.triangles);
    return closed;
}

std::vector<char> find_flakes(const Points& points, const Triangles& triangles, double share) {
    const Components pieces = connected_components(triangles, points.rows());
    const std::vector<double> size = sizes_of_pieces(points, triangles, pieces);
    const Triangles across = triangle_neighbours(triangles);
    std::vector<char> is_open(size.size(), 0);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const auto piece =
            static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)]);
        is_open[piece] |= (across.row(t).array() == -1).any() ? 1 : 0;
    }
    const double whole = points.rows() > 0
                             ? (points.colwise().maxCoeff() - points.colwise().minCoeff()).norm()
                             : 0.0;
    std::vector<char> is_flake;
    for (const Index piece : pieces.of_triangle) {
        const auto p = static_cast<std::size_t>(piece);
        is_flake.push_back(is_open[p] != 0 && size[p] < share * whole ? 1 : 0);
    }
    return is_flake;
}

}  // namespace sinew
