#include "sinew/pipeline/fit_pose.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/fit/person_pose.h"
#include "sinew/geometry/measure.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/skinning/body_skinning.h"

#include <fmt/format.h>

#include <filesystem>

namespace sinew {
namespace {

constexpr int kFleshRounds = 4;       // poses are mended at most so often
constexpr int kSettledFrames = 30;    // of ten iterations each
constexpr double kWorthwhile = 0.02;  // of the mean distance: a round that brings less is the last
constexpr double kExplained = 0.75;   // of the scan within 20 mm: below it is another person

// The flesh's skin in a pose.
Points flesh_skin(BodySkinning& flesh, const Body& person, const Pose& pose) {
    flesh.reset(joint_motions(person.skeleton, pose), kSettledFrames);
    return flesh.skin();
}

void require_same_person(const PersonOnScan& found, const FitJob& job) {
    const RegistrationReport& report = found.skin.report;
    if (report.explained >= kExplained) {
        return;
    }
    throw InputError(
        {.where = std::filesystem::path(job.scan).filename().string(),
         .found = fmt::format("a surface of which {:.0f} % lie within 20 mm of {} in the nearest "
                              "pose (mean distance {:.1f} mm)",
                              100.0 * report.explained,
                              std::filesystem::path(job.pose_only).filename().string(),
                              1e3 * report.scan_to_skin.mean),
         .needs = "a scan of that person",
         .remedy = "give landmarks with --landmarks, or fit the person anew without --pose-only"});
}

}  // namespace

FittedScan fit_pose(const FitJob& job, const Progress& progress) {
    const Timer timer;
    FittedScan fitted;
    fitted.body = read_body_with_tets(job.pose_only);
    const Body& person = fitted.body;
    const ScanPoser poser(person);
    BodySkinning flesh(person, {.dynamics = false});
    const Scan scan = read_job_scan(job);
    PersonOnScan best = poser.find(
        scan, {.find_unit = job.unit == ScanUnit::Auto, .find_up = job.up == ScanUp::Auto},
        progress);
    fitted.blend_distance = best.skin.report.skin_to_scan;

    // What the flesh is in the pose, and what pose it would rather have.
    const Timer settling;
    auto stage = progress.stage("settling the flesh", kFleshRounds);
    poser.measure(flesh_skin(flesh, person, best.skin.pose), best);
    for (int round = 1; round < kFleshRounds; ++round) {
        PersonOnScan next = poser.refined(best, best.skin.posed);
        poser.measure(flesh_skin(flesh, person, next.skin.pose), next);
        const double before = best.skin.report.scan_to_skin.mean;
        const double gain = before - next.skin.report.scan_to_skin.mean;
        if (gain > 0.0) {
            best = std::move(next);
        }
        stage.advance();
        if (gain < kWorthwhile * before) {
            break;
        }
    }
    best.skin.report.seconds.emplace_back("flesh", settling.seconds());
    require_same_person(best, job);
    fitted.skin = std::move(best.skin);
    fitted.stature = bounds(fitted.skin.rest).size().y();
    fitted.volume = enclosed_volume(fitted.skin.posed, person.skin.mesh.triangles);
    fitted.joints = joints_on_scan(person.skeleton, fitted.skin.pose);
    fitted.seconds = timer.seconds();
    return fitted;
}

}  // namespace sinew
