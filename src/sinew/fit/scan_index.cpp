#include "sinew/fit/scan_index.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <cmath>

// Closest points on a scan, be it triangles or a cloud. In a cloud the surface between points is
// the plane through the nearest one. Borders of holes do not count as closest points: the skin goes
// on where the scan ends.

namespace sinew {

ScanIndex::ScanIndex(const Scan& scan) : scan_(&scan), triangles_(scan.triangles) {
    const auto N = at(scan.points.rows());
    is_border_.assign(N, 0);
    area_of_.assign(N, 0.0);
    if (triangles_.rows() == 0) {
        triangles_.resize(scan.points.rows(), 3);
        for (Eigen::Index i = 0; i < scan.points.rows(); ++i) {
            triangles_.row(i).setConstant(static_cast<Index>(i));
        }
        // An adult's skin, spread evenly: only ratios count.
        std::fill(area_of_.begin(), area_of_.end(), 1.8 / static_cast<double>(N));
    } else {
        const Triangles across = triangle_neighbours(triangles_);
        const Eigen::VectorXd areas = triangle_areas(scan.points, triangles_);
        for (Eigen::Index t = 0; t < triangles_.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                area_of_[at(triangles_(t, k))] += areas[t] / 3.0;
                if (across(t, k) == -1) {
                    is_border_[at(triangles_(t, k))] = 1;
                    is_border_[at(triangles_(t, (k + 1) % 3))] = 1;
                }
            }
        }
    }
    for (const double a : area_of_) {
        area_ += a;
    }
    tree_ = std::make_unique<SurfaceTree>(scan.points, triangles_);
}

std::vector<ScanMatch> ScanIndex::matches(const Points& points, const Points& normals,
                                          double max_distance, double max_angle) const {
    const std::vector<ClosestPoint> near = tree_->closest_points(points, max_distance);
    const double least = std::cos(max_angle);
    const bool is_cloud = scan_->triangles.rows() == 0;
    std::vector<ScanMatch> result(near.size());
    parallel_for(near.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (near[i].triangle < 0) {
                continue;
            }
            Vec3 n = Vec3::Zero();
            bool is_border = true;
            for (int k = 0; k < 3; ++k) {
                const Index v = triangles_(near[i].triangle, k);
                n += near[i].barycentric[k] * point(scan_->normals, v);
                is_border = is_border && (near[i].barycentric[k] < 1e-9 || is_border_[at(v)] != 0);
            }
            const double length = n.norm();
            ScanMatch& match = result[i];
            match.point = near[i].point;
            match.normal = length > 0.0 ? Vec3(n / length) : n;
            // Between the points of a cloud the surface is the plane through the nearest.
            const Vec3 gap = point(points, static_cast<Eigen::Index>(i)) - near[i].point;
            match.distance = is_cloud ? std::abs(match.normal.dot(gap)) : near[i].distance;
            match.is_valid =
                !is_border && length > 0.0 &&
                match.normal.dot(point(normals, static_cast<Eigen::Index>(i))) >= least;
        }
    });
    return result;
}

std::vector<double> ScanIndex::distances(const Points& points, double max_distance) const {
    std::vector<double> result;
    for (const ClosestPoint& c : tree_->closest_points(points, max_distance)) {
        result.push_back(c.distance);
    }
    return result;
}

ScanSamples ScanIndex::samples(std::size_t count) const {
    // Walking along the area in equal steps takes dense parts no more often than sparse ones.
    ScanSamples result;
    const double step = area_ / static_cast<double>(count);
    double sum = 0.0;
    double next = 0.5 * step;
    std::vector<Index> chosen;
    for (std::size_t i = 0; i < area_of_.size(); ++i) {
        sum += area_of_[i];
        if (sum >= next && !scan_->normals.row(static_cast<Eigen::Index>(i)).isZero()) {
            chosen.push_back(static_cast<Index>(i));
            next += step * std::max(1.0, std::ceil((sum - next) / step + 1e-9));
        }
    }
    result.points.resize(static_cast<Eigen::Index>(chosen.size()), 3);
    result.normals.resize(result.points.rows(), 3);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        result.points.row(static_cast<Eigen::Index>(k)) = scan_->points.row(chosen[k]);
        result.normals.row(static_cast<Eigen::Index>(k)) = scan_->normals.row(chosen[k]);
    }
    result.area.assign(chosen.size(), area_ / static_cast<double>(chosen.size()));
    return result;
}

}  // namespace sinew
