#pragma once

#include "sinew/motion/acceleration_tracking.h"
#include "sinew/motion/bone_depths.h"
#include "sinew/motion/examination.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/model_equivalence.h"
#include "sinew/motion/musculature_retargeting.h"
#include "sinew/motion/pose_sets.h"
#include "sinew/pipeline/retarget_body.h"

#include <optional>
#include <string>
#include <vector>

namespace sinew {

/// The job of `sinew retarget`.
struct RetargetJob {
    std::string to = {};  ///< see its help; empty: the model's own body
    std::string exam = {};
    double exam_tolerance = 1.0;  ///< deg
    std::vector<std::string> poses = {};
    int pose_step = 1;
    std::string setup = {};
    std::string marker_set = {};
    double mass = 0.0;  ///< kg, with markers
    bool skills = false;
    std::string skills_plot = {};
    std::string report = {};
    std::string plot = {};
    std::string muscle = {};
    std::string coordinate = {};
    std::string lines = {};
    std::string output = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.to, Field{.name = "to",
                  .help = "the new body: proportions or points of joints (.json), a character "
                          "(alien, child, dwarf, gibbon, giant, hulk, uneven, weightlifter), a "
                          "body or model with its bones (.sinew, .osim, .xml), markers of a static "
                          "trial (.trc, .c3d), or a table of segments (.csv: segment, side, "
                          "length_m, mass_kg)",
                  .is_path = true,
                  .metavar = "FILE"});
    v(o.exam, Field{.name = "exam",
                    .help = "examination table (.csv: test, side, value_deg, torque_nm) whose "
                            "angles the model is to show",
                    .is_path = true,
                    .metavar = "FILE"});
    v(o.exam_tolerance, Field{.name = "exam_tolerance",
                              .help = "of an angle of the table that counts as met",
                              .unit = "deg",
                              .max = 45.0,
                              .above = 0.0});
    v(o.poses, Field{.name = "poses",
                     .help = "motions (.bvh, .mot, .sto) or folders of them whose poses, mirrored "
                             "too, give maximal lengths; 'limits' takes random poses within the "
                             "coordinates' ranges",
                     .metavar = "FILE"});
    v(o.pose_step, Field{.name = "pose_step", .help = "every so many frames count", .min = 1});
    v(o.setup, Field{.name = "setup",
                     .help = "pairs of markers and the bodies they scale, as `sinew scale` has it",
                     .is_path = true,
                     .metavar = "FILE"});
    v(o.marker_set, Field{.name = "marker_set",
                          .help = "markers that the model gets, as `sinew scale` has it",
                          .is_path = true,
                          .metavar = "FILE"});
    v(o.mass, Field{.name = "mass",
                    .help = "of the person whose markers are given; 0: as volumes grow",
                    .unit = "kg",
                    .min = 0.0});
    v(o.skills, Field{.name = "skills",
                      .help = "how far muscles bring reference, naive and retargeted model along a "
                              "squat, a lift of the arms and a kick"});
    v(o.skills_plot, Field{.name = "skills_plot",
                           .help = "picture of the accelerations that they miss (.png, .svg)",
                           .is_path = true,
                           .metavar = "FILE"});
    v(o.report, Field{.name = "report",
                      .help = "a page with what was kept: curves, moment arms, torques, ranges, "
                              "disorders, the doctor's findings (.html, .png)",
                      .is_path = true,
                      .metavar = "FILE"});
    v(o.plot, Field{.name = "plot",
                    .help = "picture of a length-angle curve before, naive and retargeted (.png, "
                            ".svg); needs --muscle and --coordinate",
                    .is_path = true,
                    .metavar = "FILE"});
    v(o.muscle, Field{.name = "muscle", .help = "of the picture", .metavar = "NAME"});
    v(o.coordinate, Field{.name = "coordinate", .help = "of the picture", .metavar = "NAME"});
    v(o.lines, Field{.name = "lines",
                     .help = "beside a body that is written (-o OUT.sinew), its muscles as lines "
                             "that keep their function (.osim, .xml)",
                     .is_path = true,
                     .metavar = "FILE"});
    v(o.output, Field{.name = "output",
                      .help = "model to write (.osim, .xml for MuJoCo), or of a body the body "
                              "(.sinew)",
                      .is_path = true,
                      .metavar = "FILE"});
}

/// A skill as three models can do it, in the proportions of the new body but for the reference.
struct SkillOutcome {
    Skill skill = Skill::Squat;
    TrackedMotion reference = {};
    TrackedMotion naive = {};
    TrackedMotion retargeted = {};
};

/// Of skills that the models have the limbs for.
std::vector<SkillOutcome> compare_skills(const MusculoskeletalModel& reference,
                                         const MusculoskeletalModel& naive,
                                         const MusculoskeletalModel& retargeted,
                                         const Progress& progress = {});

/// A retargeted model and what it kept of the reference's function, measured on the file that was
/// written where there is one.
struct RetargetOutcome {
    /// The model as files can hold it: the same where no waypoint follows several bones.
    MusculoskeletalModel reference = {};
    /// What that representation costs; absent where it is the model itself.
    std::optional<MusculatureComparison> parted = {};
    RetargetedMusculature retargeted = {};
    int poses = 0;                            ///< that gave the reference its maximal lengths
    std::vector<RelaxedMuscle> relaxed = {};  ///< at key poses, after that
    std::optional<ExamFit> exam = {};         ///< after: as the written file does the tests
    std::vector<SkillOutcome> skills = {};
    MusculatureComparison naive = {};
    MusculatureComparison kept = {};
    std::vector<ModelFinding> doctor_before = {};
    std::vector<ModelFinding> doctor_after = {};
    std::optional<ModelEquivalence> written = {};  ///< the file against the model in memory
    /// Lines through bones, where the model has their meshes: reference, naive, retargeted.
    std::optional<BonePenetration> bones_before = {};
    BonePenetration bones_naive = {};
    BonePenetration bones = {};
    std::optional<RetargetedBody> flesh = {};   ///< where the model is that of a body
    std::optional<LinesComparison> lines = {};  ///< against the new body's own model
    std::vector<std::string> notes = {};
};

/// Centres of joints, in space or in two orthographic views (motion/body_matching.h).
struct JointPointsFile {
    double unit = 1.0;  ///< m per unit of the numbers
    std::vector<std::pair<std::string, std::vector<double>>> points = {};
    std::vector<std::pair<std::string, std::vector<double>>> frontal = {};
    std::vector<std::pair<std::string, std::vector<double>>> lateral = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, JointPointsFile>
void visit_fields(Options& o, Visitor&& v) {
    v(o.unit, Field{.name = "unit_m", .help = "metres per unit of the numbers", .above = 0.0});
    v(o.points, Field{.name = "points", .help = "joint centres in space: [x, y, z]"});
    v(o.frontal, Field{.name = "frontal", .help = "in the view from the front: [left, up]"});
    v(o.lateral, Field{.name = "lateral", .help = "in the view from the side: [forward, up]"});
}

/// Proportions of a character in the data folder by its name, of a file of proportions, or with
/// which the model has the joints of a file of points (.json) or of another body or model
/// (.sinew, .osim, .xml).
/// @param left_out  gets the segments of a character that the model does not have
/// @throws InputError
BodyProportions read_proportions(const std::string& to, const MusculoskeletalModel& model,
                                 std::vector<std::string>& left_out);

/// The same, and markers of a static trial with the job's set-up (run_scale), or a table of
/// segments; 1 everywhere where the job names no body.
BodyProportions read_job_proportions(const RetargetJob& job, const MusculoskeletalModel& model,
                                     RetargetOutcome& out);

/// Retargets a model, writes it where the job says so, reads it back and compares.
/// @throws InputError; Cancelled
RetargetOutcome run_retarget(const MusculoskeletalModel& model, const RetargetJob& job,
                             const Progress& progress = {});

/// The same for a body: its flesh follows (retarget_body), its model is retargeted with the forces
/// and masses of the new flesh. The body is written where `output` ends in .sinew.
/// @throws InputError; Cancelled
RetargetOutcome run_retarget(const Body& body, const RetargetJob& job,
                             const Progress& progress = {});

}  // namespace sinew
