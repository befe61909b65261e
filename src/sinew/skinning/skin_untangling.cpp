#include "sinew/skinning/skin_untangling.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/simplex.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

// Moves vertices of the shown skin until hardly any is enclosed, after the simulation and without
// its knowledge. Stages, each for what the last one left:
//
// 1. Pushing apart by positions [Mueller2007, section 3.3], the vertex and the triangle that faces
// it.
//
// 2. Ironing: a patch without another side goes to the mean of its neighbours.
//
// 3. Tucking in: a single vertex goes beside a neighbour that is free; the bottom of a crease is
// not seen.
//
// 4. Checking all vertices whose rays may have changed, and again from 3.
//
// Between frames: offsets of the last frame are taken over, turned with their bones, and fade as
// the simulation moves the vertex against them. Without this, each frame would choose anew on which
// side a vertex comes out, and creases would flicker. Where bones rest, steps are bounded as well
// (calm).
//
// All numbers are in mean edges, so that a mesh twice as fine behaves alike at its own scale.
// Sweeps run over sorted lists in one thread: the result does not depend on threads.

namespace sinew {
namespace {

constexpr std::size_t kUntanglingPiece = 4;
constexpr int kIronRounds = 6;  // of pushing and ironing, at most
constexpr int kStuck = 2;       // of them without success are enough
constexpr int kTuckRounds = 48;
constexpr int kChecks = 3;  // of all vertices after that, at most
constexpr int kPushes =
    2;  // rounds in which a vertex is only pushed; then it is ironed or tucked in
constexpr int kSweeps = 4;  // over what is found in a round
constexpr int kIronSweeps = 8;
constexpr int kRings = 2;             // of neighbours that are asked, of what touches or has moved
constexpr double kBesideMoved = 0.5;  // edges: how near other skin is asked too
constexpr double kTuck = 0.95;        // of the way to the neighbour
constexpr double kStill = 0.01;       // edges moved against the bone, with which all of it is kept
constexpr double kShallow = 0.03;  // of an edge: depth of what was moved before and is left alone
constexpr double kUneven = 1e-3;   // of an edge
constexpr double kForget =
    0.5;                       // of an edge, moved against the bone: nothing of the offset is kept
constexpr double kGap = 0.03;  // of an edge, that is left between skins
constexpr double kFacingSkins = 0.2;   // cosine between skins that meet, at least
constexpr double kFarthestSide = 8.0;  // edges
constexpr double kCalm = 0.1;          // edges that a vertex is moved in a frame where bones rest
constexpr double kHurry = 0.2;         // the same where it is enclosed else
constexpr double kBesideCalm = 2.0;    // edges: bones as near as that have to
constexpr double kBoneRests = 1e-3;    // edges that it moves in a frame against the first
constexpr int kRestFrames = 5;         // of all of them, before anything is slowed down
constexpr double kDeep = 0.03;         // edges: what is deeper then is not slowed down
constexpr int kCalmRounds = 6;

// Vertices, each once.
class VertexSet {
public:
    explicit VertexSet(Index vertices) : is_in_(static_cast<std::size_t>(vertices), 0) {}

    void add(Index vertex) {
        char& is_in = is_in_[at(vertex)];
        if (is_in == 0) {
            is_in = 1;
            list_.push_back(vertex);
        }
    }
    void add(std::span<const Index> vertices) {
        for (const Index i : vertices) {
            add(i);
        }
    }
    // Rings of neighbours around all that is in.
    void add_rings(const Lists& neighbours, int rings) {
        std::size_t begin = 0;
        for (int ring = 0; ring < rings; ++ring) {
            const std::size_t end = list_.size();
            for (; begin < end; ++begin) {
                add(neighbours[at(list_[begin])]);
            }
        }
    }
    // Sorting takes longer than a look at all of them.
    std::vector<Index> ascending() const {
        std::vector<Index> all;
        all.reserve(list_.size());
        for (std::size_t i = 0; i < is_in_.size() && all.size() < list_.size(); ++i) {
            if (is_in_[i] != 0) {
                all.push_back(static_cast<Index>(i));
            }
        }
        return all;
    }

private:
    std::vector<char> is_in_;
    std::vector<Index> list_ = {};
};

// In -1 .. 1, different for each vertex and axis.
// A hash in place of random numbers: the same in every run.
double unevenness(Index vertex, int axis) {
    std::uint32_t bits = static_cast<std::uint32_t>(vertex) * 3u + static_cast<std::uint32_t>(axis);
    bits = (bits ^ (bits >> 15u)) * 0x2c1b3c6du;
    bits = (bits ^ (bits >> 12u)) * 0x297a2d39u;
    bits ^= bits >> 15u;
    return static_cast<double>(bits) / 2147483648.0 - 1.0;
}

}  // namespace

SkinUntangling::SkinUntangling(const SkinOnBones& skin)
    : skin_vertices_(static_cast<Index>(skin.points.rows())),
      triangles_(skin.triangles),
      neighbours_(neighbours_of_vertices(triangles_, skin_vertices_)),
      bone_of_(skin.bone),
      edge_(mean_edge(skin)),
      enclosure_(skin),
      steadying_(skin) {
    for (Index i = 0; i < skin_vertices_; ++i) {
        all_.push_back(i);
    }
}

// The vertices, rings of neighbours, and vertices of other skin beside, which what has moved may
// enclose now.
std::vector<Index> SkinUntangling::and_near(const Points& x,
                                            std::span<const Index> vertices) const {
    VertexSet near(skin_vertices_);
    near.add(vertices);
    near.add_rings(neighbours_, kRings);
    std::vector<Index> found;
    const Vec3 reach = Vec3::Constant(kBesideMoved * edge_);
    for (const Index i : vertices) {
        const Vec3 p = point(x, i);
        enclosure_.find_overlapping({.low = p - reach, .high = p + reach}, found);
        for (const Index t : found) {
            for (int k = 0; k < 3; ++k) {
                near.add(triangles_(t, k));
            }
        }
    }
    return near.ascending();
}

// The nearest triangle that faces a vertex from behind which it has to come out, -1 without.
// Searched in growing boxes. Triangles that do not face the vertex are the back of its own fold.
Index SkinUntangling::other_side(const Points& x, Index vertex,
                                 std::vector<Index>& candidates) const {
    const Vec3 p = point(x, vertex);
    const Vec3 n = enclosure_.normal_at(vertex);
    Index best = -1;
    for (double reach = edge_; best < 0 && reach < kFarthestSide * edge_; reach *= 2.0) {
        double nearest = reach * reach;
        enclosure_.find_overlapping(
            {.low = p - Vec3::Constant(reach), .high = p + Vec3::Constant(reach)}, candidates);
        for (const Index t : candidates) {
            const Index i = triangles_(t, 0);
            const Index j = triangles_(t, 1);
            const Index k = triangles_(t, 2);
            const Vec3 m = point(enclosure_.normals(), t);
            if (i == vertex || j == vertex || k == vertex || (p - point(x, i)).dot(m) >= 0.0 ||
                -m.dot(n) < kFacingSkins * m.norm() || enclosure_.is_inner(i) ||
                enclosure_.is_inner(j) || enclosure_.is_inner(k)) {
                continue;
            }
            const double d =
                closest_on_triangle(p, point(x, i), point(x, j), point(x, k)).squared_distance;
            if ((d < nearest || (d == nearest && t < best)) &&
                !enclosure_.is_own_flesh(vertex, {i, j, k})) {
                nearest = d;
                best = t;
            }
        }
    }
    return best;
}

void SkinUntangling::find_ways(const Points& x, std::span<const Index> asked) {
    const std::vector<char> is_enclosed = enclosure_.are_enclosed(x, asked);
    ways_.clear();
    std::vector<Index> near;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (is_enclosed[i] != 0 && !enclosure_.is_excused(x, asked[i], near)) {
            ways_.push_back({asked[i], -1});
        }
    }
    parallel_for(ways_.size(), kUntanglingPiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        for (std::size_t i = begin; i < end; ++i) {
            ways_[i].triangle = other_side(x, ways_[i].vertex, candidates);
        }
    });
}

bool SkinUntangling::is_found(Index vertex) const {
    return std::binary_search(ways_.begin(), ways_.end(), Way{vertex, 0},
                              [](const Way& a, const Way& b) { return a.vertex < b.vertex; });
}

// What a round has moved: what was enclosed, and its other sides.
std::vector<Index> SkinUntangling::moved() const {
    VertexSet all(skin_vertices_);
    for (const Way& way : ways_) {
        all.add(way.vertex);
        for (int k = 0; way.triangle >= 0 && k < 3; ++k) {
            all.add(triangles_(way.triangle, k));
        }
    }
    return all.ascending();
}

// dx_i = -h grad_i h / sum_j |grad_j h|^2: the vertex takes one part, corners take theirs by
// barycentric weights [Mueller2007, section 3.3].
void SkinUntangling::push_apart(Points& x, const Way& way) const {
    const auto corner = triangles_.row(way.triangle);
    const Vec3 p = point(x, way.vertex);
    const Vec3 a = point(x, corner[0]);
    const Vec3 b = point(x, corner[1]);
    const Vec3 c = point(x, corner[2]);
    const Vec3 n = (b - a).cross(c - a).normalized();
    const double h = (p - a).dot(n) - kGap * edge_;
    if (h < 0.0) {
        const Vec3 share = closest_on_triangle(p, a, b, c).barycentric;
        const Vec3 push = -h / (1.0 + share.squaredNorm()) * n;
        x.row(way.vertex) += push.transpose();
        for (int k = 0; k < 3; ++k) {
            x.row(corner[k]) -= share[k] * push.transpose();
        }
    }
}

// All that is ironed, to the middle of its neighbours: a patch that its border alone shapes.
void SkinUntangling::iron(Points& x) const {
    for (int sweep = 0; sweep < kIronSweeps; ++sweep) {
        for (const Index vertex : ironed_) {
            const auto near = neighbours_[at(vertex)];
            Vec3 sum = Vec3::Zero();
            for (const Index i : near) {
                sum += point(x, i);
            }
            x.row(vertex) = sum.transpose() / static_cast<double>(near.size());
        }
    }
}

// What has no other side, or was pushed a few times in vain.
void SkinUntangling::iron_more() {
    VertexSet more(skin_vertices_);
    more.add(ironed_);
    for (const Way& way : ways_) {
        const int rounds = ++rounds_[at(way.vertex)];
        if (way.triangle < 0 || rounds > kPushes) {
            more.add(way.vertex);
        }
        // A vertex that is ironed already takes its neighbours along.
        if (std::binary_search(ironed_.begin(), ironed_.end(), way.vertex)) {
            more.add(neighbours_[at(way.vertex)]);
        }
    }
    ironed_ = more.ascending();
}

// Most of the way to a neighbour that is free, the nearest first: what is left of the depth is
// small, and the bottom of a crease is not seen.
void SkinUntangling::tuck_in(Points& x, Index vertex, int tries) const {
    std::vector<std::pair<double, Index>> free;
    for (const Index i : neighbours_[at(vertex)]) {
        if (!is_found(i)) {
            free.emplace_back((point(x, i) - point(x, vertex)).squaredNorm(), i);
        }
    }
    if (!free.empty()) {
        std::sort(free.begin(), free.end());
        const Index to = free[static_cast<std::size_t>(tries) % free.size()].second;
        x.row(vertex) += kTuck * (x.row(to) - x.row(vertex));
    }
}

// Until nothing is enclosed any more, or no fewer than before.
void SkinUntangling::push_and_iron(Points& x) {
    ironed_.clear();
    rounds_.assign(static_cast<std::size_t>(skin_vertices_), 0);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    int stuck = 0;
    for (int round = 0; round < kIronRounds && !ways_.empty() && stuck < kStuck; ++round) {
        iron_more();
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (const Way& way : ways_) {
                if (way.triangle >= 0) {
                    push_apart(x, way);
                }
            }
        }
        iron(x);
        // Only what is near to what has moved can have changed.
        std::vector<Index> moved_now = moved();
        moved_now.insert(moved_now.end(), ironed_.begin(), ironed_.end());
        enclosure_.refit_around(x, moved_now);
        find_ways(x, and_near(x, moved_now));
        stuck = ways_.size() < fewest ? 0 : stuck + 1;
        fewest = std::min(fewest, ways_.size());
    }
}

void SkinUntangling::push_and_tuck(Points& x) {
    rounds_.assign(static_cast<std::size_t>(skin_vertices_), 0);
    for (int round = 0; round < kTuckRounds && !ways_.empty(); ++round) {
        std::vector<Way> pushed;
        for (const Way& way : ways_) {
            const int rounds = ++rounds_[at(way.vertex)];
            if (way.triangle < 0 || rounds > kPushes) {
                tuck_in(x, way.vertex, std::max(0, rounds - kPushes - 1));
            } else {
                pushed.push_back(way);
            }
        }
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (const Way& way : pushed) {
                push_apart(x, way);
            }
        }
        const std::vector<Index> moved_now = moved();
        enclosure_.refit_around(x, moved_now);
        find_ways(x, and_near(x, moved_now));
    }
}

// Adds the offsets of the last frame, around what the simulation still leaves enclosed.
void SkinUntangling::start_from_before(Points& x, std::span<const Eigen::Isometry3d> motion) const {
    VertexSet near(skin_vertices_);
    near.add(moved());
    near.add_rings(neighbours_, kRings);
    for (const Index i : near.ascending()) {
        const Eigen::Isometry3d& T = motion[at(bone_of_[at(i)])];
        const double way = (point(x, i) - T * point(before_, i)).norm();
        const double share = std::min(1.0, std::max(0.0, 1.0 - (way / edge_ - kStill) / kForget));
        x.row(i) += share * (T.linear() * point(offset_, i)).transpose();
    }
}

// What is hardly inside stays so: to move it in every other frame would flicker.
void SkinUntangling::leave_shallow(const Points& x) {
    std::vector<Index> candidates;
    std::erase_if(ways_, [&](const Way& way) {
        return offset_.rows() > 0 &&
               enclosure_.way_out(x, way.vertex, candidates) < kShallow * edge_;
    });
}

// What was enclosed to begin with, and what may have changed since.
std::vector<Index> SkinUntangling::in_doubt(const Points& x,
                                            std::span<const Index> enclosed) const {
    VertexSet all(skin_vertices_);
    all.add(enclosed);
    all.add(enclosure_.find_changed(x));
    return all.ascending();
}

// Counts the frames for which each bone has not moved against the first.
void SkinUntangling::count_rest(std::span<const Eigen::Isometry3d> motion) {
    rested_.resize(motion.size(), 0);
    std::vector<char> has_moved(motion.size(), 0);
    for (Index i = 0; i < skin_vertices_; ++i) {
        const auto b = at(bone_of_[at(i)]);
        const Vec3 p = point(before_, i);
        if ((motion[b] * p - motion[0] * p).norm() > kBoneRests * edge_) {
            has_moved[b] = 1;
        }
    }
    for (std::size_t b = 0; b < rested_.size(); ++b) {
        rested_[b] = has_moved[b] != 0 ? 0 : rested_[b] + 1;
    }
}

// Whether all bones of the skin around a place have rested for some frames.
bool SkinUntangling::is_at_rest(const Vec3& p, std::vector<Index>& found) const {
    const Vec3 reach = Vec3::Constant(kBesideCalm * edge_);
    enclosure_.find_overlapping({.low = p - reach, .high = p + reach}, found);
    return std::all_of(found.begin(), found.end(), [&](Index t) {
        return std::ranges::all_of(std::span(&triangles_(t, 0), 3), [&](Index i) {
            return rested_[at(bone_of_[at(i)])] >= kRestFrames;
        });
    });
}

// Which side of a crease a vertex comes out on is up to small things, and may change from frame to
// frame. Where the bones rest it goes there slowly, against its neighbourhood. Returns what was
// slowed down.
// @param limit  edges per frame
std::vector<Index> SkinUntangling::calm(Points& x, const Points& simulated,
                                        std::span<const Eigen::Isometry3d> motion,
                                        double limit) const {
    std::vector<Index> slowed;
    std::vector<Index> found;
    const Points shown = x;
    for (Index i = 0; i < skin_vertices_; ++i) {
        const Eigen::Isometry3d& T = motion[at(bone_of_[at(i)])];
        const Vec3 last = T * Vec3(point(before_, i) + point(offset_, i));
        const Vec3 step = point(shown, i) - last;
        if (step.norm() <= limit * edge_ || rested_[at(bone_of_[at(i)])] < kRestFrames) {
            continue;
        }
        Vec3 mean = Vec3::Zero();
        const auto near = neighbours_[at(i)];
        for (const Index k : near) {
            mean += point(simulated, k) - motion[at(bone_of_[at(k)])] * point(before_, k);
        }
        mean /= static_cast<double>(std::max<std::size_t>(1, near.size()));
        const Vec3 own = step - mean;
        if (own.norm() > limit * edge_ && is_at_rest(point(shown, i), found)) {
            x.row(i) = (last + mean + limit * edge_ / own.norm() * own).transpose();
            slowed.push_back(i);
        }
    }
    return slowed;
}

// What is on its way may be enclosed: skins are pushed apart as far as that goes within a frame.
// What is still deep inside goes all the way at once.
void SkinUntangling::calm_and_push(Points& x, const Points& simulated,
                                   std::span<const Eigen::Isometry3d> motion) {
    const Points there = x;
    VertexSet changed(skin_vertices_);
    for (int round = 0; round < kCalmRounds; ++round) {
        const bool is_late = round >= kCalmRounds / 2;
        const std::vector<Index> slowed = calm(x, simulated, motion, is_late ? kHurry : kCalm);
        changed.add(slowed);
        enclosure_.refit_around(x, slowed);
        if (!slowed.empty()) {
            find_ways(x, and_near(x, slowed));
        }
        if (slowed.empty() || ways_.empty()) {
            break;
        }
        for (const Way& way : ways_) {
            if (way.triangle < 0) {
                tuck_in(x, way.vertex, round);
            }
        }
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (const Way& way : ways_) {
                if (way.triangle >= 0) {
                    push_apart(x, way);
                }
            }
        }
        changed.add(moved());
        enclosure_.refit_around(x, moved());
    }
    calm(x, simulated, motion, kHurry);
    std::vector<Index> candidates;
    const std::vector<Index> all = changed.ascending();
    for (int round = 0; round < kCalmRounds && !all.empty(); ++round) {
        enclosure_.refit_around(x, all);
        find_ways(x, and_near(x, all));
        VertexSet deep(skin_vertices_);
        for (const Way& way : ways_) {
            if (enclosure_.way_out(x, way.vertex, candidates) > kDeep * edge_) {
                deep.add(way.vertex);
            }
        }
        deep.add_rings(neighbours_, round);
        for (const Index i : deep.ascending()) {
            x.row(i) = there.row(i);
        }
    }
}

int SkinUntangling::untangle(Points& skin, std::span<const Eigen::Isometry3d> motion) {
    return untangle(skin, motion, all_);
}

int SkinUntangling::untangle(Points& skin, std::span<const Eigen::Isometry3d> motion,
                             std::span<const Index> asked) {
    const Points simulated = skin;
    ways_.clear();
    if (!asked.empty()) {
        enclosure_.refit(skin);
        find_ways(skin, asked);
    }
    if (!ways_.empty()) {
        std::vector<Index> enclosed;
        for (const Way& way : ways_) {
            enclosed.push_back(way.vertex);
        }
        const std::vector<Index> near = and_near(skin, moved());
        // In even meshes, what is nearest would else be up to rounding.
        for (const Index i : near) {
            for (int k = 0; k < 3; ++k) {
                skin(i, k) += kUneven * edge_ * unevenness(i, k);
            }
        }
        if (offset_.rows() > 0) {
            start_from_before(skin, motion);
        }
        enclosure_.refit_around(skin, near);
        find_ways(skin, near);
        leave_shallow(skin);
        push_and_iron(skin);
        push_and_tuck(skin);
        // What was moved may have enclosed what nobody has asked since.
        for (int again = 0; again < kChecks; ++again) {
            find_ways(skin, in_doubt(skin, enclosed));
            leave_shallow(skin);
            if (ways_.empty()) {
                break;
            }
            push_and_tuck(skin);
        }
    }
    if (offset_.rows() > 0) {
        count_rest(motion);
        if (!asked.empty()) {
            calm_and_push(skin, simulated, motion);
        }
    }
    offset_ = skin - simulated;
    before_ = simulated;
    return static_cast<int>(ways_.size());
}

}  // namespace sinew
