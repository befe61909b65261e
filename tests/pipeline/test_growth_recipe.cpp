#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/atomic_file.h"
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

TEST(GrowthRecipe, TheMoreSpecialWordCountsWhereverItStands) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    const GrowthRecipe r = parse_growth_recipe(
        R"({"version": 1, "name": "x", "muscles": {"biceps": 1.3, "all": 1.1},
            "bones": {"forearm_l": 1.2, "arms": 1.05},
            "body_fat": 0.2, "gravity": true, "fat_model": "volume"})",
        "r.json");
    const GrowthPlan plan = ordered_plan(r.plan, body);
    ASSERT_EQ(plan.muscles.size(), 2u);
    EXPECT_EQ(plan.muscles[0], NamedValue("all", 1.1));
    EXPECT_EQ(plan.bones[0], NamedValue("arms", 1.05));
    EXPECT_EQ(r.plan.body_fat, 0.2);
    EXPECT_TRUE(r.plan.shows_gravity);
    EXPECT_EQ(r.plan.fat_model, FatModel::Volume);
    // Of one word the last entry counts, and the order is kept when it is there.
    GrowthPlan twice = r.plan;
    twice.muscles.emplace_back("biceps", 1.4);
    EXPECT_EQ(ordered_plan(twice, body).muscles,
              (std::vector<NamedValue>{{"all", 1.1}, {"biceps", 1.4}}));
    EXPECT_EQ(ordered_plan(plan, body), plan);
    EXPECT_THROW(ordered_plan({.muscles = {{"bicpes", 1.2}}}, body), InputError);
}

TEST(GrowthRecipe, WhatIsWrittenIsReadBack) {
    const GrowthRecipe r{.name = "mine",
                         .description = "a \"test\"",
                         .plan = {.muscles = {{"biceps", 1.3}, {"all", 1.1}},
                                  .stature = 1.8,
                                  .fat_model = FatModel::Volume,
                                  .shows_gravity = true},
                         .fat_maps = {{"waist", "w.ply"}}};
    const std::string text = growth_recipe_text(r);
    const GrowthRecipe back = parse_growth_recipe(text, "r.json");
    EXPECT_EQ(back.plan, r.plan);
    EXPECT_EQ(back.fat_maps, r.fat_maps);
    EXPECT_EQ(text.find("iterations"), std::string::npos) << "defaults are left out: " << text;
    // Files are looked for beside the recipe.
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "r.json", text);
    EXPECT_EQ(read_growth_recipe(folder / "r.json").fat_maps[0].second,
              (folder / "w.ply").string());
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

// Recomputed from the file alone.
TEST(WriteGrown, TheFileHoldsTheMusclesThatWereReported) {
    const support::TemporaryFolder folder;
    const Body body = support::limb_body({.along = 12});
    for (const double alpha : {0.6, 1.3, 3.0}) {
        const GrowthResult grown =
            grow_person(body, {.muscles = {{"biceps", alpha}}, .iterations = 12});
        write_grown(folder / "grown.sinew", body, grown);
        const Body stored = read_body_with_tets(folder / "grown.sinew");
        ASSERT_EQ(grown.muscles.size(), 1u);
        const MuscleMeasure& reported = grown.muscles.front();
        double whole = 0.0;
        double belly = 0.0;
        const Eigen::VectorXd volumes = tet_volumes(stored.tets);
        for (std::size_t t = 0; t + 1 < stored.shares.start.size(); ++t) {
            for (Index e = stored.shares.start[t]; e < stored.shares.start[t + 1]; ++e) {
                if (stored.shares.part[at(e)] == reported.muscle) {
                    const Tissue tissue =
                        stored.materials[at(stored.shares.material[at(e)])].tissue;
                    const double share =
                        stored.shares.fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)];
                    whole += tissue == Tissue::Muscle || tissue == Tissue::Tendon ? share : 0.0;
                    belly += tissue == Tissue::Muscle ? share : 0.0;
                }
            }
        }
        EXPECT_NEAR(whole, reported.after, 1e-6 * whole) << alpha;
        EXPECT_NEAR(belly, reported.belly_after, 1e-6 * belly) << alpha;
        const auto surface_volume = [&](const Body& b) {
            const TriangleMesh& mesh = b.muscles[at(reported.muscle)].mesh;
            return enclosed_volume(mesh.points, mesh.triangles);
        };
        const double wider = surface_volume(stored) / surface_volume(body);
        EXPECT_NEAR(wider / (whole / reported.before), 1.0, 0.01) << alpha;
    }
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
