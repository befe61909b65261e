#include "sinew/base/parallel.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/render/ray_scene.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew::detail {

namespace {

Vec3 unit_or_zero(const Vec3& v) {
    const double length = v.norm();
    return length > 0.0 ? Vec3(v / length) : Vec3::Zero();
}

}  // namespace

std::vector<Vec3f> corner_normals(const TriangleMesh& mesh, double crease) {
    constexpr std::size_t kGrain = 4096;
    const auto count = static_cast<std::size_t>(mesh.triangles.rows());
    std::vector<Vec3f> face(count, Vec3f::Zero());
    std::vector<Vec3f> angle(count, Vec3f::Zero());
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const auto row = static_cast<Eigen::Index>(t);
            Vec3 p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = point(mesh.points, mesh.triangles(row, k));
            }
            face[t] = unit_or_zero((p[1] - p[0]).cross(p[2] - p[0])).cast<float>();
            for (int k = 0; k < 3; ++k) {
                const Vec3 a = unit_or_zero(p[(k + 1) % 3] - p[k]);
                const Vec3 b = unit_or_zero(p[(k + 2) % 3] - p[k]);
                angle[t][k] = static_cast<float>(std::acos(std::clamp(a.dot(b), -1.0, 1.0)));
            }
        }
    });
    const Lists around = triangles_of_vertices(mesh.triangles, mesh.points.rows());
    const auto least = static_cast<float>(std::cos(crease));
    std::vector<Vec3f> corners(3 * count, Vec3f::Zero());
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            for (int k = 0; k < 3; ++k) {
                const Index vertex = mesh.triangles(static_cast<Eigen::Index>(t), k);
                Vec3f sum = Vec3f::Zero();
                for (const Index other : around[at(vertex)]) {
                    const auto o = static_cast<std::size_t>(other);
                    if (face[o].dot(face[t]) < least) {
                        continue;
                    }
                    for (int c = 0; c < 3; ++c) {
                        if (mesh.triangles(other, c) == vertex) {
                            sum += angle[o][c] * face[o];
                        }
                    }
                }
                const float length = sum.norm();
                corners[3 * t + static_cast<std::size_t>(k)] =
                    length > 1e-12f ? Vec3f(sum / length) : face[t];
            }
        }
    });
    return corners;
}

}  // namespace sinew::detail
