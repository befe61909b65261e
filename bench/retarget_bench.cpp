#include "bench/retarget_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/model_files.h"
#include "sinew/io/model_meshes.h"
#include "sinew/io/motion_files.h"
#include "sinew/motion/bone_depths.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/musculature_retargeting.h"
#include "sinew/motion/pose_sets.h"
#include "sinew/motion/range_editing.h"
#include "sinew/pipeline/retarget_job.h"
#include "sinew/solver/least_squares.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace sinew::bench {

namespace {

constexpr double kDegrees = kPi / 180.0;
constexpr const char* kHip = "FemurL_joint";

// All poses of all recordings beside the data, and their mirror images; those of the model's own
// where there are none.
std::vector<std::vector<double>> recorded_poses(const MusculoskeletalModel& model,
                                                const std::filesystem::path& data) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& folder :
         {data.parent_path() / "motion", data / "mass" / "motion"}) {
        if (files.empty() && std::filesystem::is_directory(folder)) {
            for (const auto& entry : std::filesystem::directory_iterator(folder)) {
                if (entry.path().extension() == ".bvh") {
                    files.push_back(entry.path());
                }
            }
        }
    }
    std::sort(files.begin(), files.end());
    const PoseMirror mirror(model);
    std::vector<std::vector<double>> out = {rest_coordinates(model)};
    for (const std::filesystem::path& file : files) {
        for (std::vector<double>& q :
             poses_of_motion(model, read_model_motion(file, model).motion)) {
            out.push_back(mirror.mirrored(q));
            out.push_back(std::move(q));
        }
    }
    return out;
}

// Descent along a gradient by forward differences with a line search, as the paper has it, until
// the energy is at `goal`.
void descend_by_differences(const RoutingEnergy& energy, double goal) {
    constexpr int kMostSteps = 1000;
    constexpr double kStep = 1e-6;
    Eigen::VectorXd x = energy.start();
    double value = energy.value(x);
    double rate = 1e-4;
    for (int step = 0; step < kMostSteps && value > goal; ++step) {
        Eigen::VectorXd gradient(x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            Eigen::VectorXd y = x;
            y[i] += kStep;
            gradient[i] = (energy.value(y) - value) / kStep;
        }
        double lower = value;
        for (; rate > 1e-14; rate *= 0.5) {
            lower = energy.value(x - rate * gradient);
            if (lower < value) {
                break;
            }
        }
        if (!(lower < value)) {
            return;
        }
        x -= rate * gradient;
        value = lower;
        rate *= 4.0;
    }
}

void measure_differences(const MusculoskeletalModel& reference, const BodyProportions& to,
                         RetargetBench& out) {
    constexpr std::size_t kEvery = 12;  // muscles
    MusculoskeletalModel few = reference;
    few.muscles.clear();
    for (std::size_t m = 0; m < reference.muscles.size(); m += kEvery) {
        few.muscles.push_back(reference.muscles[m]);
    }
    MusculoskeletalModel model = proportioned_model(few, to);
    anchor_waypoints(model);
    const ProportionedBodies bodies = proportioned_bodies(few, to);
    const ThreadLimit one(1);
    double ours = 0.0;
    double theirs = 0.0;
    for_each_routing(model, few, bodies.warps, joint_motions(few), {},
                     [&](std::size_t, const RoutingEnergy& energy) {
                         if (energy.motion_count() == 0) {
                             return;
                         }
                         Timer timer;
                         const LeastSquaresResult found = minimise_squares(
                             [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
                                 energy.residuals(x, r, J);
                             },
                             energy.start());
                         ours += timer.seconds();
                         timer = {};
                         descend_by_differences(energy, 1.01 * found.energy);
                         theirs += timer.seconds();
                         ++out.finite_difference_muscles;
                     });
    out.finite_difference_speedup = theirs / ours;
}

BodyProportions proportions_of_character(const std::string& name,
                                         const MusculoskeletalModel& model) {
    std::vector<std::string> left_out;
    return read_proportions(name, model, left_out);
}

double length_at_rest(const MusculoskeletalModel& model, std::size_t muscle) {
    const KinematicTree tree(model);
    return MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model))).length[muscle];
}

int count_errors(const MusculoskeletalModel& model) {
    const std::vector<ModelFinding> findings = examine_model(model);
    return static_cast<int>(std::count_if(findings.begin(), findings.end(),
                                          [](const ModelFinding& f) { return f.is_error; }));
}

RetargetBench::Character run_character(const MusculoskeletalModel& reference, const char* name,
                                       const Progress& progress) {
    const RetargetedMusculature done =
        retarget_musculature(reference, proportions_of_character(name, reference), {}, progress);
    const MusculatureComparison naive = compare_musculatures(reference, done.naive);
    const MusculatureComparison kept = compare_musculatures(reference, done.model);
    RetargetBench::Character c{.name = name, .seconds = done.seconds};
    c.correlation_naive = {naive.correlation_at(0.5), naive.correlation_at(0.05)};
    c.correlation = {kept.correlation_at(0.5), kept.correlation_at(0.05)};
    c.range_naive = naive.worst_range_error();
    c.range = kept.worst_range_error();
    c.peak_naive_deg = naive.peak.value_or(0.0) / kDegrees;
    c.peak_deg = kept.peak.value_or(0.0) / kDegrees;
    for (std::size_t m = 0; m < done.routes.size(); ++m) {
        if (done.routes[m].farthest_move > c.farthest_waypoint) {
            c.farthest_waypoint = done.routes[m].farthest_move;
            c.farthest_muscle = reference.muscles[m].name;
            c.farthest_over_length = c.farthest_waypoint / length_at_rest(done.naive, m);
        }
    }
    const std::vector<JointMotion> motions = joint_motions(reference);
    const BoneDepths bones(done.model);
    const BonePenetration through_naive = measure_penetration(done.naive, bones, motions);
    const BonePenetration through = measure_penetration(done.model, bones, motions);
    c.bone_depth_naive = through_naive.depth;
    c.bone_depth = through.depth;
    c.bone_inside_naive = through_naive.inside;
    c.bone_inside = through.inside;
    c.doctor_errors = count_errors(done.model);
    return c;
}

// What muscles can do in a character's body, naively and retargeted; the reference at ease in key
// poses [Ryu2021, 4.2], which recorded poses alone do not give.
std::vector<RetargetBench::SkillRow> run_skills(const MusculoskeletalModel& reference,
                                                const Progress& progress) {
    MusculoskeletalModel relaxed = reference;
    relax_muscles(relaxed, key_poses(relaxed));
    std::vector<RetargetBench::SkillRow> out;
    for (const char* name : {"alien", "hulk", "dwarf"}) {
        const RetargetedMusculature done =
            retarget_musculature(relaxed, proportions_of_character(name, relaxed), {}, progress);
        for (const SkillOutcome& s : compare_skills(relaxed, done.naive, done.model, progress)) {
            out.push_back({name, std::string(name_of(s.skill)), s.reference.met, s.naive.met,
                           s.retargeted.met});
        }
    }
    return out;
}

// The paper's three decide; ours are looked at beside them.
void run_characters(const MusculoskeletalModel& reference, bool is_short, RetargetBench& out,
                    const Progress& progress) {
    out.correlation = {1.0, 1.0};
    for (const char* name : {"alien", "hulk", "dwarf"}) {
        const RetargetBench::Character c = run_character(reference, name, progress);
        out.seconds_worst_character = std::max(out.seconds_worst_character, c.seconds);
        out.peak_torque_deg = std::max(out.peak_torque_deg, c.peak_deg);
        out.correlation = {std::min(out.correlation[0], c.correlation[0]),
                           std::min(out.correlation[1], c.correlation[1])};
        out.characters.push_back(c);
    }
    for (const char* name : {"child", "giant", "gibbon", "weightlifter", "uneven"}) {
        if (!is_short) {
            out.characters.push_back(run_character(reference, name, progress));
        }
    }
}

double cells_that_differ(const BallRangeMap& a, const BallRangeMap& b) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < a.valid.size(); ++k) {
        count += a.valid[k] != b.valid[k] ? 1 : 0;
    }
    return static_cast<double>(count) / static_cast<double>(a.valid.size());
}

double fraction_of(const BallRangeMap& map) {
    return static_cast<double>(std::count(map.valid.begin(), map.valid.end(), 1)) /
           static_cast<double>(map.valid.size());
}

// @param recorded  the model as it was read, with waypoints that follow two bones
void run_hips(const MusculoskeletalModel& reference, const MusculoskeletalModel& recorded,
              RetargetBench& out, const Progress& progress) {
    const BallRangeMap before = map_ball_range(reference, kHip);
    const BallRangeMap before_blended = map_ball_range(recorded, kHip);
    out.hip_valid_fraction = fraction_of(before);
    out.hip_valid_fraction_blended = fraction_of(before_blended);
    out.rom_error_parting = cells_that_differ(before, before_blended);
    for (const double elongation : {0.7, 1.0, 1.3}) {
        for (const double torsion : {-30.0, 0.0, 30.0}) {
            if (elongation == 1.0 && torsion == 0.0) {
                continue;
            }
            BodyProportions to;
            to.femur = {.elongation = elongation, .torsion = torsion};
            RetargetBench::Hip hip{.elongation = elongation, .torsion_deg = torsion};
            const RetargetedMusculature done = retarget_musculature(reference, to, {}, progress);
            hip.naive = cells_that_differ(before, map_ball_range(done.naive, kHip));
            hip.retargeted = cells_that_differ(before, map_ball_range(done.model, kHip));
            // The paper's own representation, which no file holds.
            const MusculoskeletalModel blended =
                retarget_musculature(recorded, to, {}, progress).model;
            hip.blended = cells_that_differ(before_blended, map_ball_range(blended, kHip));
            out.rom_error_naive = std::max(out.rom_error_naive, hip.naive);
            out.rom_error = std::max(out.rom_error, hip.retargeted);
            out.rom_error_blended = std::max(out.rom_error_blended, hip.blended);
            out.hips.push_back(hip);
        }
    }
}

// The rows of [Ryu2021, Fig. 15]; a star is the second unit of a muscle that has several, the other
// rows take all their units.
struct DisorderRow {
    const char* name;
    std::vector<const char*> units;
};

const std::vector<DisorderRow>& disorder_rows() {
    static const std::vector<DisorderRow> kRows = {
        {"Tibialis Anterior", {"L_Tibialis_Anterior"}},
        {"Tibialis Posterior", {"L_Tibialis_Posterior"}},
        {"Pectineus", {"L_Pectineus"}},
        {"Semimembranosus", {"L_Semimembranosus", "L_Semimembranosus1"}},
        {"Deltoid", {"L_Deltoid", "L_Deltoid1", "L_Deltoid2"}},
        {"Rectus Femoris", {"L_Rectus_Femoris"}},
        {"Rectus Femoris*", {"L_Rectus_Femoris1"}},
        {"Vastus Intermedius", {"L_Vastus_Intermedius"}},
        {"Vastus Intermedius*", {"L_Vastus_Intermedius1"}},
        {"Vastus Lateralis", {"L_Vastus_Lateralis"}},
        {"Vastus Lateralis*", {"L_Vastus_Lateralis1"}},
        {"Vastus Medialis", {"L_Vastus_Medialis"}},
        {"Vastus Medialis*", {"L_Vastus_Medialis1", "L_Vastus_Medialis2"}},
        {"Pectoralis Major", {"L_Pectoralis_Major", "L_Pectoralis_Major2"}},
        {"Triceps Medial Head", {"L_Triceps_Medial_Head"}},
        {"Latissimus Dorsi", {"L_Latissimus_Dorsi", "L_Latissimus_Dorsi3", "L_Latissimus_Dorsi5"}}};
    return kRows;
}

// The paper's own edit of the hip [Ryu2021, Fig. 13].
double edit_error(const MusculoskeletalModel& model) {
    const auto hip = std::find_if(model.joints.begin(), model.joints.end(),
                                  [](const ModelJoint& joint) { return joint.name == kHip; });
    // Turns about the first axis, the body's left, go backward for a shaft that hangs down.
    return edit_range(model, static_cast<std::size_t>(hip - model.joints.begin()),
                      {.tilt = 30.0, .direction = 180.0, .width = 0.63})
        .error;
}

void run_disorders(const MusculoskeletalModel& reference, RetargetBench& out,
                   const Progress& progress) {
    for (const double length : {0.6, 0.8, 1.5, 2.0, 2.5}) {
        BodyProportions to;
        to.femur.elongation = to.tibia.elongation = length;
        to.humerus.elongation = to.ulna.elongation = length;
        const RetargetedMusculature done = retarget_musculature(reference, to, {}, progress);
        const MusculatureComparison naive = compare_musculatures(reference, done.naive);
        const MusculatureComparison kept = compare_musculatures(reference, done.model);
        for (const DisorderRow& row : disorder_rows()) {
            RetargetBench::Disorder d{.muscle = row.name, .limb_length = length};
            for (std::size_t m = 0; m < reference.muscles.size(); ++m) {
                if (std::find(row.units.begin(), row.units.end(), reference.muscles[m].name) !=
                    row.units.end()) {
                    d.naive = std::max(d.naive, naive.disorder_of(m));
                    d.retargeted = std::max(d.retargeted, kept.disorder_of(m));
                }
            }
            out.disorders.push_back(std::move(d));
        }
    }
}

}  // namespace

RetargetBench run_retarget_bench(const std::filesystem::path& data, bool is_short,
                                 const Progress& progress) {
    MusculoskeletalModel recorded =
        read_mass(data / "mass" / "human.xml", data / "mass" / "muscle284.xml");
    const std::vector<std::vector<double>> poses = recorded_poses(recorded, data);
    allow_poses(recorded, poses);
    load_shapes(recorded, std::vector<std::filesystem::path>{data / "mass"});
    // As files hold it, its lengths from the same poses.
    MusculoskeletalModel reference = with_single_bone_points(recorded, {}, progress);
    allow_poses(reference, poses);
    RetargetBench out;
    out.muscles = static_cast<int>(reference.muscles.size());
    out.poses = static_cast<int>(poses.size());
    const BonePenetration own =
        measure_penetration(reference, BoneDepths(reference), joint_motions(reference));
    out.bone_depth_reference = own.depth;
    out.bone_inside_reference = own.inside;
    out.doctor_errors_reference = count_errors(reference);
    run_characters(reference, is_short, out, progress);
    measure_differences(reference, proportions_of_character("alien", reference), out);
    out.exams.push_back(run_exam_bench(reference, "MASS", progress));
    out.exams.push_back(run_exam_bench(
        read_model(data / "opensim" / "gait2392_thelen2003muscle.osim"), "gait2392", progress));
    out.skills = run_skills(reference, progress);
    out.xray = run_xray_bench(reference);
    out.validity = run_validity_bench(reference, kHip);
    if (!is_short) {
        out.others = run_other_bodies(data, progress);
        run_hips(reference, recorded, out, progress);
        out.rom_edit_error = edit_error(reference);
        out.rom_edit_error_blended = edit_error(recorded);
        run_disorders(reference, out, progress);
    }
    return out;
}

}  // namespace sinew::bench
