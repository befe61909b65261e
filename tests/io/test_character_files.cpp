#include "sinew/base/error.h"
#include "sinew/body/retarget.h"
#include "sinew/io/bvh.h"
#include "sinew/io/character_files.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/gltf.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/skel_files.h"
#include "sinew/io/usda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

constexpr const char* kSkeleton = R"({"joints": [
    {"name": "knee", "parent": "hip", "position": [0, 50, 0], "radius": 4},
    {"name": "hip", "parent": null, "position": [0, 100, 0]},
    {"name": "foot", "parent": 0, "position": [0, 0, 0], "bone_radius": 3, "stiffness": 2,
     "virtual": true}]})";

CharacterSkeleton leg() {
    return parse_character_skeleton(kSkeleton, "leg.json", {.unit = Unit::Centimetre});
}

TEST(CharacterFiles, SkeletonsMayNameParentsInAnyOrder) {
    const CharacterSkeleton skeleton = leg();
    ASSERT_EQ(skeleton.size(), 3u);
    EXPECT_EQ(skeleton.joints[0].name, "hip");
    EXPECT_EQ(skeleton.joints[0].parent, -1);
    for (std::size_t j = 1; j < 3; ++j) {
        const CharacterJoint& joint = skeleton.joints[j];
        const std::string& parent = skeleton.joints[static_cast<std::size_t>(joint.parent)].name;
        EXPECT_EQ(parent, joint.name == "knee" ? "hip" : "knee");
        if (joint.name == "knee") {
            EXPECT_NEAR(joint.position.y(), 0.5, 1e-15);
            EXPECT_NEAR(joint.radius, 0.04, 1e-15);
        } else {
            EXPECT_NEAR(joint.bone_radius, 0.03, 1e-15);
            EXPECT_EQ(joint.stiffness, 2.0);
            EXPECT_TRUE(joint.is_virtual);
        }
    }
}

TEST(CharacterFiles, DamagedSkeletonsAreRefused) {
    for (const char* text :
         {"", "{", "[]", "{}", R"({"joints": []})", R"({"joints": [{"name": "a"}]})",
          R"({"joints": [{"name": "a", "position": [0, 0]}]})",
          R"({"joints": [{"name": "a", "parent": "b", "position": [0, 0, 0]}]})",
          R"({"joints": [{"name": "a", "parent": 7, "position": [0, 0, 0]}]})",
          R"({"joints": [{"name": "a", "parent": "b", "position": [0, 0, 0]},
                         {"name": "b", "parent": "a", "position": [0, 1, 0]}]})",
          R"({"joints": [{"name": "a", "position": [0, 0, 0]},
                         {"name": "a", "parent": 0, "position": [0, 1, 0]}]})",
          R"({"joints": [{"name": "a", "position": [0, 0, 0]},
                         {"name": "b", "parent": 0, "position": [0, 0, 0]}]})",
          R"({"joints": [{"name": "a", "position": [0, 0, 0], "size": 3}]})"}) {
        EXPECT_THROW(parse_character_skeleton(text, "x.json"), InputError) << text;
    }
}

TEST(CharacterFiles, MotionsTurnByAxisAngleOrQuaternion) {
    const CharacterSkeleton skeleton = leg();
    const CharacterMotion motion = parse_character_motion(
        R"({"keys": [{"time": 0}, {"time": 2, "shift": [0, 0, 1],
            "joints": {"knee": [1.5707963267948966, 0, 0], "hip": [0, 0, 2, 2]}}]})",
        "kick.json", skeleton);
    ASSERT_EQ(motion.keys.size(), 2u);
    const JointRotations middle = sample(motion, 1.0);
    EXPECT_NEAR(middle.shift.z(), 0.5, 1e-15);
    // Half of 90 degrees, each about its axis.
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const Eigen::AngleAxisd turn(middle.rotations[j]);
        if (skeleton.joints[j].name == "foot") {
            EXPECT_NEAR(turn.angle(), 0.0, 1e-12);
        } else {
            EXPECT_NEAR(turn.angle(), M_PI / 4, 1e-12);
            EXPECT_NEAR(
                turn.axis().dot(skeleton.joints[j].name == "knee" ? Vec3::UnitX() : Vec3::UnitZ()),
                1.0, 1e-12);
        }
    }
    const CharacterPose pose = pose_of(skeleton, sample(motion, 9.0));
    EXPECT_LT((pose[0] * skeleton.joints[0].position - Vec3(0, 1, 1)).norm(), 1e-12);
    // Namespaces, case and gaps do not matter where no name fits exactly.
    const CharacterMotion foreign = parse_character_motion(
        R"({"keys": [{"time": 0, "joints": {"rig:K_nee": [0.5, 0, 0]}}]})", "x.json", skeleton);
    const auto knee = std::find_if(skeleton.joints.begin(), skeleton.joints.end(),
                                   [](const CharacterJoint& j) { return j.name == "knee"; });
    EXPECT_NEAR(
        Eigen::AngleAxisd(
            foreign.keys[0].rotations[static_cast<std::size_t>(knee - skeleton.joints.begin())])
            .angle(),
        0.5, 1e-12);
    for (const char* text : {R"({})", R"({"keys": []})", R"({"keys": [{"time": 1}, {"time": 1}]})",
                             R"({"keys": [{"time": 0, "joints": {"nose": [0, 0, 1]}}]})",
                             R"({"keys": [{"time": 0, "joints": {"knee": [0, 0]}}]})",
                             R"({"keys": [{"time": 0, "joints": {"knee": [0, 0, 0, 0]}}]})"}) {
        EXPECT_THROW(parse_character_motion(text, "x.json", skeleton), InputError) << text;
    }
}

TEST(CharacterFiles, RecordedMotionsMoveJointsOfTheSameName) {
    const char* text =
        "HIERARCHY\nROOT hip\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\n JOINT knee\n {\n  OFFSET 0 -0.5 0\n  CHANNELS 3 Zrotation "
        "Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 -0.5 0\n  }\n }\n}\nMOTION\nFrames: "
        "2\nFrame Time: 0.5\n0 1 0 0 0 0 0 0 0\n0 1.2 0 0 0 0 0 90 0\n";
    const MotionClip clip = parse_bvh(text, "kick.bvh");
    const CharacterSkeleton own = skeleton_of(clip);
    ASSERT_EQ(own.size(), 3u);
    EXPECT_EQ(own.joints[2].name, "knee_end");
    EXPECT_LT(own.joints[2].position.norm(), 1e-12);
    const auto on = [&](const CharacterSkeleton& skeleton) {
        return retarget(recording_of(clip), skeleton, known_joint_names()).motion;
    };
    const CharacterMotion motion = on(own);
    const CharacterPose pose = pose_of(own, sample(motion, 0.5));
    const std::vector<Eigen::Isometry3d> expected = forward_kinematics(clip, 1);
    EXPECT_LT((pose[1] * own.joints[1].position - expected[1].translation()).norm(), 1e-9);
    EXPECT_LT((pose[1] * own.joints[2].position - expected[1] * Vec3(0, -0.5, 0)).norm(), 1e-9);
    // Twice as tall: twice as high.
    CharacterSkeleton tall = own;
    for (CharacterJoint& joint : tall.joints) {
        joint.position *= 2.0;
    }
    EXPECT_NEAR(sample(on(tall), 0.5).shift.y(), 0.4, 1e-9);
    CharacterSkeleton other = own;
    for (CharacterJoint& joint : other.joints) {
        joint.name += "_x";
    }
    EXPECT_THROW(on(other), InputError);
    // Namespaces, case and gaps do not matter where no name fits exactly.
    for (CharacterJoint& joint : other.joints) {
        joint.name = joint.name == "hip_x" ? "rig:Hip" : joint.name == "knee_x" ? "K_nee" : "tip";
    }
    EXPECT_LT((pose_of(other, sample(on(other), 0.5))[1].matrix() - pose[1].matrix()).norm(),
              1e-12);
}

// Programs whose Z points up write recordings that lie.
TEST(CharacterFiles, RecordingsWithAnotherAxisUpNameTheOption) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "kick.bvh";
    std::ofstream(file)
        << "HIERARCHY\nROOT hip\n{\n OFFSET 0 0 1\n CHANNELS 6 Xposition Yposition "
           "Zposition Xrotation Yrotation Zrotation\n JOINT knee\n {\n  OFFSET 0 0 "
           "-0.5\n  CHANNELS 3 Xrotation Yrotation Zrotation\n  JOINT foot\n  {\n   "
           "OFFSET 0 0.02 -0.4\n   CHANNELS 3 Xrotation Yrotation Zrotation\n   End "
           "Site\n   {\n    OFFSET 0 -0.1 0\n   }\n  }\n }\n}\nMOTION\nFrames: 1\n"
           "Frame Time: 0.04\n0 0 1 0 0 0 90 0 0 0 0 0\n";
    const CharacterSkeleton skeleton = leg();
    try {
        read_character_motion(file, skeleton);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_EQ(error.parts().where, "kick.bvh");
        EXPECT_NE(error.parts().remedy.find("--skeleton-up z"), std::string::npos) << error.what();
    }
    // A turn about X is one in both.
    const CharacterMotion motion =
        read_character_motion(file, skeleton, {.read = {.up = UpAxis::Z}}).motion;
    EXPECT_LT(motion.keys[0].rotations[1].angularDistance(
                  Eigen::Quaterniond(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitX()))),
              1e-6);
}

TEST(SkelFiles, TurnAboutWorldAxesAndMayBeZUp) {
    const char* skel = "3\n0 0 10 hip root\n0 0 5\tknee\thip\n0 -1 0 foot knee\n";
    const char* anim =
        "3 2\n0\n1 0 0\n1 0 0\n0 0 \n1\n1 0 0\n0 -1 0\n0 0.5 \n2\n1 0 0\n0 0 1\n0 1 \n";
    const ReadOptions up{.unit = Unit::Centimetre, .up = UpAxis::Z};
    const CharacterSkeleton skeleton = parse_skel(skel, "leg.skel", up);
    ASSERT_EQ(skeleton.size(), 3u);
    EXPECT_EQ(skeleton.joints[2].name, "foot");
    EXPECT_EQ(skeleton.joints[2].parent, 1);
    EXPECT_LT((skeleton.joints[0].position - Vec3(0, 0.1, 0)).norm(), 1e-15);
    EXPECT_LT((skeleton.joints[2].position - Vec3(0, 0, 0.01)).norm(), 1e-15);
    const CharacterMotion motion = parse_anim(anim, "kick.anim", skeleton, up);
    ASSERT_EQ(motion.times, (std::vector<double>{0.0, 0.75, 1.5}));
    const Eigen::Quaterniond first(Eigen::AngleAxisd(0.5, Vec3::UnitZ()));
    const Eigen::Quaterniond second(Eigen::AngleAxisd(1.0, Vec3::UnitY()));
    EXPECT_LT(motion.keys[1].rotations[1].angularDistance(first), 1e-12);
    EXPECT_LT(motion.keys[2].rotations[1].angularDistance(second), 1e-12);
    EXPECT_LT(motion.keys[2].rotations[2].angularDistance(Eigen::Quaterniond::Identity()), 1e-12);
    // As files, by their endings.
    const support::TemporaryFolder folder;
    std::ofstream(folder.path() / "leg.skel") << skel;
    std::ofstream(folder.path() / "kick.ANIM") << anim;
    const CharacterSkeleton read = read_character_skeleton(folder.path() / "leg.skel", up);
    EXPECT_EQ(read.joints[1].position, skeleton.joints[1].position);
    EXPECT_EQ(
        read_character_motion(folder.path() / "kick.ANIM", read, {.read = up}).motion.keys.size(),
        3u);
}

TEST(SkelFiles, DamageIsRefused) {
    for (const char* text : {"", "x", "-1", "2\n0 0 0 a root\n", "999999999\n0 0 0 a root\n",
                             "2\n0 0 0 a root\n0 1 0 b c\n", "2\n0 0 0 a b\n0 1 0 b root\n",
                             "2\n0 0 0 a root\n0 nan 0 b a\n", "2\n0 0 0 a root\n0 1 0 a a\n",
                             "2\n0 0 0 a root\n0 0 0 b a\n", "2\n0 0 0 a root\n0 1 0 b\n"}) {
        EXPECT_THROW(parse_skel(text, "x.skel"), InputError) << text;
    }
    const CharacterSkeleton skeleton = parse_skel("2\n0 0 0 a root\n0 1 0 b a\n", "x.skel");
    for (const char* text :
         {"", "1", "0 2\n", "1 0\n0\n", "1 3\n0\n1 0 0\n1 0 0\n1 0 0\n0 0 0\n",
          "1 2\n0\n1 0 0\n1 0 0\n0\n", "1 2\n0\n1 0 0\n0 0 0\n0 1\n",
          "1 2\n0\n1 0 0\n1 0 inf\n0 1\n", "99999999 2\n0\n1 0 0\n1 0 0\n0 0\n"}) {
        EXPECT_THROW(parse_anim(text, "x.anim", skeleton), InputError) << text;
    }
}

// Messages name the file that is wrong, what is wrong with it, and what would do.
TEST(CharacterFiles, MessagesNameTheFileAndWhatWouldDo) {
    const support::TemporaryFolder folder;
    const auto file = [&](const std::string& name, const std::string& text) {
        std::ofstream(folder.path() / name) << text;
        return folder.path() / name;
    };
    const CharacterSkeleton skeleton = leg();
    const auto complaint = [](auto&& read) -> std::string {
        try {
            read();
        } catch (const InputError& error) {
            return error.what();
        }
        return "accepted";
    };
    const auto motion = [&](const std::filesystem::path& path) {
        return complaint([&] { read_character_motion(path, skeleton); });
    };
    const auto bones = [&](const std::filesystem::path& path) {
        return complaint([&] { read_character_skeleton(path); });
    };
    const auto expect = [](const std::string& message, std::initializer_list<const char*> words) {
        for (const char* word : words) {
            EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
        }
    };
    expect(motion(file("a.ply", "ply\n")), {"a.ply", ".bvh", ".anim"});
    expect(motion(file("b.skel", "1\n0 0 0 a root\n")), {"b.skel", ".bvh", ".anim"});
    expect(bones(file("c.anim", "1 1\n")), {"c.anim", ".bvh", ".skel"});
    expect(motion(file("d.json", R"({"keys": [{"time": 0, "joints": {"wing": [1, 0, 0]}}]})")),
           {"d.json", "wing", "hip, knee, foot"});
    expect(motion(file("g.json", R"({"keys": [{"time": 0, "joints": {"hip": [0, 1e308, 0]}}]})")),
           {"g.json", "hip", "1e+308"});
    expect(
        motion(file("h.json", R"({"keys": [{"time": 0, "joints": {"hip": [0, 0, 0, 1e300]}}]})")),
        {"h.json", "hip"});
    expect(motion(file("i.json", R"({"keys": [{"time": 0, "shift": [0, 0, -1e308]}]})")),
           {"i.json", "shift", "1e+308"});
    expect(motion(folder.path() / "absent.txt"), {"absent.txt", "no such file"});
    expect(motion(file("dance.bvh",
                       "HIERARCHY\nROOT tail\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation "
                       "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION"
                       "\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")),
           {"dance.bvh", "tail", "hip"});
    expect(bones(file("e.json", R"({"joints": [
        {"name": "a", "parent": "b", "position": [0, 0, 0]},
        {"name": "b", "parent": "a", "position": [0, 1, 0]}]})")),
           {"e.json", "'a'", "parents"});
    expect(bones(file("f.json", R"({"joints": [{"name": "hip", "position": [0, 0, 0]},
        {"name": "knee", "parent": "hipp", "position": [0, 1, 0]}]})")),
           {"f.json", "hipp", "did you mean 'hip'"});
}

TEST(PointCaches, AreReadAsTheyWereWritten) {
    const support::TemporaryFolder folder;
    const Points a = support::sphere(1, 1.0).points;
    const std::vector<Points> frames = {a, 2.0 * a, 3.0 * a};
    const std::vector<double> times = {0.0, 0.04, 0.08};
    write_pc2(folder.path() / "x.pc2", times, frames);
    write_mdd(folder.path() / "x.mdd", times, frames);
    EXPECT_EQ(read_file_bytes(folder.path() / "x.pc2").size(),
              32u + 3u * 12u * static_cast<std::size_t>(a.rows()));
    const PointCache pc2 = read_pc2(folder.path() / "x.pc2");
    const PointCache mdd = read_mdd(folder.path() / "x.mdd");
    ASSERT_EQ(pc2.frames.size(), 3u);
    ASSERT_EQ(mdd.frames.size(), 3u);
    for (std::size_t f = 0; f < 3; ++f) {
        EXPECT_LT((pc2.frames[f] - frames[f]).cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_LT((mdd.frames[f] - frames[f]).cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_NEAR(mdd.times[f], times[f], 1e-7);
        EXPECT_NEAR(pc2.times[f], static_cast<double>(f), 1e-6);
    }
    const std::string whole = read_file_bytes(folder.path() / "x.pc2");
    std::ofstream(folder.path() / "cut.pc2", std::ios::binary) << whole.substr(0, 200);
    EXPECT_THROW(read_pc2(folder.path() / "cut.pc2"), InputError);
    EXPECT_THROW(read_mdd(folder.path() / "cut.pc2"), InputError);
    EXPECT_THROW(write_pc2(folder.path() / "y.pc2", std::vector<double>{0.0, 0.1, 0.3}, frames),
                 InputError);
    EXPECT_THROW(write_mdd(folder.path() / "y.mdd", std::vector<double>{0.0}, frames), InputError);
}

TEST(Usda, MovingPartsHaveTimeSamples) {
    const support::TemporaryFolder folder;
    MeshPart part{.name = "skin", .mesh = support::sphere(0, 1.0)};
    const std::vector<Points> frames = {part.mesh.points, 2.0 * part.mesh.points};
    write_usda(folder.path() / "x.usda", part, std::vector<double>{0.0, 0.5}, frames);
    const std::string text = read_file_bytes(folder.path() / "x.usda");
    EXPECT_NE(text.find("point3f[] points.timeSamples = {"), std::string::npos);
    EXPECT_NE(text.find("endTimeCode = 12"), std::string::npos);
    EXPECT_NE(text.find("12: [("), std::string::npos);
}

TEST(CharacterFiles, NestingDeeperThanTheStackIsRefused) {
    const std::string deep = std::string(300000, '[') + std::string(300000, ']');
    EXPECT_THROW(parse_character_skeleton(R"({"joints": )" + deep + "}", "deep"), InputError);
    EXPECT_THROW(parse_character_skeleton(R"({"joints": [{"name": )" + deep + "}]}", "deep"),
                 InputError);
}

// Headers that promise more than there is, or frames of nothing without end.
TEST(PointCaches, RefuseCountsThatTheFileCannotHold) {
    const auto big = [](std::uint32_t v) {
        return std::string{static_cast<char>(v >> 24), static_cast<char>(v >> 16),
                           static_cast<char>(v >> 8), static_cast<char>(v)};
    };
    EXPECT_THROW(parse_mdd(big(0x7fffffff) + big(0), "x.mdd"), InputError);
    EXPECT_THROW(parse_mdd(big(1) + big(0x7fffffff) + big(0), "x.mdd"), InputError);
    EXPECT_THROW(parse_mdd(big(0) + big(0), "x.mdd"), InputError);
    std::string pc2("POINTCACHE2\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\377\377\377\177", 32);
    EXPECT_THROW(parse_pc2(pc2, "x.pc2"), InputError);
    // One frame of one point, which is not a number.
    EXPECT_NO_THROW(parse_mdd(big(1) + big(1) + big(0) + big(0) + big(0) + big(0), "x.mdd"));
    EXPECT_THROW(parse_mdd(big(1) + big(1) + big(0) + big(0x7fc00000) + big(0) + big(0), "x.mdd"),
                 InputError);
}

// Frame by frame or all at once: the same bytes, and no file before the last frame.
TEST(FrameWriters, MakeTheFilesThatHoldAllFramesAtOnce) {
    const support::TemporaryFolder folder;
    const MeshPart part{.name = "ball", .mesh = support::sphere(2, 0.1), .kind = "skin"};
    const std::vector<double> times = {0.0, 0.25, 0.5};
    std::vector<Points> frames(3, part.mesh.points);
    frames[1] *= 1.5;
    frames[2].col(0).array() += 0.2;
    GltfScene scene = scene_of({&part, 1});
    add_vertex_animation(scene, 0, times, frames);
    write_glb(folder / "whole.glb", scene);
    write_usda(folder / "whole.usda", part, times, frames);
    {
        GlbFrameWriter glb(folder / "x.glb", part, times);
        UsdaFrameWriter usda(folder / "x.usda", part, times);
        for (FrameWriter* writer : std::initializer_list<FrameWriter*>{&glb, &usda}) {
            writer->add(frames[0]);
            writer->add(frames[1]);
            EXPECT_THROW(writer->commit(), InputError);
            EXPECT_THROW(writer->add(frames[2].topRows(5)), InputError);
        }
        EXPECT_FALSE(std::filesystem::exists(folder / "x.glb"));
        EXPECT_FALSE(std::filesystem::exists(folder / "x.usda"));
        for (FrameWriter* writer : std::initializer_list<FrameWriter*>{&glb, &usda}) {
            writer->add(frames[2]);
            EXPECT_THROW(writer->add(frames[2]), InputError);
            writer->commit();
        }
    }
    EXPECT_EQ(read_file_bytes(folder / "x.glb"), read_file_bytes(folder / "whole.glb"));
    EXPECT_EQ(read_file_bytes(folder / "x.usda"), read_file_bytes(folder / "whole.usda"));
}

TEST(FrameWriters, RefuseWhatAGlbCannotHoldBeforeAnyWork) {
    const support::TemporaryFolder folder;
    const MeshPart part{.name = "ball", .mesh = support::sphere(2, 0.1)};
    std::vector<double> times(40000);  // weights of all shapes at all times: 6.4 GB
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = static_cast<double>(i);
    }
    EXPECT_THROW(GlbFrameWriter(folder / "x.glb", part, times), InputError);
}

}  // namespace
}  // namespace sinew
