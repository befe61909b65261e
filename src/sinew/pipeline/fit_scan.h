#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/body/shape_space.h"
#include "sinew/build/body_builder.h"
#include "sinew/fit/person_fit.h"
#include "sinew/fit/registration.h"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

enum class ScanSex { Auto, Male, Female };
enum class ScanUnit { Auto, Metre, Centimetre, Millimetre, Inch };
enum class ScanUp { Auto, Y, Z };

/// The job of `sinew fit`: one scan of a person.
struct FitJob {
    std::string scan;           ///< surface or cloud of points
    std::string template_body;  ///< a .sinew file; empty: the built-in man or woman
    BodyResolution resolution = BodyResolution::Standard;  ///< of the built-in human
    ScanSex sex = ScanSex::Auto;
    ScanUnit unit = ScanUnit::Auto;
    ScanUp up = ScanUp::Auto;
    std::string landmarks = {};           ///< a file of named points; empty: found
    std::optional<double> weight = {};    ///< kg
    std::optional<double> body_fat = {};  ///< of the weight
    std::optional<double> muscle = {};    ///< kg, with tendons
    std::string composition = {};         ///< regressors of masses; empty: the built-in ones
    std::string pose_only = {};           ///< a .sinew file: whose pose is looked for, nothing else
    bool makes_body = false;              ///< also the anatomy inside, not the skin alone
    std::filesystem::path cache = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FitJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.template_body,
      Field{.name = "template",
            .help = "a body to put onto the scan, else the built-in human; or a .vtu "
                    "to write the template's layers to, without a scan",
            .is_path = true,
            .metavar = "BODY.sinew"});
    v(o.resolution, Field{.name = "resolution",
                          .help = "of the built-in human",
                          .choices = {"preview", "standard", "fine"}});
    v(o.sex, Field{.name = "sex",
                   .help = "of the person; auto: whose shapes come nearer",
                   .choices = {"auto", "male", "female"}});
    v(o.unit, Field{.name = "unit",
                    .help = "of the scan; auto: from its size",
                    .choices = {"auto", "m", "cm", "mm", "in"}});
    v(o.up, Field{.name = "up",
                  .help = "axis of the scan; auto: found, with the way it faces",
                  .choices = {"auto", "y", "z"}});
    v(o.landmarks, Field{.name = "landmarks",
                         .help = "named points on the scan (docs/fit.md); else none are needed",
                         .is_path = true,
                         .metavar = "POINTS.json"});
    v(o.weight, Field{.name = "weight_kg",
                      .help = "of the person, where it is known",
                      .unit = "kg",
                      .min = 20,
                      .max = 350,
                      .flag = "weight"});
    v(o.body_fat, Field{.name = "body_fat",
                        .help = "fraction of the weight, where it is known; else from girths",
                        .min = 0.02,
                        .max = 0.7});
    v(o.muscle, Field{.name = "muscle_kg",
                      .help = "mass of muscles with tendons, where it is known",
                      .unit = "kg",
                      .min = 2,
                      .max = 150,
                      .flag = "muscle-mass"});
    v(o.composition, Field{.name = "composition",
                           .help = "regressors of fat and muscle mass that --train wrote",
                           .is_path = true,
                           .metavar = "MODEL.json"});
    v(o.pose_only, Field{.name = "pose_only",
                         .help = "the pose of this person alone: the body stays as it is",
                         .is_path = true,
                         .metavar = "PERSON.sinew"});
}

/// A body to put onto scans, with the shapes of people of its sex.
struct FitTemplate {
    Body body = {};
    std::optional<ShapeSpace> shapes = {};            ///< none where the body's sex is not known
    std::unique_ptr<const PersonFitter> fitter = {};  ///< made when a person is first asked for
};

/// What scans are fitted with: the built-in man and woman, or the body that the job names. Made
/// when first asked for and kept, so that many scans share them.
class FitTemplates {
public:
    /// @param job  whose template, resolution and cache are used
    explicit FitTemplates(const FitJob& job) : job_(job) {}

    const FitTemplate& of(Sex sex, const Progress& progress);
    const PersonFitter& fitter_of(Sex sex, const Progress& progress);

private:
    FitJob job_;
    std::map<Sex, FitTemplate> templates_;
};

/// What became of a scan.
struct FittedScan {
    Body body = {};  ///< the template that was used
    RegisteredSkin skin = {};
    std::optional<FittedPerson> person = {};                     ///< where the job makes a body
    CompositionTargets targets = {};                             ///< that the body was made with
    std::vector<std::pair<std::string, double>> witnesses = {};  ///< published formulas
    std::vector<std::pair<std::string, double>> girths = {};     ///< m, as people are taped
    std::vector<std::pair<std::string, Vec3>> joints = {};       ///< centres on the scan, m
    std::optional<DistanceMeasures> blend_distance = {};  ///< of a pose alone, before the flesh, m
    double stature = 0.0;                                 ///< m, in the rest pose
    double volume = 0.0;                                  ///< m^3
    double seconds = 0.0;
};

/// What `sinew fit --json` says.
struct FitDistances {
    double mean = 0.0, rms = 0.0, p95 = 0.0, max = 0.0;  ///< mm
};
struct FitSummary {
    std::string input;
    std::string output;
    std::string sex;
    double unit = 1.0;
    std::string up, facing;
    double stature = 0.0;
    double volume = 0.0;
    FitDistances distance = {};
    FitDistances scan_distance = {};
    std::optional<FitDistances> blend_distance = {};
    double seen = 0.0;
    bool is_trusted = false;
    std::vector<std::pair<std::string, double>> confidence = {};
    std::vector<std::pair<std::string, double>> girths = {};
    std::vector<std::pair<std::string, double>> pose = {};
    std::vector<std::pair<std::string, std::array<double, 3>>> landmarks = {};
    std::vector<std::pair<std::string, std::array<double, 3>>> joints = {};
    std::vector<std::pair<std::string, double>> stages = {};
    double seconds = 0.0;
    std::vector<std::string> notes = {};
    // Of the body, where one was made.
    std::optional<double> mass = {}, fat = {}, muscle = {};  ///< kg
    std::vector<std::pair<std::string, double>> bone_lengths = {};
    std::vector<std::pair<std::string, double>> witnesses = {};
    std::optional<int> inverted_tets = {}, crossings = {}, skin_crossings = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FitDistances>
void visit_fields(Options& o, Visitor&& v) {
    v(o.mean, Field{.name = "mean", .help = "of all", .unit = "mm"});
    v(o.rms, Field{.name = "rms", .help = "root of the mean square", .unit = "mm"});
    v(o.p95, Field{.name = "p95", .help = "that 95 % stay below", .unit = "mm"});
    v(o.max, Field{.name = "max", .help = "the largest", .unit = "mm"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FitSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.input, Field{.name = "input", .help = "the scan"});
    v(o.output, Field{.name = "output", .help = "the file that was written"});
    v(o.sex, Field{.name = "sex", .help = "of the template that was used"});
    v(o.unit, Field{.name = "metres_per_unit", .help = "of the scan", .unit = "m"});
    v(o.up, Field{.name = "up", .help = "axis of the scan"});
    v(o.facing, Field{.name = "facing", .help = "axis of the scan"});
    v(o.stature, Field{.name = "stature_m", .help = "in the rest pose", .unit = "m"});
    v(o.volume, Field{.name = "volume_l", .help = "inside the skin, in the scan's pose"});
    v(o.distance,
      Field{.name = "distance_mm", .help = "of the skin from the scan, where it sees it"});
    v(o.scan_distance,
      Field{.name = "scan_distance_mm", .help = "of the scan's points from the skin"});
    v(o.blend_distance,
      Field{.name = "blend_distance_mm",
            .help = "of a pose alone: of the skin blended from the bones, before the flesh"});
    v(o.seen, Field{.name = "seen", .help = "part of the skin that sees the scan"});
    v(o.is_trusted, Field{.name = "is_trusted", .help = "whether this is the person"});
    v(o.confidence, Field{.name = "confidence", .help = "per region, 0 to 1"});
    v(o.girths,
      Field{.name = "girths_m", .help = "tape girths of the person standing", .unit = "m"});
    v(o.pose,
      Field{.name = "pose", .help = "angles of joints against the rest pose", .unit = "degrees"});
    v(o.landmarks,
      Field{.name = "landmarks", .help = "named points on the posed skin", .unit = "m"});
    v(o.joints,
      Field{.name = "joints_m", .help = "centres of joints, posed likewise", .unit = "m"});
    v(o.stages, Field{.name = "stage_seconds", .help = "time per stage", .unit = "s"});
    v(o.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
    v(o.notes, Field{.name = "notes", .help = "what was odd"});
    v(o.mass, Field{.name = "mass_kg", .help = "of the body that was made", .unit = "kg"});
    v(o.fat, Field{.name = "fat_kg", .help = "of that body", .unit = "kg"});
    v(o.muscle, Field{.name = "muscle_kg", .help = "of that body, with tendons", .unit = "kg"});
    v(o.bone_lengths, Field{.name = "bone_lengths_m", .help = "between joints", .unit = "m"});
    v(o.witnesses, Field{.name = "witnesses", .help = "published formulas from girths"});
    v(o.inverted_tets, Field{.name = "inverted_tets", .help = "of that body"});
    v(o.crossings,
      Field{.name = "crossings", .help = "of layers, and bones outside of the skin, by over 1 mm"});
    v(o.skin_crossings,
      Field{.name = "skin_crossings", .help = "pairs of triangles of the body's skin that cross"});
}

/// A scan from any surface file, in its own units and axes; clouds are files without triangles.
/// @throws InputError
Scan read_scan(const std::filesystem::path& path);
/// The scan of a job with its landmarks, in metres and with Y up as far as the job says so.
/// @throws InputError
Scan read_job_scan(const FitJob& job);
/// Centres of joints in a pose, m.
std::vector<std::pair<std::string, Vec3>> joints_on_scan(const Skeleton& skeleton,
                                                         const Pose& pose);

/// Registers a scan and, where the job asks for it, makes the body of that person; masses that are
/// not known are told from the skin (fit_masses.h). @throws InputError  when it is no person, or
/// not one; Cancelled
FittedScan fit_scan(const FitJob& job, const Progress& progress = {});
/// The same with templates of several scans.
FittedScan fit_scan(const FitJob& job, FitTemplates& templates, const Progress& progress = {});

/// Skin, muscle surface and skeleton surface of the template that the job would use (sex auto: the
/// man), as tetrahedra for a picture; see layers_as_tets. The job needs no scan.
/// @throws InputError, Cancelled
TetMesh layered_template(const FitJob& job, const Progress& progress = {});

FitSummary summary_of(const FittedScan& fitted);

/// The person's body as a file. It says where it comes from: the scan's name and hash, and the
/// command.
/// @throws InputError  where it cannot be written; the scan must have been made into a body
void write_person(const std::filesystem::path& path, FittedScan& fitted,
                  const std::filesystem::path& scan, const std::string& command = "sinew fit");

/// The posed skin with its distances and confidence per vertex ("distance_mm", "confidence").
MeshPart skin_part(const FittedScan& fitted);

}  // namespace sinew
