#include "sinew/fit/scan_frame.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace sinew {
namespace {

std::string axis_name(const Vec3& direction) {
    Eigen::Index k = 0;
    direction.cwiseAbs().maxCoeff(&k);
    return fmt::format("{}{}", direction[k] < 0.0 ? '-' : '+', "xyz"[k]);
}

}  // namespace

std::vector<LandmarkPair> landmark_pairs(const TriangleMesh& skin, const std::vector<Landmark>& own,
                                         const std::vector<ScanLandmark>& given) {
    const SurfaceTree tree(skin);
    std::vector<LandmarkPair> pairs;
    for (const ScanLandmark& landmark : given) {
        for (const Landmark& mine : own) {
            if (mine.name == landmark.name) {
                const ClosestPoint c = tree.closest_point(mine.position);
                pairs.push_back(
                    {.vertex = {skin.triangles(c.triangle, 0), skin.triangles(c.triangle, 1),
                                skin.triangles(c.triangle, 2)},
                     .barycentric = c.barycentric,
                     .triangle = c.triangle,
                     .target = landmark.position});
            }
        }
    }
    return pairs;
}

Scan in_metres(const Scan& scan, double unit) {
    Scan result = scan;
    result.points *= unit;
    for (ScanLandmark& landmark : result.landmarks) {
        landmark.position *= unit;
    }
    return result;
}

ScanPlacement placement_of(const RigState& state, double unit, const Points& posed) {
    ScanPlacement placement;
    placement.scale = unit;
    // Up is the axis of the scan nearest to the body's own; the rest is the heading.
    const Vec3 own_up = state.rotation * Vec3::UnitY();
    Eigen::Index k = 0;
    own_up.cwiseAbs().maxCoeff(&k);
    const Vec3 up = Vec3::Unit(k) * (own_up[k] < 0.0 ? -1.0 : 1.0);
    const Vec3 own_front = state.rotation * Vec3::UnitZ();
    const Vec3 front = (own_front - up * up.dot(own_front)).normalized();
    Mat3 R;  // rows: where the scan's left, up and front are
    R.row(0) = up.cross(front).transpose();
    R.row(1) = up.transpose();
    R.row(2) = front.transpose();
    // Scans that already face forward keep their heading to the last degree.
    if (R.isIdentity(0.6)) {
        R.setIdentity();
    }
    placement.rotation = R;
    placement.up = axis_name(up);
    placement.facing = axis_name(R.row(2).transpose());
    const Bounds box = bounds(posed * R.transpose());
    placement.translation = R.isIdentity(0.0) && std::abs(box.low.y()) < 0.05
                                ? Vec3(Vec3::Zero())
                                : Vec3(-box.centre().x(), -box.low.y(), -box.centre().z());
    return placement;
}

RigState placed_by(const RigState& state, const ScanPlacement& placement) {
    RigState result = state;
    result.rotation = placement.rotation * state.rotation;
    result.translation = placement.rotation * state.translation + placement.translation;
    return result;
}

}  // namespace sinew
