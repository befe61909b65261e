#pragma once

#include "sinew/fit/scan.h"
#include "sinew/geometry/surface_tree.h"

#include <memory>
#include <vector>

namespace sinew {

/// A point of the scan that belongs to a point of the skin.
struct ScanMatch {
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3::Zero();  ///< unit
    double distance = 0.0;       ///< m; of a cloud to the plane through the point
    bool is_valid = false;
};

/// Points of a scan that stand for equal parts of it.
struct ScanSamples {
    Points points = Points(0, 3);
    Points normals = Points(0, 3);
    std::vector<double> area = {};  ///< m^2 that each stands for
};

/// Closest points on a scan, with normals; those on the border of a hole do not count, for the
/// skin goes on where the scan ends.
class ScanIndex {
public:
    explicit ScanIndex(const Scan& scan);

    /// @param points, normals  of the skin
    std::vector<ScanMatch> matches(const Points& points, const Points& normals, double max_distance,
                                   double max_angle) const;
    /// Distance to the nearest point, whatever its normal; infinite beyond `max_distance`.
    std::vector<double> distances(const Points& points, double max_distance) const;
    ScanSamples samples(std::size_t count) const;
    double area() const {
        return area_;
    }

private:
    const Scan* scan_;
    Triangles triangles_;          // of a cloud: one without area per point
    std::vector<char> is_border_;  // per point
    std::vector<double> area_of_;  // per point, m^2
    double area_ = 0.0;
    std::unique_ptr<SurfaceTree> tree_;
};

}  // namespace sinew
