// The built-in figure as a musculoskeletal model: moment arms against published ones, and steps in
// MuJoCo.

#include "sinew/base/random.h"
#include "sinew/build/figure.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/muscle_paths.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <numbers>

#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// Bones, muscles and joints of the figure without tetrahedra. Each segment weighs what its bones do
// when all flesh is counted to them: 12 g per ml of bone makes an adult.
Body figure_body() {
    const Template figure =
        build_figure(read_figure(data_folder() / "figure"),
                     {.part_cell = 0.006, .thin_part_cell = 0.0025, .skin_cell = 0.015});
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

struct FigureModel : testing::Test {
    static void SetUpTestSuite() {
        model = std::make_unique<MusculoskeletalModel>(model_from_body(figure_body()));
    }
    static void TearDownTestSuite() {
        model.reset();
    }
    static std::unique_ptr<MusculoskeletalModel> model;
};
std::unique_ptr<MusculoskeletalModel> FigureModel::model;

struct Sweep {
    std::vector<double> angle;  // degrees from the stored pose
    std::vector<double> arm;    // cm
};

Sweep sweep(const MusculoskeletalModel& model, const std::string& muscle,
            const std::string& coordinate) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const auto c = static_cast<std::size_t>(find_coordinate(model, coordinate));
    const auto m = static_cast<std::size_t>(
        std::find_if(model.muscles.begin(), model.muscles.end(),
                     [&](const MuscleUnit& u) { return u.name == muscle; }) -
        model.muscles.begin());
    Sweep out;
    if (c >= model.coordinates.size() || m >= model.muscles.size()) {
        ADD_FAILURE() << muscle << " about " << coordinate;
        return out;
    }
    std::vector<double> q = rest_coordinates(model);
    std::vector<double> dense(q.size());
    const Coordinate& range = model.coordinates[c];
    for (int k = 0; k <= 60; ++k) {
        q[c] = range.low + (range.high - range.low) * k / 60.0;
        const ModelPlacement place = tree.place(q);
        const PathState state = paths.evaluate(place);
        paths.scatter(state, m, dense);
        tree.fold_couplers(place, dense);
        out.angle.push_back(q[c] / kDegree);
        out.arm.push_back(-100.0 * dense[c]);
    }
    return out;
}

struct Published {
    std::string muscle;
    std::string coordinate;
    int sign;
    double least_peak;  // cm, bounds of the greatest moment arm
    double most_peak;
};

// Ranges, all generous about what the sources give:
// - biceps 2 to 4.7 cm [Pigeon1996, polynomial], triceps 1.7 to 2.4 cm [Sugisaki2010];
// - quadriceps 3.2 to 4.7 cm between 50 and 10 degrees [Im2015];
// - semitendinosus 4 to 5.5, semimembranosus 2 to 4, biceps femoris 2, gastrocnemius 1.2 to 2 cm at
//   the knee [Spoor1992]; biceps femoris constant over flexion [Visser1990];
// - Achilles tendon 3.5 to 3.8 cm [Manal2013], 4.3 to 5.6 cm [Maganaris2000];
// - hip in the anatomical position: gluteus maximus 4.6, semitendinosus 5.6, semimembranosus 4.6,
//   biceps femoris 5.4 cm of extension, iliopsoas 1.8, rectus femoris 4.3 cm of flexion
//   [Dostal1986].
std::vector<Published> published() {
    return {{"biceps_brachii_long_head", "elbow_flexion", 1, 2.5, 6.0},
            {"biceps_brachii_short_head", "elbow_flexion", 1, 2.5, 6.0},
            {"triceps_brachii_long_head", "elbow_flexion", -1, 1.5, 3.2},
            {"triceps_brachii_lateral_head", "elbow_flexion", -1, 1.5, 3.2},
            {"triceps_brachii_medial_head", "elbow_flexion", -1, 1.5, 3.2},
            {"rectus_femoris", "knee_flexion", -1, 2.5, 5.5},
            {"vastus_lateralis", "knee_flexion", -1, 2.5, 5.5},
            {"vastus_medialis", "knee_flexion", -1, 2.5, 5.5},
            {"vastus_intermedius", "knee_flexion", -1, 2.5, 5.5},
            {"biceps_femoris_long_head", "knee_flexion", 1, 1.5, 5.0},
            {"biceps_femoris_short_head", "knee_flexion", 1, 1.5, 5.0},
            {"semitendinosus", "knee_flexion", 1, 2.0, 6.0},
            {"semimembranosus", "knee_flexion", 1, 1.5, 6.0},
            {"gastrocnemius_medial_head", "knee_flexion", 1, 1.2, 4.0},
            {"gastrocnemius_lateral_head", "knee_flexion", 1, 1.2, 4.0},
            {"gastrocnemius_medial_head", "ankle_dorsiflexion", -1, 3.3, 6.0},
            {"gastrocnemius_lateral_head", "ankle_dorsiflexion", -1, 3.3, 6.0},
            {"psoas_major", "hip_flexion", 1, 1.2, 5.0},
            {"iliacus", "hip_flexion", 1, 1.2, 5.0},
            {"rectus_femoris", "hip_flexion", 1, 3.0, 6.0},
            {"gluteus_maximus", "hip_flexion", -1, 3.0, 8.0},
            {"biceps_femoris_long_head", "hip_flexion", -1, 4.0, 9.0},
            {"semitendinosus", "hip_flexion", -1, 4.0, 9.0},
            {"semimembranosus", "hip_flexion", -1, 4.0, 9.0}};
}

TEST_F(FigureModel, MomentArmsKeepTheirSignAndAreAsLargeAsPublishedOnBothSides) {
    for (const std::string side : {"_l", "_r"}) {
        for (const Published& p : published()) {
            const auto cut = p.coordinate.find('_');
            const std::string coordinate =
                p.coordinate.substr(0, cut) + side + p.coordinate.substr(cut);
            const Sweep s = sweep(*model, p.muscle + side, coordinate);
            double peak = 0.0;
            for (std::size_t k = 0; k < s.arm.size(); ++k) {
                EXPECT_GT(p.sign * s.arm[k], 0.0)
                    << p.muscle << side << " at " << s.angle[k] << " of " << coordinate;
                peak = std::max(peak, std::abs(s.arm[k]));
            }
            EXPECT_GE(peak, p.least_peak) << p.muscle << side << " about " << coordinate;
            EXPECT_LE(peak, p.most_peak) << p.muscle << side << " about " << coordinate;
        }
    }
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
        const Sweep s = sweep(*model, name, "elbow_l_flexion");
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
        const Sweep s = sweep(*model, p.muscle + "_l",
                              p.coordinate.substr(0, cut) + "_l" + p.coordinate.substr(cut));
        for (std::size_t k = 1; k < s.arm.size(); ++k) {
            EXPECT_LT(std::abs(s.arm[k] - s.arm[k - 1]), 1.0)
                << p.muscle << " at " << s.angle[k] << " of " << p.coordinate;
        }
    }
}

// Falls together with muscles at rest, and with muscles that pull at random.
TEST_F(FigureModel, StepsInMuJoCoWithoutWarnings) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "figure.xml";
    write_mjcf(file, *model);
    std::array<char, 1000> error{};
    mjModel* world = mj_loadXML(file.c_str(), nullptr, error.data(), 1000);
    ASSERT_NE(world, nullptr) << error.data();
    EXPECT_EQ(world->nu, static_cast<int>(model->muscles.size()));
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
        mj_deleteData(data);
    }
    mj_deleteModel(world);
}

}  // namespace
}  // namespace sinew
