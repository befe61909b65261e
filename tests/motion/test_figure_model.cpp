// The built-in figure as a musculoskeletal model: moment arms against published ones, and steps in
// MuJoCo.

#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/build/figure.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/muscle_paths.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <map>

#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

// Bones, muscles and joints of the figure without tetrahedra. Each segment weighs what its bones do
// when all flesh is counted to them: 12 g per ml of bone makes an adult.
Body figure_body(FigureOptions options) {
    options.part_cell = 0.006;
    options.thin_part_cell = 0.0025;
    options.skin_cell = 0.02;
    const Template figure = build_figure(read_figure(data_folder() / "figure"), options);
    Body body;
    body.name = "figure";
    body.skeleton = figure.skeleton;
    body.bones = figure.bones;
    body.muscles = figure.muscles;
    for (Segment& segment : body.skeleton.segments) {
        segment.mass = 0.0;
    }
    for (const Bone& bone : body.bones) {
        Segment& segment = body.skeleton.segments[static_cast<std::size_t>(bone.segment)];
        const Vec3 low = bone.mesh.points.colwise().minCoeff();
        const Vec3 size = Vec3(bone.mesh.points.colwise().maxCoeff()) - low;
        const double mass = 12e3 * enclosed_volume(bone.mesh);
        const Vec3 q = size.cwiseProduct(size) / 12.0;
        const Vec3 com = low + 0.5 * size;
        segment.com = (segment.mass * segment.com + mass * com) / (segment.mass + mass);
        segment.mass += mass;
        segment.inertia.diagonal() += mass * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y());
    }
    return body;
}

struct Sweep {
    std::vector<double> angle = {};  // degrees from the stored pose
    std::vector<double> arm = {};    // cm
};

// A model and the moment arms of all its muscles over a coordinate's range, kept per coordinate.
class Subject {
public:
    explicit Subject(const FigureOptions& options) : Subject(figure_body(options)) {}
    explicit Subject(const Body& body)
        : model(model_from_body(body)),
          bones(bone_surfaces(body)),
          tree_(model),
          paths_(model, tree_) {}

    Sweep sweep(const std::string& muscle, const std::string& coordinate) {
        const Index c = find_coordinate(model, coordinate);
        const auto m = static_cast<std::size_t>(
            std::find_if(model.muscles.begin(), model.muscles.end(),
                         [&](const MuscleUnit& u) { return u.name == muscle; }) -
            model.muscles.begin());
        if (c < 0 || m >= model.muscles.size()) {
            ADD_FAILURE() << muscle << " about " << coordinate;
            return {};
        }
        std::vector<Sweep>& all = sweeps_[c];
        if (all.empty()) {
            all = sweep_all(static_cast<std::size_t>(c));
        }
        return all[m];
    }

    MusculoskeletalModel model;
    std::vector<TriangleMesh> bones;

private:
    std::vector<Sweep> sweep_all(std::size_t c) const {
        std::vector<Sweep> out(model.muscles.size());
        std::vector<double> q = rest_coordinates(model);
        std::vector<double> dense(q.size());
        const Coordinate& range = model.coordinates[c];
        for (int k = 0; k <= 48; ++k) {
            q[c] = range.low + (range.high - range.low) * k / 48.0;
            const ModelPlacement place = tree_.place(q);
            const PathState state = paths_.evaluate(place);
            for (std::size_t m = 0; m < out.size(); ++m) {
                paths_.scatter(state, m, dense);
                // Sources measured the humerus against a scapula held fast.
                if (!range.name.starts_with("shoulder")) {
                    tree_.fold_couplers(place, dense);
                }
                out[m].angle.push_back(q[c] / kDegree);
                out[m].arm.push_back(-100.0 * dense[c]);
            }
        }
        return out;
    }

    KinematicTree tree_;
    MusclePaths paths_;
    std::map<Index, std::vector<Sweep>> sweeps_;
};

struct FigureModel : testing::Test {
    static void SetUpTestSuite() {
        man = std::make_unique<Subject>(FigureOptions{});
    }
    static void TearDownTestSuite() {
        man.reset();
    }
    static std::unique_ptr<Subject> man;
};
std::unique_ptr<Subject> FigureModel::man;

struct Published {
    std::string muscle;
    std::string coordinate;
    int sign;
    double least_peak;  // cm, bounds of the greatest moment arm
    double most_peak;
    double low = -1e9;   // degrees from the stored pose; the sign holds from here
    double high = 1e9;   // to here
    double least = 0.0;  // cm; of the moment arm up to 100 degrees
};

// Ranges, some tenths of a centimetre about what the sources give where these were read:
// - biceps 2 to 4.7 cm [Pigeon1996, polynomial], triceps 1.7 to 2.4 cm [Sugisaki2010];
// - quadriceps 3.2 to 4.7 cm between 50 and 10 degrees [Im2015];
// - semitendinosus 4 to 5.5, semimembranosus 2 to 4, biceps femoris 2, gastrocnemius 1.2 to 2,
//   rectus femoris 2 to 4 cm at the knee [Spoor1992]; biceps femoris constant over flexion
//   [Visser1990];
// - Achilles tendon 3.5 to 3.8 cm [Manal2013], 4.3 to 5.6 cm [Maganaris2000];
// - hip in the anatomical position: gluteus maximus 4.6, semitendinosus 5.6, semimembranosus 4.6,
//   biceps femoris 5.4 cm of extension, iliopsoas 1.8, rectus femoris 4.3 cm of flexion
//   [Dostal1986];
// - sartorius and gracilis flex the knee by 1 to 4 cm [Buford1997, remembered];
// - foot: invertors tibialis posterior 1, flexor hallucis longus 0.62; evertors fibularis brevis
//   0.85 of it, about 2 cm [Hintermann1994]; ankle: tibialis posterior and fibulares 0.5 to 1.5,
//   flexors of toes 0.8 to 2.5, tibialis anterior 3 to 5 cm [Klein1996, remembered];
// - elbow: brachialis 1 to 3.5, brachioradialis to 8, extensor carpi radialis longus 1 to 5 cm
//   [Murray1995, remembered];
// - shoulder: parts of the deltoid, latissimus, pectoralis, teres major 1 to 7 cm [Ackland2008,
//   remembered]. The arm rests 30 degrees abducted and the scapula follows by half of what the
//   humerus rotates in the glenoid: 80 degrees there are 150 of the arm.
std::vector<Published> published() {
    return {{"biceps_brachii_long_head", "elbow_flexion", 1, 3.0, 5.0},
            {"biceps_brachii_short_head", "elbow_flexion", 1, 3.0, 5.0},
            {"triceps_brachii_long_head", "elbow_flexion", -1, 1.5, 3.2},
            {"triceps_brachii_lateral_head", "elbow_flexion", -1, 1.5, 3.2},
            {"triceps_brachii_medial_head", "elbow_flexion", -1, 1.5, 3.2},
            {"rectus_femoris", "knee_flexion", -1, 2.8, 5.0, -1e9, 1e9, 2.5},
            {"vastus_lateralis", "knee_flexion", -1, 2.8, 5.0, -1e9, 1e9, 2.5},
            {"vastus_medialis", "knee_flexion", -1, 2.8, 5.0, -1e9, 1e9, 2.5},
            {"vastus_intermedius", "knee_flexion", -1, 2.8, 5.0, -1e9, 1e9, 2.5},
            {"biceps_femoris_long_head", "knee_flexion", 1, 1.8, 3.8, -1e9, 1e9, 1.7},
            {"biceps_femoris_short_head", "knee_flexion", 1, 1.8, 3.8, -1e9, 1e9, 1.7},
            {"semitendinosus", "knee_flexion", 1, 3.7, 5.8, -1e9, 1e9, 2.5},
            {"semimembranosus", "knee_flexion", 1, 1.8, 4.3, -1e9, 1e9, 1.7},
            {"gastrocnemius_medial_head", "knee_flexion", 1, 1.2, 2.5, -1e9, 1e9, 0.5},
            {"gastrocnemius_lateral_head", "knee_flexion", 1, 1.2, 2.5, -1e9, 1e9, 0.5},
            {"gastrocnemius_medial_head", "ankle_dorsiflexion", -1, 3.3, 6.0},
            {"gastrocnemius_lateral_head", "ankle_dorsiflexion", -1, 3.3, 6.0},
            {"psoas_major", "hip_flexion", 1, 1.2, 5.0},
            {"iliacus", "hip_flexion", 1, 1.2, 5.6},
            {"rectus_femoris", "hip_flexion", 1, 3.0, 6.0},
            {"gluteus_maximus", "hip_flexion", -1, 3.0, 8.0},
            {"biceps_femoris_long_head", "hip_flexion", -1, 4.0, 9.0},
            {"semitendinosus", "hip_flexion", -1, 4.0, 9.0},
            {"semimembranosus", "hip_flexion", -1, 4.0, 9.0},
            {"sartorius", "hip_flexion", 1, 3.0, 10.0, -20.0, 110.0},
            {"sartorius", "knee_flexion", 1, 1.0, 4.0},
            {"gracilis", "knee_flexion", 1, 2.0, 5.0, -1e9, 1e9, 0.7},
            {"gracilis", "hip_abduction", -1, 4.0, 9.5},
            {"adductor_longus", "hip_abduction", -1, 4.0, 9.0},
            {"gluteus_medius", "hip_abduction", 1, 3.0, 7.0},
            {"gluteus_minimus", "hip_abduction", 1, 3.0, 7.0},
            {"soleus", "ankle_dorsiflexion", -1, 3.3, 6.0},
            {"tibialis_anterior", "ankle_dorsiflexion", 1, 2.5, 5.5},
            {"tibialis_posterior", "ankle_dorsiflexion", -1, 0.5, 2.5},
            {"fibularis_longus", "ankle_dorsiflexion", -1, 0.5, 2.5},
            {"fibularis_brevis", "ankle_dorsiflexion", -1, 0.5, 2.5},
            {"flexor_hallucis_longus", "ankle_dorsiflexion", -1, 0.8, 3.5},
            {"flexor_digitorum_longus", "ankle_dorsiflexion", -1, 1.0, 3.5},
            {"extensor_digitorum_longus", "ankle_dorsiflexion", 1, 2.5, 6.8},
            {"fibularis_brevis", "subtalar_inversion", -1, 1.0, 3.0},
            {"tibialis_posterior", "talonavicular_inversion", 1, 0.8, 3.0},
            {"tibialis_anterior", "talonavicular_inversion", 1, 0.5, 3.0},
            {"flexor_hallucis_longus", "talonavicular_inversion", 1, 0.5, 3.0},
            {"brachialis", "elbow_flexion", 1, 1.5, 4.0},
            {"brachioradialis", "elbow_flexion", 1, 2.5, 9.0},
            {"extensor_carpi_radialis_longus", "elbow_flexion", 1, 1.0, 5.5},
            {"pronator_teres", "elbow_flexion", 1, 0.8, 3.0},
            {"deltoid_acromial_part", "shoulder_abduction", 1, 2.0, 5.0, -30.0, 80.0},
            {"supraspinatus", "shoulder_abduction", 1, 1.5, 4.0, -30.0, 80.0},
            {"deltoid_clavicular_part", "shoulder_flexion", 1, 1.5, 5.0, -20.0, 100.0},
            {"deltoid_spinal_part", "shoulder_flexion", -1, 1.5, 6.0, -20.0, 100.0},
            {"latissimus_dorsi", "shoulder_abduction", -1, 2.0, 8.0, -30.0, 80.0},
            {"teres_major", "shoulder_abduction", -1, 1.5, 6.0, -30.0, 100.0},
            {"pectoralis_major_sternocostal_part", "shoulder_abduction", -1, 1.5, 6.0, -30.0, 40.0},
            {"triceps_brachii_long_head", "shoulder_flexion", -1, 1.5, 5.0, -10.0, 100.0},
            {"biceps_brachii_long_head", "shoulder_flexion", 1, 0.5, 4.0, -20.0, 110.0}};
}

// Of a body whose lengths are `scale` times those of the sources'.
void expect_published(Subject& subject, double scale) {
    for (const std::string side : {"_l", "_r"}) {
        for (const Published& p : published()) {
            const auto cut = p.coordinate.find('_');
            const std::string coordinate =
                p.coordinate.substr(0, cut) + side + p.coordinate.substr(cut);
            const Sweep s = subject.sweep(p.muscle + side, coordinate);
            double peak = 0.0;
            double least = 1e9;  // of what has the right sign
            double worst = 0.0;
            for (std::size_t k = 0; k < s.arm.size(); ++k) {
                if (s.angle[k] < p.low || s.angle[k] > p.high) {
                    continue;
                }
                peak = std::max(peak, std::abs(s.arm[k]));
                if (s.angle[k] < 100.0) {
                    EXPECT_GT(p.sign * s.arm[k], p.least * scale)
                        << p.muscle << side << " at " << s.angle[k] << " of " << coordinate;
                }
                if (p.sign * s.arm[k] < least) {
                    least = p.sign * s.arm[k];
                    worst = s.angle[k];
                }
            }
            EXPECT_GT(least, 0.0) << p.muscle << side << " at " << worst << " of " << coordinate;
            EXPECT_GE(peak, p.least_peak * scale) << p.muscle << side << " about " << coordinate;
            EXPECT_LE(peak, p.most_peak * scale) << p.muscle << side << " about " << coordinate;
        }
    }
}

// [Ward2009, table 3], in people of 168 cm.
void expect_measured_fibres(const Subject& subject, double scale) {
    for (const auto& [name, centimetres] :
         {std::pair{"soleus_l", 4.4}, std::pair{"vastus_medialis_l", 9.68},
          std::pair{"sartorius_r", 40.3}, std::pair{"rectus_femoris_l", 7.59},
          std::pair{"semimembranosus_r", 6.9}, std::pair{"tibialis_anterior_l", 6.83}}) {
        for (const MuscleUnit& unit : subject.model.muscles) {
            if (unit.name != name) {
                continue;
            }
            // Two-joint muscles whose paths go further than measured fibres could are longer.
            const bool is_longer = unit.name.starts_with("semi") || unit.name.starts_with("rectus");
            EXPECT_GE(100.0 * unit.fibre, 0.94 * centimetres * scale) << name;
            EXPECT_LE(100.0 * unit.fibre, (is_longer ? 1.9 : 1.06) * centimetres * scale) << name;
        }
    }
}

TEST_F(FigureModel, MomentArmsKeepTheirSignAndAreAsLargeAsPublishedOnBothSides) {
    expect_published(*man, 1.0);
}

TEST_F(FigureModel, SoAreThoseOfTheWoman) {
    Subject woman(FigureOptions{.sex = FigureSex::Female});
    expect_published(woman, 0.9);
}

TEST_F(FigureModel, SoAreThoseOfATallManWithLongLimbs) {
    Subject tall(FigureOptions{.stature = 1.8, .arm_length = 1.1, .leg_length = 1.1});
    expect_published(tall, 1.8 / 1.658);
    expect_measured_fibres(tall, 1.1 * 1.62 / 1.684);
}

// d(a) in cm of the flexion angle a [Pigeon1996]; the figure's elbow rests 13 degrees bent.
TEST_F(FigureModel, BicepsAndTricepsFollowThePolynomialsOfPigeon1996) {
    const auto polynomial = [](const std::array<double, 6>& c, double a) {
        return c[0] + a * (c[1] + a * (c[2] + a * (c[3] + a * (c[4] + a * c[5]))));
    };
    const std::array<double, 6> biceps = {1.963, -1.44, 3.031, 0.887, -1.418, 0.285};
    const std::array<double, 6> triceps = {-2.365, -1.015, 1.92, -1.035, 0.257, -0.0262};
    for (const auto& [name, c, near] :
         {std::tuple{"biceps_brachii_long_head_l", biceps, 1.5},
          std::tuple{"biceps_brachii_short_head_l", biceps, 2.0},
          std::tuple{"triceps_brachii_long_head_l", triceps, 0.9},
          std::tuple{"triceps_brachii_lateral_head_l", triceps, 0.9}}) {
        const Sweep s = man->sweep(name, "elbow_l_flexion");
        for (std::size_t k = 0; k < s.arm.size(); ++k) {
            const double anatomical = s.angle[k] + 13.0;
            if (anatomical < 0.0 || anatomical > 130.0) {
                continue;
            }
            EXPECT_NEAR(s.arm[k], polynomial(c, anatomical * kDegree), near)
                << name << " at " << anatomical;
        }
    }
}

TEST_F(FigureModel, MomentArmsOfTheNamedMusclesDoNotJump) {
    for (const Published& p : published()) {
        const auto cut = p.coordinate.find('_');
        const Sweep s = man->sweep(p.muscle + "_l",
                                   p.coordinate.substr(0, cut) + "_l" + p.coordinate.substr(cut));
        for (std::size_t k = 1; k < s.arm.size(); ++k) {
            if (s.angle[k - 1] < p.low || s.angle[k] > p.high) {
                continue;
            }
            EXPECT_LT(std::abs(s.arm[k] - s.arm[k - 1]), 1.0)
                << p.muscle << " at " << s.angle[k] << " of " << p.coordinate;
        }
    }
}

// All 322 muscles at once along random directions of all coordinates: dl = J dq. Between the two
// poses of a difference a path may meet or leave a cylinder, whose curvature then costs up to h
// times 1/radius of it; such differences are rare.
TEST_F(FigureModel, JacobiansAreThoseOfDifferencesInRandomPoses) {
    const KinematicTree tree(man->model);
    const MusclePaths paths(man->model, tree);
    Random random(Seed{17});
    const std::size_t n = man->model.coordinates.size();
    std::vector<double> dense(n);
    int compared = 0;
    int off = 0;
    for (int pose = 0; pose < 12; ++pose) {
        std::vector<double> q(n);
        std::vector<double> direction(n);
        for (std::size_t c = 0; c < n; ++c) {
            const Coordinate& k = man->model.coordinates[c];
            q[c] = random.uniform(std::max(k.low, -3.0), std::min(k.high, 3.0));
            direction[c] = random.uniform(-1.0, 1.0);
        }
        const double h = 1e-5;
        const auto lengths = [&](double t) {
            std::vector<double> moved = q;
            for (std::size_t c = 0; c < n; ++c) {
                moved[c] += t * direction[c];
            }
            return paths.evaluate(tree.place(moved)).length;
        };
        const std::vector<double> before = lengths(-h);
        const std::vector<double> after = lengths(h);
        const ModelPlacement place = tree.place(q);
        const PathState state = paths.evaluate(place);
        for (std::size_t m = 0; m < state.length.size(); ++m) {
            paths.scatter(state, m, dense);
            tree.fold_couplers(place, dense);
            double slope = 0.0;
            for (std::size_t c = 0; c < n; ++c) {
                slope += dense[c] * direction[c];
            }
            ASSERT_TRUE(std::isfinite(state.length[m]) && std::isfinite(slope))
                << man->model.muscles[m].name;
            EXPECT_LT(state.length[m], 1.5) << man->model.muscles[m].name;
            const double error = std::abs((after[m] - before[m]) / (2.0 * h) - slope);
            ++compared;
            off += error > 1e-6 ? 1 : 0;
            EXPECT_LT(error, 1e-3) << man->model.muscles[m].name << " in pose " << pose;
        }
    }
    EXPECT_LT(off, compared / 200);
}

TEST_F(FigureModel, FibresAreAsLongAsMeasuredOnes) {
    expect_measured_fibres(*man, 1.57 / 1.684);  // legs of someone of 157 cm
}

// Sum of all muscles' moments about a coordinate, N m; those of one sign only where it is not 0.
double moment(const MusculoskeletalModel& model, const std::map<std::string, double>& degrees,
              const std::string& about, double activation, int sign) {
    std::vector<double> q = rest_coordinates(model);
    for (const auto& [name, angle] : degrees) {
        q[static_cast<std::size_t>(find_coordinate(model, name))] = angle * kDegree;
    }
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const ModelPlacement place = tree.place(q);
    const PathState state = paths.evaluate(place);
    std::vector<double> dense(q.size());
    double sum = 0.0;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        paths.scatter(state, m, dense);
        tree.fold_couplers(place, dense);
        const double x = -dense[static_cast<std::size_t>(find_coordinate(model, about))] *
                         equilibrium_force(model.muscles[m], state.length[m], activation).total;
        sum += sign == 0 || x * sign > 0.0 ? x : 0.0;
    }
    return sum;
}

// Muscles at rest let a person sit, squat and eat. The model of [Rajagopal2016] has 65 and 62 N m
// at the hip when it sits and squats, and 219 N m when a straight leg is raised by 90 degrees.
TEST_F(FigureModel, OrdinaryPosesNeedLittlePassiveMoment) {
    const MusculoskeletalModel& m = man->model;
    const std::map<std::string, double> sitting = {{"hip_r_flexion", 90.0},
                                                   {"knee_r_flexion", 90.0}};
    const std::map<std::string, double> squatting = {{"hip_r_flexion", 120.0},
                                                     {"knee_r_flexion", 130.0}};
    EXPECT_LT(std::abs(moment(m, sitting, "hip_r_flexion", 0.0, 0)), 80.0);
    EXPECT_LT(std::abs(moment(m, sitting, "knee_r_flexion", 0.0, 0)), 30.0);
    EXPECT_LT(std::abs(moment(m, squatting, "hip_r_flexion", 0.0, 0)), 120.0);
    EXPECT_LT(std::abs(moment(m, squatting, "knee_r_flexion", 0.0, 0)), 60.0);
    EXPECT_LT(std::abs(moment(m, {{"hip_r_flexion", 90.0}}, "hip_r_flexion", 0.0, 0)), 220.0);
    EXPECT_LT(std::abs(moment(m, {{"knee_r_flexion", 120.0}}, "knee_r_flexion", 0.0, 0)), 128.0);
    EXPECT_LT(std::abs(moment(m, {{"elbow_r_flexion", 130.0}, {"shoulder_r_flexion", 40.0}},
                              "elbow_r_flexion", 0.0, 0)),
              15.0);
}

// All muscles of one direction at once, which nobody can do quite: up to half more than the
// isometric moments of young men, and not less than three quarters. Plantarflexion 105 to 195,
// dorsiflexion 30 to 50, knee extension 150 to 250, flexion 70 to 120, hip extension 200 to 350,
// flexion 100 to 180, abduction 90 to 150 N m [Anderson2007, as remembered]; elbow flexion 50 to
// 80, extension 40 to 60 [Holzbaur2005, as remembered].
TEST_F(FigureModel, StrengthsAreThoseOfYoungMen) {
    const MusculoskeletalModel& m = man->model;
    struct Strength {
        std::map<std::string, double> pose;
        const char* about;
        int sign;
        double low;
        double high;
    };
    const Strength known[] = {
        {{}, "ankle_r_dorsiflexion", -1, 105, 195},
        {{}, "ankle_r_dorsiflexion", 1, 30, 50},
        {{{"knee_r_flexion", 60.0}, {"hip_r_flexion", 60.0}}, "knee_r_flexion", -1, 150, 250},
        {{{"knee_r_flexion", 30.0}}, "knee_r_flexion", 1, 70, 120},
        {{}, "hip_r_flexion", -1, 200, 350},
        {{}, "hip_r_flexion", 1, 100, 180},
        {{}, "hip_r_abduction", 1, 90, 150},
        {{{"elbow_r_flexion", 75.0}}, "elbow_r_flexion", 1, 50, 80},
        {{{"elbow_r_flexion", 75.0}}, "elbow_r_flexion", -1, 40, 60}};
    for (const Strength& k : known) {
        const double found = std::abs(moment(m, k.pose, k.about, 1.0, k.sign));
        EXPECT_GE(found, 0.75 * k.low) << k.about << " " << k.sign;
        EXPECT_LE(found, 1.5 * k.high) << k.about << " " << k.sign;
    }
    // Gluteus maximus, whose line through the middle of its volume abducted, has no part in it.
    EXPECT_LE(std::abs(moment(m, {}, "hip_r_abduction", 1.0, 1)), 150.0);
}

// As one line it extends by 4.6, adducts by 0.7 and rotates outwards by 2.1 cm [Dostal1986, the
// latter two as remembered]; here outwards by 0.2 cm only, in built bodies by 1.5.
TEST_F(FigureModel, GluteusMaximusDoesNotAbduct) {
    const MusculoskeletalModel& m = man->model;
    const KinematicTree tree(m);
    const MusclePaths paths(m, tree);
    const PathState state = paths.evaluate(tree.place(rest_coordinates(m)));
    std::vector<double> slope(m.coordinates.size());
    for (const std::string side : {"_l", "_r"}) {
        const auto it = std::find_if(m.muscles.begin(), m.muscles.end(), [&](const MuscleUnit& u) {
            return u.name == "gluteus_maximus" + side;
        });
        ASSERT_NE(it, m.muscles.end());
        paths.scatter(state, static_cast<std::size_t>(it - m.muscles.begin()), slope);
        const auto arm = [&](const std::string& motion) {
            return -slope[at(find_coordinate(m, "hip" + side + motion))];
        };
        EXPECT_NEAR(arm("_flexion"), -0.046, 0.008) << side;
        EXPECT_NEAR(arm("_abduction"), -0.007, 0.008) << side;
        EXPECT_LT(arm("_internal_rotation"), 0.0) << side;
    }
}

TEST_F(FigureModel, ForcesFollowMeasuredSharesAndVolumesAlone) {
    const auto force = [](const MusculoskeletalModel& model, const std::string& name) {
        const auto it = std::find_if(model.muscles.begin(), model.muscles.end(),
                                     [&](const MuscleUnit& u) { return u.name == name; });
        return it == model.muscles.end() ? 0.0 : it->fmax;
    };
    // 21.1 of 51.8 cm^2 [Ward2009].
    EXPECT_NEAR(force(man->model, "gastrocnemius_medial_head_r") / force(man->model, "soleus_r"),
                0.41, 0.08);
    Body body = figure_body({});
    const MusculoskeletalModel before = model_from_body(body);
    for (Muscle& muscle : body.muscles) {
        muscle.volume *= muscle.name.starts_with("biceps_brachii") ? 1.4 * 1.4 : 1.0;
    }
    const MusculoskeletalModel after = model_from_body(body);
    for (std::size_t m = 0; m < before.muscles.size(); ++m) {
        const bool grew = before.muscles[m].name.starts_with("biceps_brachii");
        EXPECT_NEAR(after.muscles[m].fmax / before.muscles[m].fmax, grew ? 1.96 : 1.0, 1e-9)
            << before.muscles[m].name;
    }
}

// Nothing that cannot be; and of what is worth a look, little: muscles that turn over (adductors at
// the hip, muscles of a scapula and a hyoid that stand still here), ranges that a stretched muscle
// ends while other joints are at rest (hamstrings at the hip).
TEST_F(FigureModel, TheDoctorFindsNothingWrong) {
    int notes = 0;
    for (const ModelFinding& f : examine_model(man->model, man->bones)) {
        EXPECT_FALSE(f.is_error) << f.what << ", " << f.where << ", " << f.value;
        notes += f.is_error ? 0 : 1;
    }
    EXPECT_LT(notes, 80);
    RecordProperty("notes", notes);
    // None is lost for a volume that ends far from its bone.
    for (const char* name : {"adductor_magnus_l", "flexor_pollicis_longus_r", "pyramidalis_l"}) {
        EXPECT_TRUE(std::any_of(man->model.muscles.begin(), man->model.muscles.end(),
                                [&](const MuscleUnit& u) { return u.name == name; }))
            << name;
    }
}

TEST_F(FigureModel, TheDoctorFindsTheOneMuscleThatDoesNotEndOnABone) {
    // Moved 6 cm off its bone, still inside the pelvis's box.
    MusculoskeletalModel moved = man->model;
    std::vector<std::string> kept = {"iliacus_l", "biceps_femoris_long_head_l", "soleus_r",
                                     "tibialis_posterior_l", "deltoid_acromial_part_l"};
    std::erase_if(moved.muscles, [&](const MuscleUnit& u) {
        return std::find(kept.begin(), kept.end(), u.name) == kept.end();
    });
    const auto unit = std::find_if(moved.muscles.begin(), moved.muscles.end(),
                                   [](const MuscleUnit& u) { return u.name == "iliacus_l"; });
    ASSERT_NE(unit, moved.muscles.end());
    unit->points.front().anchors[0].position += Vec3(-0.05, 0.0, 0.04);
    std::vector<std::string> found;
    for (const ModelFinding& f : examine_model(moved, man->bones)) {
        if (f.what.find("off the bones") != std::string::npos) {
            found.push_back(f.where);
        }
        EXPECT_EQ(f.what.find("outside the shape"), std::string::npos) << f.where;
    }
    EXPECT_EQ(found, std::vector<std::string>{"muscle 'iliacus_l'"});
}

// Falls together with muscles at rest, and with muscles that pull at random.
TEST_F(FigureModel, StepsInMuJoCoWithoutWarnings) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "figure.xml";
    write_mjcf(file, man->model);
    std::array<char, 1000> error{};
    mjModel* world = mj_loadXML(file.c_str(), nullptr, error.data(), 1000);
    ASSERT_NE(world, nullptr) << error.data();
    EXPECT_EQ(world->nu, static_cast<int>(man->model.muscles.size()));
    for (const bool pulls : {false, true}) {
        mjData* data = mj_makeData(world);
        Random random(Seed{4});
        const int steps = static_cast<int>((pulls ? 0.25 : 0.5) / world->opt.timestep);
        for (int i = 0; i < steps; ++i) {
            for (int k = 0; pulls && i % 50 == 0 && k < world->nu; ++k) {
                data->ctrl[k] = random.uniform(0.0, 1.0);
            }
            mj_step(world, data);
        }
        EXPECT_NEAR(data->time, steps * world->opt.timestep, 1e-9);
        for (int w = 0; w < mjNWARNING; ++w) {
            EXPECT_EQ(data->warning[w].number, 0) << mju_warningText(w, 0) << " pulls " << pulls;
        }
        for (int k = 0; k < world->nv; ++k) {
            ASSERT_LT(std::abs(data->qvel[k]), 200.0) << pulls;
        }
        // The scapula lies on the ribs: it follows the arm a little, but does not swing about.
        for (const char* name :
             {"acromioclavicular_l_upward_rotation", "acromioclavicular_r_internal_rotation",
              "sternoclavicular_l_elevation", "sternoclavicular_r_protraction"}) {
            const int j = mj_name2id(world, mjOBJ_JOINT, name);
            ASSERT_GE(j, 0) << name;
            EXPECT_LT(std::abs(data->qpos[world->jnt_qposadr[j]]), pulls ? 0.6 : 0.3) << name;
        }
        mj_deleteData(data);
    }
    mj_deleteModel(world);
}

}  // namespace
}  // namespace sinew
