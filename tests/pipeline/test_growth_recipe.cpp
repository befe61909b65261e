#include "sinew/base/error.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/growth_recipe.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

std::string refusal(const std::string& json) {
    try {
        parse_growth_recipe(json, "r.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(GrowthRecipe, AllRecipesOfTheRepositoryAreRead) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SINEW_RECIPES)) {
        if (entry.path().extension() == ".json") {
            const GrowthRecipe recipe = read_growth_recipe(entry.path());
            EXPECT_EQ(recipe.name, entry.path().stem().string());
            EXPECT_FALSE(recipe.description.empty());
            ++count;
        }
    }
    EXPECT_GE(count, 10);
}

TEST(GrowthRecipe, AllComesFirstWhereverItStands) {
    const GrowthRecipe r = parse_growth_recipe(
        R"({"version": 1, "name": "x", "muscles": {"abdomen": 1.3, "all": 1.1},
            "body_fat": 0.2, "gravity": true, "fat_model": "volume"})",
        "r.json");
    ASSERT_EQ(r.plan.muscles.size(), 2u);
    EXPECT_EQ(r.plan.muscles[0], NamedValue("all", 1.1));
    EXPECT_EQ(r.plan.body_fat, 0.2);
    EXPECT_TRUE(r.plan.shows_gravity);
    EXPECT_EQ(r.plan.fat_model, FatModel::Volume);
}

TEST(GrowthRecipe, MistakesAreNamed) {
    EXPECT_NE(refusal("{"), "");
    EXPECT_NE(refusal(R"({"version": 2, "name": "x"})").find("version"), std::string::npos);
    EXPECT_NE(refusal(R"({"version": 1, "name": "x", "muscle": {}})").find("muscles"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"version": 1, "name": "x", "muscles": {"biceps": -1}})").find("biceps"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"version": 1, "name": "x", "fat_model": "foam"})").find("pressure"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"version": 1, "name": "x", "bones": {"legs": "long"}})").find("legs"),
              std::string::npos);
}

TEST(WriteGrown, GlbHoldsTheRestAndMorphsToTheGrownBody) {
    const support::TemporaryFolder folder;
    const Body body = support::limb_body({.along = 6, .across = 10});
    const GrowthResult grown =
        grow_person(body, {.muscles = {{"biceps", 1.2}}, .iterations = 5, .shows_gravity = true});
    double mass = 0.0;
    for (const Segment& segment : grown.body.skeleton.segments) {
        mass += segment.mass;
    }
    EXPECT_NEAR(mass, grown.mass, 1e-9);
    write_grown(folder / "grown.glb", body, grown);
    const GltfScene scene = read_gltf(folder / "grown.glb");
    ASSERT_EQ(scene.parts.size(), 5u);
    const GltfPart& skin = scene.parts[0];
    ASSERT_EQ(skin.morphs.size(), 2u);
    EXPECT_EQ(skin.morphs[0].name, "grown");
    EXPECT_EQ(skin.morphs[0].weight, 1.0);
    EXPECT_GT(skin.morphs[0].displacement.rowwise().norm().maxCoeff(), 0.002);
    EXPECT_LT(
        (skin.part.mesh.points.colwise().mean() - body.skin.mesh.points.colwise().mean()).norm(),
        1e-3);
}

}  // namespace
}  // namespace sinew
