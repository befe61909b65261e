#include "sinew/render/colour.h"
#include "sinew/render/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {

TEST(Colour, EverySrgbByteSurvivesTheWayThroughLinearLight) {
    for (int i = 0; i < 256; ++i) {
        EXPECT_EQ(srgb8_from_linear(linear_from_srgb8(static_cast<std::uint8_t>(i))), i);
    }
    EXPECT_NEAR(linear_from_srgb(0.5f), 0.21404f, 1e-5f);
    EXPECT_EQ(srgb8_from_linear(-1.0f), 0);
    EXPECT_EQ(srgb8_from_linear(7.0f), 255);
}

TEST(Colour, KindsAreKnownInSingularAndPluralAndGuessedFromNames) {
    EXPECT_EQ(part_kind("bones", "femur_l"), PartKind::Bone);
    EXPECT_EQ(part_kind("Muscle", "x"), PartKind::Muscle);
    EXPECT_EQ(part_kind("bone", "teeth_upper"), PartKind::Tooth);
    EXPECT_EQ(part_kind("", "skin_60k"), PartKind::Skin);
    EXPECT_EQ(part_kind("", "thing"), PartKind::Other);
}

TEST(Colour, BothSidesOfAPairLookAlikeAndNeighboursDiffer) {
    const Colour left = anatomical_colour(PartKind::Muscle, "vastus_lateralis_l");
    EXPECT_EQ(left, anatomical_colour(PartKind::Muscle, "vastus_lateralis_r"));
    EXPECT_NE(left, anatomical_colour(PartKind::Muscle, "vastus_medialis_l"));
    EXPECT_GT(left[0], 2.0f * left[1]);  // red
    const Colour cartilage = anatomical_colour(PartKind::Cartilage, "x");
    EXPECT_GT(cartilage[2], cartilage[0]);  // bluish
}

TEST(ColourMap, ViridisGrowsLighterAllTheWay) {
    float before = -1.0f;
    for (int i = 0; i <= 64; ++i) {
        const Colour c = map_colour(ColourMap::Viridis, i / 64.0);
        const float light = 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
        EXPECT_GT(light, before) << i;
        before = light;
    }
}

TEST(ColourMap, EndsAreTheControlPointsAndBeyondIsClamped) {
    EXPECT_EQ(rgb8_from_colour(map_colour(ColourMap::Diverging, 0.5)), (Rgb8{0xf4, 0xf3, 0xf0}));
    EXPECT_EQ(map_colour(ColourMap::Heat, 7.0), map_colour(ColourMap::Heat, 1.0));
    EXPECT_EQ(map_colour(ColourMap::Grey, -1.0), map_colour(ColourMap::Grey, 0.0));
    EXPECT_TRUE(map_colour(ColourMap::Grey, std::nan("")).allFinite());
}

TEST(Ticks, AreRoundAndInside) {
    EXPECT_EQ(ticks_between(0.0, 1.0, 5),
              (std::vector<double>{0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
    EXPECT_EQ(ticks_between(-7.0, 23.0, 3), (std::vector<double>{0.0, 10.0, 20.0}));
    EXPECT_TRUE(ticks_between(1.0, 1.0, 4).empty());
    EXPECT_TRUE(ticks_between(0.0, INFINITY, 4).empty());
    EXPECT_EQ(tick_label(0.6000000000000001, 0.2), "0.6");
    EXPECT_EQ(tick_label(20.0, 10.0), "20");
}

}  // namespace sinew
