#include "sinew/meshing/iso_surface.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace sinew {

namespace {

// Corner i of a cell stands at (i & 1, i >> 1 & 1, i >> 2). Edge 4 a + o1 + 2 o2 runs along axis a
// from the corner with offsets o1, o2 on the next two axes.
constexpr int corner_of(int x, int y, int z) {
    return x + 2 * y + 4 * z;
}

constexpr std::array<int, 2> corners_of_edge(int edge) {
    const int a = edge / 4;
    std::array<int, 3> at = {0, 0, 0};
    at[static_cast<std::size_t>((a + 1) % 3)] = edge & 1;
    at[static_cast<std::size_t>((a + 2) % 3)] = edge >> 1 & 1;
    const int low = corner_of(at[0], at[1], at[2]);
    return {low, low + (1 << a)};
}

constexpr int edge_between(int c0, int c1) {
    for (int e = 0; e < 12; ++e) {
        const auto ends = corners_of_edge(e);
        if ((ends[0] == c0 && ends[1] == c1) || (ends[0] == c1 && ends[1] == c0)) {
            return e;
        }
    }
    return -1;
}

/// For every pattern of inside corners: to which patch each crossed edge belongs.
struct PatchTable {
    std::array<std::array<std::int8_t, 12>, 256> patch = {};
    std::array<std::int8_t, 256> count = {};
    /// On an ambiguous face: the other crossed edge of the segment that `edge` is an end of.
    /// partner[pattern][edge][axis]: on the face across `axis` that holds the edge.
    std::array<std::array<std::array<std::int8_t, 3>, 12>, 256> partner = {};
    /// Bit 2 axis + side: that face is crossed by two segments of one patch.
    std::array<std::uint8_t, 256> twice = {};
};

/// Corners of a face in order, counter-clockwise seen from outside the cell.
constexpr std::array<int, 4> corners_of_face(int axis, int side) {
    std::array<int, 4> result = {};
    constexpr std::array<std::array<int, 2>, 4> kRound = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    for (int k = 0; k < 4; ++k) {
        const auto [u, v] = kRound[static_cast<std::size_t>(side == 1 ? k : 3 - k)];
        std::array<int, 3> at = {0, 0, 0};
        at[static_cast<std::size_t>(axis)] = side;
        at[static_cast<std::size_t>((axis + 1) % 3)] = u;
        at[static_cast<std::size_t>((axis + 2) % 3)] = v;
        result[static_cast<std::size_t>(k)] = corner_of(at[0], at[1], at[2]);
    }
    return result;
}

/// Whether a face is crossed by two segments of the same patch.
bool is_crossed_twice(const PatchTable& table, std::size_t pattern, int axis, int side) {
    const std::array<int, 4> c = corners_of_face(axis, side);
    std::int8_t patch = -1;
    for (std::size_t k = 0; k < 4; ++k) {
        if ((pattern >> c[k] & 1) == (pattern >> c[(k + 1) % 4] & 1)) {
            return false;
        }
        const int edge = edge_between(c[k], c[(k + 1) % 4]);
        const std::int8_t owner = table.patch[pattern][static_cast<std::size_t>(edge)];
        if (k > 0 && owner != patch) {
            return false;
        }
        patch = owner;
    }
    return true;
}

/// Walks around each face; every run of inside corners is cut off by one segment, from the edge
/// where the walk leaves the inside to the edge where it entered. Segments chain into loops.
PatchTable make_patch_table() {
    PatchTable table;
    for (std::size_t pattern = 0; pattern < 256; ++pattern) {
        const auto inside = [&](int corner) { return (pattern >> corner & 1) != 0; };
        std::array<int, 12> next;
        next.fill(-1);
        for (auto& edge : table.partner[pattern]) {
            edge.fill(-1);
        }
        for (int axis = 0; axis < 3; ++axis) {
            for (int side = 0; side < 2; ++side) {
                const std::array<int, 4> c = corners_of_face(axis, side);
                for (std::size_t k = 0; k < 4; ++k) {
                    if (inside(c[k]) || !inside(c[(k + 1) % 4])) {
                        continue;
                    }
                    std::size_t out = (k + 1) % 4;  // last corner of the run
                    while (inside(c[(out + 1) % 4])) {
                        out = (out + 1) % 4;
                    }
                    const int entry = edge_between(c[k], c[(k + 1) % 4]);
                    const int exit = edge_between(c[out], c[(out + 1) % 4]);
                    next[static_cast<std::size_t>(exit)] = entry;
                    const auto a = static_cast<std::size_t>(axis);
                    table.partner[pattern][static_cast<std::size_t>(exit)][a] =
                        static_cast<std::int8_t>(entry);
                    table.partner[pattern][static_cast<std::size_t>(entry)][a] =
                        static_cast<std::int8_t>(exit);
                }
            }
        }
        auto& patch = table.patch[pattern];
        patch.fill(-1);
        std::int8_t count = 0;
        for (std::size_t e = 0; e < 12; ++e) {
            if (next[e] < 0 || patch[e] >= 0) {
                continue;
            }
            for (auto f = e; patch[f] < 0; f = static_cast<std::size_t>(next[f])) {
                patch[f] = count;
            }
            ++count;
        }
        table.count[pattern] = count;
        for (int face = 0; face < 6; ++face) {
            if (is_crossed_twice(table, pattern, face / 2, face % 2)) {
                table.twice[pattern] |= static_cast<std::uint8_t>(1 << face);
            }
        }
    }
    return table;
}

const PatchTable& patch_table() {
    static const PatchTable table = make_patch_table();
    return table;
}

using Cell = std::array<int, 3>;

/// The surface under construction.
class DualSurface {
public:
    DualSurface(const ScalarGrid& grid, double level)
        : grid_(grid), level_(static_cast<float>(level)), table_(patch_table()) {
        place_vertices();
        join_quads();
    }

    TriangleMesh take() {
        TriangleMesh mesh;
        mesh.points.resize(static_cast<Eigen::Index>(points_.size()), 3);
        for (std::size_t i = 0; i < points_.size(); ++i) {
            mesh.points.row(static_cast<Eigen::Index>(i)) = points_[i].transpose();
        }
        mesh.triangles.resize(static_cast<Eigen::Index>(triangles_.size()), 3);
        for (std::size_t i = 0; i < triangles_.size(); ++i) {
            mesh.triangles.row(static_cast<Eigen::Index>(i)) << triangles_[i][0], triangles_[i][1],
                triangles_[i][2];
        }
        return mesh;
    }

private:
    float value(const Cell& p) const {
        return grid_.values[grid_.index(p[0], p[1], p[2])];
    }

    std::size_t pattern(const Cell& c) const {
        return pattern_[cell_index(c)];
    }

    /// Where the surface crosses a grid edge.
    Vec3 crossing(const Cell& p, int axis) const {
        Cell q = p;
        ++q[static_cast<std::size_t>(axis)];
        const double a = static_cast<double>(value(p)) - static_cast<double>(level_);
        const double b = static_cast<double>(value(q)) - static_cast<double>(level_);
        Vec3 x = grid_.position(p[0], p[1], p[2]);
        // Kept off the corners, so that no triangle shrinks to a point.
        x[axis] += grid_.cell * std::clamp(a / (a - b), 0.01, 0.99);
        return x;
    }

    Vec3 crossing_in_cell(const Cell& c, int edge) const {
        const int k = corners_of_edge(edge)[0];
        return crossing({c[0] + (k & 1), c[1] + (k >> 1 & 1), c[2] + (k >> 2)}, edge / 4);
    }

    std::size_t cell_index(const Cell& c) const {
        return grid_.index(c[0], c[1], c[2]);
    }

    /// Calls visit(cell) for all cells that the surface passes through, x fastest.
    template <class Visit>
    void for_each_crossed(Visit&& visit) const {
        Cell c;
        for (c[2] = 0; c[2] + 1 < grid_.size[2]; ++c[2]) {
            for (c[1] = 0; c[1] + 1 < grid_.size[1]; ++c[1]) {
                const std::uint8_t* row = pattern_.data() + grid_.index(0, c[1], c[2]);
                for (c[0] = 0; c[0] + 1 < grid_.size[0]; ++c[0]) {
                    if (row[c[0]] != 0 && row[c[0]] != 255) {
                        visit(c);
                    }
                }
            }
        }
    }

    /// Patterns row by row: plain loops over bytes, which compilers turn into vector code.
    void find_patterns() {
        const std::size_t count = grid_.values.size();
        std::vector<std::uint8_t> inside(count);
        for (std::size_t i = 0; i < count; ++i) {
            inside[i] = grid_.values[i] < level_ ? 1 : 0;
        }
        pattern_.assign(count, 0);
        for (int z = 0; z + 1 < grid_.size[2]; ++z) {
            for (int y = 0; y + 1 < grid_.size[1]; ++y) {
                const std::uint8_t* r00 = inside.data() + grid_.index(0, y, z);
                const std::uint8_t* r10 = inside.data() + grid_.index(0, y + 1, z);
                const std::uint8_t* r01 = inside.data() + grid_.index(0, y, z + 1);
                const std::uint8_t* r11 = inside.data() + grid_.index(0, y + 1, z + 1);
                std::uint8_t* bits = pattern_.data() + grid_.index(0, y, z);
                for (int x = 0; x + 1 < grid_.size[0]; ++x) {
                    bits[x] = static_cast<std::uint8_t>(
                        r00[x] | r00[x + 1] << 1 | r10[x] << 2 | r10[x + 1] << 3 | r01[x] << 4 |
                        r01[x + 1] << 5 | r11[x] << 6 | r11[x + 1] << 7);
                }
            }
        }
    }

    void place_vertices() {
        base_.assign(grid_.values.size(), -1);
        find_patterns();
        for_each_crossed([&](const Cell& c) { place_vertices_of(c); });
    }

    void place_vertices_of(const Cell& c) {
        const std::size_t bits = pattern(c);
        base_[cell_index(c)] = static_cast<Index>(points_.size());
        const auto& patch = table_.patch[bits];
        for (std::int8_t k = 0; k < table_.count[bits]; ++k) {
            Vec3 sum = Vec3::Zero();
            int crossings = 0;
            for (std::size_t e = 0; e < 12; ++e) {
                if (patch[e] == k) {
                    sum += crossing_in_cell(c, static_cast<int>(e));
                    ++crossings;
                }
            }
            points_.push_back(sum / crossings);
        }
    }

    /// One quadrangle around every crossed grid edge.
    void join_quads() {
        for_each_crossed([&](const Cell& p) {
            const std::size_t bits = pattern(p);
            const bool inside = (bits & 1) != 0;
            for (int axis = 0; axis < 3; ++axis) {
                if ((bits >> (1 << axis) & 1) != (bits & 1)) {
                    add_quad(p, axis, inside);
                }
            }
        });
    }

    void add_quad(const Cell& p, int axis, bool inside_first) {
        // Cells around the edge, counter-clockwise seen from the edge's far end.
        constexpr std::array<std::array<int, 2>, 4> kRound = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
        std::array<Cell, 4> cells;
        std::array<int, 4> edges = {};
        std::array<Index, 4> v = {};
        for (std::size_t k = 0; k < 4; ++k) {
            const auto [i, j] = kRound[k];
            cells[k] = p;
            cells[k][static_cast<std::size_t>((axis + 1) % 3)] -= i;
            cells[k][static_cast<std::size_t>((axis + 2) % 3)] -= j;
            edges[k] = 4 * axis + i + 2 * j;
            const std::size_t bits = pattern(cells[k]);
            v[k] = base_[cell_index(cells[k])] +
                   table_.patch[bits][static_cast<std::size_t>(edges[k])];
        }
        polygon_.clear();
        bool is_plain = true;
        for (std::size_t k = 0; k < 4; ++k) {
            polygon_.push_back(v[k]);
            const int across = (axis + (k % 2 == 0 ? 1 : 2)) % 3;
            const Index middle =
                middle_vertex(cells[k], edges[k], cells[(k + 1) % 4], edges[(k + 1) % 4], across);
            if (middle >= 0) {
                polygon_.push_back(middle);
                is_plain = false;
            }
        }
        if (!inside_first) {
            std::reverse(polygon_.begin(), polygon_.end());
        }
        if (is_plain) {
            add_two_triangles();
        } else {
            const auto centre = static_cast<Index>(points_.size());
            points_.push_back(crossing(p, axis));
            for (std::size_t k = 0; k < polygon_.size(); ++k) {
                triangles_.push_back({centre, polygon_[k], polygon_[(k + 1) % polygon_.size()]});
            }
        }
    }

    void add_two_triangles() {
        const auto at = [&](std::size_t k) -> const Vec3& {
            return points_[static_cast<std::size_t>(polygon_[k])];
        };
        const std::size_t s =
            (at(0) - at(2)).squaredNorm() <= (at(1) - at(3)).squaredNorm() ? 0 : 1;
        triangles_.push_back({polygon_[s], polygon_[s + 1], polygon_[(s + 2) % 4]});
        triangles_.push_back({polygon_[s], polygon_[(s + 2) % 4], polygon_[(s + 3) % 4]});
    }

    /// The vertex in the middle of the dual edge between two neighbouring cells, or -1 where the
    /// edge is the only one between its two vertices.
    Index middle_vertex(const Cell& c0, int edge0, const Cell& c1, int edge1, int across) {
        const std::size_t bits0 = pattern(c0);
        const std::size_t bits1 = pattern(c1);
        const auto a = static_cast<std::size_t>(across);
        if (!has_two_segments_in_one_patch(bits0, edge0, across) ||
            !has_two_segments_in_one_patch(bits1, edge1, across)) {
            return -1;
        }
        const auto partner = table_.partner[bits0][static_cast<std::size_t>(edge0)][a];
        const Cell& low = c0[a] < c1[a] ? c0 : c1;
        // The segment is named by the face and the lower of its two grid edges.
        const auto position_of = [&](int edge) {
            const int k = corners_of_edge(edge)[0];
            return std::tuple(grid_.index(c0[0] + (k & 1), c0[1] + (k >> 1 & 1), c0[2] + (k >> 2)),
                              edge / 4);
        };
        const auto key =
            std::tuple(cell_index(low), across, std::min(position_of(edge0), position_of(partner)));
        const auto [found, is_new] = middle_.try_emplace(key, static_cast<Index>(points_.size()));
        if (is_new) {
            points_.push_back(0.5 * (crossing_in_cell(c0, edge0) + crossing_in_cell(c0, partner)));
        }
        return found->second;
    }

    /// Whether the face across `axis` that holds `edge` is crossed by two segments of one patch.
    bool has_two_segments_in_one_patch(std::size_t bits, int edge, int axis) const {
        const int side = corners_of_edge(edge)[0] >> axis & 1;
        return (table_.twice[bits] >> (2 * axis + side) & 1) != 0;
    }

    const ScalarGrid& grid_;
    float level_;
    const PatchTable& table_;
    std::vector<Index> base_;            // first vertex of each cell
    std::vector<std::uint8_t> pattern_;  // of each cell
    std::vector<Vec3> points_;
    std::vector<std::array<Index, 3>> triangles_;
    std::vector<Index> polygon_;
    std::map<std::tuple<std::size_t, int, std::tuple<std::size_t, int>>, Index> middle_;
};

/// Value and gradient between the grid points, trilinear.
struct Sample {
    double value = 0.0;
    Vec3 gradient = Vec3::Zero();
};

Sample sample(const ScalarGrid& grid, const Vec3& x) {
    std::array<int, 3> c = {};
    Vec3 f;
    for (int a = 0; a < 3; ++a) {
        const auto i = static_cast<std::size_t>(a);
        const double s = (x[a] - grid.origin[a]) / grid.cell;
        c[i] = std::clamp(static_cast<int>(std::floor(s)), 0, grid.size[i] - 2);
        f[a] = s - c[i];
    }
    std::array<double, 8> v = {};
    for (int k = 0; k < 8; ++k) {
        v[static_cast<std::size_t>(k)] = static_cast<double>(
            grid.values[grid.index(c[0] + (k & 1), c[1] + (k >> 1 & 1), c[2] + (k >> 2))]);
    }
    const auto mix = [](double a, double b, double t) { return a + (b - a) * t; };
    const double x00 = mix(v[0], v[1], f[0]), x10 = mix(v[2], v[3], f[0]);
    const double x01 = mix(v[4], v[5], f[0]), x11 = mix(v[6], v[7], f[0]);
    Sample s;
    s.value = mix(mix(x00, x10, f[1]), mix(x01, x11, f[1]), f[2]);
    s.gradient =
        Vec3(mix(mix(v[1] - v[0], v[3] - v[2], f[1]), mix(v[5] - v[4], v[7] - v[6], f[1]), f[2]),
             mix(x10 - x00, x11 - x01, f[2]), mix(x01, x11, f[1]) - mix(x00, x10, f[1])) /
        grid.cell;
    return s;
}

/// One Newton step towards the level, at most half a cell long.
Vec3 stepped_to_level(const ScalarGrid& grid, double level, const Vec3& x) {
    const Sample s = sample(grid, x);
    const double g2 = s.gradient.squaredNorm();
    if (g2 < 1e-12) {
        return x;
    }
    Vec3 step = -(s.value - level) / g2 * s.gradient;
    const double longest = 0.5 * grid.cell;
    if (step.norm() > longest) {
        step *= longest / step.norm();
    }
    return x + step;
}

void relax(const ScalarGrid& grid, const IsoSurfaceOptions& options, TriangleMesh& mesh) {
    constexpr double kShare = 0.6;  // of the way to the middle of the neighbours
    constexpr std::size_t kGrain = 2048;
    const Lists around = options.relaxations > 0
                             ? neighbours_of_vertices(mesh.triangles, mesh.points.rows())
                             : Lists{};
    const auto count = static_cast<std::size_t>(mesh.points.rows());
    for (int pass = 0; pass <= options.relaxations; ++pass) {
        const Points before = mesh.points;
        const bool is_sliding = pass < options.relaxations;
        parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                Vec3 x = before.row(row).transpose();
                if (is_sliding && !around[i].empty()) {
                    Vec3 middle = Vec3::Zero();
                    for (const Index j : around[i]) {
                        middle += before.row(j).transpose();
                    }
                    middle /= static_cast<double>(around[i].size());
                    Vec3 move = kShare * (middle - x);
                    const Vec3 n = sample(grid, x).gradient.normalized();
                    move -= n.dot(move) * n;
                    if (move.norm() > 0.35 * grid.cell) {
                        move *= 0.35 * grid.cell / move.norm();
                    }
                    x += move;
                }
                mesh.points.row(row) = stepped_to_level(grid, options.level, x).transpose();
            }
        });
    }
}

void require_grid(const ScalarGrid& grid, double level) {
    const auto refuse = [](std::string found, std::string needs) {
        throw InputError({.where = "scalar grid",
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "make the grid larger than the shape, of finite values"});
    };
    const auto [nx, ny, nz] = grid.size;
    if (nx < 3 || ny < 3 || nz < 3 || !(grid.cell > 0.0) ||
        grid.values.size() != grid.index(0, 0, nz)) {
        refuse(fmt::format("{} values for {} x {} x {}, cell {}", grid.values.size(), nx, ny, nz,
                           grid.cell),
               "at least 3 values each way, all given, and a cell > 0");
    }
    // Not finite: the difference with itself is not zero.
    float odd = 0.0f;
    for (const float v : grid.values) {
        odd += v - v == 0.0f ? 0.0f : 1.0f;
    }
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            const bool is_side = z == 0 || y == 0 || z == nz - 1 || y == ny - 1;
            const int step = is_side || odd > 0.0f ? 1 : nx - 1;
            for (int x = 0; x < nx; x += step) {
                const auto v = static_cast<double>(grid.values[grid.index(x, y, z)]);
                if (!std::isfinite(v)) {
                    refuse(fmt::format("value {} at {} {} {}", v, x, y, z), "finite values");
                }
                if ((is_side || x == 0 || x == nx - 1) && !(v > level)) {
                    refuse(fmt::format("border value {} at {} {} {}", v, x, y, z),
                           fmt::format("values above {} along the border", level));
                }
            }
        }
    }
}

}  // namespace

TriangleMesh iso_surface(const ScalarGrid& grid, const IsoSurfaceOptions& options) {
    require_grid(grid, options.level);
    TriangleMesh mesh = DualSurface(grid, options.level).take();
    relax(grid, options, mesh);
    return mesh;
}

std::array<std::int8_t, 256> iso_surface_patch_counts() {
    return patch_table().count;
}

long iso_surface_euler(const ScalarGrid& grid, double level) {
    const PatchTable& table = patch_table();
    const auto inside = [&](int x, int y, int z) {
        return grid.values[grid.index(x, y, z)] < static_cast<float>(level);
    };
    // Dual surface: a vertex per patch, a face per crossed edge; every face has four edges, every
    // edge two faces, so V - E + F = V - F.
    const auto slices = static_cast<std::size_t>(std::max(0, grid.size[2] - 1));
    return parallel_reduce(
        slices, 1, 0L,
        [&](std::size_t begin, std::size_t end) {
            long sum = 0;
            for (int z = static_cast<int>(begin); z < static_cast<int>(end); ++z) {
                for (int y = 0; y + 1 < grid.size[1]; ++y) {
                    for (int x = 0; x + 1 < grid.size[0]; ++x) {
                        std::size_t bits = 0;
                        for (int k = 0; k < 8; ++k) {
                            bits |= static_cast<std::size_t>(
                                        inside(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)))
                                    << k;
                        }
                        sum += table.count[bits];
                        sum -= ((bits ^ bits >> 1) & 1) + ((bits ^ bits >> 2) & 1) +
                               ((bits ^ bits >> 4) & 1);
                    }
                }
            }
            return sum;
        },
        [](long a, long b) { return a + b; });
}

}  // namespace sinew
