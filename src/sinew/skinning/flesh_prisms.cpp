#include "sinew/skinning/flesh_prisms.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

// Flesh as one layer of prisms between the skin and the bones [Komaritzan, section 3.2.1, eq. 3.1].
// Every skin vertex gets a base point on the lines of the bones, first the nearest, then smoothed
// over the skin so that neighbours stand on neighbouring places; the inner vertex is where the line
// to the base point meets the bones' surface. Each triangle and its inner copy is a prism of three
// tetrahedra, cut along diagonals that neighbouring prisms agree on.
//
// Smoothing needs averages of places on a tree of lines. The skeleton is laid out with bones that
// meet as far apart in direction as possible (figure 3.2), places are averaged there as points, and
// the nearest place on the lines is taken again.
//
// Inverted prisms are turned rather than left out: their strain is measured from the shape at rest,
// whichever side it is on.

namespace sinew {
namespace {

constexpr std::size_t kPrismPiece = 512;
// A prism keeps this share of the way from skin to bone line, also where the skin touches a bone.
constexpr double kThinnest = 0.1;
// Where weights hold the flesh it keeps to the outer part of the way: its inner surface has a shape
// of its own then, and twists with them.
constexpr double kHeldShare = 0.35;
// Tetrahedra whose least height is less than this share of their shortest edge are left out: they
// are flat, and would only make the system stiff. Long thin ones, below small triangles far from
// their bone, are not flat.
constexpr double kFlatPrism = 1e-4;
// Thinner ones than this, as a share of the volume of a cube of their longest edge, are rounding.
constexpr double kNoPrism = 1e-9;

// A place on the lines of the bones.
struct OnBones {
    Index bone = 0;
    double along = 0.0;
};

// Bones laid out so that those that meet in a joint point as far apart as they can, which lets
// averages of places on them fall near the lines again [Komaritzan, fig. 3.2].
std::vector<BoneVolume> stretched_out(const CharacterSkeleton& skeleton, const BoneVolumes& all) {
    std::vector<BoneVolume> out = all.bones;
    std::vector<std::vector<std::size_t>> children(skeleton.size());
    for (std::size_t b = 0; b < out.size(); ++b) {
        children[at(out[b].first)].push_back(b);
    }
    std::vector<Vec3> place(skeleton.size(), Vec3::Zero());
    std::vector<Vec3> back(skeleton.size(), Vec3::Zero());  // towards the parent
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const Index parent = skeleton.joints[j].parent;
        // Joints at the same place as their parent hand on its directions.
        if (parent >= 0 && back[j].isZero() && place[j].isZero()) {
            place[j] = place[at(parent)];
            back[j] = back[at(parent)];
        }
        const std::size_t n = children[j].size();
        if (n == 0) {
            continue;
        }
        const bool has_parent = !back[j].isZero();
        const Vec3 axis = has_parent ? Vec3(-back[j]) : Vec3::UnitY();
        const Vec3 u = axis.unitOrthogonal();
        const Vec3 v = axis.cross(u);
        for (std::size_t k = 0; k < n; ++k) {
            // Directions of a fan around the way onward: 180 degrees between two bones, 120 between
            // three, 109 between four, then evenly about the axis.
            double lean = 0.0;
            if (has_parent) {
                lean = n == 1 ? 0.0 : (n == 2 ? kPi / 3.0 : 1.2310);
            } else {
                lean = n == 1 ? 0.0 : kPi / 2.0;
            }
            const double turn = 2.0 * kPi * static_cast<double>(k) / static_cast<double>(n);
            BoneVolume& bone = out[children[j][k]];
            bone.origin = place[j];
            bone.axis =
                std::cos(lean) * axis + std::sin(lean) * (std::cos(turn) * u + std::sin(turn) * v);
            place[at(bone.second)] = bone.at(bone.length);
            back[at(bone.second)] = -bone.axis;
        }
    }
    return out;
}

// The nearest place on a few bones.
OnBones nearest(const Vec3& p, std::span<const BoneVolume> bones, std::span<const Index> among) {
    OnBones best;
    double best_distance = std::numeric_limits<double>::infinity();
    for (const Index b : among) {
        const BoneVolume& bone = bones[at(b)];
        const double along = std::clamp((p - bone.origin).dot(bone.axis), 0.0, bone.length);
        const double distance = (p - bone.at(along)).squaredNorm();
        if (distance < best_distance) {
            best_distance = distance;
            best = {b, along};
        }
    }
    return best;
}

// Base points: nearest places first, then smoothed over the skin so that neighbours of the skin
// stand on neighbouring places [Komaritzan, eq. 3.1].
std::vector<OnBones> base_places(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                                 const BoneVolumes& all, const FleshOptions& options) {
    const std::size_t count = at(skin.points.rows());
    std::vector<Index> everything(all.bones.size());
    std::vector<std::vector<Index>> bones_from(skeleton.size());
    for (std::size_t b = 0; b < everything.size(); ++b) {
        everything[b] = static_cast<Index>(b);
        bones_from[at(all.bones[b].first)].push_back(static_cast<Index>(b));
    }
    const auto candidates = [&](std::size_t vertex) -> std::span<const Index> {
        const Index joint = options.held_by.empty() ? -1 : options.held_by[vertex];
        return joint < 0 || bones_from[at(joint)].empty() ? everything : bones_from[at(joint)];
    };
    std::vector<OnBones> place(count);
    parallel_for(count, kPrismPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            place[i] =
                nearest(point(skin.points, static_cast<Eigen::Index>(i)), all.bones, candidates(i));
        }
    });
    // Tips keep their places: smoothing would draw them inward.
    std::vector<bool> is_tip(skeleton.size(), true);
    for (const BoneVolume& bone : all.bones) {
        is_tip[at(bone.first)] = false;
    }
    std::vector<char> is_kept(count, 0);
    const std::vector<BoneVolume> straight = stretched_out(skeleton, all);
    std::vector<Vec3> s(count);
    for (std::size_t i = 0; i < count; ++i) {
        const BoneVolume& bone = all.bones[at(place[i].bone)];
        is_kept[i] = is_tip[at(bone.second)] && place[i].along >= bone.length ? 1 : 0;
        s[i] = straight[at(place[i].bone)].at(place[i].along);
    }
    const Lists neighbours = neighbours_of_vertices(skin.triangles, skin.points.rows());
    std::vector<Vec3> next = s;
    for (int sweep = 0; sweep < options.smoothing; ++sweep) {
        parallel_for(count, kPrismPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::span<const Index> ring = neighbours[i];
                if (is_kept[i] != 0 || ring.empty()) {
                    continue;
                }
                Vec3 mean = Vec3::Zero();
                for (const Index k : ring) {
                    mean += s[at(k)];
                }
                mean /= static_cast<double>(ring.size());
                const Vec3 moved = s[i] + options.smoothing_speed * (mean - s[i]);
                const std::span<const Index> own = candidates(i);
                place[i] = nearest(moved, straight,
                                   own.size() < everything.size()
                                       ? own
                                       : std::span<const Index>(all.touching[at(place[i].bone)]));
                next[i] = straight[at(place[i].bone)].at(place[i].along);
            }
        });
        s = next;
    }
    return place;
}

// Where the way from the skin to the line of the bones meets their surface.
// All bones that meet at the joint are asked, since a line near a joint may meet the neighbour's
// tube first.
Vec3 on_bone_surface(const Vec3& skin, const OnBones& place, const CharacterSkeleton& skeleton,
                     const BoneVolumes& all, double deepest) {
    const Vec3 base = all.bones[at(place.bone)].at(place.along);
    double share = 2.0;
    for (const Index b : all.touching[at(place.bone)]) {
        const BoneVolume& bone = all.bones[at(b)];
        share = std::min(share, first_in_tube(skin, base, bone));
        for (const Index j : {bone.first, bone.second}) {
            share = std::min(share, first_in_sphere(skin, base, skeleton.joints[at(j)].position,
                                                    all.joint_radius[at(j)]));
        }
    }
    share = std::clamp(share, kThinnest, 1.0 - kThinnest);
    if (std::isfinite(deepest)) {
        share = std::min({share, kHeldShare, deepest / std::max((base - skin).norm(), 1e-12)});
    }
    return skin + share * (base - skin);
}

double determinant(const Points& x, const std::array<Index, 4>& t) {
    const Vec3 a = point(x, t[0]);
    return (point(x, t[1]) - a).dot((point(x, t[2]) - a).cross(point(x, t[3]) - a));
}

// det = 2 area * height, for each face.
bool is_flat(const Points& x, const std::array<Index, 4>& t, double det) {
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0.0;
    double largest = 0.0;  // twice the area of a face
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 p = point(x, t[i]);
        const Vec3 u = point(x, t[(i + 1) % 4]) - p;
        const Vec3 v = point(x, t[(i + 2) % 4]) - p;
        shortest = std::min({shortest, u.norm(), v.norm()});
        longest = std::max({longest, u.norm(), v.norm()});
        largest = std::max(largest, u.cross(v).norm());
    }
    return std::abs(det) <= kFlatPrism * shortest * largest ||
           std::abs(det) <= kNoPrism * longest * longest * longest;
}

void add_tets(FleshPrisms& flesh) {
    std::vector<std::array<Index, 4>> tets;
    const Index S = flesh.skin_vertices;
    for (Eigen::Index f = 0; f < flesh.triangles.rows(); ++f) {
        const std::array<Index, 3> outer = {flesh.triangles(f, 0), flesh.triangles(f, 1),
                                            flesh.triangles(f, 2)};
        if (outer[0] == outer[1] || outer[1] == outer[2] || outer[2] == outer[0]) {
            continue;
        }
        bool is_inverted = false;
        for (std::array<Index, 4> t :
             split_prism(outer, {outer[0] + S, outer[1] + S, outer[2] + S})) {
            const double det = determinant(flesh.points, t);
            is_inverted = is_inverted || det < 0.0;
            if (is_flat(flesh.points, t, det)) {
                continue;
            }
            if (det < 0.0) {
                std::swap(t[2], t[3]);
            }
            tets.push_back(t);
            flesh.triangle_of.push_back(static_cast<Index>(f));
        }
        flesh.inverted_prisms += is_inverted ? 1 : 0;
    }
    flesh.tets.resize(static_cast<Eigen::Index>(tets.size()), 4);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (std::size_t k = 0; k < 4; ++k) {
            flesh.tets(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(k)) = tets[t][k];
        }
    }
}

}  // namespace

std::array<std::array<Index, 4>, 3> split_prism(const std::array<Index, 3>& outer,
                                                const std::array<Index, 3>& inner) {
    // The triangle begins at its lowest corner, so that both diagonals there leave from it; the
    // third one leaves from the lower of the other two. Outer corners are o, inner ones i.
    const auto lowest =
        static_cast<std::size_t>(std::min_element(outer.begin(), outer.end()) - outer.begin());
    const std::size_t a = lowest;
    const std::size_t b = (lowest + 1) % 3;
    const std::size_t c = (lowest + 2) % 3;
    // Diagonals o_a i_b and o_a i_c: the inner triangle with o_a is one tetrahedron.
    const std::array<Index, 4> low = {inner[a], inner[b], inner[c], outer[a]};
    if (outer[b] < outer[c]) {  // diagonal o_b i_c
        return {low,
                {inner[b], inner[c], outer[a], outer[b]},
                {outer[a], outer[b], inner[c], outer[c]}};
    }
    return {
        low, {inner[b], inner[c], outer[a], outer[c]}, {outer[a], outer[b], inner[b], outer[c]}};
}

FleshPrisms build_flesh_prisms(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                               const BoneVolumes& bones, const FleshOptions& options) {
    require_valid(skin, "skin");
    SINEW_ASSERT(!bones.bones.empty(), "{} bones", bones.bones.size());
    SINEW_ASSERT(options.held_by.empty() || options.held_by.size() == at(skin.points.rows()),
                 "{} joints for {} vertices", options.held_by.size(), skin.points.rows());
    FleshPrisms flesh;
    flesh.skin_vertices = static_cast<Index>(skin.points.rows());
    flesh.triangles = skin.triangles;
    const std::vector<OnBones> places = base_places(skin, skeleton, bones, options);
    const Eigen::Index S = skin.points.rows();
    flesh.points.resize(2 * S, 3);
    flesh.points.topRows(S) = skin.points;
    flesh.base_points.resize(S, 3);
    const double diagonal =
        S > 0 ? (skin.points.colwise().maxCoeff() - skin.points.colwise().minCoeff()).norm() : 0.0;
    parallel_for(at(S), kPrismPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            flesh.points.row(S + row) =
                on_bone_surface(point(skin.points, row), places[i], skeleton, bones,
                                options.held_by.empty() || options.held_by[i] < 0
                                    ? std::numeric_limits<double>::infinity()
                                    : options.held_depth * diagonal)
                    .transpose();
            flesh.base_points.row(row) =
                bones.bones[at(places[i].bone)].at(places[i].along).transpose();
        }
    });
    for (const OnBones& place : places) {
        flesh.bone.push_back(place.bone);
        flesh.along.push_back(place.along);
    }
    add_tets(flesh);
    return flesh;
}

}  // namespace sinew
