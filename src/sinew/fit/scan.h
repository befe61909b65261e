#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <Eigen/Geometry>

#include <string>
#include <vector>

namespace sinew {

/// A named point on a person's skin.
struct ScanLandmark {
    std::string name;              ///< one of scan_landmark_names()
    Vec3 position = Vec3::Zero();  ///< in the frame of the scan's points
};

/// A surface or cloud of points of one person.
struct Scan {
    Points points = Points(0, 3);
    Triangles triangles = Triangles(0, 3);  ///< none: a cloud of points
    Points normals = Points(0, 3);          ///< unit, one per point, outward; 0 where not known
    std::vector<ScanLandmark> landmarks = {};
};

/// What was done to a surface before it was used, and what is odd about it.
struct ScanReport {
    Eigen::Index points = 0;     ///< as they came
    Eigen::Index triangles = 0;  ///< as they came
    Eigen::Index used_points = 0;
    Index pieces = 0;                       ///< connected, as they came; 0 for clouds
    double largest_piece = 1.0;             ///< part of the area that the largest has
    bool is_closed = false;                 ///< no border
    std::vector<std::string> remarks = {};  ///< sentences for people
};

struct ScanOptions {
    int max_points = 60000;  ///< more are thinned on a grid, >= 1000
    int min_points = 1000;   ///< fewer are refused, >= 100
};

struct PreparedScan {
    Scan scan = {};
    ScanReport report = {};
};

/// Makes a scan ready for registration: points without finite coordinates are refused, crumbs
/// (pieces below a thousandth of the area) left out, huge clouds thinned, normals computed. The
/// normals of clouds are those of the plane through the nearest points, turned to agree from
/// neighbour to neighbour [Hoppe1992], outward as a whole.
/// @throws InputError  when there are too few points, or a coordinate is not finite
PreparedScan prepare_scan(const Scan& raw, const ScanOptions& options = {});

}  // namespace sinew
