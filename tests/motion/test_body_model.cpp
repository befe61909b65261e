// Models made of bodies, of recorded motions and of MuJoCo's files.

#include "sinew/base/error.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/retarget.h"
#include "sinew/io/bvh.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/model_shapes.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/rigid_dynamics.h"

#include "tests/support/limb_body.h"
#include "tests/support/mujoco_world.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

Body limb_with_ends() {
    Body body = support::limb_body();
    for (Muscle& muscle : body.muscles) {
        muscle.origin = 0;
        muscle.insertion = 1;
        muscle.volume = 3e-4;
    }
    body.skeleton.joints.back().axes[0] = Vec3::UnitZ();
    body.skeleton.joints.back().limits[0] = {-0.2, 2.0};
    return body;
}

TEST(BodyModel, ALimbBecomesTwoBodiesWithOpposedMuscles) {
    const Body body = limb_with_ends();
    const MusculoskeletalModel model = model_from_body(body);
    double mass = 0.0;
    for (const Segment& s : body.skeleton.segments) {
        mass += s.mass;
    }
    double model_mass = 0.0;
    for (const RigidBody& b : model.bodies) {
        model_mass += b.mass;
    }
    EXPECT_NEAR(model_mass, mass, 1e-9 * (1.0 + mass));
    ASSERT_EQ(model.muscles.size(), 2U);
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const std::vector<double> q = rest_coordinates(model);
    const PathState state = paths.evaluate(tree.place(q));
    std::vector<double> a(q.size());
    std::vector<double> b(q.size());
    paths.scatter(state, 0, a);
    paths.scatter(state, 1, b);
    const auto c = q.size() - 1;
    EXPECT_LT(a[c] * b[c], 0.0);
    EXPECT_GT(std::abs(a[c]), 0.01);
    for (std::size_t m = 0; m < 2; ++m) {
        const MuscleUnit& unit = model.muscles[m];
        // PCSA = volume cos(pennation) / fibre length, 60 N/cm^2, before fibres were lengthened for
        // their path.
        const double area = body.muscles[m].volume * std::cos(unit.pennation) / unit.fibre;
        EXPECT_GE(unit.fmax, 60e4 * area * (1.0 - 1e-9));
        EXPECT_LE(unit.fmax, 1.9 * 60e4 * area * (1.0 + 1e-9));
        // Over the whole range of the joint fibres stay where they pull.
        std::vector<double> bent = q;
        for (int k = 0; k <= 10; ++k) {
            bent[c] = -0.2 + 2.2 * k / 10.0;
            const double length = paths.evaluate(tree.place(bent)).length[m];
            const double fibre = rigid_tendon_force(unit, length, 0.0, 0.0).fibre / unit.fibre;
            EXPECT_GT(fibre, 0.44) << unit.name << " at " << bent[c];
            EXPECT_LT(fibre, 1.51) << unit.name << " at " << bent[c];
        }
    }
}

TEST(BodyModel, StrongerVolumesPullMore) {
    Body body = limb_with_ends();
    const MusculoskeletalModel model = model_from_body(body);
    ASSERT_FALSE(model.muscles.empty());
    const double before = model.muscles[0].fmax;
    // Contractile tissue counts: a share of 0.7 of every tetrahedron pulls 0.7 as hard.
    for (std::size_t e = 0; e < body.shares.part.size(); ++e) {
        const Tissue tissue = body.materials[at(body.shares.material[e])].tissue;
        if (body.shares.part[e] == 0 && tissue == Tissue::Muscle) {
            body.shares.fraction[e] *= 0.7;
        }
    }
    EXPECT_NEAR(model_from_body(body).muscles[0].fmax, 0.7 * before, 1e-9 * before);
}

// Areas and volumes alone, so that who asks for forces need not wait for paths.
TEST(BodyModel, GreatestForcesAreThoseOfTheModelWithoutItsPaths) {
    const Body body = limb_with_ends();
    const MusculoskeletalModel model = model_from_body(body);
    const std::vector<double> fmax = greatest_muscle_forces(body);
    ASSERT_EQ(fmax.size(), body.muscles.size());
    for (std::size_t m = 0; m < fmax.size(); ++m) {
        const auto unit =
            std::find_if(model.muscles.begin(), model.muscles.end(),
                         [&](const MuscleUnit& u) { return u.name == body.muscles[m].name; });
        EXPECT_EQ(fmax[m], unit == model.muscles.end() ? 0.0 : unit->fmax);
    }
    EXPECT_GT(*std::max_element(fmax.begin(), fmax.end()), 0.0);
}

// Paths are chosen among several courses, so a stir of micrometres may choose another one.
TEST(BodyModel, MusclesThatOnlyStirKeepTheirSurfacesToTheBit) {
    const Body rest = support::limb_body();
    ASSERT_EQ(rest.muscles.size(), 2U);
    Body grown = rest;
    for (const auto& [m, by] : {std::pair{0, 2e-5}, std::pair{1, 1e-3}}) {
        Points& points = grown.muscles[at(m)].mesh.points;
        for (Eigen::Index v = 0; v < points.rows(); ++v) {
            points(v, v % 3) += v % 2 == 0 ? by : -by;
        }
    }
    fit_muscle_meshes(rest, grown);
    EXPECT_EQ(grown.muscles[0].mesh.points, rest.muscles[0].mesh.points);
    EXPECT_EQ(grown.muscles[0].volume, rest.muscles[0].volume);
    const Points pushed = grown.muscles[1].mesh.points - rest.muscles[1].mesh.points;
    // Half of it at the limb's ends, which are skin and muscle: surfaces stay below skin.
    EXPECT_GT(pushed.rowwise().norm().minCoeff(), 4e-4);
}

TEST(Mjcf, WhatIsWrittenIsReadAgain) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    const MusculoskeletalModel model =
        read_mass(folder / "human.xml", folder / "muscle284.xml", {.blends_waypoints = false});
    const MusculoskeletalModel again = parse_mjcf(format_mjcf(model).text, "again");
    ASSERT_EQ(again.coordinates.size(), model.coordinates.size());
    ASSERT_EQ(again.muscles.size(), model.muscles.size());
    const KinematicTree tree(model);
    const KinematicTree other(again);
    std::vector<double> q(model.coordinates.size());
    std::vector<double> p(q.size());
    for (std::size_t c = 0; c < q.size(); ++c) {
        q[c] = 0.3 * std::sin(static_cast<double>(c));
        p[static_cast<std::size_t>(find_coordinate(again, model.coordinates[c].name))] = q[c];
    }
    const PathState a = MusclePaths(model, tree).evaluate(tree.place(q));
    const PathState b = MusclePaths(again, other).evaluate(other.place(p));
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        EXPECT_NEAR(a.length[m], b.length[m], 1e-9) << model.muscles[m].name;
        EXPECT_NEAR(model.muscles[m].fibre, again.muscles[m].fibre, 1e-9);
        EXPECT_NEAR(model.muscles[m].tendon, again.muscles[m].tendon, 1e-9);
    }
    EXPECT_NEAR(RigidDynamics(model, tree).total_mass(), RigidDynamics(again, other).total_mass(),
                1e-9);
}

constexpr const char* kPendulum = R"(<mujoco><compiler angle="degree"/><option gravity="0 0 -10"/>
  <default><joint damping="0"/><default class="arm"><geom type="capsule" size="0.05 0.2"/></default></default>
  <worldbody><site name="top" pos="0.1 0 1"/>
    <body name="arm" pos="0 0 1"><joint name="swing" axis="0 1 0" range="-90 90"/>
      <geom class="arm" pos="0 0 -0.2" mass="2"/><site name="low" pos="0.05 0 -0.3"/></body></worldbody>
  <tendon><spatial name="t"><site site="top"/><site site="low"/></spatial></tendon>
  <actuator><muscle name="m" tendon="t" force="100"/></actuator></mujoco>)";

TEST(Mjcf, ReadsDefaultsShapesAndMuscles) {
    const MusculoskeletalModel model = parse_mjcf(kPendulum, "pendulum");
    ASSERT_EQ(model.bodies.size(), 1U);
    EXPECT_DOUBLE_EQ(model.bodies[0].mass, 2.0);
    EXPECT_NEAR(model.bodies[0].com.z(), -0.2, 1e-12);
    // A capsule of radius r and half height h: cylinder 2 h pi r^2, two half balls at h.
    EXPECT_NEAR(model.bodies[0].inertia(2, 2), 2.0 * (6.0 / 7.0 * 0.00125 + 1.0 / 7.0 * 0.001),
                1e-9);
    EXPECT_NEAR(model.coordinates[0].high, std::numbers::pi / 2, 1e-12);
    ASSERT_EQ(model.muscles.size(), 1U);
    EXPECT_DOUBLE_EQ(model.muscles[0].fmax, 100.0);
    EXPECT_FALSE(model.muscles[0].has_known_lengths);
    std::string broken = kPendulum;
    broken.replace(broken.find("site=\"low\""), 10, "site=\"lowe\"");
    try {
        parse_mjcf(broken, "broken.xml");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("line 6"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("lowe"), std::string::npos) << e.what();
    }
}

TEST(Mjcf, AMovingBodyThatWeighsNothingIsRefusedWithItsLine) {
    try {
        parse_mjcf(
            "<mujoco>\n<worldbody>\n<body name=\"a\"><joint name=\"q\"/></body>\n"
            "</worldbody></mujoco>",
            "light.xml");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("line 3"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("mass"), std::string::npos) << e.what();
    }
}

TEST(MujocoWorld, ItsDynamicsAreOurs) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    MusculoskeletalModel model =
        read_mass(folder / "human.xml", folder / "muscle284.xml", {.blends_waypoints = true});
    MusculoskeletalModel bones = model;
    bones.muscles.clear();
    MujocoWorld world(model, format_mjcf(bones).text);
    const std::size_t n = model.coordinates.size();
    std::vector<double> q(n);
    std::vector<double> u(n);
    for (std::size_t c = 0; c < n; ++c) {
        q[c] = 0.1 * std::sin(1.0 + static_cast<double>(c));
        u[c] = 0.5 * std::cos(static_cast<double>(c));
    }
    q[static_cast<std::size_t>(find_coordinate(model, "Pelvis_ty"))] = 1.0;  // in the air
    world.set_state(q, u);
    const KinematicTree tree(model);
    const RigidDynamics dynamics(model, tree);
    const ModelPlacement place = tree.place(q);
    EXPECT_LT((world.mass_matrix() - dynamics.mass_matrix(place)).cwiseAbs().maxCoeff(), 1e-6);
    const std::vector<double> bias = world.bias();
    const std::vector<double> ours = dynamics.inverse(place, u, std::vector<double>(n, 0.0));
    for (std::size_t c = 0; c < n; ++c) {
        EXPECT_NEAR(bias[c], ours[c], 1e-6 * (1.0 + std::abs(ours[c])))
            << model.coordinates[c].name;
    }
    // Muscles at rest hold nothing up: it falls and touches the ground.
    world.set_state(std::vector<double>(n, 0.0), std::vector<double>(n, 0.0));
    const std::vector<double> activation(model.muscles.size(), 0.02);
    int touched = 0;
    for (int i = 0; i < 150; ++i) {
        world.step(activation);
        touched += world.contacts() > 0 ? 1 : 0;
    }
    EXPECT_GT(touched, 0);
    EXPECT_NEAR(world.time(), 150 * world.step_size(), 1e-9);
    for (const double x : world.q()) {
        ASSERT_TRUE(std::isfinite(x));
    }
}

TEST(RecordedMotion, AWalkMovesTheLegsByTurns) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    const MusculoskeletalModel model = read_mass(folder / "human.xml", folder / "muscle284.xml");
    const MotionClip clip = read_bvh(folder / "motion/walk.bvh", {.unit = Unit::Centimetre});
    const MotionTable table = retarget(recording_of(clip), model, known_joint_names()).motion;
    ASSERT_EQ(table.times.size(), clip.frame_count);
    const auto left = static_cast<std::size_t>(find_column(table, "FemurL_rx"));
    const auto right = static_cast<std::size_t>(find_column(table, "FemurR_rx"));
    const auto knee = static_cast<std::size_t>(find_column(table, "TibiaL"));
    double product = 0.0;
    double bend = 0.0;
    double mean_left = 0.0;
    double mean_right = 0.0;
    const auto frames = static_cast<double>(table.times.size());
    for (std::size_t r = 0; r < table.times.size(); ++r) {
        mean_left += table.at(r, left) / frames;
        mean_right += table.at(r, right) / frames;
        bend = std::max(bend, table.at(r, knee));
    }
    for (std::size_t r = 0; r < table.times.size(); ++r) {
        product += (table.at(r, left) - mean_left) * (table.at(r, right) - mean_right);
    }
    EXPECT_LT(product, 0.0);
    EXPECT_GT(bend, 0.6);
    EXPECT_LT(bend, 1.6);
}

TEST(ModelShapes, EveryBodyAndMuscleHasAClosedShape) {
    const MusculoskeletalModel model = parse_mjcf(kPendulum, "pendulum");
    const std::vector<MeshPart> parts = model_shapes(model, std::vector<double>{0.3});
    ASSERT_EQ(parts.size(), 2U);
    for (const MeshPart& part : parts) {
        double volume = 0.0;
        for (Eigen::Index t = 0; t < part.mesh.triangles.rows(); ++t) {
            const Vec3 a = part.mesh.points.row(part.mesh.triangles(t, 0));
            const Vec3 b = part.mesh.points.row(part.mesh.triangles(t, 1));
            const Vec3 c = part.mesh.points.row(part.mesh.triangles(t, 2));
            volume += a.dot(b.cross(c)) / 6.0;
        }
        EXPECT_GT(volume, 0.0) << part.name;
    }
}

}  // namespace
}  // namespace sinew
