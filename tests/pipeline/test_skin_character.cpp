#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/character_files.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/point_cache.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/pipeline/coarse_skin.h"
#include "sinew/pipeline/skin_character.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/capsule_person.h"
#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

// A tube with two bones and a motion that bends it, as files.
struct Files {
    Files() {
        const MeshPart part{.name = "arm", .mesh = support::cylinder(0.05, 0.6, 20, 30)};
        write_surface(folder.path() / "arm.obj", {&part, 1});
        std::ofstream(folder.path() / "arm.json")
            << R"({"joints": [{"name": "shoulder", "parent": null, "position": [0, 0.05, 0]},
                 {"name": "elbow", "parent": "shoulder", "position": [0, 0.3, 0]},
                 {"name": "hand", "parent": "elbow", "position": [0, 0.55, 0]}]})";
        motion.times = {0.0, 0.5};
        motion.keys.resize(2);
        for (JointRotations& key : motion.keys) {
            key.rotations.assign(3, Eigen::Quaterniond::Identity());
        }
        motion.keys[1].rotations[1] = Eigen::AngleAxisd(1.2, Vec3::UnitX());
    }
    support::TemporaryFolder folder;
    CharacterMotion motion;
};

TEST(SkinCharacter, RunsAndWritesEveryFormat) {
    const Files files;
    const Character arm =
        read_character(files.folder.path() / "arm.obj", files.folder.path() / "arm.json");
    const SkinRun run = run_skinning(arm, files.motion, {.rate = 20.0, .settle = 2});
    ASSERT_EQ(run.frames.size(), 11u);
    CharacterMotion rounded = files.motion;
    rounded.times[1] = 10.0 * 0.0499995;
    EXPECT_EQ(run_skinning(arm, rounded, {.rate = 20.0, .settle = 0}).frames.size(), 11u);
    EXPECT_EQ(run.simulated_vertices, arm.skin.points.rows());
    EXPECT_GT(run.fps, 1.0);
    EXPECT_GT(run.volume_ratio_min, 0.8);
    EXPECT_LE(run.volume_ratio_min, 1.0);
    EXPECT_LT((run.frames[0] - arm.mesh.points).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_GT((run.frames[10] - arm.mesh.points).cwiseAbs().maxCoeff(), 0.15);

    // Frames may be taken one by one.
    std::vector<Points> taken;
    const SkinRun lean = run_skinning(arm, files.motion, {.rate = 20.0, .settle = 2}, {},
                                      [&](Points frame) { taken.push_back(std::move(frame)); });
    EXPECT_TRUE(lean.frames.empty());
    EXPECT_EQ(lean.times, run.times);
    EXPECT_EQ(taken, run.frames);

    const std::filesystem::path folder = files.folder.path();
    // What cannot be written is said before the run.
    EXPECT_THROW(SkinRunWriter(folder / "long.glb", arm, std::vector<double>(1000000, 0.0)),
                 InputError);
    SkinRunWriter cut_short(folder / "short.pc2", arm, run.times);
    cut_short.add(run.frames[0]);
    EXPECT_THROW(cut_short.commit(), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder / "short.pc2"));
    for (const char* name : {"x.glb", "x.usda", "x.pc2", "x.mdd"}) {
        write_skin_run(folder / name, arm, run);
        EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    }
    EXPECT_EQ(read_gltf(folder / "x.glb").animations.size(), 1u);
    EXPECT_EQ(read_mdd(folder / "x.mdd").frames.size(), 11u);
    write_skin_run(folder / "frames", arm, run, "ply");
    const TriangleMesh last = read_surface(folder / "frames" / "frame_0010.ply")[0].mesh;
    EXPECT_LT((last.points - run.frames[10]).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_THROW(require_skin_output(folder / "x.mp3"), InputError);
    EXPECT_THROW(require_skin_output(folder / "arm.obj" / "frames"), InputError);
}

// Every triangle has corners of its own, rounded each time a little differently.
TEST(SkinCharacter, TriangleSoupMovesAsTheSurfaceItIs) {
    const Files files;
    const std::filesystem::path skeleton = files.folder.path() / "arm.json";
    const Character arm = read_character(files.folder.path() / "arm.obj", skeleton);
    const auto soup = [&](double noise) {
        MeshPart part{.name = "soup", .mesh = {}};
        const Eigen::Index count = 3 * arm.mesh.triangles.rows();
        part.mesh.points.resize(count, 3);
        part.mesh.triangles.resize(arm.mesh.triangles.rows(), 3);
        Random random(Seed{5});
        for (Eigen::Index i = 0; i < count; ++i) {
            part.mesh.points.row(i) = arm.mesh.points.row(arm.mesh.triangles(i / 3, i % 3));
            part.mesh.triangles(i / 3, i % 3) = static_cast<Index>(i);
            for (int k = 0; k < 3; ++k) {
                part.mesh.points(i, k) += noise * random.uniform(-1.0, 1.0);
            }
        }
        write_surface(files.folder.path() / "soup.ply", {&part, 1});
        return read_character(files.folder.path() / "soup.ply", skeleton);
    };
    const Character torn = soup(1e-6);
    EXPECT_EQ(torn.skin.points.rows(), arm.skin.points.rows());
    EXPECT_EQ(torn.mesh.points.rows(), 3 * arm.mesh.triangles.rows());
    const SkinRun whole = run_skinning(arm, files.motion, {.frames = 6, .settle = 2});
    const SkinRun run = run_skinning(torn, files.motion, {.frames = 6, .settle = 2});
    // Corners of one vertex stay together. The rest is not the same to the last digit: prisms are
    // cut by the order of their vertices.
    std::vector<Eigen::Index> first(static_cast<std::size_t>(arm.mesh.points.rows()), -1);
    for (Eigen::Index i = 0; i < run.frames[5].rows(); ++i) {
        const Index v = arm.mesh.triangles(i / 3, i % 3);
        Eigen::Index& other = first[static_cast<std::size_t>(v)];
        other = other < 0 ? i : other;
        ASSERT_EQ(run.frames[5].row(i), run.frames[5].row(other)) << i;
        ASSERT_LT((run.frames[5].row(i) - whole.frames[5].row(v)).norm(), 0.01) << i;
    }
    // Corners that are too far apart are not guessed at.
    EXPECT_THROW(soup(1e-3), InputError);
}

TEST(SkinCharacter, ASkinTurnedInsideOutIsTurnedBack) {
    const Files files;
    MeshPart part{.name = "arm", .mesh = support::cylinder(0.05, 0.6, 20, 30)};
    part.mesh.triangles.col(1).swap(part.mesh.triangles.col(2));
    write_surface(files.folder.path() / "turned.ply", {&part, 1});
    const Character turned =
        read_character(files.folder.path() / "turned.ply", files.folder.path() / "arm.json");
    EXPECT_GT(enclosed_volume(turned.skin), 0.0);
    EXPECT_EQ(turned.mesh.triangles, part.mesh.triangles);
}

TEST(SkinCharacter, ASkeletonInAnotherUnitIsNamedWithWhatWouldHelp) {
    const Files files;
    const std::filesystem::path folder = files.folder.path();
    const auto remedy = [&](const std::string& mesh, const ReadOptions& options,
                            const std::optional<ReadOptions>& joints = std::nullopt) {
        try {
            read_character(folder / mesh, folder / "arm.json", options, joints);
        } catch (const InputError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    MeshPart part{.name = "arm", .mesh = support::cylinder(50.0, 600.0, 20, 30)};
    write_surface(folder / "mm.ply", {&part, 1});
    const ReadOptions mm{.unit = Unit::Millimetre};
    EXPECT_NE(remedy("mm.ply", {}).find("--unit mm --up y --skeleton-unit m --skeleton-up y"),
              std::string::npos)
        << remedy("mm.ply", {});
    EXPECT_NE(remedy("mm.ply", mm).find("--skeleton-unit m "), std::string::npos);
    EXPECT_EQ(remedy("mm.ply", mm, ReadOptions{}), "");
    EXPECT_EQ(remedy("arm.obj", {}), "");
    // Z up beside Y up.
    const Eigen::VectorXd y = part.mesh.points.col(1);
    part.mesh.points.col(1) = -part.mesh.points.col(2);
    part.mesh.points.col(2) = y;
    part.mesh.points *= 1e-3;
    write_surface(folder / "z.ply", {&part, 1});
    EXPECT_NE(remedy("z.ply", {}).find("--up z --skeleton-unit m --skeleton-up y"),
              std::string::npos)
        << remedy("z.ply", {});
    EXPECT_EQ(remedy("z.ply", {.up = UpAxis::Z}, ReadOptions{}), "");
    // A point far away hides the rest, and is named.
    MeshPart far = part;
    far.mesh.points(0, 0) = 1e30;
    write_surface(folder / "far.ply", {&far, 1});
    EXPECT_NE(remedy("far.ply", {}).find("no triangle larger"), std::string::npos);
    // No unit helps where they are just apart.
    part.mesh.points.rowwise() += Eigen::RowVector3d(3.0, 0.0, 0.0);
    write_surface(folder / "apart.ply", {&part, 1});
    const Character apart = read_character(folder / "apart.ply", folder / "arm.json");
    EXPECT_THROW(run_skinning(apart, files.motion), InputError);
}

// Twenty units tall, as characters of games are: the shape of the same one in metres.
TEST(SkinCharacter, AnyUnitGivesTheSameShape) {
    const auto fold = [](double scale) {
        Character arm;
        arm.mesh = support::cylinder(0.12 * scale, 1.75 * scale, 20, 30);
        arm.skin = arm.mesh;
        for (Eigen::Index i = 0; i < arm.mesh.points.rows(); ++i) {
            arm.skin_vertex.push_back(static_cast<Index>(i));
        }
        arm.skeleton.joints = {{.name = "a", .parent = -1, .position = Vec3(0, 0.1, 0) * scale},
                               {.name = "b", .parent = 0, .position = Vec3(0, 0.9, 0) * scale},
                               {.name = "c", .parent = 1, .position = Vec3(0, 1.65, 0) * scale}};
        CharacterMotion motion{.times = {0.0, 0.3}, .keys = std::vector<JointRotations>(2)};
        for (JointRotations& key : motion.keys) {
            key.rotations.assign(3, Eigen::Quaterniond::Identity());
        }
        motion.keys[1].rotations[1] = Eigen::AngleAxisd(2.0, Vec3::UnitX());
        const SkinRun run = run_skinning(
            arm, motion, {.skinning = {.collisions = SkinCollisions::Global}, .settle = 0});
        return Points(run.frames.back() / scale);
    };
    const Points metres = fold(1.0);
    EXPECT_LT((fold(16.0) - metres).rowwise().norm().maxCoeff(), 0.002);
    EXPECT_LT((fold(1.0 / 16.0) - metres).rowwise().norm().maxCoeff(), 0.002);
}

TEST(SkinCharacter, ACoarseSimulationMovesTheFineSkinAlike) {
    const Files files;
    const Character arm =
        read_character(files.folder.path() / "arm.obj", files.folder.path() / "arm.json");
    const SkinRun fine = run_skinning(arm, files.motion, {.frames = 20, .rate = 20.0});
    const SkinRun coarse =
        run_skinning(arm, files.motion, {.simulate_vertices = 300, .frames = 20, .rate = 20.0});
    EXPECT_LT(coarse.simulated_vertices, 320);
    EXPECT_EQ(coarse.frames[19].rows(), arm.mesh.points.rows());
    EXPECT_LT((coarse.frames[19] - fine.frames[19]).rowwise().norm().maxCoeff(), 0.008);
    EXPECT_LT((coarse.frames[19] - fine.frames[19]).rowwise().norm().mean(), 0.0006);
}

// An arm with a finger beside it that is an eighth as thick: of its edges, all are shorter than any
// that the arm is left with.
TEST(SkinCharacter, ACoarseSkinKeepsItsFingers) {
    const TriangleMesh arm = support::cylinder(0.05, 0.6, 32, 60);
    TriangleMesh finger = support::cylinder(0.006, 0.09, 12, 24);
    finger.points.rowwise() += Vec3(0.02, 0.61, 0.0).transpose();
    TriangleMesh both;
    both.points.resize(arm.points.rows() + finger.points.rows(), 3);
    both.points << arm.points, finger.points;
    both.triangles.resize(arm.triangles.rows() + finger.triangles.rows(), 3);
    both.triangles << arm.triangles,
        (finger.triangles.array() + static_cast<Index>(arm.points.rows())).matrix();
    CharacterSkeleton skeleton;
    skeleton.joints = {{.name = "elbow", .parent = -1, .position = Vec3(0, 0.05, 0)},
                       {.name = "hand", .parent = 0, .position = Vec3(0, 0.55, 0)},
                       {.name = "finger", .parent = 1, .position = Vec3(0.02, 0.62, 0)},
                       {.name = "tip", .parent = 2, .position = Vec3(0.02, 0.69, 0)}};
    const TriangleMesh coarse = coarse_skin(both, skeleton, 500);
    EXPECT_NEAR(static_cast<double>(coarse.points.rows()), 500.0, 25.0);
    EXPECT_GT((coarse.points.col(1).array() > 0.605).count(), 30);
    EXPECT_NEAR(enclosed_volume(coarse), enclosed_volume(both), 0.03 * enclosed_volume(both));
}

// A person as a scanner sees it: holes at armpits, crotch and a sole, stray triangles, noise.
Character scanned_person(double cell) {
    Character person;
    person.name = "scan";
    person.skeleton = support::capsule_person();
    TriangleMesh skin = support::capsule_person_skin(cell);
    Random random(Seed{5});
    for (Eigen::Index i = 0; i < skin.points.size(); ++i) {
        skin.points.data()[i] += 0.001 * random.normal();
    }
    const auto is_unseen = [&](Eigen::Index t) {
        const Vec3 p = point(skin.points, skin.triangles(t, 0));
        const Vec3 left(std::abs(p.x()), p.y(), p.z());
        return (left - Vec3(0.17, 1.31, 0.0)).norm() < 0.05 ||
               (p - Vec3(0.0, 0.8, 0.0)).norm() < 0.05 || (p.x() > 0.0 && p.y() < 0.02);
    };
    Eigen::Index kept = 0;
    for (Eigen::Index t = 0; t < skin.triangles.rows(); ++t) {
        if (!is_unseen(t) || t % 400 == 0) {
            skin.triangles.row(kept++) = skin.triangles.row(t).eval();
        }
    }
    skin.triangles.conservativeResize(kept, 3);
    person.mesh = skin;
    person.skin = skin;
    for (Eigen::Index i = 0; i < skin.points.rows(); ++i) {
        person.skin_vertex.push_back(static_cast<Index>(i));
    }
    return person;
}

TEST(SkinCharacter, ScansWithHolesKeepOutOfThemselvesAndHoldTogether) {
    const Character scan = scanned_person(0.03);
    CharacterMotion motion;
    motion.times = {0.0, 0.8, 1.2};
    motion.keys.resize(3);
    for (std::size_t k = 0; k < motion.keys.size(); ++k) {
        for (const CharacterJoint& joint : scan.skeleton.joints) {
            const Vec3 turn = k == 0                             ? Vec3(0, 0, 0)
                              : joint.name == "shoulder_l"       ? Vec3(0, 0, -0.55)
                              : joint.name == "shoulder_r"       ? Vec3(0, 0, 0.55)
                              : joint.name.rfind("hip", 0) == 0  ? Vec3(-1.9, 0, 0)
                              : joint.name.rfind("knee", 0) == 0 ? Vec3(2.1, 0, 0)
                                                                 : Vec3(0, 0, 0);
            motion.keys[k].rotations.emplace_back(
                Eigen::AngleAxisd(turn.norm(), turn.stableNormalized()));
        }
    }
    const Edges edges = unique_edges(scan.mesh.triangles);
    for (const int simulated : {0, 1000}) {
        SkinRunOptions options{.simulate_vertices = simulated, .rate = 20.0};
        options.skinning.collisions = SkinCollisions::Global;
        const SkinRun run = run_skinning(scan, motion, options);
        EXPECT_LT(run.mean_penetration, 0.001) << simulated;
        EXPECT_LT(run.max_penetration, 0.004) << simulated;
        const Points& last = run.frames.back();
        ASSERT_EQ(last.rows(), scan.mesh.points.rows());
        double widest = 0.0;
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            widest = std::max(widest, (last.row(edges(e, 0)) - last.row(edges(e, 1))).norm());
        }
        EXPECT_LT(widest, 0.1) << simulated;
    }
}

// What a hole is closed with is not shown; an opening as wide as the neck of a bust stays.
TEST(SkinCharacter, HolesAreClosedBehindTheSkin) {
    TriangleMesh arm = support::cylinder(0.05, 0.6, 20, 30);
    const Eigen::Index all = arm.triangles.rows();
    arm.triangles.middleRows(all / 2, all / 2 - 6) = arm.triangles.bottomRows(all / 2 - 6).eval();
    arm.triangles.conservativeResize(all - 6, 3);
    const TriangleMesh closed = without_holes(arm);
    EXPECT_TRUE(boundary_loops(closed.triangles).empty());
    EXPECT_EQ(closed.points.topRows(arm.points.rows()), arm.points);
    EXPECT_EQ(closed.triangles.topRows(arm.triangles.rows()), arm.triangles);
    TriangleMesh cup = support::cylinder(0.05, 0.1, 20, 10);
    const Eigen::Index cup_all = cup.triangles.rows();
    Eigen::Index kept = 0;
    for (Eigen::Index t = 0; t < cup_all; ++t) {
        const double y = (cup.points(cup.triangles(t, 0), 1) + cup.points(cup.triangles(t, 1), 1) +
                          cup.points(cup.triangles(t, 2), 1)) /
                         3.0;
        if (y < 0.08) {
            cup.triangles.row(kept++) = cup.triangles.row(t).eval();
        }
    }
    cup.triangles.conservativeResize(kept, 3);
    EXPECT_EQ(without_holes(cup).triangles, cup.triangles);
}

TEST(SkinCharacter, UpsamplingWeightsAreKeptAndDamagedOnesMadeAgain) {
    const Files files;
    const Character arm =
        read_character(files.folder.path() / "arm.obj", files.folder.path() / "arm.json");
    SkinRunOptions options{.simulate_vertices = 300, .frames = 3, .settle = 0};
    const SkinRun plain = run_skinning(arm, files.motion, options);
    options.cache = files.folder.path() / "cache";
    const auto kept = [&] {
        std::vector<std::filesystem::path> all;
        for (const auto& item : std::filesystem::directory_iterator(options.cache)) {
            all.push_back(item.path());
        }
        return all;
    };
    EXPECT_EQ(run_skinning(arm, files.motion, options).frames[2], plain.frames[2]);
    ASSERT_EQ(kept().size(), 1u);
    EXPECT_EQ(run_skinning(arm, files.motion, options).frames[2], plain.frames[2]);
    // Halves of a float each: what the file says now is not what its hash says.
    std::fstream(kept()[0], std::ios::in | std::ios::out | std::ios::binary).seekp(300) << "damage";
    EXPECT_EQ(run_skinning(arm, files.motion, options).frames[2], plain.frames[2]);
    ASSERT_EQ(kept().size(), 1u);
    // Another fine mesh has weights of its own.
    Character other = arm;
    other.skin.points *= 1.01;
    run_skinning(other, files.motion, options);
    EXPECT_EQ(kept().size(), 2u);
}

// A tube as a rigged file: nodes with rotations of their own, a skin, and an animation that bends
// the elbow by 1.2 rad about X.
GltfScene rigged_arm() {
    const MeshPart part{.name = "arm", .mesh = support::cylinder(0.05, 0.6, 20, 30)};
    GltfScene scene = scene_of({&part, 1});
    const Eigen::Quaterniond turned(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
    scene.nodes = {
        {.name = "armature"},
        {.name = "shoulder", .parent = 0, .translation = Vec3(0, 0.05, 0), .rotation = turned},
        {.name = "elbow", .parent = 1, .translation = turned.conjugate() * Vec3(0, 0.25, 0)}};
    GltfSkin skin{.name = "rig", .joints = {1, 2}};
    const std::vector<Eigen::Affine3d> world = world_transforms(scene);
    for (const Index joint : skin.joints) {
        skin.inverse_bind.push_back(world[static_cast<std::size_t>(joint)].inverse().matrix());
    }
    scene.skins = {skin};
    GltfPart& rigged = scene.parts[0];
    const Eigen::Index count = rigged.part.mesh.points.rows();
    rigged.skin = 0;
    rigged.joints = Joints4::Zero(count, 4);
    rigged.weights = Weights4::Zero(count, 4);
    for (Eigen::Index i = 0; i < count; ++i) {
        rigged.joints(i, 0) = rigged.part.mesh.points(i, 1) > 0.3 ? 1 : 0;
        rigged.weights(i, 0) = 1.0;
    }
    // World rotation R of the elbow is turned^-1 R turned in the shoulder's frame.
    const Eigen::Quaterniond bent(Eigen::AngleAxisd(1.2, Vec3::UnitX()));
    const Eigen::Quaterniond local = turned.conjugate() * bent * turned;
    GltfTrack track{.path = GltfPath::Rotation, .node = 2, .times = {0.0, 1.0}};
    track.values = {0, 0, 0, 1, local.x(), local.y(), local.z(), local.w()};
    scene.animations = {{.name = "bend", .tracks = {track}}};
    return scene;
}

TEST(SkinCharacter, ARiggedFileBringsItsSkeletonAndItsAnimation) {
    const support::TemporaryFolder folder;
    write_glb(folder.path() / "arm.glb", rigged_arm());
    const Character arm = read_character(folder.path() / "arm.glb", {});
    ASSERT_EQ(arm.skeleton.size(), 3u);
    EXPECT_EQ(arm.skeleton.joints[1].name, "elbow");
    EXPECT_LT((arm.skeleton.joints[1].position - Vec3(0, 0.3, 0)).norm(), 1e-6);
    // The hand's tip lies beyond the middle of what the elbow holds.
    EXPECT_EQ(arm.skeleton.joints[2].name, "elbow_end");
    EXPECT_NEAR(arm.skeleton.joints[2].position.y(), 0.57, 0.03);

    const CharacterMotion motion =
        read_character_motion(folder.path() / "arm.glb", arm.skeleton).motion;
    const JointRotations end = sample(motion, 1.0);
    const Eigen::Quaterniond bent(Eigen::AngleAxisd(1.2, Vec3::UnitX()));
    EXPECT_LT(end.rotations[1].angularDistance(bent), 1e-5);
    EXPECT_LT(sample(motion, 0.5)
                  .rotations[1]
                  .angularDistance(Eigen::Quaterniond(Eigen::AngleAxisd(0.6, Vec3::UnitX()))),
              1e-5);
    const SkinRun run = run_skinning(arm, motion, {.rate = 20.0, .settle = 2});
    EXPECT_EQ(run.frames.size(), 21u);
    EXPECT_GT(run.volume_ratio_min, 0.9);
    EXPECT_THROW(read_character(folder.path() / "arm.obj", {}), InputError);
}

TEST(SkinCharacter, MessagesNameTheFileOfSkinOrSkeleton) {
    Character arm;
    arm.mesh_file = "arm.ply";
    arm.skeleton_file = "bones.json";
    arm.skin = support::cylinder(0.05, 0.6, 8, 8);
    arm.mesh = arm.skin;
    for (Index i = 0; i < arm.mesh.points.rows(); ++i) {
        arm.skin_vertex.push_back(i);
    }
    arm.skeleton.joints = {{.name = "a", .position = Vec3(50, 0, 0)},
                           {.name = "b", .parent = 0, .position = Vec3(50, 1, 0)}};
    const CharacterMotion still{.times = {0.0},
                                .keys = {{.rotations = std::vector<Eigen::Quaterniond>(
                                              2, Eigen::Quaterniond::Identity())}}};
    const auto complaint = [&] {
        try {
            run_skinning(arm, still);
        } catch (const InputError& error) {
            return error.parts().where;
        }
        return std::string("none");
    };
    EXPECT_EQ(complaint(), "bones.json, skeleton");
    arm.skin.triangles.resize(0, 3);
    EXPECT_EQ(complaint(), "arm.ply with bones.json, skin");
    EXPECT_THROW(skin_frame_times({.times = {0.0, 1e300}, .keys = {{}, {}}}, {}), InputError);
}

// Hermite curves between keys, with level ends: q(t) = (1 - s) a + s b, s = 3 t^2 - 2 t^3
// [Khronos2021, appendix C].
TEST(SkinCharacter, CubicAnimationsFollowTheirCurve) {
    const support::TemporaryFolder folder;
    GltfScene scene = rigged_arm();
    GltfTrack& track = scene.animations[0].tracks[0];
    track.interpolation = GltfInterpolation::CubicSpline;
    const std::vector<double> plain = {track.values.begin(), track.values.end()};
    track.values.clear();
    for (const std::size_t key : {0u, 1u}) {
        track.values.insert(track.values.end(), 4, 0.0);
        track.values.insert(track.values.end(), plain.begin() + 4 * static_cast<long>(key),
                            plain.begin() + 4 * static_cast<long>(key) + 4);
        track.values.insert(track.values.end(), 4, 0.0);
    }
    write_glb(folder.path() / "arm.glb", scene);
    const Character arm = read_character(folder.path() / "arm.glb", {});
    const CharacterMotion motion =
        read_character_motion(folder.path() / "arm.glb", arm.skeleton).motion;
    for (const double t : {0.1, 0.25, 0.5, 0.8}) {
        const double s = t * t * (3.0 - 2.0 * t);
        const double half = std::atan2(s * std::sin(0.6), 1.0 - s + s * std::cos(0.6));
        const Eigen::Quaterniond expected(Eigen::AngleAxisd(2.0 * half, Vec3::UnitX()));
        EXPECT_LT(sample(motion, t).rotations[1].angularDistance(expected), 1e-3) << t;
    }
}

TEST(SkinCharacter, SteppedAnimationsStandStillBetweenKeys) {
    const support::TemporaryFolder folder;
    GltfScene scene = rigged_arm();
    scene.animations[0].tracks[0].interpolation = GltfInterpolation::Step;
    write_glb(folder.path() / "arm.glb", scene);
    const Character arm = read_character(folder.path() / "arm.glb", {});
    const CharacterMotion motion =
        read_character_motion(folder.path() / "arm.glb", arm.skeleton).motion;
    const auto angle = [&](double t) {
        return sample(motion, t).rotations[1].angularDistance(Eigen::Quaterniond::Identity());
    };
    EXPECT_LT(angle(0.99), 1e-6);
    EXPECT_NEAR(angle(1.0), 1.2, 1e-5);
}

TEST(SkinCharacter, SheetsThatMeetInAPointAreSimplifiedToo) {
    const Files files;
    MeshPart part{.name = "scan", .mesh = support::cylinder(0.05, 0.6, 20, 30)};
    // A flap on one vertex, as scans have them: two fans there.
    const Eigen::Index n = part.mesh.points.rows();
    part.mesh.points.conservativeResize(n + 2, 3);
    part.mesh.points.row(n) = part.mesh.points.row(n / 2) + Eigen::RowVector3d(0.01, 0, 0.01);
    part.mesh.points.row(n + 1) = part.mesh.points.row(n / 2) + Eigen::RowVector3d(0.01, 0.01, 0);
    const Eigen::Index m = part.mesh.triangles.rows();
    part.mesh.triangles.conservativeResize(m + 1, 3);
    part.mesh.triangles.row(m) << static_cast<Index>(n / 2), static_cast<Index>(n),
        static_cast<Index>(n + 1);
    write_surface(files.folder.path() / "scan.obj", {&part, 1});
    const Character scan =
        read_character(files.folder.path() / "scan.obj", files.folder.path() / "arm.json");
    const SkinRun run =
        run_skinning(scan, files.motion, {.simulate_vertices = 250, .rate = 20.0, .settle = 1});
    EXPECT_LT(run.simulated_vertices, 400);
    ASSERT_EQ(run.frames.front().rows(), n + 2);
    EXPECT_TRUE(run.frames.back().allFinite());
}

// Fins that share edges with the skin and reach across it: no repair makes that a manifold.
TEST(SkinCharacter, SkinsThatCannotBeSimplifiedMoveWhole) {
    const Files files;
    MeshPart part{.name = "fins", .mesh = support::cylinder(0.05, 0.6, 20, 30)};
    const Eigen::Index m = part.mesh.triangles.rows();
    const auto n = static_cast<Index>(part.mesh.points.rows());
    part.mesh.triangles.conservativeResize(m + m / 40, 3);
    for (Eigen::Index k = 0; k < m / 40; ++k) {
        part.mesh.triangles.row(m + k) << part.mesh.triangles(40 * k, 0),
            part.mesh.triangles(40 * k, 1), static_cast<Index>((7919 * (k + 1)) % n);
    }
    write_surface(files.folder.path() / "fins.obj", {&part, 1});
    const Character fins =
        read_character(files.folder.path() / "fins.obj", files.folder.path() / "arm.json");
    const SkinRun run =
        run_skinning(fins, files.motion, {.simulate_vertices = 250, .rate = 20.0, .settle = 1});
    EXPECT_TRUE(run.frames.back().allFinite());
    EXPECT_GT((run.frames.back() - fins.mesh.points).cwiseAbs().maxCoeff(), 0.15);
}

}  // namespace
}  // namespace sinew
