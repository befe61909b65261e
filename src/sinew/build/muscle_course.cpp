#include "sinew/build/muscle_course.h"

#include "sinew/geometry/measure.h"
#include "sinew/linalg/dense.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace sinew {

namespace {

constexpr double kNoDistance = std::numeric_limits<double>::infinity();
constexpr double kOnBone = 0.004;     // m: this much farther than the nearest place is still on it
constexpr double kBoneReach = 0.015;  // m: an end farther from every bone is on none
constexpr double kTip = 0.04;         // share that always counts as end
constexpr double kLongestEnd = 0.4;   // share that an end may reach along its bone
constexpr double kBroad = 0.35;       // of its length: from this width on a piece is a sheet
constexpr double kBellySection = 0.22;  // of the largest section, as in the figure
constexpr int kSections = 40;

using Vertices = std::vector<Index>;

/// Distances along edges from some vertices to those of the same piece.
std::vector<double> edge_distances(const TriangleMesh& mesh, const Lists& neighbours,
                                   const Vertices& from) {
    std::vector<double> distance(neighbours.size(), kNoDistance);
    using Item = std::pair<double, Index>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> front;
    for (const Index v : from) {
        distance[at(v)] = 0.0;
        front.push({0.0, v});
    }
    while (!front.empty()) {
        const auto [d, v] = front.top();
        front.pop();
        if (d > distance[at(v)]) {
            continue;
        }
        for (const Index w : neighbours[at(v)]) {
            const double further = d + (mesh.points.row(v) - mesh.points.row(w)).norm();
            if (further < distance[at(w)]) {
                distance[at(w)] = further;
                front.push({further, w});
            }
        }
    }
    return distance;
}

Index farthest(const Vertices& piece, const std::vector<double>& distance) {
    Index best = piece.front();
    for (const Index v : piece) {
        const double d = distance[at(v)];
        if (std::isfinite(d) && d > distance[at(best)]) {
            best = v;
        }
    }
    return best;
}

/// Vertices of each connected piece, the largest first.
std::vector<Vertices> pieces_of(const TriangleMesh& mesh) {
    const Components components = connected_components(mesh.triangles, mesh.points.rows());
    std::vector<Index> piece_of(static_cast<std::size_t>(mesh.points.rows()), -1);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            piece_of[at(mesh.triangles(t, k))] = components.of_triangle[at(t)];
        }
    }
    std::vector<Vertices> pieces(static_cast<std::size_t>(components.count));
    for (std::size_t v = 0; v < piece_of.size(); ++v) {
        if (piece_of[v] >= 0) {
            pieces[at(piece_of[v])].push_back(static_cast<Index>(v));
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Vertices& a, const Vertices& b) { return a.size() > b.size(); });
    return pieces;
}

/// share = a / (a + b) on the vertices of one piece.
void set_ratio(const Vertices& piece, const std::vector<double>& a, const std::vector<double>& b,
               std::vector<double>& share) {
    for (const Index v : piece) {
        const auto i = static_cast<std::size_t>(v);
        const double sum = a[i] + b[i];
        share[i] = std::isfinite(sum) && sum > 0.0 ? a[i] / sum : 0.5;
    }
}

double least_distance(const SurfaceTree& bone, const TriangleMesh& mesh, const Vertices& tips) {
    double least = kNoDistance;
    for (const Index v : tips) {
        least = std::min(least, bone.closest_point(point(mesh.points, v)).distance);
    }
    return least;
}

Vec3 mean_of(const TriangleMesh& mesh, const Vertices& vertices) {
    Vec3 sum = Vec3::Zero();
    for (const Index v : vertices) {
        sum += point(mesh.points, v);
    }
    return sum / std::max(1.0, static_cast<double>(vertices.size()));
}

/// Everything about the two ends of one piece.
class PieceCourse {
public:
    PieceCourse(const TriangleMesh& mesh, const Lists& neighbours, const Vertices& piece,
                std::vector<double>& share)
        : mesh_(mesh), neighbours_(neighbours), piece_(piece), share_(share) {
        const Index any = farthest(piece, edge_distances(mesh, neighbours, {piece.front()}));
        const std::vector<double> from_a = edge_distances(mesh, neighbours, {any});
        const Index other = farthest(piece, from_a);
        set_ratio(piece, from_a, edge_distances(mesh, neighbours, {other}), share);
    }

    /// Vertices of the first or the last part of the way.
    Vertices tips(bool at_end) const {
        Vertices result;
        for (const Index v : piece_) {
            const double s = share_[at(v)];
            if (at_end ? s > 1.0 - kTip : s < kTip) {
                result.push_back(v);
            }
        }
        return result;
    }

    void turn() {
        for (const Index v : piece_) {
            double& s = share_[at(v)];
            s = 1.0 - s;
        }
    }

    /// The ends of a sheet are edges along bones, not points: the way is measured again from there.
    /// A slender muscle that lies along its bone keeps its points.
    void widen_ends(const SurfaceTree* origin, const SurfaceTree* insertion) {
        if (!is_broad()) {
            return;
        }
        const Vertices a = end_region(origin, false), b = end_region(insertion, true);
        set_ratio(piece_, edge_distances(mesh_, neighbours_, a),
                  edge_distances(mesh_, neighbours_, b), share_);
    }

private:
    /// Whether the second largest extent is a good part of the largest.
    bool is_broad() const {
        const Vec3 middle = mean_of(mesh_, piece_);
        Mat3 covariance = Mat3::Zero();
        for (const Index v : piece_) {
            const Vec3 x = point(mesh_.points, v) - middle;
            covariance += x * x.transpose();
        }
        const Vec3 variance = symmetric_eigen(covariance).values;
        return variance[1] > kBroad * kBroad * variance[2];
    }

    Vertices end_region(const SurfaceTree* bone, bool at_end) const {
        Vertices region = tips(at_end);
        if (bone == nullptr) {
            return region;
        }
        const double near = least_distance(*bone, mesh_, region);
        if (!(near < kBoneReach)) {
            return region;
        }
        for (const Index v : piece_) {
            const double s = share_[at(v)];
            const double way = at_end ? 1.0 - s : s;
            if (way >= kTip && way < kLongestEnd &&
                bone->closest_point(point(mesh_.points, v), near + kOnBone).triangle >= 0) {
                region.push_back(v);
            }
        }
        return region;
    }

    const TriangleMesh& mesh_;
    const Lists& neighbours_;
    const Vertices& piece_;
    std::vector<double>& share_;
};

/// The bone that most of these vertices have as their nearest; -1 where none is within reach.
Index nearest_bone(const BoneSurface& surface, const TriangleMesh& mesh, const Vertices& tips) {
    BoneSurface::Near best;
    best.distance = kNoDistance;
    for (const Index v : tips) {
        const BoneSurface::Near near = surface.nearest(point(mesh.points, v), kBoneReach);
        if (near.bone >= 0 && near.distance < best.distance) {
            best = near;
        }
    }
    return best.bone;
}

TriangleMesh merged_bones(std::span<const TriangleMesh* const> bones, std::vector<Index>& bone_of) {
    Eigen::Index points = 0, triangles = 0;
    for (const TriangleMesh* bone : bones) {
        points += bone->points.rows();
        triangles += bone->triangles.rows();
    }
    TriangleMesh all;
    all.points.resize(points, 3);
    all.triangles.resize(triangles, 3);
    points = triangles = 0;
    for (std::size_t b = 0; b < bones.size(); ++b) {
        const TriangleMesh& bone = *bones[b];
        all.points.middleRows(points, bone.points.rows()) = bone.points;
        all.triangles.middleRows(triangles, bone.triangles.rows()) =
            bone.triangles.array() + static_cast<Index>(points);
        points += bone.points.rows();
        triangles += bone.triangles.rows();
        bone_of.resize(static_cast<std::size_t>(triangles), static_cast<Index>(b));
    }
    return all;
}

}  // namespace

void set_share(std::vector<double> share, double belly_begin, double belly_end,
               TriangleMesh& mesh) {
    constexpr double kSoftness = 0.02;  // of the way, on either side of the belly's end
    Attribute tendon{.name = "tendon", .components = 1, .values = {}};
    for (const double s : share) {
        const double outside = std::max(belly_begin - s, s - belly_end);
        tendon.values.push_back(std::clamp(0.5 + 0.5 * outside / kSoftness, 0.0, 1.0));
    }
    mesh.point_data.push_back(std::move(tendon));
    mesh.point_data.push_back({.name = "share", .components = 1, .values = std::move(share)});
}

BoneSurface::BoneSurface(std::span<const TriangleMesh* const> bones)
    : tree_(merged_bones(bones, bone_of_triangle_)) {}

BoneSurface::Near BoneSurface::nearest(const Vec3& p, double reach) const {
    const ClosestPoint closest = tree_.closest_point(p, reach);
    if (closest.triangle < 0) {
        return {};
    }
    return {bone_of_triangle_[at(closest.triangle)], closest.distance};
}

std::vector<double> section_areas(const TriangleMesh& mesh, std::span<const double> share,
                                  int count) {
    // The section is bounded by the polygon on which share equals the level. Its vector area
    // 1/2 sum p x q over the edges (p, q) depends on the border alone.
    std::vector<Vec3> area(static_cast<std::size_t>(count), Vec3::Zero());
    const Vec3 origin = mesh.points.rows() > 0 ? point(mesh.points, 0) : Vec3(Vec3::Zero());
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        std::array<Vec3, 3> p;
        std::array<double, 3> s = {};
        for (int k = 0; k < 3; ++k) {
            p[at(k)] = point(mesh.points, mesh.triangles(t, k)) - origin;
            s[at(k)] = share[at(mesh.triangles(t, k))];
        }
        const auto [low, high] = std::minmax({s[0], s[1], s[2]});
        const int first = std::max(0, static_cast<int>(std::ceil(low * count - 0.5)));
        for (int k = first; k < count; ++k) {
            const double level = (k + 0.5) / count;
            if (level > high) {
                break;
            }
            // The edge of the polygon enters where share rises and leaves where it falls.
            Vec3 in = Vec3::Zero(), out = Vec3::Zero();
            bool has_in = false, has_out = false;
            for (std::size_t e = 0; e < 3; ++e) {
                const double a = s[e] - level, b = s[(e + 1) % 3] - level;
                if ((a < 0.0) != (b < 0.0)) {
                    const Vec3 x = p[e] + a / (a - b) * (p[(e + 1) % 3] - p[e]);
                    (a < 0.0 ? in : out) = x;
                    (a < 0.0 ? has_in : has_out) = true;
                }
            }
            if (has_in && has_out) {
                area[at(k)] += 0.5 * in.cross(out);
            }
        }
    }
    std::vector<double> result;
    for (const Vec3& a : area) {
        result.push_back(a.norm());
    }
    return result;
}

MuscleCourse find_course(const TriangleMesh& mesh, const CourseHints& hints,
                         std::span<const TriangleMesh* const> bones, const BoneSurface& surface,
                         std::span<const int> depth) {
    MuscleCourse course{.origin = hints.origin, .insertion = hints.insertion};
    course.share.assign(static_cast<std::size_t>(mesh.points.rows()), 0.0);
    const Lists neighbours = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    const std::vector<Vertices> pieces = pieces_of(mesh);
    const auto tree_of = [&](Index bone) {
        return bone < 0 ? std::unique_ptr<SurfaceTree>()
                        : std::make_unique<SurfaceTree>(*bones[at(bone)]);
    };
    std::unique_ptr<SurfaceTree> origin = tree_of(course.origin);
    std::unique_ptr<SurfaceTree> insertion = tree_of(course.insertion);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        PieceCourse way(mesh, neighbours, pieces[i], course.share);
        const Vertices a = way.tips(false), b = way.tips(true);
        bool is_turned = false;
        if (origin || insertion) {
            // The sense in which the ends lie nearer to their bones.
            const auto cost = [&](const Vertices& from, const Vertices& to) {
                return (origin ? least_distance(*origin, mesh, from) : 0.0) +
                       (insertion ? least_distance(*insertion, mesh, to) : 0.0);
            };
            is_turned = cost(b, a) < cost(a, b);
        } else {
            const Index bone_a = nearest_bone(surface, mesh, a);
            const Index bone_b = nearest_bone(surface, mesh, b);
            const auto rank = [&](Index bone) {
                return bone < 0 ? std::numeric_limits<int>::max() : depth[at(bone)];
            };
            const double across_a = std::abs(mean_of(mesh, a).x());
            const double across_b = std::abs(mean_of(mesh, b).x());
            is_turned = rank(bone_b) < rank(bone_a) ||
                        (rank(bone_b) == rank(bone_a) && across_b < across_a);
        }
        if (is_turned) {
            way.turn();
        }
        if (i == 0) {
            // The largest piece tells the bones that are not known.
            if (course.origin < 0 && hints.may_find_origin) {
                course.origin = nearest_bone(surface, mesh, is_turned ? b : a);
                origin = tree_of(course.origin);
            }
            if (course.insertion < 0 && hints.may_find_insertion) {
                course.insertion = nearest_bone(surface, mesh, is_turned ? a : b);
                insertion = tree_of(course.insertion);
            }
        }
        way.widen_ends(origin.get(), insertion.get());
    }
    const std::vector<double> areas = section_areas(mesh, course.share, kSections);
    const double largest = areas.empty() ? 0.0 : *std::max_element(areas.begin(), areas.end());
    const auto is_belly = [&](double area) { return area > kBellySection * largest; };
    const auto first = std::find_if(areas.begin(), areas.end(), is_belly);
    const auto last = std::find_if(areas.rbegin(), areas.rend(), is_belly);
    if (largest > 0.0) {
        course.belly_begin = static_cast<double>(first - areas.begin()) / kSections;
        course.belly_end = 1.0 - static_cast<double>(last - areas.rbegin()) / kSections;
    }
    return course;
}

}  // namespace sinew
