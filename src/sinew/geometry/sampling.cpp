#include "sinew/geometry/sampling.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kSamplingGrain = 1024;

/// Running sums of the sizes: element i owns the stretch from sums[i-1] to sums[i].
std::vector<double> running_sums(const Eigen::VectorXd& sizes, const char* where, const char* size,
                                 Eigen::Index count) {
    std::vector<double> sums(static_cast<std::size_t>(sizes.size()));
    double total = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        total += std::abs(sizes[static_cast<Eigen::Index>(i)]);
        sums[i] = total;
    }
    if (count < 0 || (count > 0 && !(total > 0.0))) {
        throw InputError(
            {.where = where,
             .found = fmt::format("{} samples wanted of a mesh with {} {}", count, size, total),
             .needs = fmt::format("a mesh with {} > 0 and a count >= 0", size),
             .remedy = "check that the mesh is not empty or flat"});
    }
    return sums;
}

/// The element whose stretch holds u, u in [0, 1) of the total. Elements of size 0 have no stretch.
Index pick(const std::vector<double>& sums, double u) {
    const auto it = std::upper_bound(sums.begin(), sums.end(), u * sums.back());
    return static_cast<Index>(
        std::min(it - sums.begin(), static_cast<std::ptrdiff_t>(sums.size()) - 1));
}

}  // namespace

SurfaceSamples sample_surface(const TriangleMesh& mesh, Eigen::Index count, Seed seed) {
    require_valid(mesh, "surface to sample");
    const std::vector<double> sums =
        running_sums(triangle_areas(mesh), "sampling a surface", "area", count);
    SurfaceSamples samples;
    samples.points.resize(count, 3);
    samples.barycentric.resize(count, 3);
    samples.triangle.resize(static_cast<std::size_t>(count));
    parallel_for(samples.triangle.size(), kSamplingGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Random random(seed, i);
            const Index t = pick(sums, random.uniform());
            // The root makes the density uniform towards the first corner [Osada2002].
            const double root = std::sqrt(random.uniform());
            const double v = random.uniform();
            const Vec3 w(1.0 - root, root * (1.0 - v), root * v);
            const auto row = static_cast<Eigen::Index>(i);
            samples.triangle[i] = t;
            samples.barycentric.row(row) = w.transpose();
            samples.points.row(row) = w[0] * mesh.points.row(mesh.triangles(t, 0)) +
                                      w[1] * mesh.points.row(mesh.triangles(t, 1)) +
                                      w[2] * mesh.points.row(mesh.triangles(t, 2));
        }
    });
    return samples;
}

VolumeSamples sample_volume(const TetMesh& mesh, Eigen::Index count, Seed seed) {
    require_valid(mesh, "tetrahedra to sample");
    const std::vector<double> sums =
        running_sums(tet_volumes(mesh), "sampling tetrahedra", "volume", count);
    VolumeSamples samples;
    samples.points.resize(count, 3);
    samples.barycentric.resize(count, 4);
    samples.tet.resize(static_cast<std::size_t>(count));
    parallel_for(samples.tet.size(), kSamplingGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Random random(seed, i);
            const Index t = pick(sums, random.uniform());
            // Gaps between three sorted uniform numbers are uniform on the simplex.
            std::array<double, 3> cut = {random.uniform(), random.uniform(), random.uniform()};
            std::sort(cut.begin(), cut.end());
            const Vec4 w(cut[0], cut[1] - cut[0], cut[2] - cut[1], 1.0 - cut[2]);
            const auto row = static_cast<Eigen::Index>(i);
            samples.tet[i] = t;
            samples.barycentric.row(row) = w.transpose();
            samples.points.row(row) =
                w[0] * mesh.points.row(mesh.tets(t, 0)) + w[1] * mesh.points.row(mesh.tets(t, 1)) +
                w[2] * mesh.points.row(mesh.tets(t, 2)) + w[3] * mesh.points.row(mesh.tets(t, 3));
        }
    });
    return samples;
}

}  // namespace sinew
