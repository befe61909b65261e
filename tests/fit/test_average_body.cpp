#include "sinew/base/error.h"
#include "sinew/body/rest_shape.h"
#include "sinew/body/summary.h"
#include "sinew/fit/average_body.h"
#include "sinew/fit/body_fat_percentiles.h"

#include <gtest/gtest.h>

#include "tests/fit/onion_body.h"

namespace sinew {
namespace {

// A body and all it has, `ratio` times as large.
Body scaled(const Body& body, double ratio) {
    MovedBones moved;
    for (const Bone& bone : body.bones) {
        moved.bones.emplace_back(ratio * bone.mesh.points);
    }
    moved.attachments =
        ratio * positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    for (const Joint& joint : body.skeleton.joints) {
        moved.joints.emplace_back(ratio * joint.centre);
    }
    return with_rest_shape(body, ratio * body.tets.points, moved);
}

TEST(AverageBody, OfOnePersonTwiceIsThatPerson) {
    const Body body = support::onion_body(2);
    const std::vector<Body> twice = {body, body};
    const AverageBody mean = average_body(twice);
    EXPECT_LT((mean.body.tets.points - body.tets.points).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_NEAR(summarise(mean.body).mass, summarise(body).mass, 1e-12);
    EXPECT_EQ(mean.inverted_tets, 0);
    require_valid(mean.body, "mean");
}

// Means of positions: lengths are means, so volume goes with the cube of the mean length.
TEST(AverageBody, OfTwoSizesHasTheMeanLength) {
    const Body body = support::onion_body(2);
    const std::vector<Body> people = {scaled(body, 0.9), scaled(body, 1.3)};
    const AverageBody mean = average_body(people);
    EXPECT_NEAR(summarise(mean.body).mass / summarise(body).mass, 1.1 * 1.1 * 1.1, 1e-9);
    EXPECT_LT(
        (mean.body.bones[0].mesh.points - 1.1 * body.bones[0].mesh.points).cwiseAbs().maxCoeff(),
        1e-12);
    EXPECT_NEAR(summarise(mean.body).body_fat, summarise(body).body_fat, 1e-9);
    require_valid(mean.body, "mean");
}

// Of two people of one shape, one of whom has fat where the other has muscle: half and half.
TEST(AverageBody, FractionsAreMeansOfVolumes) {
    const Body lean = support::onion_body(2);
    Body fat = lean;
    const auto muscle = static_cast<Index>(Tissue::Muscle);
    for (std::size_t e = 0; e < fat.shares.material.size(); ++e) {
        if (fat.shares.material[e] == muscle) {
            fat.shares.material[e] = static_cast<Index>(Tissue::Fat);
            fat.shares.part[e] = -1;
        }
    }
    const std::vector<Body> people = {lean, fat};
    const AverageBody mean = average_body(people);
    const auto volume = [](const Body& body, Tissue tissue) {
        return summarise(body).tissue_volume[static_cast<std::size_t>(tissue)];
    };
    for (const Tissue tissue : {Tissue::Fat, Tissue::Muscle, Tissue::Bone}) {
        EXPECT_NEAR(volume(mean.body, tissue), 0.5 * (volume(lean, tissue) + volume(fat, tissue)),
                    1e-12);
    }
}

TEST(AverageBody, PeopleOfOtherTemplatesAreRefused) {
    const std::vector<Body> one = {support::onion_body(1)};
    EXPECT_THROW(average_body(one), InputError);
    const std::vector<Body> different = {support::onion_body(1), support::onion_body(2)};
    try {
        average_body(different);
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_NE(error.parts().found.find("tetrahedra"), std::string::npos);
    }
}

// [Kyle2001]: what its table has, and half way between two of its numbers.
TEST(KylePercentiles, TheTableAndBetween) {
    for (const Sex sex : {Sex::Male, Sex::Female}) {
        for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
            EXPECT_NEAR(kyle_percentile(sex, kyle_body_fat(sex)[i]), kPercentiles[i], 1e-9);
        }
    }
    EXPECT_NEAR(kyle_percentile(Sex::Male, 0.5 * (0.192 + 0.235)), 62.5, 1e-9);
    EXPECT_EQ(kyle_percentile(Sex::Female, 0.05), 5.0);
    EXPECT_EQ(kyle_percentile(Sex::Female, 0.6), 95.0);
    EXPECT_THROW(kyle_percentile(Sex::Unknown, 0.2), InputError);
}

}  // namespace
}  // namespace sinew
