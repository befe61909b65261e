#include "sinew/base/error.h"
#include "sinew/body/names.h"

#include <gtest/gtest.h>

#include "tests/support/small_body.h"

namespace sinew {

TEST(Names, SidesComeOffOnlyAtTheEnd) {
    EXPECT_EQ(split_side("femur_r").stem, "femur");
    EXPECT_EQ(split_side("femur_r").side, Side::Right);
    EXPECT_EQ(split_side("vertebra_l3").side, Side::Middle);
    EXPECT_EQ(split_side("rib_07_l").stem, "rib_07");
    EXPECT_EQ(mirrored_name("rib_07_l"), "rib_07_r");
    EXPECT_EQ(mirrored_name("L_Psoas_Major"), "R_Psoas_Major");
    EXPECT_EQ(mirrored_name("sacrum"), "sacrum");
}

TEST(Names, SlugsForgetCaseAndSeparators) {
    EXPECT_EQ(slug("  Vastus Lateralis.L "), "vastus_lateralis_l");
    EXPECT_EQ(slug("---"), "");
}

TEST(Names, AWordFindsMusclesByNameAliasPairOrGroup) {
    const Body body = support::small_body(1);
    const auto find = [&](std::string_view word) { return find_muscles(body.muscles, word, "t"); };
    EXPECT_EQ(find("psoas_major_l"), (std::vector<Index>{0}));
    EXPECT_EQ(find("Psoas Major L"), (std::vector<Index>{0}));
    EXPECT_EQ(find("L_Psoas_Major"), (std::vector<Index>{0}));
    EXPECT_EQ(find("psoas_l"), (std::vector<Index>{0}));
    EXPECT_EQ(find("psoas_major"), (std::vector<Index>{0, 1}));
    EXPECT_EQ(find("hips"), (std::vector<Index>{0, 1}));
    EXPECT_EQ(find("hips_r"), (std::vector<Index>{1}));
    EXPECT_EQ(find_bone(body.bones, "FMA8038", "t"), 1);
}

TEST(Names, UnknownWordsGetASuggestion) {
    const Body body = support::small_body(1);
    try {
        find_muscles(body.muscles, "psoas_majr", "--muscle");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(e.parts().found.find("did you mean 'psoas_major'"), std::string::npos)
            << e.what();
    }
    EXPECT_THROW(find_bone(body.bones, "", "t"), InputError);
    EXPECT_THROW(find_muscles(body.muscles, "", "t"), InputError);
}

TEST(Names, FinerGroupsOfAnAtlasHaveAPlace) {
    EXPECT_EQ(muscle_groups().size(), 18u);
    EXPECT_EQ(muscle_groups()[kMainGroupCount - 1], "calves");
    for (const std::string& group : muscle_groups()) {
        EXPECT_EQ(group_from_atlas(group), group);
    }
    EXPECT_EQ(group_from_atlas("rotator_cuff"), "shoulders");
    EXPECT_EQ(group_from_atlas("wings"), "");
}

}  // namespace sinew
