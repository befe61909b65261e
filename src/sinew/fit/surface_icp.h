#pragma once

#include "sinew/base/progress.h"
#include "sinew/fit/pose_fit.h"
#include "sinew/fit/scan_index.h"
#include "sinew/fit/surface_fit.h"

#include <span>
#include <vector>

namespace sinew {

/// Landmarks as both sides know them.
struct LandmarkPair {
    std::array<Index, 3> vertex = {0, 0, 0};  ///< of `triangle` of the skin
    Vec3 barycentric = Vec3(1, 0, 0);
    Index triangle = 0;
    Vec3 target = Vec3::Zero();  ///< on the scan, m

    Vec3 position(const Points& skin) const {
        return barycentric[0] * point(skin, vertex[0]) + barycentric[1] * point(skin, vertex[1]) +
               barycentric[2] * point(skin, vertex[2]);
    }
};

/// One stage of fitting pose and shape to a scan by closest points.
struct IcpStage {
    int iterations = 10;
    double reach = 0.1;            ///< distance at which a pair counts a quarter, m
    double max_angle = 1.05;       ///< between normals, rad
    double data_weight = 300.0;    ///< all pairs together, in pairs of 1 cm
    double landmark_sigma = 0.02;  ///< m
    std::size_t samples = 1500;    ///< of the scan
};

/// Pose, shape and placement from closest points in both directions, point to plane; the weight of
/// a pair falls with its distance (Geman and McClure).
RigState fit_rig(const PoseRig& rig, const RigState& start, const ScanIndex& index,
                 std::span<const LandmarkPair> landmarks, const RigPrior& prior,
                 const IcpStage& stage);

/// How well a placed rig agrees with a scan: mean distance both ways, each cut off at `reach`, m.
double rig_mismatch(const PoseRig& rig, const RigState& state, const ScanIndex& index,
                    double reach = 0.1);

struct SurfaceIcpOptions {
    double max_distance = 0.05;  ///< m
    double max_angle = 0.5236;   ///< rad
    int iterations = 40;
    double first_wavelength = 0.6;   ///< of bending, m
    double last_wavelength = 0.015;  ///< m
    std::size_t samples = 20000;     ///< of the scan
    double landmark_hold = 0.0;      ///< area that a landmark stands for to the end, m^2
};

/// The skin drawn onto the scan, ever softer. `x` starts where the rig put it.
void fit_surface(const TriangleMesh& start, const std::vector<double>& stiffening,
                 const ScanIndex& index, std::span<const LandmarkPair> landmarks,
                 const SurfaceIcpOptions& options, const Progress& progress, Points& x);

}  // namespace sinew
