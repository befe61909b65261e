#include "sinew/base/error.h"

#include <gtest/gtest.h>

namespace sinew {

TEST(InputError, SaysWhereWhatNeededAndRemedy) {
    const InputError e(
        {.where = "a.obj, line 3", .found = "2 numbers", .needs = "3", .remedy = "fix it"});
    EXPECT_STREQ(e.what(), "a.obj, line 3: 2 numbers; needed: 3. What to do: fix it.");
    EXPECT_EQ(e.within("body.sinew").parts().where, "body.sinew, a.obj, line 3");
}

}  // namespace sinew
