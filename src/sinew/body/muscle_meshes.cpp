#include "sinew/body/muscle_meshes.h"

#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr double kAgrees = 1e-3;      // of the volume
constexpr double kSameVolume = 0.01;  // of the tetrahedra's, of an untouched muscle
constexpr double kThinnest = -0.9;    // of the half thickness, by which a surface moves
constexpr double kWidest = 4.0;       // the same outwards
constexpr double kTendonShare = 0.1;  // of what bellies move by
constexpr double kEnd = 0.06;         // of the way from origin to insertion, at either end
constexpr int kRays = 4;              // beside the one along the normal
constexpr double kTilt = 0.25;        // of those, in turns of pi
constexpr double kLeastRay = 1e-6;    // m, below which a ray meets its own triangles
constexpr int kSmoothings = 6;        // of thickness, over neighbours
constexpr double kUntouched = 5e-5;   // m that no vertex of an untouched muscle moves by
constexpr double kMeshOutside = 0.2;  // m that a surface may be outside the tets
constexpr double kUnderSkin = 5e-4;   // m that surfaces stay below the skin
constexpr double kNearSkin = 0.02;    // m, within which it is looked for
constexpr double kDeepest = 0.01;     // m
constexpr int kSkinRounds = 5;

/// The skin that muscles stay under: where it lies thin on them, widened surfaces would come out of
/// it, and be seen.
class SkinAbove {
public:
    explicit SkinAbove(const Body& body)
        : mesh_(body.display_skin.triangles.rows() > 0 ? body.display_skin : body.skin.mesh),
          normals_(vertex_normals(mesh_)),
          tree_(mesh_) {}

    /// Where the skin is nearest to a point, and which side of it is out; triangle -1: not near.
    struct Place {
        ClosestPoint closest = {};
        Vec3 out = Vec3::Zero();

        bool is_near() const {
            return closest.triangle >= 0;
        }
        /// How far p is outside of the skin, m; less than 0 below it. Far from it the nearest that
        /// it may be.
        double height(const Vec3& p) const {
            return is_near() ? std::copysign(closest.distance, (p - closest.point).dot(out))
                             : -kNearSkin;
        }
    };

    Place nearest(const Vec3& p) const {
        Place place{.closest = tree_.closest_point(p, kNearSkin)};
        const ClosestPoint& c = place.closest;
        for (int k = 0; k < 3 && c.triangle >= 0; ++k) {
            place.out += c.barycentric[k] * point(normals_, mesh_.triangles(c.triangle, k));
        }
        place.out.normalize();
        return place;
    }

    /// The point itself, or the nearest so far below the skin.
    static Vec3 below(const Vec3& p, const Place& place, double depth) {
        const ClosestPoint& c = place.closest;
        const bool is_below =
            !place.is_near() || ((c.point - p).dot(place.out) > 0.0 && c.distance >= depth);
        return is_below || !place.out.allFinite() ? p : Vec3(c.point - depth * place.out);
    }

    /// How far a point may move in a direction until it is only so far below the skin, m.
    double room(const Vec3& p, const Vec3& direction, double depth) const {
        if (!(direction.squaredNorm() > 0.5)) {
            return 0.0;
        }
        const RayHit hit =
            tree_.first_hit({.origin = p, .direction = direction, .t_max = kNearSkin});
        return hit.triangle >= 0 ? std::max(0.0, hit.t - depth)
                                 : std::numeric_limits<double>::infinity();
    }

private:
    TriangleMesh mesh_;
    Points normals_;
    SurfaceTree tree_;
};

// Radius of the ball that fits inside at a vertex: a ray at an angle to the normal that meets the
// far side of a ball of radius r goes 2 r cos(angle). Over rays the least, so that the rim of a
// sheet has the sheet's thickness, not its width.
std::vector<double> half_thickness(const TriangleMesh& mesh, const Points& normals) {
    const SurfaceTree tree(mesh);
    std::vector<double> half(at(mesh.points.rows()), 0.0);
    for (std::size_t i = 0; i < half.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const Vec3 in = -point(normals, row);
        if (!(in.squaredNorm() > 0.5)) {
            continue;
        }
        double least = std::numeric_limits<double>::infinity();
        const auto look = [&](const Vec3& direction) {
            const RayHit hit = tree.first_hit(
                {.origin = point(mesh.points, row), .direction = direction, .t_min = kLeastRay});
            if (hit.triangle >= 0) {
                least = std::min(least, 0.5 * hit.t / direction.dot(in));
            }
        };
        look(in);
        const Vec3 side = in.unitOrthogonal();
        const double tilt = kTilt * kPi;
        for (int k = 0; k < kRays; ++k) {
            const double turn = 2.0 * kPi * k / kRays;
            look(std::cos(tilt) * in +
                 std::sin(tilt) * (std::cos(turn) * side + std::sin(turn) * in.cross(side)));
        }
        half[i] = std::isfinite(least) ? least : 0.0;
    }
    const Lists around = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    for (int round = 0; round < kSmoothings; ++round) {
        const std::vector<double> old = half;
        for (std::size_t i = 0; i < half.size(); ++i) {
            double sum = old[i];
            for (const Index w : around[i]) {
                sum += old[at(w)];
            }
            half[i] = sum / static_cast<double>(around[i].size() + 1);
        }
    }
    return half;
}

// How much each vertex takes part: not where the muscle holds on to bones, little on tendons.
std::vector<double> part_taken(const TriangleMesh& mesh) {
    std::vector<double> part(at(mesh.points.rows()), 1.0);
    const Attribute* tendon = find_attribute(mesh.point_data, "tendon");
    const Attribute* share = find_attribute(mesh.point_data, "share");
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (tendon != nullptr) {
            part[i] -= (1.0 - kTendonShare) * std::clamp(tendon->values[i], 0.0, 1.0);
        }
        if (share != nullptr) {
            const double in =
                std::clamp(std::min(share->values[i], 1.0 - share->values[i]) / kEnd, 0.0, 1.0);
            part[i] *= in * in * (3.0 - 2.0 * in);
        }
    }
    // A tendon of its own takes as much part as a belly would.
    const double most = part.empty() ? 0.0 : *std::max_element(part.begin(), part.end());
    for (double& p : part) {
        p = most > 0.0 ? p / most : 1.0;
    }
    return part;
}

// The mesh with vertices moved along their normals, each its depth below the skin, until it
// encloses a volume, or nearly.
Points widened(const TriangleMesh& mesh, double volume, const SkinAbove& skin,
               const std::vector<double>& depth) {
    const Points normals = vertex_normals(mesh);
    std::vector<double> room(at(mesh.points.rows()));
    for (std::size_t i = 0; i < room.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        room[i] = skin.room(point(mesh.points, row), point(normals, row), depth[i]);
    }
    std::vector<double> offset = half_thickness(mesh, normals);
    const std::vector<double> part = part_taken(mesh);
    for (std::size_t i = 0; i < offset.size(); ++i) {
        offset[i] *= part[i];
    }
    TriangleMesh moved = {.points = mesh.points, .triangles = mesh.triangles};
    const auto volume_at = [&](double strength) {
        for (std::size_t i = 0; i < offset.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const double way = std::min(strength * offset[i], room[i]);
            moved.points.row(row) = mesh.points.row(row) + way * normals.row(row);
        }
        return enclosed_volume(moved);
    };
    // Volume grows with strength; halving is short and sure.
    double low = kThinnest;
    double high = kWidest;
    constexpr int kHalvings = 40;
    for (int step = 0; step < kHalvings; ++step) {
        const double middle = 0.5 * (low + high);
        const double now = volume_at(middle);
        if (std::abs(now / volume - 1.0) < 0.1 * kAgrees) {
            break;
        }
        (now < volume ? low : high) = middle;
    }
    return moved.points;
}

// Triangles are flat where the skin is hollow: their corners go deeper by as much as comes out.
// Heights grow by no more than one goes, so those of the corners say of most triangles that nothing
// comes out.
// @param height  of the vertices
// @returns  whether any does
bool deepen(const TriangleMesh& mesh, const SkinAbove& skin, const std::vector<double>& height,
            std::vector<double>& depth) {
    constexpr double kOut = -kUnderSkin / 2;
    bool comes_out = false;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        double most = kOut;
        for (int k = 0; k < 4; ++k) {  // the middle, and those of the edges
            Vec3 p = Vec3::Zero();
            for (int c = 0; c < 3; ++c) {
                const double weight = k == 3 ? 1.0 / 3.0 : (c == k ? 0.0 : 0.5);
                p += weight * point(mesh.points, mesh.triangles(t, c));
            }
            double at_most = std::numeric_limits<double>::infinity();
            for (int c = 0; c < 3; ++c) {
                const Index v = mesh.triangles(t, c);
                at_most = std::min(at_most, height[at(v)] + (p - point(mesh.points, v)).norm());
            }
            if (at_most > most) {
                const SkinAbove::Place place = skin.nearest(p);
                most = place.is_near() ? std::max(most, place.height(p)) : most;
            }
        }
        for (int c = 0; c < 3 && most > kOut; ++c) {
            double& d = depth[at(mesh.triangles(t, c))];
            d = std::min(kDeepest, std::max(d, kUnderSkin) + most + kUnderSkin);
            comes_out = true;
        }
    }
    return comes_out;
}

// A surface that encloses a volume and stays below the skin.
Points fitted(const TriangleMesh& mesh, double volume, const SkinAbove& skin) {
    const std::size_t count = at(mesh.points.rows());
    std::vector<double> depth(count, kUnderSkin);
    std::vector<SkinAbove::Place> place;
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        place.push_back(skin.nearest(point(mesh.points, i)));
    }
    TriangleMesh fit = mesh;
    std::vector<double> height(count);
    for (int round = 0; round < kSkinRounds; ++round) {
        bool is_out = false;
        for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
            const Vec3 p = point(mesh.points, i);
            const Vec3 below = SkinAbove::below(p, place[at(i)], depth[at(i)]);
            is_out = is_out || below != p;
            fit.points.row(i) = below.transpose();
        }
        if (is_out || std::abs(enclosed_volume(fit) / volume - 1.0) > kAgrees) {
            fit.points = widened(fit, volume, skin, depth);
        }
        for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
            const Vec3 p = point(fit.points, i);
            const bool is_moved = p != point(mesh.points, i);
            height[at(i)] = (is_moved ? skin.nearest(p) : place[at(i)]).height(p);
        }
        if (!deepen(fit, skin, height, depth)) {
            break;
        }
    }
    return fit.points;
}

// Tetrahedra far from all growth stir by micrometres, which nobody sees, but paths of muscles are
// chosen among several courses, and some would take another one.
bool is_untouched(const TriangleMesh& before, const TriangleMesh& after) {
    return before.points.rows() == after.points.rows() &&
           (before.points - after.points).rowwise().squaredNorm().maxCoeff() <
               kUntouched * kUntouched;
}

}  // namespace

void fit_muscle_meshes(const Body& rest, Body& body) {
    if (body.muscle_embeddings.empty()) {
        return;
    }
    const std::vector<double> before = muscle_volumes_in_tets(rest);
    const std::vector<double> after = muscle_volumes_in_tets(body);
    std::vector<char> is_moved(body.muscles.size(), 0);
    const SkinAbove skin(body);
    parallel_for(body.muscles.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) {
            Muscle& muscle = body.muscles[m];
            if (is_untouched(rest.muscles[m].mesh, muscle.mesh) &&
                std::abs(after[m] - before[m]) <= kSameVolume * before[m]) {
                muscle.mesh.points = rest.muscles[m].mesh.points;
                muscle.volume = rest.muscles[m].volume;
                continue;
            }
            const double was = enclosed_volume(rest.muscles[m].mesh);
            if (!(before[m] > 0.0 && after[m] > 0.0 && was > 0.0)) {
                continue;
            }
            const double volume = was * after[m] / before[m];
            Points points = fitted(muscle.mesh, volume, skin);
            if (points != muscle.mesh.points) {
                muscle.mesh.points = std::move(points);
                muscle.volume = enclosed_volume(muscle.mesh);
                is_moved[m] = 1;
            }
        }
    });
    if (std::find(is_moved.begin(), is_moved.end(), 1) == is_moved.end()) {
        return;
    }
    // They may have left their tetrahedra.
    const TetLocator locator(body.tets);
    for (std::size_t m = 0; m < is_moved.size(); ++m) {
        if (is_moved[m] != 0) {
            TetEmbedding embedding =
                embed(body.muscles[m].mesh.points, locator, {.max_outside = kMeshOutside});
            body.muscle_embeddings[m] = {.tet = std::move(embedding.tet),
                                         .weights = std::move(embedding.weights)};
        }
    }
}

}  // namespace sinew
