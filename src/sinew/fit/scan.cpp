#include "sinew/fit/scan.h"

#include "sinew/base/error.h"
#include "sinew/fit/cloud_normals.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// What a scan needs before it is fitted: finite points, no crumbs, an outward sense, normals, and
// not more points than help. Whatever was done is in the report.

namespace sinew {
namespace {

constexpr double kCrumb = 1e-3;  // of the area

void require_usable(const Scan& raw, const ScanOptions& options) {
    if (raw.points.rows() < options.min_points) {
        throw InputError({.where = "scan",
                          .found = fmt::format("{} points", raw.points.rows()),
                          .needs = fmt::format("at least {} points", options.min_points),
                          .remedy = "scan at a finer resolution"});
    }
    if (!raw.points.allFinite()) {
        throw InputError({.where = "scan",
                          .found = "a coordinate that is not finite",
                          .needs = "finite coordinates",
                          .remedy = "export the scan again"});
    }
    for (const ScanLandmark& landmark : raw.landmarks) {
        if (!landmark.position.allFinite()) {
            throw InputError({.where = fmt::format("landmark '{}'", landmark.name),
                              .found = "a coordinate that is not finite",
                              .needs = "finite coordinates",
                              .remedy = "correct or remove it"});
        }
    }
}

// Pieces below a thousandth of the area go; the sense of the whole is made outward.
void clean_mesh(Scan& scan, ScanReport& report) {
    const Components pieces = connected_components(scan.triangles, scan.points.rows());
    const Eigen::VectorXd areas = triangle_areas(scan.points, scan.triangles);
    std::vector<double> area(at(pieces.count), 0.0);
    for (Eigen::Index t = 0; t < scan.triangles.rows(); ++t) {
        area[at(pieces.of_triangle[at(t)])] += areas[t];
    }
    report.pieces = pieces.count;
    const double total = areas.sum();
    report.largest_piece = total > 0.0 ? *std::max_element(area.begin(), area.end()) / total : 0.0;
    Triangles kept(scan.triangles.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < scan.triangles.rows(); ++t) {
        if (area[at(pieces.of_triangle[at(t)])] >= kCrumb * total && areas[t] > 0.0) {
            kept.row(count++) = scan.triangles.row(t);
        }
    }
    Compacted compact = without_unused_points(scan.points, kept.topRows(count));
    if (compact.points.rows() < report.points) {
        report.remarks.push_back(fmt::format("{} points of crumbs were left out",
                                             report.points - compact.points.rows()));
    }
    scan.points = std::move(compact.points);
    scan.triangles = std::move(compact.triangles);
    report.is_closed = is_watertight(scan.triangles);
    if (enclosed_volume(scan.points, scan.triangles) < 0.0) {
        scan.triangles.col(1).swap(scan.triangles.col(2));
        report.remarks.emplace_back("triangles looked inward and were turned");
    }
    scan.normals = vertex_normals(scan.points, scan.triangles);
}

// One point per cell of a grid: the mean of the cell's points. A single one of them would lie
// anywhere in the cell, and where two came close noise would decide the normal between them.
void thin_cloud(Scan& scan, int wanted, ScanReport& report) {
    const Bounds box = bounds(scan.points);
    double cell = box.diagonal() / std::sqrt(static_cast<double>(wanted)) * 0.3;
    const auto key_of = [&](Eigen::Index i) {
        const Vec3 q = (point(scan.points, i) - box.low) / cell;
        return std::array<int, 3>{static_cast<int>(q.x()), static_cast<int>(q.y()),
                                  static_cast<int>(q.z())};
    };
    std::map<std::array<int, 3>, Eigen::Index> number;
    for (int round = 0; round < 40; ++round, cell *= 1.15) {
        number.clear();
        for (Eigen::Index i = 0; i < scan.points.rows(); ++i) {
            number.emplace(key_of(i), static_cast<Eigen::Index>(number.size()));
            if (number.size() > static_cast<std::size_t>(wanted)) {
                break;
            }
        }
        if (number.size() <= static_cast<std::size_t>(wanted)) {
            break;
        }
    }
    const auto count = static_cast<Eigen::Index>(number.size());
    Points points = Points::Zero(count, 3);
    Points normals = Points::Zero(scan.normals.rows() > 0 ? count : 0, 3);
    Eigen::VectorXd members = Eigen::VectorXd::Zero(count);
    for (Eigen::Index i = 0; i < scan.points.rows(); ++i) {
        const auto found = number.find(key_of(i));
        if (found == number.end()) {
            continue;
        }
        points.row(found->second) += scan.points.row(i);
        members[found->second] += 1.0;
        if (normals.rows() > 0) {
            normals.row(found->second) += scan.normals.row(i);
        }
    }
    points.array().colwise() /= members.array();
    normals.rowwise().normalize();
    report.remarks.push_back(
        fmt::format("{} of {} points are used, one per {:.1f} units / 1000 of the box", count,
                    scan.points.rows(), 1000.0 * cell / std::max(box.diagonal(), 1e-300)));
    scan.points = std::move(points);
    scan.normals = std::move(normals);
}

}  // namespace

PreparedScan prepare_scan(const Scan& raw, const ScanOptions& options) {
    require_usable(raw, options);
    PreparedScan result{.scan = raw, .report = {}};
    Scan& scan = result.scan;
    result.report.points = raw.points.rows();
    result.report.triangles = raw.triangles.rows();
    if (scan.triangles.rows() > 0) {
        clean_mesh(scan, result.report);
    } else {
        if (scan.points.rows() > options.max_points) {
            thin_cloud(scan, options.max_points, result.report);
        }
        if (scan.normals.rows() != scan.points.rows()) {
            scan.normals = cloud_normals(scan.points);
            result.report.remarks.emplace_back("normals were estimated");
        }
    }
    result.report.used_points = scan.points.rows();
    if (scan.points.rows() < options.min_points) {
        throw InputError(
            {.where = "scan",
             .found = fmt::format("{} points in pieces of any size", scan.points.rows()),
             .needs = fmt::format("at least {} points", options.min_points),
             .remedy = "scan at a finer resolution, or join the pieces"});
    }
    return result;
}

}  // namespace sinew
