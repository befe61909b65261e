// Models written as MJCF, loaded and stepped by MuJoCo itself.

#include "sinew/base/random.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/osim.h"
#include "sinew/motion/length_difference.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/rigid_dynamics.h"

#include <mujoco/mujoco.h>

#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

struct World {
    explicit World(const MusculoskeletalModel& source) {
        const support::TemporaryFolder folder;
        const std::filesystem::path file = folder.path() / "model.xml";
        notes = write_mjcf(file, source);
        std::array<char, 1000> error{};
        model = mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
        if (model == nullptr) {
            ADD_FAILURE() << error.data();
            return;
        }
        data = mj_makeData(model);
        for (const Coordinate& c : source.coordinates) {
            const int joint = mj_name2id(model, mjOBJ_JOINT, c.name.c_str());
            EXPECT_GE(joint, 0) << c.name;
            address.push_back(joint < 0 ? 0 : model->jnt_qposadr[joint]);
        }
    }
    ~World() {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    mjModel* model = nullptr;
    mjData* data = nullptr;
    std::vector<int> address;
    std::vector<std::string> notes;
};

MusculoskeletalModel mass(const std::filesystem::path& folder, bool blends) {
    return read_mass(folder / "human.xml", folder / "muscle284.xml", {.blends_waypoints = blends});
}

TEST(Mjcf, MuJoCosTendonsOfMassAreAsLongAsOursInRandomPoses) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    const MusculoskeletalModel rigid = mass(folder, false);
    World world(rigid);
    ASSERT_NE(world.model, nullptr);
    const KinematicTree tree(rigid);
    const MusclePaths paths(rigid, tree);
    ModelPlacement place;
    PathState state;
    Random random(Seed{17});
    double worst = 0.0;
    for (int i = 0; i < 1000; ++i) {
        std::vector<double> q;
        for (std::size_t c = 0; c < rigid.coordinates.size(); ++c) {
            q.push_back(random.uniform(-1.0, 1.0));
            world.data->qpos[world.address[c]] = q.back();
        }
        mj_kinematics(world.model, world.data);
        mj_comPos(world.model, world.data);
        mj_tendon(world.model, world.data);
        tree.place(q, place);
        paths.evaluate(place, state);
        for (std::size_t m = 0; m < rigid.muscles.size(); ++m) {
            worst = std::max(worst, std::abs(world.data->ten_length[m] - state.length[m]));
        }
    }
    EXPECT_LT(worst, 1e-9);
}

TEST(Mjcf, MuJoCosInverseDynamicsOfMassAreOurs) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    const MusculoskeletalModel model = mass(folder, false);
    World world(model);
    ASSERT_NE(world.model, nullptr);
    world.model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_LIMIT;
    const KinematicTree tree(model);
    const RigidDynamics dynamics(model, tree);
    Random random(Seed{6});
    const std::size_t n = model.coordinates.size();
    std::vector<double> q(n);
    std::vector<double> u(n);
    std::vector<double> du(n);
    for (std::size_t c = 0; c < n; ++c) {
        q[c] = random.uniform(-0.8, 0.8);
        u[c] = random.uniform(-2.0, 2.0);
        du[c] = random.uniform(-5.0, 5.0);
        const int a = world.address[c];
        world.data->qpos[a] = q[c];
        world.data->qvel[a] = u[c];
        world.data->qacc[a] = du[c];
    }
    mj_inverse(world.model, world.data);
    const std::vector<double> tau = dynamics.inverse(tree.place(q), u, du);
    for (std::size_t c = 0; c < n; ++c) {
        EXPECT_NEAR(world.data->qfrc_inverse[world.address[c]], tau[c],
                    1e-6 * (1.0 + std::abs(tau[c])))
            << model.coordinates[c].name;
    }
}

// Ellipsoids are written as cylinders or spheres; without them BIClong would cut the humeral head.
TEST(Mjcf, EllipsoidsOfArm26CostMillimetresAndTheDifferenceIsMeasured) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/arm26/arm26.osim");
    const MusculoskeletalModel model = read_osim(file);
    const MjcfText mjcf = format_mjcf(model);
    const LengthDifference d = compare_lengths(model, parse_mjcf(mjcf.text, "arm26"));
    MusculoskeletalModel bare = model;
    for (MuscleUnit& unit : bare.muscles) {
        unit.wraps.clear();
    }
    EXPECT_GT(d.greatest, 1e-6);
    EXPECT_LT(d.mean, 0.003);
    EXPECT_LT(d.mean, compare_lengths(model, bare).mean);
    EXPECT_EQ(compare_lengths(model, model).greatest, 0.0);
    bool is_named = false;
    for (const std::string& note : mjcf.notes) {
        is_named = is_named || note.find("ellipsoids became") != std::string::npos;
    }
    EXPECT_TRUE(is_named);
}

TEST(Mjcf, ModelsLoadAndStepWithGroundAndMuscles) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal");
    for (const MusculoskeletalModel& model :
         {mass(folder / "mass", true), read_osim(folder / "arm26/arm26.osim")}) {
        World world(model);
        ASSERT_NE(world.model, nullptr);
        EXPECT_EQ(world.model->nu, static_cast<int>(model.muscles.size()));
        EXPECT_FALSE(world.notes.empty());
        for (int i = 0; i < 200; ++i) {
            mj_step(world.model, world.data);
        }
        EXPECT_EQ(world.data->warning[mjWARN_BADQPOS].number, 0);
        EXPECT_EQ(world.data->warning[mjWARN_BADQACC].number, 0);
        for (int i = 0; i < world.model->nq; ++i) {
            ASSERT_TRUE(std::isfinite(world.data->qpos[i]));
        }
    }
}

}  // namespace
}  // namespace sinew
