#include "sinew/base/text.h"

#include <gtest/gtest.h>

#include <vector>

namespace sinew {

TEST(Text, NearestWordForgivesTypingErrors) {
    const std::vector<std::string> muscles = {"biceps", "triceps", "quadriceps"};
    EXPECT_EQ(nearest_word("bicpes", muscles), "biceps");
    EXPECT_EQ(nearest_word("Tricep", muscles), "triceps");
    EXPECT_EQ(nearest_word("skull", muscles), "");
    EXPECT_EQ(did_you_mean("bicpes", muscles), ", did you mean 'biceps'?");
}

TEST(Text, ShortWordsAreTakenForAnotherByOneEditOnly) {
    const std::vector<std::string> endings = {".msh", ".ele", ".obj", ".stl"};
    EXPECT_EQ(nearest_word(".mot", endings), "");
    EXPECT_EQ(nearest_word(".dae", endings), "");
    EXPECT_EQ(nearest_word(".fbx", endings), "");
    EXPECT_EQ(nearest_word(".ojb", endings), ".obj");
    EXPECT_EQ(nearest_word(".st", endings), ".stl");
}

TEST(Text, SplitKeepsEmptyWords) {
    EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

}  // namespace sinew
