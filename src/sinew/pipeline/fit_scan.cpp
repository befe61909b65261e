#include "sinew/pipeline/fit_scan.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/body/posable_joints.h"
#include "sinew/build/segment_masses.h"
#include "sinew/fit/scan_girths.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/archive.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/landmark_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/shape_space_file.h"
#include "sinew/pipeline/fit_masses.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/layers_cache.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// A scan to a person: read, registered onto the man and the woman where the sex is not known,
// masses told from the skin where nobody gave them, anatomy fitted inside. What was found instead
// of being told is in the remarks; what is no person is refused with what was found.

namespace sinew {
namespace {

constexpr double kTallest = 2.15;   // m; beyond these the template of an adult is a guess
constexpr double kShortest = 1.40;  // m
constexpr double kStands = 0.93;    // of the stature: where the head of somebody who stands is

Body template_for(const FitJob& job, Sex sex, const Progress& progress) {
    if (!job.template_body.empty()) {
        return read_body_with_tets(job.template_body);
    }
    MakeBodyOptions options;
    // Regressors of data/fit were trained on people who were made of the specimen.
    options.muscles = MuscleSource::Specimen;
    options.body.resolution = job.resolution;
    options.figure.sex = sex == Sex::Female ? FigureSex::Female : FigureSex::Male;
    options.cache = job.cache;
    return make_body(options, progress).body;
}

// The scan in metres and with Y up, as far as the job says so.
void apply_known(const FitJob& job, Scan& scan) {
    constexpr double kMetres[] = {1.0, 1.0, 0.01, 0.001, 0.0254};
    const double unit = kMetres[at(job.unit)];
    const auto turned = [&](const Vec3& p) {
        return Vec3(job.up == ScanUp::Z ? unit * Vec3(p.x(), p.z(), -p.y()) : unit * p);
    };
    for (Eigen::Index i = 0; i < scan.points.rows(); ++i) {
        scan.points.row(i) = turned(point(scan.points, i)).transpose();
        if (scan.normals.rows() > 0) {
            scan.normals.row(i) = (turned(point(scan.normals, i)) / unit).transpose();
        }
    }
    for (ScanLandmark& landmark : scan.landmarks) {
        landmark.position = turned(landmark.position);
    }
}

RegisteredSkin registered(const FitTemplate& candidate, const Scan& scan,
                          RegistrationOptions options, const Progress& progress) {
    options.shapes = candidate.shapes ? &*candidate.shapes : nullptr;
    return register_scan(candidate.body, scan, options, progress);
}

// Says what was found where the result is not the person on the scan.
void require_person(const FittedScan& fitted, const std::string& file) {
    const RegistrationReport& report = fitted.skin.report;
    if (!report.is_trusted) {
        std::string remarks;
        for (const std::string& remark : report.remarks) {
            remarks += "; " + remark;
        }
        throw InputError(
            {.where = file,
             .found = fmt::format(
                 "a surface that a person explains badly: {:.0f} % of the scan lie within 20 mm of "
                 "the fitted skin, {:.0f} % of the skin see the scan{}",
                 100.0 * report.explained, 100.0 * report.seen, remarks),
             .needs = "one whole person, standing or kneeling, arms and legs apart",
             .remedy = "cut away what is not the person, or give landmarks with --landmarks"});
    }
}

// Joint centres in the pose of the scan: of the person's bones, where there are any.
std::vector<std::pair<std::string, Vec3>> posed_joints(const FittedScan& fitted) {
    Skeleton skeleton = fitted.body.skeleton;
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        skeleton.joints[j].centre =
            fitted.person ? fitted.person->body.skeleton.joints[j].centre : fitted.skin.joints[j];
    }
    return joints_on_scan(skeleton, fitted.skin.pose);
}

// Girths as the person stands in the scan, which is how people are taped; of somebody who kneels or
// bends, in the rest pose.
std::vector<std::pair<std::string, double>> tape_girths(const FittedScan& fitted) {
    const RegisteredSkin& skin = fitted.skin;
    const Triangles& triangles = fitted.body.skin.mesh.triangles;
    Body person;
    person.skeleton = fitted.body.skeleton;
    for (std::size_t j = 0; j < person.skeleton.joints.size(); ++j) {
        person.skeleton.joints[j].centre = skin.joints[j];
    }
    const auto top = std::find_if(skin.landmarks.begin(), skin.landmarks.end(),
                                  [](const Landmark& l) { return l.name == "head_top"; });
    const double lowest = skin.posed.col(1).minCoeff();
    if (top == skin.landmarks.end() || top->position.y() - lowest < kStands * fitted.stature) {
        person.skin.mesh = {.points = skin.rest, .triangles = triangles};
        return scan_girths(person,
                           landmarks_carried(skin.landmarks, skin.posed, skin.rest, triangles));
    }
    for (std::size_t j = 0; j < fitted.joints.size(); ++j) {
        person.skeleton.joints[j].centre = fitted.joints[j].second;
    }
    person.skin.mesh = {.points = skin.posed, .triangles = triangles};
    return scan_girths(person, skin.landmarks);
}

// The anatomy inside the fitted skin.
void make_person(const FitJob& job, FitTemplates& templates, Sex sex, FittedScan& fitted,
                 const Progress& progress) {
    fitted.targets = masses_from_skin(job, fitted);
    const Timer timer;
    fitted.person =
        templates.fitter_of(sex, progress).fit(fitted.skin.rest, fitted.targets, progress);
    Body& person = fitted.person->body;
    person.skeleton.segments = weigh_segments(person);
    person.name = std::filesystem::path(job.scan).stem().string();
    add_anatomy_witnesses(fitted);
    for (const auto& [stage, seconds] : fitted.person->report.seconds) {
        fitted.skin.report.seconds.emplace_back(stage, seconds);
    }
    fitted.skin.report.seconds.emplace_back("anatomy", timer.seconds());
    for (const std::string& warning : fitted.person->report.warnings) {
        fitted.skin.report.remarks.push_back(warning);
    }
}

FitDistances in_mm(const DistanceMeasures& d) {
    return {1e3 * d.mean, 1e3 * d.rms, 1e3 * d.p95, 1e3 * d.max};
}

}  // namespace

Scan read_scan(const std::filesystem::path& path) {
    Scan scan;
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    const std::vector<MeshPart> parts = read_surface(path);
    for (const MeshPart& part : parts) {
        points += part.mesh.points.rows();
        triangles += part.mesh.triangles.rows();
    }
    scan.points.resize(points, 3);
    scan.triangles.resize(triangles, 3);
    points = triangles = 0;
    for (const MeshPart& part : parts) {
        const TriangleMesh& mesh = part.mesh;
        scan.points.middleRows(points, mesh.points.rows()) = mesh.points;
        scan.triangles.middleRows(triangles, mesh.triangles.rows()) =
            mesh.triangles.array() + static_cast<Index>(points);
        points += mesh.points.rows();
        triangles += mesh.triangles.rows();
    }
    return scan;
}

Scan read_job_scan(const FitJob& job) {
    Scan scan = read_scan(job.scan);
    if (!job.landmarks.empty()) {
        for (const Landmark& landmark : read_landmarks(job.landmarks)) {
            scan.landmarks.push_back({landmark.name, landmark.position});
        }
    }
    apply_known(job, scan);
    return scan;
}

std::vector<std::pair<std::string, Vec3>> joints_on_scan(const Skeleton& skeleton,
                                                         const Pose& pose) {
    const std::vector<Eigen::Isometry3d> motions = segment_motions(skeleton, pose);
    std::vector<std::pair<std::string, Vec3>> result;
    for (const Joint& joint : skeleton.joints) {
        result.emplace_back(joint.name, motions[at(joint.child)] * joint.centre);
    }
    return result;
}

const FitTemplate& FitTemplates::of(Sex sex, const Progress& progress) {
    const auto it = templates_.find(sex);
    if (it != templates_.end()) {
        return it->second;
    }
    FitTemplate made{.body = template_for(job_, sex, progress)};
    if (made.body.sex != Sex::Unknown) {
        made.shapes = built_in_shape_space(made.body.sex);
    }
    return templates_.emplace(sex, std::move(made)).first->second;
}

const PersonFitter& FitTemplates::fitter_of(Sex sex, const Progress& progress) {
    of(sex, progress);
    FitTemplate& found = templates_.at(sex);
    if (!found.fitter) {
        found.fitter = std::make_unique<const PersonFitter>(
            found.body, cached_layers(found.body, job_.cache, progress), PersonFitOptions{},
            progress);
    }
    return *found.fitter;
}

FittedScan fit_scan(const FitJob& job, const Progress& progress) {
    FitTemplates templates(job);
    return fit_scan(job, templates, progress);
}

FittedScan fit_scan(const FitJob& job, FitTemplates& templates, const Progress& progress) {
    const Timer timer;
    const Scan scan = read_job_scan(job);
    RegistrationOptions options;
    options.find_unit = job.unit == ScanUnit::Auto;
    options.find_up = job.up == ScanUp::Auto;
    FittedScan fitted;
    Sex sex = job.sex == ScanSex::Female ? Sex::Female : Sex::Male;
    std::shared_ptr<const FoundPlacement> found;
    double search = 0.0;  // s, for both sexes
    if (job.sex == ScanSex::Auto && job.template_body.empty()) {
        // Whose shapes come nearer, before the surface is drawn onto the scan. The person is
        // searched for once: where the man stands, the woman begins.
        RegistrationOptions quick = options;
        quick.fine_iterations = 0;
        const RegisteredSkin man =
            registered(templates.of(Sex::Male, progress), scan, quick, progress);
        quick.beside = man.placement.get();
        const RegisteredSkin woman =
            registered(templates.of(Sex::Female, progress), scan, quick, progress);
        const bool is_woman = woman.report.rig_mismatch < man.report.rig_mismatch;
        sex = is_woman ? Sex::Female : Sex::Male;
        found = is_woman ? woman.placement : man.placement;
        for (const RegisteredSkin* tried : {&man, &woman}) {
            for (const auto& [stage, seconds] : tried->report.seconds) {
                search += seconds;
            }
        }
    }
    options.again = found.get();
    const FitTemplate& chosen = templates.of(sex, progress);
    fitted.skin = registered(chosen, scan, options, progress);
    if (search > 0.0) {
        auto& stages = fitted.skin.report.seconds;
        stages.emplace(stages.begin(), "sex", search);
    }
    fitted.body = chosen.body;
    require_person(fitted, std::filesystem::path(job.scan).filename().string());
    const Triangles& triangles = fitted.body.skin.mesh.triangles;
    fitted.stature = bounds(fitted.skin.rest).size().y();
    fitted.volume = enclosed_volume(fitted.skin.posed, triangles);
    fitted.joints = posed_joints(fitted);
    fitted.girths = tape_girths(fitted);
    if (fitted.stature < kShortest || fitted.stature > kTallest) {
        fitted.skin.report.remarks.push_back(
            fmt::format("a stature of {:.2f} m is outside of what adults have: proportions of the "
                        "anatomy inside are a guess",
                        fitted.stature));
    }
    if (job.makes_body) {
        make_person(job, templates, sex, fitted, progress);
        fitted.joints = posed_joints(fitted);
    }
    fitted.seconds = timer.seconds();
    return fitted;
}

TetMesh layered_template(const FitJob& job, const Progress& progress) {
    const Sex sex = job.sex == ScanSex::Female ? Sex::Female : Sex::Male;
    return layers_as_tets(cached_layers(template_for(job, sex, progress), job.cache, progress));
}

FitSummary summary_of(const FittedScan& fitted) {
    const RegistrationReport& report = fitted.skin.report;
    FitSummary s;
    s.sex = std::string(name_of(fitted.body.sex));
    s.unit = report.placement.scale;
    s.up = report.placement.up;
    s.facing = report.placement.facing;
    s.stature = fitted.stature;
    s.volume = 1e3 * fitted.volume;
    s.distance = in_mm(report.skin_to_scan);
    s.scan_distance = in_mm(report.scan_to_skin);
    if (fitted.blend_distance) {
        s.blend_distance = in_mm(*fitted.blend_distance);
    }
    s.seen = report.seen;
    s.is_trusted = report.is_trusted;
    s.confidence = report.confidence;
    s.girths = fitted.girths;
    const std::vector<PosableJoint> joints = posable_joints(fitted.body);
    for (const auto& [name, angles] : angles_from_pose(fitted.body, joints, fitted.skin.pose)) {
        const auto it = std::find_if(joints.begin(), joints.end(),
                                     [&wanted = name](const auto& j) { return j.name == wanted; });
        for (int k = 0; k < it->angles; ++k) {
            s.pose.emplace_back(fmt::format("{} {}", name, it->motions[at(k)]),
                                angles[at(k)] / kDegree);
        }
    }
    for (const Landmark& landmark : fitted.skin.landmarks) {
        const Vec3& p = landmark.position;
        s.landmarks.push_back({landmark.name, {p.x(), p.y(), p.z()}});
    }
    for (const auto& [name, p] : fitted.joints) {
        s.joints.push_back({name, {p.x(), p.y(), p.z()}});
    }
    s.stages = report.seconds;
    s.seconds = fitted.seconds;
    s.notes = report.remarks;
    s.witnesses = fitted.witnesses;
    if (fitted.person) {
        const PersonFitReport& person = fitted.person->report;
        s.mass = person.mass_kg;
        s.fat = person.fat_kg;
        s.muscle = person.muscle_kg;
        s.bone_lengths = person.bone_lengths_m;
        s.inverted_tets = static_cast<int>(person.inverted_tets);
        s.crossings = static_cast<int>(person.crossings + person.bones_outside);
        s.skin_crossings = static_cast<int>(person.skin_crossings);
    }
    return s;
}

void write_person(const std::filesystem::path& path, FittedScan& fitted,
                  const std::filesystem::path& scan, const std::string& command) {
    SINEW_ASSERT(fitted.person.has_value(), "{} has been made into a skin alone", scan.string());
    Provenance& provenance = fitted.person->body.provenance;
    provenance.command = command;
    provenance.inputs.push_back({.name = scan.filename().string(), .hash = file_hash_text(scan)});
    write_archive(path, fitted.person->body);
}

MeshPart skin_part(const FittedScan& fitted) {
    MeshPart part{.name = "skin", .mesh = {}, .kind = "skin"};
    part.mesh.points = fitted.skin.posed;
    part.mesh.triangles = fitted.body.skin.mesh.triangles;
    part.mesh.point_data.push_back({.name = "confidence", .values = fitted.skin.confidence});
    part.mesh.point_data.push_back(
        {.name = "distance_mm", .values = fitted.skin.distance_mm, .unit = "mm"});
    return part;
}

}  // namespace sinew
