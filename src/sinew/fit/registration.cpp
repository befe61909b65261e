#include "sinew/fit/registration.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/fit/landmarks.h"
#include "sinew/fit/limb_search.h"
#include "sinew/fit/placement.h"
#include "sinew/fit/registration_measures.h"
#include "sinew/fit/rest_skin.h"
#include "sinew/fit/scan_frame.h"
#include "sinew/fit/shape_learning.h"
#include "sinew/meshing/decimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// A scan becomes the template's skin, in the order of register_scan: unit and axes from the scan's
// size and shape; placement, pose and shape on a coarse rig, from landmarks or by search
// (placement.h, limb_search.h); the same on the whole skin (surface_icp.h); then the surface
// itself, ever softer (surface_fit.h, [Komaritzan, eqs. 4.1-4.3]); last, back to the rest pose by
// the inverse of the blended transforms, with the size as part of the rest shape.
//
// Frames: the scan has its own unit and axes; everything is fitted in metres in the scan's axes and
// taken to the body's frame (Y up, +Z forward) at the end. Heading and tilt of the pelvis belong to
// the pose, so only quarter rotations of `up` and the heading are placement.
//
// Everything that was found by itself is reported, and is_trusted says whether it may be believed.

namespace sinew {
namespace {

constexpr Eigen::Index kCoarseTriangles = 3000;
constexpr std::size_t kEnoughLandmarks = 6;  // to place a person by them alone
constexpr double kHeldArea = 1e-3;           // m^2 that a landmark stands for where it is held
constexpr double kBroadWavelength = 0.1;     // m

// Fingers, toes and ears are thin: they keep more of their shape than broad skin.
std::vector<double> stiffening_of(const PoseRig& rig, const Body& body) {
    std::vector<double> result(rig.weights().size(), 1.0);
    std::vector<char> thin_group(body.skeleton.segments.size() + 1, 0);
    for (std::size_t s = 0; s < body.skeleton.segments.size(); ++s) {
        const std::string& name = body.skeleton.segments[s].name;
        if (name.find("phalanx") != std::string::npos) {
            thin_group[at(rig.group_of_segment(static_cast<Index>(s)))] = 1;
        }
    }
    for (std::size_t v = 0; v < result.size(); ++v) {
        double thin = 0.0;
        for (const PoseRig::Weight& w : rig.weights()[v]) {
            thin += thin_group[at(w.group)] != 0 ? w.value : 0.0;
        }
        result[v] = 1.0 + 3.0 * thin;
    }
    return result;
}

// The skin drawn onto the scan from where the rig put it.
Points skin_on_scan(const PoseRig& rig, const Body& body, const Points& placed,
                    const ScanIndex& index, std::span<const LandmarkPair> pairs,
                    const RegistrationOptions& options, const Progress& progress) {
    const std::vector<double> stiffening = stiffening_of(rig, body);
    SurfaceIcpOptions fine{.max_distance = options.max_distance,
                           .max_angle = options.max_angle,
                           .iterations = options.fine_iterations};
    Points x = placed;
    if (options.hold_landmarks) {
        // First a skin that stays stiff: what lies between landmarks slides along evenly, and this
        // is the shape that the soft one keeps. Alone, that squeezes triangles beside landmarks.
        fine.landmark_hold = kHeldArea;
        SurfaceIcpOptions broad = fine;
        broad.last_wavelength = kBroadWavelength;
        fit_surface({.points = placed, .triangles = rig.rest().triangles}, stiffening, index, pairs,
                    broad, progress, x);
    }
    const Points start = x;
    fit_surface({.points = start, .triangles = rig.rest().triangles}, stiffening, index, pairs,
                fine, progress, x);
    return x;
}

// Nipples that nobody gave, put to where breasts stand out.
void lower_nipples(const std::vector<ScanLandmark>& given, RegisteredSkin& result) {
    for (Landmark& landmark : result.landmarks) {
        const bool is_given =
            std::any_of(given.begin(), given.end(),
                        [&](const ScanLandmark& known) { return known.name == landmark.name; });
        if (landmark.name.starts_with("nipple_") && !is_given) {
            Eigen::Index start = 0;
            (result.posed.rowwise() - landmark.position.transpose())
                .rowwise()
                .squaredNorm()
                .minCoeff(&start);
            const Index apex =
                breast_apex(result.rest, static_cast<Index>(start), landmark.name == "nipple_L");
            if (apex != static_cast<Index>(start)) {
                landmark.position = point(result.posed, apex);
                landmark.skin_vertex = apex;
            }
        }
    }
}

// Placement, pose and shape on the coarse rig: what is known of this scan already, by landmarks, or
// by search.
FoundPlacement placed_person(const PoseRig& rig, const Scan& scan, const ScanIndex& index,
                             const std::vector<LandmarkPair>& pairs,
                             const RegistrationOptions& options, const Progress& progress) {
    if (options.again != nullptr) {
        return *options.again;
    }
    if (pairs.size() >= kEnoughLandmarks) {
        return place_by_landmarks(rig, index, pairs);
    }
    const bool is_beside = options.beside != nullptr &&
                           options.beside->state.angles.size() == rig.start().angles.size();
    FoundPlacement found =
        is_beside ? *options.beside : place_by_search(rig, scan, index, !options.find_up, progress);
    const auto draw_near = [&](double reach) {
        found.state =
            fit_rig(rig, found.state, index, {}, found.prior,
                    {.iterations = 10, .reach = reach, .max_angle = 1.2, .samples = 1000});
    };
    if (is_beside) {
        found.state.shape = rig.start().shape;  // that of another template is not ours
        draw_near(0.12);
    }
    // Limbs are judged once the shape is the person's: those of stout people lie off the mean's.
    draw_near(0.05);
    return with_limbs_found(rig, index, std::move(found), progress);
}

struct Timed {
    std::vector<std::pair<std::string, double>>& seconds;
    Timer timer = {};
    void note(const char* stage) {
        seconds.emplace_back(stage, timer.seconds());
        timer = {};
    }
};

}  // namespace

RegisteredSkin register_scan(const Body& template_body, const Scan& raw,
                             const RegistrationOptions& options, const Progress& progress) {
    RegisteredSkin result;
    Timed timed{result.report.seconds};
    require_known(raw.landmarks);
    PreparedScan prepared = prepare_scan(raw);
    std::string unit_name = "m";
    const double unit = options.find_unit ? guess_unit(prepared.scan.points, unit_name) : 1.0;
    const Scan scan = in_metres(prepared.scan, unit);
    const ScanIndex index(scan);
    result.report.remarks = prepared.report.remarks;
    timed.note("scan");

    PoseRig rig(template_body);
    if (rig.angles().size() < 30) {
        throw InputError({.where = template_body.name,
                          .found = fmt::format("{} joint angles of a human", rig.angles().size()),
                          .needs = "the joints of the built-in man or woman",
                          .remedy = "use a body made by 'sinew build'"});
    }
    if (options.shapes != nullptr) {
        set_shape_space(template_body, *options.shapes, rig);
    } else {
        rig.set_modes(rig.limb_modes(template_body));
    }
    const PoseRig coarse = rig.with_surface(
        decimated(rig.rest(), {.target_triangles = kCoarseTriangles, .evenness = 0.1}));
    timed.note("rig");

    // Placement, pose and shape on the coarse skin, then on the whole.
    const std::vector<Landmark> own = landmarks_on(rig, template_body, options.shapes);
    const std::vector<LandmarkPair> coarse_pairs =
        landmark_pairs(coarse.rest(), own, scan.landmarks);
    const std::vector<LandmarkPair> pairs = landmark_pairs(rig.rest(), own, scan.landmarks);
    FoundPlacement found = placed_person(coarse, scan, index, coarse_pairs, options, progress);
    result.placement = std::make_shared<const FoundPlacement>(found);
    timed.note("placement");
    RigState state = fit_rig(coarse, found.state, index, coarse_pairs, found.prior,
                             {.iterations = 12, .reach = 0.05, .landmark_sigma = 0.03});
    found.prior.shape_weight = 0.3;
    found.prior.angle_weight = 0.3;
    state =
        fit_rig(coarse, state, index, coarse_pairs, found.prior,
                {.iterations = 12, .reach = 0.03, .data_weight = 1000.0, .landmark_sigma = 0.05});
    state = fit_rig(rig, state, index, pairs, found.prior,
                    {.iterations = 6,
                     .reach = 0.02,
                     .max_angle = 0.8,
                     .data_weight = 2000.0,
                     .landmark_sigma = 0.05,
                     .samples = 4000});
    timed.note("pose");

    const PoseRig::Placement placed = rig.placed(state);
    result.report.rig_mismatch = rig_mismatch(coarse, state, index, 0.03);
    const Points x =
        skin_on_scan(rig, template_body, placed.world, index, pairs, options, progress);
    timed.note("skin");

    // Into the body's frame, and back to the rest pose.
    result.report.placement = placement_of(state, unit, x);
    const ScanPlacement& to_body = result.report.placement;
    measure_fit(x, rig, index, scan, template_body, result);
    std::vector<ScanLandmark> all;
    for (const Landmark& landmark : own) {
        all.push_back({landmark.name, Vec3::Zero()});
    }
    const std::vector<LandmarkPair> found_points = landmark_pairs(rig.rest(), own, all);
    for (std::size_t k = 0; k < own.size(); ++k) {
        result.landmarks.push_back(own[k]);
        result.landmarks.back().position = to_body.moved(found_points[k].position(x));
    }
    result.posed = (x * to_body.rotation.transpose()).rowwise() + to_body.translation.transpose();
    RigState upright = placed_by(state, to_body);
    // The size goes into the rest shape: skins of people have no scale of their own.
    std::vector<Vec3> joints = rig.joints_of(upright);
    Points rest = rig.unposed(rig.placed(upright), result.posed);
    PoseRig person = rig;
    PoseRig at_shape = rig;
    at_shape.set_modes({});
    at_shape.set_rest(rig.placed(state).rest, rig.joints_of(state));
    for (int round = 0; round < 2; ++round) {
        joints = at_shape.joints_with(rest);
        person.set_modes({});
        person.set_rest(rest, joints);
        RigState bare = upright;
        bare.shape.resize(0);
        rest = person.unposed(person.placed(bare), result.posed);
    }
    result.rest =
        with_volume_kept(result.posed, upright.scale * rest, template_body.skin.mesh.triangles);
    result.rest = uncrossed_skin(result.rest, template_body.skin.mesh.triangles).x;
    for (Vec3& joint : joints) {
        joint *= upright.scale;
    }
    result.joints = joints;
    RigState sized = upright;
    sized.scale = 1.0;
    if (template_body.sex == Sex::Female) {
        lower_nipples(scan.landmarks, result);
    }
    result.pose = rig.pose_of(template_body, sized, joints);
    timed.note("rest");
    return result;
}

}  // namespace sinew
