#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/bvh.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "tests/support/mutate.h"
#include "tests/support/shared_data.h"
#include "tests/support/small_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

// Tabs, CRLF, odd case, a brace on the joint's line, channels in an unusual order.
constexpr std::string_view kDialect =
    "HIERARCHY\r\nROOT Hips {\r\n\tOFFSET 0 90 0\r\n"
    "\tCHANNELS 6 Zrotation Xposition yrotation YPOSITION Xrotation Zposition\r\n"
    "\tJOINT Left Knee\r\n\t{\r\n\t\tOFFSET 10 -40 0\r\n\t\tCHANNELS 1 Xrotation\r\n"
    "\t\tEnd Site\r\n\t\t{ OFFSET 0 -45 0 }\r\n\t}\r\n}\r\n"
    "MOTION\r\nFrames:\t2\r\nFrame Time: .0333\r\n"
    "90 1 0 2 0 3 45\r\n0 0 0\r\n0 0 0 -1e1\r\n";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result(text);
    const std::size_t at = result.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return result.replace(at, from.size(), to);
}

}  // namespace

TEST(Bvh, DialectsAreUnderstood) {
    const MotionClip clip = parse_bvh(kDialect, "x.bvh");
    ASSERT_EQ(clip.joints.size(), 2u);
    EXPECT_EQ(clip.joints[0].name, "Hips");
    EXPECT_EQ(clip.joints[1].name, "Left Knee");
    EXPECT_EQ(clip.joints[1].parent, 0);
    EXPECT_EQ(clip.joints[1].end_offset, Vec3(0, -45, 0));
    EXPECT_EQ(clip.frame_count, 2u);
    EXPECT_DOUBLE_EQ(clip.frame_time, 0.0333);
    EXPECT_DOUBLE_EQ(clip.values[0], std::numbers::pi / 2);
    EXPECT_EQ(clip.values[1], 1.0);
    EXPECT_DOUBLE_EQ(clip.values[6], std::numbers::pi / 4);
    EXPECT_EQ(clip.joints[0].channels[3], Channel::YPosition);
}

TEST(Bvh, AMotionComesBack) {
    const support::TemporaryFolder folder;
    const MotionClip clip = support::small_motion();
    for (const Unit unit : {Unit::Metre, Unit::Centimetre}) {
        write_bvh(folder / "walk.bvh", clip, unit);
        const MotionClip back = read_bvh(folder / "walk.bvh", {.unit = unit});
        EXPECT_EQ(back.name, "walk");
        ASSERT_EQ(back.joints.size(), clip.joints.size());
        EXPECT_EQ(back.frame_time, clip.frame_time);
        for (std::size_t frame = 0; frame < clip.frame_count; ++frame) {
            const auto expected = forward_kinematics(clip, frame);
            const auto actual = forward_kinematics(back, frame);
            for (std::size_t j = 0; j < expected.size(); ++j) {
                EXPECT_EQ(back.joints[j].name, clip.joints[j].name);
                EXPECT_EQ(back.joints[j].channels, clip.joints[j].channels);
                EXPECT_LT((expected[j].matrix() - actual[j].matrix()).norm(), 1e-12);
            }
        }
    }
}

// The text lists children right behind their parent; values follow that order.
TEST(Bvh, JointsInAnotherOrderKeepTheirValues) {
    MotionClip clip = support::small_motion();
    clip.joints.push_back({.name = "ankle", .parent = 1, .channels = {Channel::YRotation}});
    clip.values.resize(44);
    for (std::size_t i = 0; i < 44; ++i) {
        clip.values[i] = 0.01 * static_cast<double>(i);
    }
    const MotionClip back = parse_bvh(format_bvh(clip), "x");
    ASSERT_EQ(back.joints[2].name, "ankle");
    EXPECT_LT(
        (forward_kinematics(back, 3)[2].matrix() - forward_kinematics(clip, 3)[3].matrix()).norm(),
        1e-12);
    EXPECT_LT(
        (forward_kinematics(back, 3)[3].matrix() - forward_kinematics(clip, 3)[2].matrix()).norm(),
        1e-12);
}

// T' = C T C^-1 with C (x, y, z) = (x, z, -y), lengths in centimetres.
TEST(Bvh, ZUpInCentimetresIsTurnedAndScaled) {
    const MotionClip raw = parse_bvh(kDialect, "x.bvh");
    MotionClip turned = raw;
    convert_to_metres_y_up(turned, {.unit = Unit::Centimetre, .up = UpAxis::Z});
    Mat3 C;
    C << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    for (std::size_t frame = 0; frame < raw.frame_count; ++frame) {
        const auto before = forward_kinematics(raw, frame);
        const auto after = forward_kinematics(turned, frame);
        for (std::size_t j = 0; j < before.size(); ++j) {
            EXPECT_LT((after[j].linear() - C * before[j].linear() * C.transpose()).norm(), 1e-14);
            EXPECT_LT((after[j].translation() - 0.01 * C * before[j].translation()).norm(), 1e-14);
        }
    }
}

TEST(Bvh, WrongFilesAreRefusedWithTheLine) {
    const std::pair<const char*, const char*> changes[] = {
        {"HIERARCHY", "HIERARCHIE"},
        {"MOTION", "ROOT Second\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION"},
        {"Frames:\t2", "Frames: 3"},
        {"Frames:\t2", "Frames: 1"},
        {"Frames:\t2", "Frames: -2"},
        {"Frames:\t2", "Frames: 99999999999999"},
        {".0333", "0"},
        {".0333", "nan"},
        {"-1e1", "nan"},
        {"-1e1", "1e999"},
        {"CHANNELS 6", "CHANNELS 7"},
        {"CHANNELS 6", "CHANNELS 5"},
        {"Zrotation Xposition", "Zrotation Zrotation"},
        {"yrotation", "wrotation"},
        {"OFFSET 0 90 0", "OFFSET 0 90"},
        {"End Site", "End"},
        {"JOINT Left Knee", "JOINT"},
    };
    for (const auto& [from, to] : changes) {
        const std::string message = support::input_error_of(
            [&, from = from, to = to] { parse_bvh(replaced(kDialect, from, to), "x.bvh"); });
        EXPECT_NE(message.find("x.bvh"), std::string::npos) << from << " -> " << to;
    }
    const std::string two_roots = support::input_error_of(
        [&] { parse_bvh(replaced(kDialect, "MOTION", "ROOT B\n{\n}\nMOTION"), "x.bvh"); });
    EXPECT_NE(two_roots.find("one root"), std::string::npos) << two_roots;
}

TEST(Bvh, DamageIsSurvived) {
    const auto parse = [](std::string_view bytes) {
        const MotionClip clip = parse_bvh(bytes, "x");
        require_valid(clip, "x");
        parse_bvh(format_bvh(clip), "again");
    };
    support::expect_damage_is_survived(kDialect, parse, 1000);
    std::string deep = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation ";
    for (int i = 0; i < 20'000; ++i) {
        deep += "JOINT b\n{ OFFSET 0 0 0 CHANNELS 0 ";
    }
    EXPECT_THROW(parse_bvh(deep, "x"), InputError);
    deep += std::string(20'001, '}') + " MOTION Frames: 1 Frame Time: 1 0";
    std::string spaced;
    for (const char c : deep) {
        spaced += c == '}' ? std::string("} ") : std::string(1, c);
    }
    EXPECT_NO_THROW(parse(spaced));
}

TEST(Bvh, UnreadableFilesAreRefused) {
    const support::TemporaryFolder folder;
    EXPECT_THROW(read_bvh(folder.path()), InputError);
    write_file_bytes(folder / "empty.bvh", "");
    EXPECT_THROW(read_bvh(folder / "empty.bvh"), InputError);
    write_file_bytes(folder / "sparse.bvh", "HIERARCHY");
    std::filesystem::resize_file(folder / "sparse.bvh", std::uintmax_t{5} << 30);
    EXPECT_THROW(read_bvh(folder / "sparse.bvh"), InputError);
}

TEST(Bvh, RecordedMotionsOfAPersonAreRead) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass/motion");
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const MotionClip clip = read_bvh(entry.path(), {.unit = Unit::Centimetre});
        EXPECT_GT(clip.frame_count, 10u) << entry.path();
        EXPECT_GT(clip.joints.size(), 15u) << entry.path();
        ++files;
    }
    EXPECT_EQ(files, 8);
    // A walker's hips are about a metre up and travel.
    const MotionClip walk = read_bvh(folder / "walk.bvh", {.unit = Unit::Centimetre});
    const Vec3 first = forward_kinematics(walk, 0)[0].translation();
    const Vec3 last = forward_kinematics(walk, walk.frame_count - 1)[0].translation();
    EXPECT_GT(first.y(), 0.7);
    EXPECT_LT(first.y(), 1.2);
    EXPECT_GT((last - first).norm(), 0.3);
}

}  // namespace sinew
