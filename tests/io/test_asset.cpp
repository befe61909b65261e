#include "sinew/base/error.h"
#include "sinew/io/asset.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"
#include "tests/support/small_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

TEST(Asset, BodiesAndMotionsComeBackAsWhatTheyAre) {
    const support::TemporaryFolder folder;
    write_asset(folder / "b.sinew", {support::small_body(1)});
    const Asset body = read_asset(folder / "b.sinew");
    ASSERT_TRUE(std::holds_alternative<Body>(body.content));
    EXPECT_EQ(std::get<Body>(body.content).muscles.size(), 3u);
    write_asset(folder / "m.bvh", {support::small_motion()});
    const Asset motion = read_asset(folder / "m.bvh", {.unit = Unit::Centimetre});
    ASSERT_TRUE(std::holds_alternative<MotionClip>(motion.content));
    EXPECT_EQ(motion.note, "centimetres to metres");
    EXPECT_NO_THROW(write_asset(folder / "m.glb", motion));
    EXPECT_NO_THROW(write_asset(folder / "b.glb", body));
    EXPECT_NO_THROW(write_asset(folder / "b.vtu", {support::one_tet()}));
}

TEST(Asset, ContentThatAFormatCannotHoldIsRefused) {
    const support::TemporaryFolder folder;
    const Asset mesh{std::vector<MeshPart>{{.name = "a", .mesh = support::sphere(0, 1.0)}}};
    EXPECT_THROW(write_asset(folder / "a.sinew", mesh), InputError);
    EXPECT_THROW(write_asset(folder / "a.bvh", mesh), InputError);
    EXPECT_THROW(write_asset(folder / "a.obj", {support::small_motion()}), InputError);
    EXPECT_THROW(write_asset(folder / "a.bvh", {support::small_body(1)}), InputError);
    EXPECT_THROW(write_asset(folder / "t.sinew", {support::one_tet()}), InputError);
}

}  // namespace sinew
