#include "sinew/fit/surface_icp.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"

#include <algorithm>
#include <cmath>

// Iterated closest points in both directions, first for the rig (few unknowns), then for the
// surface (all vertices). From skin to scan alone, fingers that the skin has not yet reached would
// pull nothing; from scan to skin alone, holes would. The weight of a pair falls with its distance
// (Geman and McClure), and normals must look the same way.
//
// The surface is drawn along the scan's normals only, so that points slide; its stiffness is a
// wavelength that falls from 0.6 m to 15 mm.

namespace sinew {
namespace {

constexpr double kLeadingArea = 5e-4;  // m^2 that a landmark stands for at first

double robust(double distance, double reach) {
    const double q = distance / reach;
    return 1.0 / ((1.0 + q * q) * (1.0 + q * q));
}

// Closest points of scan samples on the skin that look the same way.
struct ReverseMatch {
    Index triangle = -1;
    Vec3 barycentric = Vec3::Zero();
    double distance = 0.0;
};
std::vector<ReverseMatch> reverse_matches(const Points& x, const Triangles& triangles,
                                          const Points& normals, const ScanSamples& samples,
                                          double max_distance, double max_angle) {
    const SurfaceTree tree(x, triangles);
    const std::vector<ClosestPoint> near = tree.closest_points(samples.points, max_distance);
    std::vector<ReverseMatch> result(near.size());
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (near[i].triangle < 0) {
            continue;
        }
        Vec3 n = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            n += near[i].barycentric[k] * point(normals, triangles(near[i].triangle, k));
        }
        if (n.normalized().dot(point(samples.normals, static_cast<Eigen::Index>(i))) >=
            std::cos(max_angle)) {
            result[i] = {near[i].triangle, near[i].barycentric, near[i].distance};
        }
    }
    return result;
}

std::vector<RigPull> rig_pulls(const PoseRig& rig, const PoseRig::Placement& placed,
                               const ScanIndex& index, const ScanSamples& samples,
                               std::span<const LandmarkPair> landmarks, const IcpStage& stage) {
    std::vector<RigPull> pulls;
    const Triangles& triangles = rig.rest().triangles;
    const Points normals = vertex_normals(placed.world, triangles);
    const double cut = 3.0 * stage.reach;
    const double unit = 1.0 / (0.01 * 0.01);
    const std::vector<ScanMatch> forward =
        index.matches(placed.world, normals, cut, stage.max_angle);
    double total = 0.0;
    const auto add = [&](RigPull pull, double area, double distance) {
        pull.weight = area * robust(distance, stage.reach);
        total += area;
        pulls.push_back(pull);
    };
    Eigen::VectorXd area = Eigen::VectorXd::Zero(placed.world.rows());
    const Eigen::VectorXd areas = triangle_areas(placed.world, triangles);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            area[triangles(t, k)] += areas[t] / 3.0;
        }
    }
    // Of fine skins some vertices are enough.
    const std::size_t stride = std::max<std::size_t>(1, forward.size() / 6000);
    for (std::size_t v = 0; v < forward.size(); v += stride) {
        if (forward[v].is_valid) {
            const auto i = static_cast<Index>(v);
            add({.vertex = {i, i, i}, .target = forward[v].point, .normal = forward[v].normal},
                static_cast<double>(stride) * area[i], forward[v].distance);
        }
    }
    const std::vector<ReverseMatch> back =
        reverse_matches(placed.world, triangles, normals, samples, cut, stage.max_angle);
    for (std::size_t s = 0; s < back.size(); ++s) {
        const auto i = static_cast<Eigen::Index>(s);
        if (back[s].triangle >= 0) {
            const Index t = back[s].triangle;
            add({.vertex = {triangles(t, 0), triangles(t, 1), triangles(t, 2)},
                 .barycentric = back[s].barycentric,
                 .target = point(samples.points, i),
                 .normal = point(samples.normals, i)},
                samples.area[s], back[s].distance);
        }
    }
    const double factor = total > 0.0 ? stage.data_weight * unit / total : 0.0;
    for (RigPull& pull : pulls) {
        pull.weight *= factor;
    }
    const double sigma = stage.landmark_sigma;
    for (const LandmarkPair& pair : landmarks) {
        pulls.push_back({.vertex = pair.vertex,
                         .barycentric = pair.barycentric,
                         .target = pair.target,
                         .weight = 1.0 / (sigma * sigma)});
    }
    return pulls;
}

}  // namespace

RigState fit_rig(const PoseRig& rig, const RigState& start, const ScanIndex& index,
                 std::span<const LandmarkPair> landmarks, const RigPrior& prior,
                 const IcpStage& stage) {
    RigState state = start;
    const ScanSamples samples = index.samples(stage.samples);
    for (int i = 0; i < stage.iterations; ++i) {
        const PoseRig::Placement placed = rig.placed(state);
        state =
            improved(rig, state, rig_pulls(rig, placed, index, samples, landmarks, stage), prior);
    }
    return state;
}

double rig_mismatch(const PoseRig& rig, const RigState& state, const ScanIndex& index,
                    double reach) {
    const PoseRig::Placement placed = rig.placed(state);
    const auto mean = [&](const std::vector<double>& distances) {
        double sum = 0.0;
        for (const double d : distances) {
            sum += std::min(d, reach);
        }
        return sum / static_cast<double>(std::max<std::size_t>(1, distances.size()));
    };
    const SurfaceTree tree(placed.world, rig.rest().triangles);
    std::vector<double> back;
    for (const ClosestPoint& c : tree.closest_points(index.samples(1500).points, reach)) {
        back.push_back(c.distance);
    }
    return 0.5 * (mean(back) + mean(index.distances(placed.world, reach)));
}

void fit_surface(const TriangleMesh& start, const std::vector<double>& stiffening,
                 const ScanIndex& index, std::span<const LandmarkPair> landmarks,
                 const SurfaceIcpOptions& options, const Progress& progress, Points& x) {
    if (options.iterations == 0) {
        return;
    }
    SurfaceFit fit(start, stiffening);
    const ScanSamples samples = index.samples(options.samples);
    const Triangles& triangles = start.triangles;
    std::vector<Index> corner_triangle(at(x.rows()), -1);
    std::vector<int> corner(at(x.rows()), 0);
    for (Eigen::Index t = triangles.rows(); t-- > 0;) {
        for (int k = 0; k < 3; ++k) {
            corner_triangle[at(triangles(t, k))] = static_cast<Index>(t);
            corner[at(triangles(t, k))] = k;
        }
    }
    Progress::Stage stage = progress.stage("fitting the skin", at(options.iterations));
    for (int i = 0; i < options.iterations; ++i) {
        const double f =
            static_cast<double>(i) / static_cast<double>(std::max(1, options.iterations - 1));
        const double wavelength =
            options.first_wavelength *
            std::pow(options.last_wavelength / options.first_wavelength, std::min(1.0, 1.25 * f));
        const SurfaceStiffness stiffness{.bending = wavelength,
                                         .stretch = std::min(0.05, 0.25 * wavelength)};
        const Points normals = vertex_normals(x, triangles);
        const Eigen::VectorXd areas = triangle_areas(x, triangles);
        Eigen::VectorXd area = Eigen::VectorXd::Zero(x.rows());
        for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                area[triangles(t, k)] += areas[t] / 3.0;
            }
        }
        std::vector<SurfacePull> pulls;
        const double reach = std::max(0.004, options.max_distance * (1.0 - 0.9 * f));
        const auto add_vertex = [&](std::size_t v, const Vec3& target, double weight) {
            SurfacePull pull{.triangle = corner_triangle[v],
                             .barycentric = Vec3::Zero(),
                             .target = target,
                             .weight = weight};
            pull.barycentric[corner[v]] = 1.0;
            pulls.push_back(pull);
        };
        // Along the normal of the scan alone: points slide freely, as far as stiffness lets them.
        const std::vector<ScanMatch> forward =
            index.matches(x, normals, options.max_distance, options.max_angle);
        for (std::size_t v = 0; v < forward.size(); ++v) {
            const Vec3 p = point(x, static_cast<Eigen::Index>(v));
            if (forward[v].is_valid && corner_triangle[v] >= 0) {
                const Vec3& n = forward[v].normal;
                add_vertex(
                    v, p + n * n.dot(forward[v].point - p),
                    area[static_cast<Eigen::Index>(v)] * robust(forward[v].distance, 2.0 * reach));
            }
        }
        const std::vector<ReverseMatch> back = reverse_matches(
            x, triangles, normals, samples, options.max_distance, options.max_angle);
        for (std::size_t s = 0; s < back.size(); ++s) {
            if (back[s].triangle >= 0) {
                const auto row = static_cast<Eigen::Index>(s);
                Vec3 p = Vec3::Zero();
                for (int k = 0; k < 3; ++k) {
                    p += back[s].barycentric[k] * point(x, triangles(back[s].triangle, k));
                }
                const Vec3 n = point(samples.normals, row);
                pulls.push_back(
                    {.triangle = back[s].triangle,
                     .barycentric = back[s].barycentric,
                     .target = p + n * n.dot(point(samples.points, row) - p),
                     .weight = samples.area[s] * robust(back[s].distance, 2.0 * reach)});
            }
        }
        // Landmarks lead at first and are then left to the surface itself, unless they are held.
        const double lead = std::max(options.landmark_hold, kLeadingArea * (1.0 - 2.0 * f));
        if (lead > 0.0) {
            for (const LandmarkPair& pair : landmarks) {
                pulls.push_back({.triangle = pair.triangle,
                                 .barycentric = pair.barycentric,
                                 .target = pair.target,
                                 .weight = lead});
            }
        }
        if (!fit.step(pulls, stiffness, x)) {
            break;
        }
        stage.advance();
    }
}

}  // namespace sinew
