#include "sinew/skinning/skin_folds.h"

#include "sinew/geometry/surface_tree.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

// Local collisions [Komaritzan, section 3.2.5]: at a bent joint, the two sides of the fold. Who may
// meet whom is known beforehand, from eight extreme poses (joints of even and odd depth, two axes,
// both senses); a frame only tests these pairs by their angle about the joint, in the plane of its
// two bones.
//
// The price of so cheap a test is that angles alone are sometimes wrong: at shoulders and throats
// skin that is far apart changes sides. Deep pairs must therefore have a second reason, see the
// header. All pairs are in a second matrix from the start; those that do not collide pull their
// vertices to where they are, which is why the first half of the iterations uses the matrix
// without.

namespace sinew {
namespace {

constexpr double kExtremeBend = 2.3;    // rad, of joints when pairs that may collide are sought
constexpr double kStraight = -0.88;     // cosine of the angle between bones that fold nothing
constexpr double kParallel = 0.999;     // cosine of an angle with no plane
constexpr double kCrease = 2.0;         // edges at rest between vertices that share a crease
constexpr double kBeside = 2.0;         // pairs that are beside each other by more than this many
                                        // depths and edges do not meet
constexpr double kKeep = 0.5;           // edges that pairs may part before they are dropped
constexpr double kShallowFold = 0.5;    // edges: less deep pairs may as well touch
constexpr double kShallowActive = 1.5;  // the same, of pairs that have
constexpr double kFacingFolds = 0.5;    // cosine between normals of skins that meet, at most
constexpr double kOpen = -0.5;          // cosine of the angle at rest above which they fold no more

// Joints of even and odd depth in turn, bent both ways about two axes across their bones.
// Neighbouring joints are never bent at once, or folds of one would hide those of the other.
std::vector<JointRotations> extreme_bends(const CharacterSkeleton& skeleton,
                                          const BoneVolumes& bones) {
    std::vector<int> depth(skeleton.size(), 0);
    std::vector<Vec3> axis(skeleton.size(), Vec3::Zero());
    std::vector<bool> has_before(skeleton.size(), false);
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const Index parent = skeleton.joints[j].parent;
        depth[j] = parent < 0 ? 0 : depth[at(parent)] + 1;
    }
    for (const BoneVolume& bone : bones.bones) {
        has_before[at(bone.second)] = true;
        axis[at(bone.first)] = bone.axis;
    }
    std::vector<JointRotations> poses;
    for (int way = 0; way < 8; ++way) {
        JointRotations pose;
        pose.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
            if (!has_before[j] || axis[j].isZero() || depth[j] % 2 != way % 2) {
                continue;
            }
            const Vec3 u = axis[j].unitOrthogonal();
            const Vec3 about = way / 4 == 0 ? u : Vec3(axis[j].cross(u));
            const double sign = (way / 2) % 2 == 0 ? 1.0 : -1.0;
            pose.rotations[j] = Eigen::AngleAxisd(sign * kExtremeBend, about);
        }
        poses.push_back(std::move(pose));
    }
    return poses;
}

}  // namespace

SkinFolds::SkinFolds(const FleshPrisms& flesh, const CharacterSkeleton& skeleton,
                     const BoneVolumes& bones, double weight, const Simulate& simulate)
    : skeleton_(skeleton),
      weight_(weight),
      edge_(mean_edge(flesh)),
      triangles_(flesh.triangles),
      triangles_of_vertex_(triangles_of_vertices(triangles_, flesh.skin_vertices)) {
    for (Index i = 0; i < flesh.skin_vertices; ++i) {
        radius_.push_back(
            (point(flesh.points, i) - point(flesh.points, flesh.skin_vertices + i)).norm());
    }
    find_bends(bones);
    // Triangles of each bone, and its vertices that collide.
    std::vector<std::vector<Index>> vertices(bones.bones.size());
    std::vector<std::vector<Index>> triangles(bones.bones.size());
    for (Index t = 0; t < flesh.triangles.rows(); ++t) {
        triangles[at(flesh.bone[at(flesh.triangles(t, 0))])].push_back(t);
    }
    for (const JointRotations& bend : extreme_bends(skeleton, bones)) {
        const CharacterPose pose = pose_of(skeleton, bend);
        const Folded folded = simulate(pose);
        for (std::vector<Index>& list : vertices) {
            list.clear();
        }
        for (const Index i : folded.inside) {
            vertices[at(flesh.bone[at(i)])].push_back(i);
        }
        const std::vector<Frame> now = frames(pose);
        for (std::size_t b = 0; b < bends_.size(); ++b) {
            if (!now[b].is_bent) {
                continue;
            }
            for (const bool is_swapped : {false, true}) {
                const Index one = bends_[b].bone[is_swapped ? 1 : 0];
                const Index other = bends_[b].bone[is_swapped ? 0 : 1];
                add_pairs(flesh, folded.points, static_cast<Index>(b), now[b], vertices[at(one)],
                          triangles[at(other)], is_swapped);
            }
            add_crease(flesh, bones, folded.points, static_cast<Index>(b), now[b]);
        }
    }
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    drop_colliding(flesh.points);
}

// Pairs that are the wrong way round at rest say nothing.
void SkinFolds::drop_colliding(const Points& rest) {
    forget();
    test(rest, rest_pose(skeleton_));
    std::erase_if(pairs_, [&](const Pair& pair) {
        return std::any_of(active_.begin(), active_.end(),
                           [&](const Active& a) { return a.i == pair.i && a.j == pair.j; });
    });
    forget();
}

// Bones that share a joint, and those with one bone between them (arm and trunk), which fold about
// the inner end of the one that is further from the root.
void SkinFolds::find_bends(const BoneVolumes& bones) {
    const auto other_end = [](const BoneVolume& bone, Index joint) {
        return bone.first == joint ? bone.second : bone.first;
    };
    const auto shared = [](const BoneVolume& a, const BoneVolume& b) -> Index {
        for (const Index joint : {a.first, a.second}) {
            if (joint == b.first || joint == b.second) {
                return joint;
            }
        }
        return -1;
    };
    const auto count = static_cast<Index>(bones.bones.size());
    for (Index a = 0; a < count; ++a) {
        const BoneVolume& A = bones.bones[at(a)];
        std::vector<Index> seen = {a};
        const auto add = [&](Index b, Index joint, Index end_of_b) {
            if (std::find(seen.begin(), seen.end(), b) == seen.end()) {
                seen.push_back(b);
                const BoneVolume& B = bones.bones[at(b)];
                const double opposed = A.axis.dot(B.axis) * (A.first == joint ? 1.0 : -1.0) *
                                       (B.first == end_of_b ? 1.0 : -1.0);
                if (opposed < kOpen) {
                    bends_.push_back({joint,
                                      {joint, other_end(A, joint)},
                                      {end_of_b, other_end(B, end_of_b)},
                                      {a, b}});
                }
            }
        };
        for (const Index b : bones.touching[at(a)]) {
            if (b < a) {
                const Index joint = shared(A, bones.bones[at(b)]);
                add(b, joint, joint);
            } else {
                seen.push_back(b);
            }
        }
        for (const Index m : bones.touching[at(a)]) {
            for (const Index b : bones.touching[at(m)]) {
                if (m != a && b < a) {
                    add(b, shared(A, bones.bones[at(m)]),
                        shared(bones.bones[at(b)], bones.bones[at(m)]));
                }
            }
        }
    }
}

// `middle` points into the fold, halfway between the bones; `across` from the first bone to the
// second. Nearly straight joints fold nothing, nearly parallel bones have no plane.
std::vector<SkinFolds::Frame> SkinFolds::frames(const CharacterPose& pose) const {
    const auto centre = [&](Index joint) {
        return Vec3(pose[at(joint)] * skeleton_.joints[at(joint)].position);
    };
    std::vector<Frame> all;
    for (const Bend& bend : bends_) {
        const Vec3 a = (centre(bend.first[1]) - centre(bend.first[0])).normalized();
        const Vec3 b = (centre(bend.second[1]) - centre(bend.second[0])).normalized();
        all.push_back({centre(bend.joint), (a + b).normalized(), (b - a).normalized(),
                       a.dot(b) > kStraight && a.dot(b) < kParallel});
    }
    return all;
}

// Vertices of one bone beyond the plane that halves the bend, each with the vertex of the other
// bone that is nearest to its mirror image.
// The mirror image stands for where the partner would be if the fold closed symmetrically; where
// folds have passed through each other the nearest point would be on the wrong side.
void SkinFolds::add_pairs(const FleshPrisms& flesh, const Points& skin, Index bend,
                          const Frame& frame, std::span<const Index> vertices,
                          std::span<const Index> triangles, bool is_swapped) {
    if (vertices.empty() || triangles.empty()) {
        return;
    }
    Triangles rows(static_cast<Eigen::Index>(triangles.size()), 3);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        rows.row(static_cast<Eigen::Index>(t)) = flesh.triangles.row(triangles[t]);
    }
    const SurfaceTree tree(skin, rows);
    for (const Index v : vertices) {
        const Vec3 w = point(skin, v) - frame.centre;
        const double beyond = (is_swapped ? -1.0 : 1.0) * w.dot(frame.across);
        if (beyond > 0.0 && w.dot(frame.middle) > 0.0) {
            const Vec3 mirrored = point(skin, v) - 2.0 * w.dot(frame.across) * frame.across;
            const auto nearest = tree.closest_point(mirrored);
            Eigen::Index corner = 0;
            nearest.barycentric.maxCoeff(&corner);
            const Index partner = rows(nearest.triangle, corner);
            // A far one does not face it; a near one is in the same crease.
            const double apart = (point(flesh.points, v) - point(flesh.points, partner)).norm();
            if (nearest.distance < beyond) {
                const Index other = apart < kCrease * edge_ ? -1 : partner;
                pairs_.push_back(is_swapped ? Pair{bend, other, v} : Pair{bend, v, other});
            }
        }
    }
}

// Vertices that stand on the joint itself, on the inner side of the bend.
void SkinFolds::add_crease(const FleshPrisms& flesh, const BoneVolumes& bones, const Points& skin,
                           Index bend, const Frame& frame) {
    const Bend& b = bends_[at(bend)];
    for (Index v = 0; v < flesh.skin_vertices && b.second[0] == b.joint; ++v) {
        const Index bone = flesh.bone[at(v)];
        if (bone != b.bone[0] && bone != b.bone[1]) {
            continue;
        }
        const BoneVolume& volume = bones.bones[at(bone)];
        const double along = flesh.along[at(v)];
        const double from = volume.first == b.joint ? along : volume.length - along;
        const Vec3 w = point(skin, v) - frame.centre;
        if (from < 0.5 * edge_ && w.dot(frame.middle) > 0.5 * w.norm()) {
            pairs_.push_back(bone == b.bone[0] ? Pair{bend, v, -1} : Pair{bend, -1, v});
        }
    }
}

std::vector<double> SkinFolds::diagonal(std::size_t unknowns) const {
    std::vector<double> sum(unknowns, 0.0);
    for (const Pair& pair : pairs_) {
        for (const Index v : {pair.i, pair.j}) {
            if (v >= 0) {
                sum[at(v)] += weight_;
            }
        }
    }
    return sum;
}

void SkinFolds::add_active_diagonal(std::span<double> diagonal) const {
    for (const Active& a : active_) {
        diagonal[at(a.i)] += weight_;
        if (a.j >= 0) {
            diagonal[at(a.j)] += weight_;
        }
    }
}

Vec3 SkinFolds::normal_at(const Points& x, Index vertex) const {
    Vec3 sum = Vec3::Zero();
    for (const Index t : triangles_of_vertex_[at(vertex)]) {
        const Vec3 a = point(x, triangles_(t, 0));
        sum += (point(x, triangles_(t, 1)) - a).cross(point(x, triangles_(t, 2)) - a);
    }
    return sum.normalized();
}

// Skins that meet face each other, and each is beyond the other: (x_i - x_j) . (n_i - n_j) > 0, the
// normals of the thesis's plane in between [Komaritzan, section 3.2.5].
bool SkinFolds::do_pass(const Points& x, Index i, Index j) const {
    const Vec3 a = normal_at(x, i);
    const Vec3 b = normal_at(x, j);
    return a.dot(b) < kFacingFolds && (point(x, i) - point(x, j)).dot(a - b) > 0.0;
}

int SkinFolds::test(const Points& x, const CharacterPose& pose,
                    const std::function<bool(Index)>& is_enclosed) {
    std::vector<char> was_active(pairs_.size(), 0);
    for (const Active& a : active_) {
        was_active[a.pair] = 1;
    }
    active_.clear();
    const auto is_shallow = [&](std::size_t pair, double depth) {
        return depth < (was_active[pair] != 0 ? kShallowActive : kShallowFold) * edge_;
    };
    const auto is_real = [&](std::size_t p, double depth) {
        const auto& [bend, i, j] = pairs_[p];
        if (is_enclosed) {
            return is_shallow(p, depth) || is_enclosed(i) || is_enclosed(j);
        }
        return (is_shallow(p, depth) ||
                (seen_[p] != Seen::Elsewhere && depth < radius_[at(i)] + radius_[at(j)])) &&
               do_pass(x, i, j);
    };
    const std::vector<Frame> now = frames(pose);
    std::vector<double> deepest(bends_.size(), -1.0);  // pair, m; below 0 where none collides
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const Pair& pair = pairs_[p];
        const Frame& f = now[at(pair.bend)];
        if (!f.is_bent || pair.i < 0 || pair.j < 0) {
            seen_[p] = Seen::Apart;
            continue;
        }
        const Vec3 wi = point(x, pair.i) - f.centre;
        const Vec3 wj = point(x, pair.j) - f.centre;
        const Eigen::Vector2d pi(wi.dot(f.middle), wi.dot(f.across));
        const Eigen::Vector2d pj(wj.dot(f.middle), wj.dot(f.across));
        // On the side of the fold, and the wrong way round; what was so before is kept for a while.
        const bool is_wrong = pi.y() * pj.x() > pj.y() * pi.x();
        bool is_colliding = false;
        if (pi.x() > 0.0 && pj.x() > 0.0 && (is_wrong || was_active[p] != 0)) {
            const Eigen::Vector2d between = (pi.normalized() + pj.normalized()).normalized();
            const Vec3 n = between.x() * f.across - between.y() * f.middle;
            const double depth = (wi - wj).dot(n);
            const double beside2 = (wi - wj).squaredNorm() - depth * depth;
            const double allowed = (was_active[p] != 0 ? 2.0 : 1.0) * kBeside * (edge_ + depth);
            if (beside2 < allowed * allowed && depth > -kKeep * edge_ && is_real(p, depth)) {
                active_.push_back({p, pair.i, pair.j, n, 0.0});
                deepest[at(pair.bend)] = std::max({deepest[at(pair.bend)], depth, 0.0});
                is_colliding = true;
            }
        }
        seen_[p] = is_colliding                                 ? Seen::Colliding
                   : is_wrong || pi.x() <= 0.0 || pj.x() <= 0.0 ? Seen::Elsewhere
                                                                : Seen::Apart;
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const Pair& pair = pairs_[p];
        const double closed = deepest[at(pair.bend)];
        if ((pair.i < 0 || pair.j < 0) && closed >= 0.0) {
            const Frame& f = now[at(pair.bend)];
            const Index v = std::max(pair.i, pair.j);
            const Vec3 w = point(x, v) - f.centre;
            // Beyond the plane, seen from its own bone.
            const double depth = (pair.i < 0 ? -1.0 : 1.0) * w.dot(f.across);
            const bool is_in_crease =
                is_shallow(p, depth) ||
                (is_enclosed ? is_enclosed(v) : depth < std::min(closed + edge_, radius_[at(v)]));
            if (w.dot(f.middle) > 0.0 && depth > 0.0 && is_in_crease) {
                const Vec3 n = pair.i < 0 ? Vec3(-f.across) : f.across;
                active_.push_back({p, v, -1, n, n.dot(f.centre)});
            }
        }
    }
    return static_cast<int>(active_.size());
}

void SkinFolds::add_vertices(std::vector<Index>& vertices) const {
    for (const Active& a : active_) {
        vertices.push_back(a.i);
        if (a.j >= 0) {
            vertices.push_back(a.j);
        }
    }
}

// How far each vertex is beyond the plane.
double SkinFolds::passed(const Active& a, const Points& x) {
    return a.j < 0 ? point(x, a.i).dot(a.n) - a.offset
                   : 0.5 * (point(x, a.i) - point(x, a.j)).dot(a.n);
}

void SkinFolds::add_force(const Points& x, Points& force) const {
    for (const Active& a : active_) {
        const double depth = passed(a, x);
        if (depth > 0.0) {
            const Eigen::RowVector3d push = (weight_ * depth * a.n).transpose();
            force.row(a.i) -= push;
            if (a.j >= 0) {
                force.row(a.j) += push;
            }
        }
    }
}

void SkinFolds::push_apart(Points& x) const {
    for (const Active& a : active_) {
        const double depth = passed(a, x);
        if (depth > 0.0) {
            const Eigen::RowVector3d push = (depth * a.n).transpose();
            x.row(a.i) -= push;
            if (a.j >= 0) {
                x.row(a.j) += push;
            }
        }
    }
}

}  // namespace sinew
