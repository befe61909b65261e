#include "sinew/geometry/signed_distance.h"

#include "sinew/base/parallel.h"

namespace sinew {

namespace {

constexpr std::size_t kDistanceGrain = 256;

}  // namespace

SignedDistance::SignedDistance(const TriangleMesh& mesh) : surface_(mesh), winding_(mesh) {}

double SignedDistance::at(const Vec3& p) const {
    const double distance = surface_.closest_point(p).distance;
    return winding_.is_inside(p) ? -distance : distance;
}

Eigen::VectorXd SignedDistance::at_all(const Points& points) const {
    Eigen::VectorXd result(points.rows());
    parallel_for(static_cast<std::size_t>(points.rows()), kDistanceGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         result[row] = at(point(points, row));
                     }
                 });
    return result;
}

}  // namespace sinew
