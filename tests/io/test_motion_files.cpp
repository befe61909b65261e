#include "sinew/base/error.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/io/bvh.h"
#include "sinew/io/character_files.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

// The joints of a person in a T-pose under the names of a convention, legs of 0.85 units.
struct NamedJoint {
    const char* part;
    const char* parent;
    Vec3 offset;
};
const std::vector<NamedJoint>& person_rows() {
    static const std::vector<NamedJoint> kRows = {{"pelvis", "", {0, 0.95, 0}},
                                                  {"trunk", "pelvis", {0, 0.12, 0}},
                                                  {"neck", "trunk", {0, 0.35, 0}},
                                                  {"head", "neck", {0, 0.1, 0}},
                                                  {"shoulder_l", "trunk", {0.2, 0.3, 0}},
                                                  {"elbow_l", "shoulder_l", {0.3, 0, 0}},
                                                  {"wrist_l", "elbow_l", {0.25, 0, 0}},
                                                  {"shoulder_r", "trunk", {-0.2, 0.3, 0}},
                                                  {"elbow_r", "shoulder_r", {-0.3, 0, 0}},
                                                  {"wrist_r", "elbow_r", {-0.25, 0, 0}},
                                                  {"hip_l", "pelvis", {0.1, -0.02, 0}},
                                                  {"knee_l", "hip_l", {0, -0.42, 0}},
                                                  {"ankle_l", "knee_l", {0, -0.43, 0}},
                                                  {"toe_l", "ankle_l", {0, -0.06, 0.13}},
                                                  {"hip_r", "pelvis", {-0.1, -0.02, 0}},
                                                  {"knee_r", "hip_r", {0, -0.42, 0}},
                                                  {"ankle_r", "knee_r", {0, -0.43, 0}},
                                                  {"toe_r", "ankle_r", {0, -0.06, 0.13}}};
    return kRows;
}

std::string named_by(const JointConvention& convention, const std::string& part) {
    const bool is_sided = part.size() > 2 && part[part.size() - 2] == '_';
    const std::string stem = is_sided ? part.substr(0, part.size() - 2) : part;
    std::string name = convention.parts.at(stem).front();
    if (const std::size_t at = name.find("{side}"); at != std::string::npos) {
        name.replace(at, 6, part.back() == 'l' ? convention.left : convention.right);
    }
    return name;
}

// A clip whose left elbow bends by 90 degrees about Y, and whose hips go forward, in units of cm.
MotionClip clip_named_by(const JointConvention& convention, double unit = 100.0) {
    MotionClip clip;
    clip.name = convention.name;
    std::map<std::string, Index> number;
    for (const NamedJoint& row : person_rows()) {
        if (!convention.parts.contains(std::string(row.part).substr(
                0, std::string(row.part).find_last_of('_') == std::string::npos
                       ? std::string::npos
                       : std::string(row.part).find_last_of('_')))) {
            continue;
        }
        MotionJoint joint{.name = named_by(convention, row.part),
                          .parent = *row.parent == '\0' ? -1 : number.at(row.parent),
                          .offset = unit * row.offset};
        if (joint.parent < 0) {
            joint.channels = {Channel::XPosition, Channel::YPosition, Channel::ZPosition};
        }
        joint.channels.insert(joint.channels.end(),
                              {Channel::ZRotation, Channel::XRotation, Channel::YRotation});
        number[row.part] = static_cast<Index>(clip.joints.size());
        clip.joints.push_back(std::move(joint));
    }
    clip.frame_count = 12;
    const std::size_t n = channel_count(clip);
    clip.values.assign(clip.frame_count * n, 0.0);
    for (std::size_t f = 0; f < clip.frame_count; ++f) {
        const double t = static_cast<double>(f) / 11.0;
        clip.values[f * n + 1] = unit * 0.95;
        clip.values[f * n + 2] = unit * 0.5 * t;
        clip.values[f * n + 3 + 3 * static_cast<std::size_t>(number.at("elbow_l")) + 2] =
            -0.5 * M_PI * t;
    }
    return clip;
}

// The same person under other names and with hanging arms, half as tall again.
CharacterSkeleton hanging_person() {
    CharacterSkeleton skeleton;
    std::map<std::string, Index> number;
    for (const NamedJoint& row : person_rows()) {
        const bool is_arm = std::string(row.part).starts_with("elbow") ||
                            std::string(row.part).starts_with("wrist");
        const Vec3 offset =
            1.5 *
            (is_arm ? Vec3(0.2 * row.offset.x(), -std::abs(row.offset.x()), 0.0) : row.offset);
        const Index parent = *row.parent == '\0' ? -1 : number.at(row.parent);
        number[row.part] = static_cast<Index>(skeleton.size());
        const std::string name = row.part;
        skeleton.joints.push_back(
            {.name = name == "trunk" ? "chest" : name,
             .parent = parent,
             .position =
                 offset + (parent < 0
                               ? Vec3(Vec3::Zero())
                               : skeleton.joints[static_cast<std::size_t>(parent)].position)});
    }
    return skeleton;
}

Vec3 direction(const CharacterSkeleton& skeleton, const JointRotations& key, const char* from,
               const char* to) {
    const CharacterPose pose = pose_of(skeleton, key);
    Vec3 a = Vec3::Zero();
    Vec3 b = Vec3::Zero();
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const Vec3 p = pose[j] * skeleton.joints[j].position;
        a = skeleton.joints[j].name == from ? p : a;
        b = skeleton.joints[j].name == to ? p : b;
    }
    return (b - a).normalized();
}

TEST(JointNames, EveryConventionOfTheTableDrivesACharacterOfOtherNames) {
    const JointNames names = known_joint_names();
    ASSERT_GE(names.conventions.size(), 12u);
    const CharacterSkeleton target = hanging_person();
    for (const JointConvention& convention : names.conventions) {
        SCOPED_TRACE(convention.name);
        const MotionClip clip = clip_named_by(convention);
        // Also with what programs put before names.
        for (const std::string prefix : {"", "mixamorig:"}) {
            MotionClip named = clip;
            for (MotionJoint& joint : named.joints) {
                joint.name = prefix + joint.name;
            }
            const RetargetedCharacter moved = retarget(recording_of(named), target, names);
            EXPECT_LT(moved.report.mean_limb_error, 0.01);
            const JointRotations& last = moved.motion.keys.back();
            EXPECT_LT((direction(target, last, "shoulder_l", "elbow_l") - Vec3::UnitX()).norm(),
                      1e-6);
            EXPECT_LT((direction(target, last, "elbow_l", "wrist_l") - Vec3::UnitZ()).norm(), 1e-6);
            // 0.5 of legs of 0.85 in any unit are 0.75 of legs of 1.275.
            EXPECT_NEAR(last.shift.z() - moved.motion.keys.front().shift.z(), 0.75, 0.02);
            EXPECT_NEAR(last.shift.y(), 0.0, 0.02);
        }
    }
}

// Rigs as their programs write them, with what else they have: helpers, twist bones, fingers, ends.
struct WrittenRig {
    const char* program;
    std::vector<std::string> joints;
    std::map<std::string, std::string> parts;
};

std::vector<WrittenRig> written_rigs() {
    return {
        {"Mixamo",
         {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2",
          "mixamorig:Neck", "mixamorig:Head", "mixamorig:HeadTop_End", "mixamorig:LeftShoulder",
          "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand",
          "mixamorig:LeftHandThumb1", "mixamorig:LeftHandIndex1", "mixamorig:LeftUpLeg",
          "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftToeBase",
          "mixamorig:LeftToe_End"},
         {{"pelvis", "mixamorig:Hips"},
          {"shoulder_l", "mixamorig:LeftArm"},
          {"clavicle_l", "mixamorig:LeftShoulder"},
          {"hip_l", "mixamorig:LeftUpLeg"},
          {"knee_l", "mixamorig:LeftLeg"},
          {"toe_l", "mixamorig:LeftToeBase"}}},
        {"Blender Rigify, deforming bones",
         {"root",           "DEF-spine",         "DEF-spine.001",
          "DEF-spine.002",  "DEF-spine.003",     "DEF-spine.004",
          "DEF-spine.005",  "DEF-spine.006",     "DEF-pelvis.R",
          "DEF-shoulder.R", "DEF-upper_arm.R",   "DEF-upper_arm.R.001",
          "DEF-forearm.R",  "DEF-forearm.R.001", "DEF-hand.R",
          "DEF-thigh.R",    "DEF-thigh.R.001",   "DEF-shin.R",
          "DEF-shin.R.001", "DEF-foot.R",        "DEF-toe.R"},
         {{"pelvis", "DEF-spine"},
          {"head", "DEF-spine.006"},
          {"shoulder_r", "DEF-upper_arm.R"},
          {"elbow_r", "DEF-forearm.R"},
          {"hip_r", "DEF-thigh.R"},
          {"ankle_r", "DEF-foot.R"}}},
        {"SMPL",
         {"m_avg_root", "m_avg_Pelvis", "m_avg_L_Hip", "m_avg_L_Knee", "m_avg_L_Ankle",
          "m_avg_L_Foot", "m_avg_Spine1", "m_avg_Spine2", "m_avg_Spine3", "m_avg_Neck",
          "m_avg_Head", "m_avg_L_Collar", "m_avg_L_Shoulder", "m_avg_L_Elbow", "m_avg_L_Wrist",
          "m_avg_L_Hand"},
         {{"pelvis", "m_avg_Pelvis"},
          {"hip_l", "m_avg_L_Hip"},
          {"toe_l", "m_avg_L_Foot"},
          {"shoulder_l", "m_avg_L_Shoulder"}}},
        {"SMPL-X",
         {"pelvis",        "left_hip",       "right_hip",    "spine1",
          "left_knee",     "right_knee",     "spine2",       "left_ankle",
          "right_ankle",   "spine3",         "left_foot",    "right_foot",
          "neck",          "left_collar",    "right_collar", "head",
          "left_shoulder", "right_shoulder", "left_elbow",   "right_elbow",
          "left_wrist",    "right_wrist",    "jaw",          "left_eye_smplhf",
          "left_index1",   "left_thumb1"},
         {{"pelvis", "pelvis"},
          {"clavicle_r", "right_collar"},
          {"elbow_r", "right_elbow"},
          {"thumb_l", "left_thumb1"}}},
        {"Xsens, segments",
         {"Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head", "Right Shoulder", "Right Upper Arm",
          "Right Forearm", "Right Hand", "Right Upper Leg", "Right Lower Leg", "Right Foot",
          "Right Toe"},
         {{"pelvis", "Pelvis"},
          {"shoulder_r", "Right Upper Arm"},
          {"elbow_r", "Right Forearm"},
          {"hip_r", "Right Upper Leg"},
          {"knee_r", "Right Lower Leg"}}},
        {"Xsens, BVH",
         {"Hips", "Chest", "Chest2", "Chest3", "Chest4", "Neck", "Head", "RightCollar",
          "RightShoulder", "RightElbow", "RightWrist", "RightHip", "RightKnee", "RightAnkle",
          "RightToe"},
         {{"clavicle_r", "RightCollar"},
          {"shoulder_r", "RightShoulder"},
          {"hip_r", "RightHip"},
          {"toe_r", "RightToe"}}},
        {"VRM",
         {"Armature", "hips", "spine", "chest", "upperChest", "neck", "head", "leftEye", "jaw",
          "leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand", "leftThumbProximal",
          "leftMiddleProximal", "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"},
         {{"pelvis", "hips"},
          {"clavicle_l", "leftShoulder"},
          {"shoulder_l", "leftUpperArm"},
          {"knee_l", "leftLowerLeg"}}},
        {"OpenSim, Rajagopal",
         {"ground_pelvis", "hip_r", "walker_knee_r", "patellofemoral_r", "ankle_r", "subtalar_r",
          "mtp_r", "back", "acromial_r", "elbow_r", "radioulnar_r", "radius_hand_r"},
         {{"pelvis", "ground_pelvis"},
          {"hip_r", "hip_r"},
          {"knee_r", "walker_knee_r"},
          {"shoulder_r", "acromial_r"},
          {"wrist_r", "radius_hand_r"},
          {"toe_r", "mtp_r"}}}};
}

TEST(JointNames, RigsAsTheirProgramsWriteThemAreUnderstood) {
    const JointNames names = known_joint_names();
    for (const WrittenRig& rig : written_rigs()) {
        SCOPED_TRACE(rig.program);
        const PersonJoints found = find_person_joints(rig.joints, names);
        for (const auto& [part, name] : rig.parts) {
            const Index joint = found.first(part);
            ASSERT_GE(joint, 0) << part;
            EXPECT_EQ(rig.joints[static_cast<std::size_t>(joint)], name) << part;
        }
    }
}

TEST(JointNames, ARecordingThatSharesOnlyItsRootIsRefusedWithWhatIsNeeded) {
    MotionClip clip = clip_named_by(known_joint_names().conventions[0]);
    for (MotionJoint& joint : clip.joints) {
        joint.name = joint.parent < 0 ? "Root" : "bone_" + joint.name + "_x";
    }
    try {
        retarget(recording_of(clip), hanging_person(), known_joint_names());
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("'Root'"), std::string::npos) << error.what();
        EXPECT_NE(error.parts().remedy.find("--joint-names"), std::string::npos);
    }
    // A leg without its knee is no leg.
    MotionClip lame = clip_named_by(known_joint_names().conventions[0]);
    for (MotionJoint& joint : lame.joints) {
        joint.name = joint.name == "LeftLeg" ? "LeftThing" : joint.name;
    }
    try {
        retarget(recording_of(lame), hanging_person(), known_joint_names());
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(error.parts().needs.find("knee_l"), std::string::npos) << error.what();
    }
}

TEST(JointNames, ATableOfOnesOwnComesFirst) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "mine.json";
    JointConvention mine = known_joint_names().conventions[0];
    std::ofstream out(file);
    out << R"({"format": "sinew-joint-names", "version": 1, "conventions": [{"name": "mine",
        "left": "Gauche", "right": "Droite", "parts": {)";
    const char* comma = "";
    for (auto& [part, words] : mine.parts) {
        const bool is_sided = words[0].find("{side}") != std::string::npos;
        words = {part + (is_sided ? "{side}" : "Milieu")};
        out << fmt::format(R"({}"{}": "{}")", comma, part, words[0]);
        comma = ", ";
    }
    out << "}}]}";
    out.close();
    mine.left = "Gauche";
    mine.right = "Droite";
    const MotionClip clip = clip_named_by(mine);
    EXPECT_THROW(retarget(recording_of(clip), hanging_person(), known_joint_names()), InputError);
    const RetargetedCharacter moved =
        retarget(recording_of(clip), hanging_person(), known_joint_names(file));
    EXPECT_EQ(moved.report.source, "mine");
}

TEST(JointNames, DamagedTablesAreRefused) {
    for (const char* text : {"{}", R"({"format": "x", "version": 1, "conventions": []})",
                             R"({"format": "sinew-joint-names", "version": 2, "conventions": []})",
                             R"({"format": "sinew-joint-names", "version": 1, "conventions": []})",
                             R"({"format": "sinew-joint-names", "version": 1, "conventions": [
              {"name": "a", "left": "L", "right": "L", "parts": {"pelvis": ["Hips"]}}]})",
                             R"({"format": "sinew-joint-names", "version": 1, "conventions": [
              {"name": "a", "left": "L", "right": "R", "parts": {"pelvs": ["Hips"]}}]})",
                             R"({"format": "sinew-joint-names", "version": 1, "conventions": [
              {"name": "a", "left": "L", "right": "R", "parts": {"hip": ["UpLeg"]}}]})",
                             R"({"format": "sinew-joint-names", "version": 1, "conventions": [
              {"name": "a", "left": "L", "right": "R", "parts": {"pelvis": ["a", "A"]}}]})"}) {
        EXPECT_THROW(parse_joint_names(text, "x.json"), InputError) << text;
    }
}

// Offsets that nobody stands in, and a T-pose in the first frame: that one is the rest.
TEST(Recording, ATPoseInTheFirstFrameIsTheRestWhereOffsetsAreNot) {
    const JointNames names = known_joint_names();
    MotionClip clip = clip_named_by(names.conventions[0]);
    const std::size_t n = channel_count(clip);
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
        MotionJoint& joint = clip.joints[j];
        const bool is_leg = joint.name == "LeftUpLeg" || joint.name == "RightUpLeg";
        const double splay = joint.name == "LeftUpLeg" ? 0.4 : -0.4;
        if (is_leg) {
            const Mat3 R = Eigen::AngleAxisd(splay, Vec3::UnitZ()).toRotationMatrix();
            for (MotionJoint& child : clip.joints) {
                // Children of a splayed leg lie along it; its rotation brings it back.
                Index up = child.parent;
                while (up > static_cast<Index>(j)) {
                    up = clip.joints[static_cast<std::size_t>(up)].parent;
                }
                child.offset = up == static_cast<Index>(j) ? Vec3(R * child.offset) : child.offset;
            }
            for (std::size_t f = 0; f < clip.frame_count; ++f) {
                clip.values[f * n + 3 + 3 * j] = -splay;
            }
        }
    }
    const RetargetedCharacter moved = retarget(recording_of(clip), hanging_person(), names);
    EXPECT_TRUE(moved.report.rests_in_first_frame);
    EXPECT_LT(moved.report.mean_limb_error, 0.01);
    EXPECT_FALSE(
        retarget(recording_of(clip_named_by(names.conventions[0])), hanging_person(), names)
            .report.rests_in_first_frame);
}

TEST(MotionFiles, ARecordingAndATableOfCoordinatesMoveABodyAlike) {
    const support::TemporaryFolder folder;
    // A body's skeleton with a hinge for an elbow, under our own names.
    const CharacterSkeleton joints = hanging_person();
    Skeleton skeleton;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        std::string name = joints.joints[j].name;
        name = name == "pelvis" ? "root" : name == "chest" ? "lumbar_l5_s1" : name;
        name = name == "neck" ? "neck_c7_t1" : name == "head" ? "neck_atlanto_occipital" : name;
        name = name.starts_with("toe") ? "mtp_second_toe" + name.substr(3) : name;
        skeleton.segments.push_back({.name = name + "_segment"});
        Joint joint{.name = name,
                    .parent = joints.joints[j].parent,
                    .child = static_cast<Index>(j),
                    .centre = joints.joints[j].position,
                    .type = j == 0 ? JointType::Free : JointType::Ball};
        if (name.starts_with("elbow") || name.starts_with("knee")) {
            joint.type = JointType::Hinge;
            joint.axes[0] = (name.starts_with("elbow") ? -1.0 : 1.0) * Vec3::UnitX();
            joint.limits[0] = {0.0, 2.4};
            joint.motions[0] = "flexion";
        }
        skeleton.joints.push_back(joint);
    }
    write_bvh(folder.path() / "bend.bvh", clip_named_by(known_joint_names().conventions[0]));
    const RetargetedCharacter moved = read_body_motion(folder.path() / "bend.bvh", skeleton);
    EXPECT_LT(moved.report.mean_limb_error, 0.035);
    EXPECT_LT((direction(skeleton_of(skeleton), moved.motion.keys.back(), "elbow_l", "wrist_l") -
               Vec3::UnitZ())
                  .norm(),
              0.05);
    const RetargetedPoses poses =
        retarget(read_recording(folder.path() / "bend.bvh"), skeleton, known_joint_names());
    const std::vector<Index> starts = coordinate_starts(skeleton);
    for (const Pose& pose : poses.poses) {
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
            if (skeleton.joints[j].type == JointType::Hinge) {
                const double q = pose.coordinates[static_cast<std::size_t>(starts[j])];
                EXPECT_TRUE(q >= 0.0 && q <= 2.4) << skeleton.joints[j].name << " " << q;
            }
        }
    }
    // As coordinates in a file, and back.
    write_motion_table(folder.path() / "bend.sto",
                       table_of_poses(skeleton, poses.times, poses.poses));
    const RetargetedCharacter read = read_body_motion(folder.path() / "bend.sto", skeleton);
    ASSERT_EQ(read.motion.keys.size(), moved.motion.keys.size());
    for (std::size_t f = 0; f < read.motion.keys.size(); ++f) {
        EXPECT_LT((read.motion.keys[f].shift - moved.motion.keys[f].shift).norm(), 1e-9);
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
            EXPECT_LT(
                read.motion.keys[f].rotations[j].angularDistance(moved.motion.keys[f].rotations[j]),
                1e-6);
        }
    }
}

}  // namespace
}  // namespace sinew
