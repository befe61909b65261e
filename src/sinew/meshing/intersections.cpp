#include "sinew/meshing/intersections.h"

#include "sinew/base/parallel.h"
#include "sinew/mesh/validity.h"
#include "sinew/meshing/overlap_tree.h"
#include "sinew/meshing/predicates.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace sinew {

namespace {

using Corners = std::array<Vec3, 3>;

Corners corners_of(const TriangleMesh& mesh, Index t) {
    return {point(mesh.points, mesh.triangles(t, 0)), point(mesh.points, mesh.triangles(t, 1)),
            point(mesh.points, mesh.triangles(t, 2))};
}

Bounds box_of(const Corners& c) {
    Bounds box;
    for (const Vec3& p : c) {
        box.add(p);
    }
    return box;
}

// The pair of axes on which a triangle keeps an area, and its sense there; 0 for collinear ones.
struct Projection {
    int i = 0;
    int j = 1;
    int sign = 0;

    explicit Projection(const Corners& t) {
        // Start with the axis that the normal is closest to: it almost always decides.
        const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]).cwiseAbs();
        int drop = 0;
        n.maxCoeff(&drop);
        for (int k = 0; k < 3 && sign == 0; ++k) {
            i = (drop + k + 1) % 3;
            j = (drop + k + 2) % 3;
            sign = orientation(flat(t[0]), flat(t[1]), flat(t[2]));
        }
    }
    Vec2 flat(const Vec3& p) const {
        return {p[i], p[j]};
    }
};

bool segments_touch(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
    const int abc = orientation(a, b, c);
    const int abd = orientation(a, b, d);
    const int cda = orientation(c, d, a);
    const int cdb = orientation(c, d, b);
    if (abc * abd > 0 || cda * cdb > 0) {
        return false;
    }
    if (abc != 0 || abd != 0 || cda != 0 || cdb != 0) {
        return true;
    }
    // All on one line: compare the ranges.
    return (a.cwiseMin(b).array() <= c.cwiseMax(d).array()).all() &&
           (c.cwiseMin(d).array() <= a.cwiseMax(b).array()).all();
}

bool holds(const Corners& t, const Projection& plane, const Vec3& p) {
    const Vec2 q = plane.flat(p);
    for (std::size_t k = 0; k < 3; ++k) {
        if (orientation(plane.flat(t[k]), plane.flat(t[(k + 1) % 3]), q) * plane.sign < 0) {
            return false;
        }
    }
    return true;
}

// A segment in the plane of a triangle.
bool coplanar_touch(const Vec3& p, const Vec3& q, const Corners& t) {
    const Projection plane(t);
    if (plane.sign == 0) {
        return false;
    }
    if (holds(t, plane, p) || holds(t, plane, q)) {
        return true;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if (segments_touch(plane.flat(p), plane.flat(q), plane.flat(t[k]),
                           plane.flat(t[(k + 1) % 3]))) {
            return true;
        }
    }
    return false;
}

// Segment p q against a triangle, given on which sides of its plane p and q lie.
bool segment_touches(const Vec3& p, const Vec3& q, int p_side, int q_side, const Corners& t) {
    if (p_side * q_side > 0) {
        return false;
    }
    if (p_side == 0 && q_side == 0) {
        return coplanar_touch(p, q, t);
    }
    // The line pierces the plane once; it passes on the same side of all three edges when inside.
    const int s0 = orientation(p, q, t[0], t[1]);
    const int s1 = orientation(p, q, t[1], t[2]);
    const int s2 = orientation(p, q, t[2], t[0]);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

bool segment_touches(const Vec3& p, const Vec3& q, const Corners& t) {
    return segment_touches(p, q, orientation(t[0], t[1], t[2], p), orientation(t[0], t[1], t[2], q),
                           t);
}

std::array<int, 3> sides(const Corners& a, const Corners& plane) {
    return {orientation(plane[0], plane[1], plane[2], a[0]),
            orientation(plane[0], plane[1], plane[2], a[1]),
            orientation(plane[0], plane[1], plane[2], a[2])};
}

bool all_on_one_side(const std::array<int, 3>& s) {
    return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

// Triangles without a common corner: some edge of one touches the other.
bool apart_touch(const Corners& a, const Corners& b) {
    const std::array<int, 3> sa = sides(a, b);
    if (all_on_one_side(sa)) {
        return false;
    }
    const std::array<int, 3> sb = sides(b, a);
    if (all_on_one_side(sb)) {
        return false;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t n = (k + 1) % 3;
        if (segment_touches(a[k], a[n], sa[k], sa[n], b) ||
            segment_touches(b[k], b[n], sb[k], sb[n], a)) {
            return true;
        }
    }
    return false;
}

// Triangles with one common corner (corner i of a, j of b): the common part is convex, so if it is
// more than the corner it reaches the edge opposite the corner in one of them.
bool fan_touch(const Corners& a, std::size_t i, const Corners& b, std::size_t j) {
    return segment_touches(a[(i + 1) % 3], a[(i + 2) % 3], b) ||
           segment_touches(b[(j + 1) % 3], b[(j + 2) % 3], a);
}

// Triangles with a common edge: they overlap only when folded flat onto each other.
bool hinge_overlap(const Corners& a, std::size_t apex_a, const Vec3& apex_b) {
    if (orientation(a[0], a[1], a[2], apex_b) != 0) {
        return false;
    }
    const Projection plane(a);
    const Vec2 p = plane.flat(a[(apex_a + 1) % 3]);
    const Vec2 q = plane.flat(a[(apex_a + 2) % 3]);
    return orientation(p, q, plane.flat(a[apex_a])) * orientation(p, q, plane.flat(apex_b)) > 0;
}

using Triple = std::array<Index, 3>;

bool pair_intersects(const Corners& a, const Triple& ia, const Corners& b, const Triple& ib) {
    int shared = 0;
    std::size_t a_at = 0;
    std::size_t b_at = 0;
    std::array<bool, 3> a_shared = {};
    std::array<bool, 3> b_shared = {};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            if (ia[i] == ib[j]) {
                ++shared;
                a_at = i;
                b_at = j;
                a_shared[i] = b_shared[j] = true;
            }
        }
    }
    switch (shared) {
        case 0:
            return apart_touch(a, b);
        case 1:
            return fan_touch(a, a_at, b, b_at);
        case 2: {
            const auto apex_a = static_cast<std::size_t>(
                std::find(a_shared.begin(), a_shared.end(), false) - a_shared.begin());
            const auto apex_b = static_cast<std::size_t>(
                std::find(b_shared.begin(), b_shared.end(), false) - b_shared.begin());
            return hinge_overlap(a, apex_a, b[apex_b]);
        }
        default:
            return true;
    }
}

// Triangles that take part, with their corners named by position.
struct Candidates {
    std::vector<Index> triangle;
    std::vector<Triple> corner;
    std::vector<Bounds> box;
};

Candidates candidates_of(const TriangleMesh& mesh, const std::vector<Index>& first) {
    // The first of each set of triangles with the same three corners.
    const Eigen::Index n = mesh.triangles.rows();
    std::vector<std::pair<Triple, Index>> sorted(static_cast<std::size_t>(n));
    for (Eigen::Index t = 0; t < n; ++t) {
        Triple key = {mesh.triangles(t, 0), mesh.triangles(t, 1), mesh.triangles(t, 2)};
        std::sort(key.begin(), key.end());
        sorted[at(t)] = {key, static_cast<Index>(t)};
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> is_repeated(static_cast<std::size_t>(n), 0);
    for (std::size_t k = 1; k < sorted.size(); ++k) {
        is_repeated[at(sorted[k].second)] = sorted[k].first == sorted[k - 1].first;
    }
    Candidates result;
    for (Index t = 0; t < n; ++t) {
        const Corners c = corners_of(mesh, t);
        if (is_repeated[at(t)] || is_degenerate(c[0], c[1], c[2])) {
            continue;
        }
        result.triangle.push_back(t);
        Triple corner;
        for (std::size_t k = 0; k < 3; ++k) {
            corner[k] = first[at(mesh.triangles(t, static_cast<int>(k)))];
        }
        result.corner.push_back(corner);
        result.box.push_back(box_of(c));
    }
    return result;
}

// Runs search(k, pairs) -> candidates looked at, for k in [0, n), in parallel. Limits are checked
// between waves of a fixed size, so that what is found does not depend on the number of threads.
template <class Search>
Intersections gather(std::size_t n, const IntersectionOptions& options, Search&& search) {
    constexpr std::size_t kGrain = 256;
    constexpr std::size_t kWave = 64 * kGrain;
    struct Part {
        std::vector<std::pair<Index, Index>> pairs;
        std::int64_t looked = 0;
        bool is_cut = false;
    };
    Intersections result;
    std::int64_t looked = 0;
    for (std::size_t wave = 0; wave < n; wave += kWave) {
        const std::size_t count = std::min(kWave, n - wave);
        std::vector<Part> parts((count + kGrain - 1) / kGrain);
        parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
            Part& part = parts[begin / kGrain];
            for (std::size_t k = begin; k < end; ++k) {
                part.looked += search(wave + k, part.pairs);
                if (static_cast<std::int64_t>(part.pairs.size()) > options.max_pairs ||
                    part.looked > options.max_candidates) {
                    part.is_cut = true;
                    break;
                }
            }
        });
        for (Part& part : parts) {
            result.pairs.insert(result.pairs.end(), part.pairs.begin(), part.pairs.end());
            looked += part.looked;
            result.is_complete = result.is_complete && !part.is_cut;
        }
        if (static_cast<std::int64_t>(result.pairs.size()) >= options.max_pairs ||
            looked >= options.max_candidates) {
            result.is_complete = result.is_complete && wave + count == n;
            break;
        }
    }
    std::sort(result.pairs.begin(), result.pairs.end());
    if (static_cast<std::int64_t>(result.pairs.size()) > options.max_pairs) {
        result.pairs.resize(static_cast<std::size_t>(options.max_pairs));
        result.is_complete = false;
    }
    return result;
}

}  // namespace

bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c) {
    constexpr double kThinnest = 1e-10;
    const double longest =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    // Height over length of the triangle on its longest side. Written so that NaN counts too.
    return !((b - a).cross(c - a).norm() > kThinnest * longest);
}

bool triangles_touch(const Vec3 (&a)[3], const Vec3 (&b)[3]) {
    return apart_touch({a[0], a[1], a[2]}, {b[0], b[1], b[2]});
}

std::vector<Index> first_coincident(const Points& points) {
    std::vector<Index> order(static_cast<std::size_t>(points.rows()));
    std::iota(order.begin(), order.end(), 0);
    const auto compare = [&](Index i, Index j) {
        for (int k = 0; k < 3; ++k) {
            if (points(i, k) != points(j, k)) {
                return points(i, k) < points(j, k) ? -1 : 1;
            }
        }
        return 0;
    };
    std::sort(order.begin(), order.end(), [&](Index i, Index j) {
        const int c = compare(i, j);
        return c != 0 ? c < 0 : i < j;
    });
    std::vector<Index> first(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto v = static_cast<std::size_t>(order[k]);
        first[v] =
            k > 0 && compare(order[k - 1], order[k]) == 0 ? first[at(order[k - 1])] : order[k];
    }
    return first;
}

Intersections find_self_intersections(const TriangleMesh& mesh,
                                      const IntersectionOptions& options) {
    require_valid(mesh, "intersections");
    const Candidates all = candidates_of(mesh, first_coincident(mesh.points));
    const OverlapTree tree(all.box);
    return gather(all.triangle.size(), options, [&](std::size_t k, auto& pairs) {
        const Corners a = corners_of(mesh, all.triangle[k]);
        std::int64_t looked = 0;
        tree.for_each_touching(all.box[k], [&](Index other) {
            const auto o = static_cast<std::size_t>(other);
            if (o > k) {
                ++looked;
                if (pair_intersects(a, all.corner[k], corners_of(mesh, all.triangle[o]),
                                    all.corner[o])) {
                    pairs.emplace_back(all.triangle[k], all.triangle[o]);
                }
            }
            return looked <= options.max_candidates &&
                   static_cast<std::int64_t>(pairs.size()) <= options.max_pairs;
        });
        return looked;
    });
}

Intersections find_intersections(const TriangleMesh& a, const TriangleMesh& b,
                                 const IntersectionOptions& options) {
    require_valid(a, "intersections, first mesh");
    require_valid(b, "intersections, second mesh");
    std::vector<Index> own_a(static_cast<std::size_t>(a.points.rows()));
    std::vector<Index> own_b(static_cast<std::size_t>(b.points.rows()));
    const Candidates from = candidates_of(a, own_a);
    const Candidates to = candidates_of(b, own_b);
    const OverlapTree tree(to.box);
    return gather(from.triangle.size(), options, [&](std::size_t k, auto& pairs) {
        const Corners corners = corners_of(a, from.triangle[k]);
        std::int64_t looked = 0;
        tree.for_each_touching(from.box[k], [&](Index other) {
            const auto o = static_cast<std::size_t>(other);
            ++looked;
            if (apart_touch(corners, corners_of(b, to.triangle[o]))) {
                pairs.emplace_back(from.triangle[k], to.triangle[o]);
            }
            return looked <= options.max_candidates &&
                   static_cast<std::int64_t>(pairs.size()) <= options.max_pairs;
        });
        return looked;
    });
}

}  // namespace sinew
