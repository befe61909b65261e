#include "bench/retarget_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/io/mass_files.h"
#include "sinew/motion/musculature_retargeting.h"
#include "sinew/pipeline/retarget_job.h"
#include "sinew/solver/least_squares.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace sinew::bench {

namespace {

constexpr double kDegrees = kPi / 180.0;
constexpr int kReachedPoses = 4000;
constexpr double kElsewhere = 30.0 * kDegrees;  // of joints that the table below leaves out

// Half-axes of the poses that people reach, about a centre: degrees, of the MASS coordinates of the
// left side; those about y and z are mirrored on the right.
struct ReachedTurn {
    std::string_view coordinate;
    double low;
    double high;
};
constexpr std::array<ReachedTurn, 10> kReached = {{{"FemurL_rx", -120.0, 20.0},
                                                   {"FemurL_ry", -40.0, 40.0},
                                                   {"FemurL_rz", -25.0, 45.0},
                                                   {"TibiaL", 0.0, 130.0},
                                                   {"TalusL_rx", -20.0, 45.0},
                                                   {"ArmL_rx", -80.0, 80.0},
                                                   {"ArmL_ry", -110.0, 45.0},
                                                   {"ArmL_rz", -85.0, 80.0},
                                                   {"ForeArmL", -140.0, 0.0},
                                                   {"Torso_rx", -20.0, 40.0}}};

// The model with maximal lengths that just allow poses people reach, inside the ellipsoid of the
// ranges above [Ryu2021, 4.2, sampled in place of a recorded data set].
MusculoskeletalModel bounded_reference(MusculoskeletalModel model) {
    Random random(Seed{25});
    std::vector<std::vector<double>> poses = {rest_coordinates(model)};
    while (poses.size() < kReachedPoses) {
        std::vector<double> q = rest_coordinates(model);
        // Joints that the table leaves out move a little, or muscles would hold them at rest.
        for (std::size_t c = 6; c < q.size(); ++c) {
            const Coordinate& k = model.coordinates[c];
            const double low = std::max(k.low, k.rest - kElsewhere);
            const double high = std::min(k.high, k.rest + kElsewhere);
            q[c] = random.uniform(low, std::max(low, high));
        }
        for (const bool is_left : {true, false}) {
            std::array<double, kReached.size()> u = {};
            double squares = 0.0;
            for (double& x : u) {
                x = random.uniform(-1.0, 1.0);
            }
            for (const std::size_t k : {0, 1, 2}) {
                squares += u[k] * u[k];
            }
            // Hips inside their ellipsoid; the others have one turn each or stay in a box.
            const double shrink = squares > 1.0 ? 1.0 / std::sqrt(squares) : 1.0;
            for (std::size_t k = 0; k < kReached.size(); ++k) {
                std::string name(kReached[k].coordinate);
                const std::size_t side = name.find('L');
                const bool is_mirrored = name.ends_with("_ry") || name.ends_with("_rz");
                if (!is_left && side != std::string::npos) {
                    name[side] = 'R';
                }
                const Index c = find_coordinate(model, name);
                const double x = k < 3 ? shrink * u[k] : u[k];
                const double angle = 0.5 * (kReached[k].low + kReached[k].high) +
                                     0.5 * x * (kReached[k].high - kReached[k].low);
                if (c >= 0) {
                    q[at(c)] = kDegrees * (!is_left && is_mirrored ? -angle : angle);
                }
            }
        }
        poses.push_back(std::move(q));
    }
    allow_poses(model, poses);
    return model;
}

// Descent along a gradient by forward differences with a line search, as the paper has it, until
// the energy is at `goal`.
void descend_by_differences(const RoutingEnergy& energy, double goal) {
    constexpr int kMostSteps = 300;
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
    anchor_waypoints(model, false);
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

void run_characters(const MusculoskeletalModel& reference, RetargetBench& out,
                    const Progress& progress) {
    const MusculatureOptions options{.keeps_blends = false};
    out.correlation = {1.0, 1.0};
    for (const char* name : {"alien", "hulk", "dwarf"}) {
        const BodyProportions to = read_proportions(name);
        const RetargetedMusculature done = retarget_musculature(reference, to, options, progress);
        const MusculatureComparison naive = compare_musculatures(reference, done.naive, options);
        const MusculatureComparison kept = compare_musculatures(reference, done.model, options);
        RetargetBench::Character c{.name = name, .seconds = done.seconds};
        c.correlation_naive = {naive.correlation_at(0.5), naive.correlation_at(0.05)};
        c.correlation = {kept.correlation_at(0.5), kept.correlation_at(0.05)};
        c.range_naive = naive.worst_range_error();
        c.range = kept.worst_range_error();
        c.peak_naive_deg = naive.peak.value_or(0.0) / kDegrees;
        c.peak_deg = kept.peak.value_or(0.0) / kDegrees;
        for (const RoutedMuscle& route : done.routes) {
            c.farthest_waypoint = std::max(c.farthest_waypoint, route.farthest_move);
        }
        out.seconds_worst_character = std::max(out.seconds_worst_character, c.seconds);
        out.peak_torque_deg = std::max(out.peak_torque_deg, c.peak_deg);
        out.correlation = {std::min(out.correlation[0], c.correlation[0]),
                           std::min(out.correlation[1], c.correlation[1])};
        out.characters.push_back(std::move(c));
    }
}

double cells_that_differ(const BallRangeMap& a, const BallRangeMap& b) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < a.valid.size(); ++k) {
        count += a.valid[k] != b.valid[k] ? 1 : 0;
    }
    return static_cast<double>(count) / static_cast<double>(a.valid.size());
}

void run_hips(const MusculoskeletalModel& reference, RetargetBench& out, const Progress& progress) {
    const BallRangeMap before = map_ball_range(reference, "FemurL_joint");
    out.hip_valid_fraction =
        static_cast<double>(std::count(before.valid.begin(), before.valid.end(), 1)) /
        static_cast<double>(before.valid.size());
    for (const double elongation : {0.7, 1.0, 1.3}) {
        for (const double torsion : {-30.0, 0.0, 30.0}) {
            if (elongation == 1.0 && torsion == 0.0) {
                continue;
            }
            BodyProportions to;
            to.femur = {.elongation = elongation, .torsion = torsion};
            const RetargetedMusculature done =
                retarget_musculature(reference, to, {.keeps_blends = false}, progress);
            RetargetBench::Hip hip{.elongation = elongation, .torsion_deg = torsion};
            hip.naive = cells_that_differ(before, map_ball_range(done.naive, "FemurL_joint"));
            hip.retargeted = cells_that_differ(before, map_ball_range(done.model, "FemurL_joint"));
            out.rom_error_naive = std::max(out.rom_error_naive, hip.naive);
            out.rom_error = std::max(out.rom_error, hip.retargeted);
            out.hips.push_back(hip);
        }
    }
}

// The muscles of [Ryu2021, Fig. 15] by parts of their names.
void run_disorders(const MusculoskeletalModel& reference, RetargetBench& out,
                   const Progress& progress) {
    constexpr std::array<std::string_view, 12> kMuscles = {"L_Tibialis_Anterior",
                                                           "L_Tibialis_Posterior",
                                                           "L_Pectineus",
                                                           "L_Semimembranosus",
                                                           "L_Deltoid",
                                                           "L_Rectus_Femoris",
                                                           "L_Vastus_Intermedius",
                                                           "L_Vastus_Lateralis",
                                                           "L_Vastus_Medialis",
                                                           "L_Pectoralis_Major",
                                                           "L_Triceps_Medial_Head",
                                                           "L_Latissimus_Dorsi"};
    const MusculatureOptions options{.keeps_blends = false};
    for (const double length : {0.6, 0.8, 1.5, 2.0, 2.5}) {
        BodyProportions to;
        to.femur.elongation = to.tibia.elongation = length;
        to.humerus.elongation = to.ulna.elongation = length;
        const RetargetedMusculature done = retarget_musculature(reference, to, options, progress);
        const MusculatureComparison naive = compare_musculatures(reference, done.naive, options);
        const MusculatureComparison kept = compare_musculatures(reference, done.model, options);
        for (const std::string_view name : kMuscles) {
            RetargetBench::Disorder d{.muscle = std::string(name.substr(2)), .limb_length = length};
            for (std::size_t m = 0; m < reference.muscles.size(); ++m) {
                if (reference.muscles[m].name.starts_with(name)) {
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
    const MusculoskeletalModel reference =
        bounded_reference(read_mass(data / "mass" / "human.xml", data / "mass" / "muscle284.xml"));
    RetargetBench out;
    out.muscles = static_cast<int>(reference.muscles.size());
    run_characters(reference, out, progress);
    measure_differences(reference, read_proportions("alien"), out);
    if (!is_short) {
        run_hips(reference, out, progress);
        run_disorders(reference, out, progress);
    }
    return out;
}

}  // namespace sinew::bench
