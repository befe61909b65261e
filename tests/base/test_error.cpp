#include "sinew/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace sinew {

TEST(InputError, SaysWhereWhatNeededAndRemedy) {
    const InputError e(
        {.where = "a.obj, line 3", .found = "2 numbers", .needs = "3", .remedy = "fix it"});
    EXPECT_STREQ(e.what(), "a.obj, line 3: 2 numbers; needed: 3. What to do: fix it.");
    EXPECT_EQ(e.within("body.sinew").parts().where, "body.sinew, a.obj, line 3");
}

// Damaged files name things by a hundred thousand letters.
TEST(InputError, LongPartsAreCutInTheirMiddleAndNotInsideALetter) {
    std::string name;
    for (int i = 0; i < 50000; ++i) {
        name += "\xC3\xA9";  // two bytes each
    }
    const InputError error = InputError({.where = "arm.json, body 'b" + name + "'",
                                         .found = name,
                                         .needs = "a body of the model",
                                         .remedy = "correct it"})
                                 .within("outer.json");
    EXPECT_LT(std::string(error.what()).size(), 5000U);
    EXPECT_TRUE(error.parts().where.starts_with("outer.json, arm.json, body 'b"));
    EXPECT_TRUE(error.parts().where.ends_with("'"));
    EXPECT_NE(error.parts().found.find("bytes"), std::string::npos);
    for (const std::string& part : {error.parts().where, error.parts().found}) {
        for (std::size_t i = 0; i < part.size(); ++i) {
            const auto byte = static_cast<unsigned char>(part[i]);
            const bool has_more =
                i + 1 < part.size() && (static_cast<unsigned char>(part[i + 1]) & 0xC0U) == 0x80U;
            ASSERT_EQ(byte == 0xC3U, has_more) << i;
        }
    }
}

}  // namespace sinew
