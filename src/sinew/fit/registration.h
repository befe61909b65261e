#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/body/shape_space.h"
#include "sinew/fit/scan.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

struct FoundPlacement;  // fit/placement.h

struct RegistrationOptions {
    double max_distance = 0.05;       ///< farther points do not correspond, m, > 0
    double max_angle = 0.5235987756;  ///< nor do normals farther apart, rad, (0, pi/2)
    int fine_iterations = 40;         ///< of the surface, >= 0; 0: pose and shape only
    /// Landmarks are exact and hold to the end; false: they lead the skin half the way and are then
    /// left to the surface, along which it slides by centimetres.
    bool hold_landmarks = false;
    bool find_unit = true;  ///< from the size; false: metres
    bool find_up = true;    ///< false: Y is up; the way it faces is always looked for
    /// Shapes of people that the template belongs to, not owned; none: limbs change their lengths
    /// and thicknesses.
    const ShapeSpace* shapes = nullptr;
    /// Where another template stands on the same scan, not owned; none: the person is searched for.
    const FoundPlacement* beside = nullptr;
    /// Where this template stands on the same scan, not owned: of an earlier registration of it.
    const FoundPlacement* again = nullptr;
};

/// How the scan's own coordinates become Sinew's: metres, Y up, +Z forward, soles near y = 0.
struct ScanPlacement {
    double scale = 1.0;                ///< metres per unit of the scan
    Mat3 rotation = Mat3::Identity();  ///< from the scan's axes
    Vec3 translation = Vec3::Zero();   ///< m
    std::string up = "+y";             ///< axis of the scan nearest to up
    std::string facing = "+z";         ///< axis of the scan nearest to forward

    /// A point of the scan, in its own units.
    Vec3 operator()(const Vec3& p) const {
        return moved(scale * p);
    }
    /// A point of the scan, in metres.
    Vec3 moved(const Vec3& p) const {
        return rotation * p + translation;
    }
};

/// Distances between two surfaces, m.
struct DistanceMeasures {
    double mean = 0.0;
    double rms = 0.0;
    double p95 = 0.0;
    double max = 0.0;
};

struct RegistrationReport {
    ScanPlacement placement = {};
    DistanceMeasures skin_to_scan = {};  ///< of the skin's vertices that see the scan
    DistanceMeasures scan_to_skin = {};  ///< of the scan's points
    double rig_mismatch = 0.0;           ///< both ways before the surface was fitted, m
    double explained = 0.0;              ///< part of the scan within 20 mm of the skin
    double seen = 0.0;                   ///< part of the skin's area that sees the scan
    /// Of each region 0 ... 1: how much was seen and how well it fits.
    std::vector<std::pair<std::string, double>> confidence = {};
    std::vector<std::pair<std::string, double>> seconds = {};  ///< per stage
    std::vector<std::string> remarks = {};
    bool is_trusted = false;  ///< false: this is probably not the person
};

/// The template's skin on a scan. Frame: metres, Y up, +Z forward.
struct RegisteredSkin {
    Points posed = Points(0, 3);  ///< vertices in the order of body.skin.mesh, in the scan's pose
    Points rest = Points(0, 3);   ///< the same in the template's rest pose
    Pose pose = {};               ///< joint coordinates of the template's skeleton
    std::vector<Vec3> joints =
        {};  ///< centres of the skeleton's joints at rest, moved with the skin
    std::vector<double> confidence = {};  ///< per vertex in [0, 1]; 0 where nothing was seen
    std::vector<double> distance_mm =
        {};  ///< per vertex to the nearest point of the scan, at most 50
    std::vector<Landmark> landmarks = {};  ///< named points of scans on the posed skin
    std::shared_ptr<const FoundPlacement> placement = {};  ///< where the search ended
    RegistrationReport report = {};
};

/// Puts the skin of `template_body` onto a scan [Komaritzan, section 4.2.1].
/// @throws InputError  when the scan is no person that can be registered; Cancelled
RegisteredSkin register_scan(const Body& template_body, const Scan& scan,
                             const RegistrationOptions& options = {},
                             const Progress& progress = {});

}  // namespace sinew
