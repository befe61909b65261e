#include "sinew/fit/person_pose.h"

#include "sinew/base/timer.h"
#include "sinew/fit/landmarks.h"
#include "sinew/fit/limb_search.h"
#include "sinew/fit/placement.h"
#include "sinew/fit/registration_measures.h"
#include "sinew/fit/scan_frame.h"
#include "sinew/meshing/decimate.h"

#include <utility>

// The pose of a known person: the search of any registration (placement.h, limb_search.h), with the
// person's own size, then the joints alone. The scan is taken into the body's frame once the person
// is found, so that everything after it has one frame.

namespace sinew {
namespace {

constexpr Eigen::Index kPoserTriangles = 3000;
constexpr std::size_t kPoserLandmarks = 6;  // to place a person by them alone
constexpr double kKnownSize = 1e-3;         // of the logarithm: scans and people measure alike
constexpr double kLoosePose = 0.1;          // weight of the search's pose once it is found

Scan moved_scan(const Scan& scan, const ScanPlacement& placement) {
    Scan result = scan;
    result.points = (scan.points * placement.rotation.transpose()).rowwise() +
                    placement.translation.transpose();
    result.normals = scan.normals * placement.rotation.transpose();
    for (ScanLandmark& landmark : result.landmarks) {
        landmark.position = placement.moved(landmark.position);
    }
    return result;
}

}  // namespace

ScanPoser::ScanPoser(const Body& person)
    : person_(&person),
      rig_(person),
      coarse_(rig_.with_surface(
          decimated(rig_.rest(), {.target_triangles = kPoserTriangles, .evenness = 0.1}))),
      own_(scan_landmarks_of(person)) {}

PersonOnScan ScanPoser::find(const Scan& raw, const PersonPoseOptions& options,
                             const Progress& progress) const {
    PersonOnScan result;
    Timer timer;
    require_known(raw.landmarks);
    const PreparedScan prepared = prepare_scan(raw);
    std::string unit_name = "m";
    const double unit = options.find_unit ? guess_unit(prepared.scan.points, unit_name) : 1.0;
    const Scan scan = in_metres(prepared.scan, unit);
    const ScanIndex index(scan);

    // Where the person stands. The search may change the size, which brings it to its end sooner.
    const std::vector<LandmarkPair> pairs = landmark_pairs(coarse_.rest(), own_, scan.landmarks);
    FoundPlacement found = pairs.size() >= kPoserLandmarks
                               ? place_by_landmarks(coarse_, index, pairs)
                               : place_by_search(coarse_, scan, index, !options.find_up, progress);
    found.prior.scale = 1.0;
    found.prior.scale_sigma = kKnownSize;
    for (const double reach : {0.12, 0.05}) {
        found.state =
            fit_rig(coarse_, found.state, index, pairs, found.prior,
                    {.iterations = 10, .reach = reach, .max_angle = 1.2, .samples = 1000});
    }
    found =
        with_limbs_found(coarse_, index, std::move(found), progress, SearchedParts::LimbsAndFeet);
    found.prior.angle_weight = kLoosePose;
    found.state = fit_rig(coarse_, found.state, index, pairs, found.prior,
                          {.iterations = 12, .reach = 0.05, .landmark_sigma = 0.03});
    result.skin.report.seconds.emplace_back("placement", timer.seconds());

    // From here on in the frame of the body.
    const ScanPlacement placement =
        placement_of(found.state, unit, coarse_.placed(found.state).world);
    result.scan = std::make_shared<const Scan>(moved_scan(scan, placement));
    result.index = std::make_shared<const ScanIndex>(*result.scan);
    result.state = placed_by(found.state, placement);
    result.state.scale = 1.0;
    result.prior = found.prior;
    result.landmarks = landmark_pairs(rig_.rest(), own_, result.scan->landmarks);
    result.skin.report.remarks = prepared.report.remarks;
    result.skin.report.placement = placement;
    timer = {};
    PersonOnScan posed = refined(result, rig_.placed(result.state).world);
    posed.skin.report.seconds.emplace_back("pose", timer.seconds());
    return posed;
}

PersonOnScan ScanPoser::refined(const PersonOnScan& found, const Points& flesh_skin) const {
    PersonOnScan result = found;
    // The rest skin that the blended motions would take to the flesh's.
    PoseRig carried = rig_;
    carried.set_rest(rig_.unposed(rig_.placed(found.state), flesh_skin), rig_.joint_centres());
    for (const double reach : {0.03, 0.02}) {
        result.state = fit_rig(carried, result.state, *found.index, found.landmarks, found.prior,
                               {.iterations = 6,
                                .reach = reach,
                                .max_angle = 0.8,
                                .data_weight = 2000.0,
                                .landmark_sigma = 0.05,
                                .samples = 4000});
    }
    result.state.scale = 1.0;
    result.skin.pose = rig_.pose_of(*person_, result.state, rig_.joint_centres());
    result.skin.rest = rig_.rest().points;
    result.skin.joints = rig_.joint_centres();
    measure(carried.placed(result.state).world, result);
    return result;
}

void ScanPoser::measure(const Points& skin, PersonOnScan& found) const {
    RegistrationReport& report = found.skin.report;
    const std::vector<std::string> remarks = report.remarks;
    found.skin.posed = skin;
    found.skin.distance_mm.clear();
    report.confidence.clear();
    measure_fit(skin, rig_, *found.index, *found.scan, *person_, found.skin);
    report.remarks = remarks;  // those of a skin that was drawn onto the scan do not hold here
    report.rig_mismatch = rig_mismatch(coarse_, found.state, *found.index, 0.03);
    std::vector<ScanLandmark> all;
    for (const Landmark& landmark : own_) {
        all.push_back({landmark.name, Vec3::Zero()});
    }
    const std::vector<LandmarkPair> points = landmark_pairs(rig_.rest(), own_, all);
    found.skin.landmarks = own_;
    for (std::size_t k = 0; k < own_.size(); ++k) {
        found.skin.landmarks[k].position = points[k].position(skin);
    }
}

}  // namespace sinew
