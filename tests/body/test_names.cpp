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

TEST(Names, SidesAreUnderstoodHoweverTheyAreWritten) {
    for (const char* text : {"femur_l", "Left Femur", "L_Femur", "Femur.L", "femur (left)",
                             "femur, sinistrum", "FEMUR LEFT"}) {
        EXPECT_EQ(canonical_name(text), "femur_l") << text;
    }
    EXPECT_EQ(canonical_name("head of left femur"), "head_of_femur_l");
    EXPECT_EQ(canonical_name("vertebra_l3"), "vertebra_l3");
    EXPECT_EQ(canonical_name("l"), "l");
    EXPECT_EQ(canonical_name(""), "");
    EXPECT_EQ(canonical_name("femur", Side::Right), "femur_r");
    EXPECT_EQ(canonical_name("femur_l", Side::Right), "femur_l");
    EXPECT_EQ(plain_name("Musculus vastus lateralis (left)"), "vastus_lateralis_l");
    EXPECT_EQ(plain_name("Vastus lateralis muscle.r"), "vastus_lateralis_r");
    EXPECT_EQ(plain_name("muscle"), "muscle");
}

TEST(Names, OneLookupTakesMusclesBonesAndGroups) {
    const Body body = support::small_body(1);
    const auto find = [&](std::string_view word) {
        return find_parts(body.bones, body.muscles, word, "t");
    };
    EXPECT_EQ(find("left psoas major muscle").muscles, (std::vector<Index>{0}));
    EXPECT_EQ(find("musculus psoas major").muscles, (std::vector<Index>{0, 1}));
    EXPECT_EQ(find("right hips").muscles, (std::vector<Index>{1}));
    EXPECT_EQ(find("FMA8038").bones, (std::vector<Index>{1}));
    EXPECT_TRUE(find("FMA8038").muscles.empty());
    EXPECT_THROW(find(""), InputError);
    EXPECT_THROW(find("wings"), InputError);
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
    try {
        find_muscles(body.muscles, "bicepz_l", "--muscles");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(e.parts().found.find("did you mean 'biceps_l'"), std::string::npos) << e.what();
    }
    EXPECT_THROW(find_bone(body.bones, "", "t"), InputError);
    EXPECT_THROW(find_muscles(body.muscles, "", "t"), InputError);
}

TEST(Names, AMuscleOfSeveralHeadsSuggestsThem) {
    Body body = support::small_body(1);
    body.muscles.resize(2, body.muscles.at(0));
    body.muscles[0].name = "flexor_of_the_arm_long_head_l";
    body.muscles[1].name = "flexor_of_the_arm_short_head_l";
    for (const auto& [word, wanted] : {std::pair("flexor_of_the_arm",
                                                 "'flexor_of_the_arm_long_head' or "
                                                 "'flexor_of_the_arm_short_head'"),
                                       std::pair("flexor_of_the_arm_l",
                                                 "'flexor_of_the_arm_long_head_l' or "
                                                 "'flexor_of_the_arm_short_head_l'")}) {
        try {
            find_muscles(body.muscles, word, "--muscle");
            FAIL();
        } catch (const InputError& e) {
            EXPECT_NE(e.parts().found.find(wanted), std::string::npos) << e.what();
        }
    }
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
