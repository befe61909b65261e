#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/atlas_files.h"

#include <gtest/gtest.h>

#include "tests/support/small_atlas.h"

namespace sinew {
namespace {

using support::SmallAtlas;

/// The message of the error that reading ends with.
std::string error_of(const SmallAtlas& atlas, const AtlasReadOptions& options = {}) {
    try {
        read_atlas(atlas.path(), options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

void expect_error(const SmallAtlas& atlas, const std::vector<std::string>& words) {
    const std::string message = error_of(atlas);
    for (const std::string& word : words) {
        EXPECT_NE(message.find(word), std::string::npos) << "no '" << word << "' in: " << message;
    }
}

TEST(AtlasFiles, KeepWhatTheManifestSays) {
    const SmallAtlas files;
    const Atlas atlas = read_atlas(files.path());
    ASSERT_EQ(atlas.parts.size(), 6u);
    EXPECT_EQ(atlas.parts[0].kind, AtlasKind::Skin);
    EXPECT_EQ(atlas.parts[0].mesh.triangles.rows(), 12);
    EXPECT_EQ(atlas.parts[1].aliases[0].name, "FMA16202");
    EXPECT_EQ(atlas.parts[4].origin, "sacrum");
    EXPECT_TRUE(atlas.parts[4].is_origin_sure);
    EXPECT_EQ((*atlas.parts[4].belly)[1], 0.8);
    EXPECT_EQ(atlas.parts[5].name, "vastus_lateralis_r") << "sides are last in our names";
    EXPECT_EQ(atlas.parts[5].aliases.size(), 3u) << "Latin, own, and the name as written";
    EXPECT_EQ(atlas.inputs.size(), 1u);
}

TEST(AtlasFiles, OtherUnitsAndAxesAreConverted) {
    const SmallAtlas millimetres(1000.0);
    millimetres.manifest(R"({"format": "sinew-atlas", "version": 1, "unit": "mm", "name": "mine",
        "sex": "female", "attribution": "me", "landmarks": {"vertex": [0, 1600, 0]},
        "joints": [{"name": "hip_l", "parent": "sacrum", "child": "femur_l", "type": "ball",
                    "centre": [90, 850, 0]}], "parts": )" +
                         SmallAtlas::parts() + "}");
    const Atlas atlas = read_atlas(millimetres.path());
    EXPECT_NEAR(bounds(atlas.parts[0].mesh.points).size().y(), 1.6, 1e-6);
    EXPECT_NEAR(atlas.joints[0].joint.centre.x(), 0.09, 1e-9);
    EXPECT_NEAR(atlas.landmarks[0].position.y(), 1.6, 1e-9);
    EXPECT_EQ(atlas.sex, Sex::Female);
    EXPECT_FALSE(atlas.notes.empty()) << "the conversion is told";
    // What the caller says wins over the manifest.
    const AtlasReadOptions metres{.frame = ReadOptions{}};
    EXPECT_NE(error_of(millimetres, metres).find("\"unit\": \"mm\""), std::string::npos);
}

TEST(AtlasFiles, AnotherUnitAxisOrFacingIsNoticed) {
    expect_error(SmallAtlas(1000.0), {"1600 m", "\"unit\": \"mm\""});
    expect_error(SmallAtlas(100.0), {"160 m", "\"unit\": \"cm\""});
    const SmallAtlas lying;
    lying.write("skin.ply", support::box({-0.3, -0.15, 0.0}, {0.3, 0.15, 1.6}));
    expect_error(lying, {"\"up\": \"z\""});
    const SmallAtlas backward;
    for (const char* bone : {"femur", "vastus"}) {
        backward.write(bone + std::string("_l.ply"),
                       support::box({-0.11, 0.45, 0}, {-0.08, 0.8, 0.1}));
        backward.write(bone + std::string("_r.ply"),
                       support::box({0.08, 0.45, 0}, {0.11, 0.8, 0.1}));
    }
    expect_error(backward, {"4 of 4 parts on the other side", "\"front\": \"-z\""});
    backward.manifest("{\"front\": \"-z\", \"parts\": " + SmallAtlas::parts() + "}");
    EXPECT_EQ(read_atlas(backward.path()).parts.size(), 6u);
}

TEST(AtlasFiles, BrokenManifestsNameThePlace) {
    const SmallAtlas atlas;
    atlas.manifest("");
    EXPECT_NE(error_of(atlas), "no error");
    atlas.manifest("[");
    expect_error(atlas, {"atlas.json", "valid JSON"});
    atlas.manifest("[]");
    expect_error(atlas, {"0 parts"});
    atlas.manifest("{}");
    expect_error(atlas, {"'parts'"});
    atlas.manifest("\"hello\"");
    expect_error(atlas, {"an object"});
    atlas.edit("\"kind\": \"skin\"", "\"kind\": \"skni\"");
    expect_error(atlas, {"part 0 'skin'", "did you mean 'skin'"});
    atlas.edit("\"fma\"", "\"fmma\"");
    expect_error(atlas, {"part 1 'sacrum'", "unknown key 'fmma', did you mean 'fma'?"});
    atlas.edit("\"file\": \"pelvis.ply\"", "\"file\": 7");
    expect_error(atlas, {"part 1 'sacrum', file", "a text in quotes"});
    atlas.edit("\"file\": \"pelvis.ply\", ", "");
    expect_error(atlas, {"part 1 'sacrum'", "no 'file'"});
    atlas.edit("\"pelvis.ply\"", "\"../pelvis.ply\"");
    expect_error(atlas, {"in the atlas's folder"});
    atlas.edit("\"pelvis.ply\"", "\"/etc/passwd\"");
    expect_error(atlas, {"in the atlas's folder"});
    atlas.edit("\"name\": \"femur_r\"", "\"name\": \"Left femur\"");
    expect_error(atlas, {"'femur_l', which part 2 has too"});
    atlas.edit("[0.1, 0.8]", "[0.9, 0.8]");
    expect_error(atlas, {"belly", "0 <= begin <= end <= 1"});
    atlas.edit("[0.1, 0.8]", "[0.1]");
    expect_error(atlas, {"2 numbers"});
    atlas.edit("\"fma\": \"FMA16202\"", "\"origin\": \"femur_l\"");
    expect_error(atlas, {"only for muscles"});
    atlas.edit("\"kind\": \"skin\"", "\"kind\": \"bone\"");
    expect_error(atlas, {"no part of the kind 'skin'"});
    atlas.manifest("{\"unit\": \"inch\", \"parts\": []}");
    expect_error(atlas, {"unit", "one of m, cm, mm"});
    atlas.manifest("{\"version\": 2, \"parts\": []}");
    expect_error(atlas, {"version 1"});
    atlas.manifest(std::string(100'000, '['));
    EXPECT_NE(error_of(atlas), "no error") << "deep nesting";
}

TEST(AtlasFiles, MissingFilesAreListedTogether) {
    const SmallAtlas atlas;
    std::filesystem::remove(atlas.path() / "pelvis.ply");
    std::filesystem::remove(atlas.path() / "vastus_r.ply");
    expect_error(atlas, {"2 of 6 files missing", "pelvis.ply, vastus_r.ply"});
    EXPECT_THROW(read_atlas(atlas.path() / "nowhere"), InputError);
}

TEST(AtlasFiles, ADamagedMeshDoesNotStopTheRest) {
    const SmallAtlas atlas;
    atlas.text("vastus_r.ply", "ply\nformat ascii 1.0\nelement vertex 3\n");
    const Atlas read = read_atlas(atlas.path());
    EXPECT_FALSE(read.parts[5].unreadable.empty());
    EXPECT_TRUE(read.parts[4].unreadable.empty());
    atlas.text("skin.ply", "ply\n");
    expect_error(atlas, {"skin"});
}

TEST(AtlasFiles, JointsAreReadStrictly) {
    const SmallAtlas atlas;
    const auto with_joint = [&](const std::string& joint) {
        atlas.manifest("{\"joints\": [" + joint + "], \"parts\": " + SmallAtlas::parts() + "}");
    };
    const std::string begin =
        R"({"name": "knee_l", "parent": "sacrum", "child": "femur_l", "centre": [0.1, 0.5, 0], )";
    with_joint(begin + R"("type": "hinge", "axes": [[2, 0, 0]], "limits_deg": [-5, 130]})");
    const Atlas read = read_atlas(atlas.path());
    EXPECT_NEAR(read.joints[0].joint.axes[0].norm(), 1.0, 1e-12);
    EXPECT_NEAR(read.joints[0].joint.limits[0].high, 2.2689, 1e-3);
    with_joint(begin + R"("type": "hinge"})");
    expect_error(atlas, {"joint 'knee_l'", "axes"});
    with_joint(begin + R"("type": "hinge", "axes": [[0, 0, 0]]})");
    expect_error(atlas, {"without length"});
    with_joint(begin + R"("type": "hinge", "axes": [[1, 0, 0]], "limits_deg": [5, -5]})");
    expect_error(atlas, {"lower limit first"});
    with_joint(begin + R"("type": "saddle"})");
    expect_error(atlas, {"one of ball, universal, hinge, fixed"});
}

}  // namespace
}  // namespace sinew
