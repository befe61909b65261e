#include <gtest/gtest.h>

#include "tests/cli/run_sinew.h"

namespace sinew {

// What measures Sinew is a program of its own; the same words reach it.
TEST(CliBench, IsHandedToTheProgramBesideTheCommand) {
    const support::Outcome help = support::run_sinew({"bench", "--help"});
    EXPECT_EQ(help.code, 0) << help.err;
    EXPECT_NE(help.out.find("musculoskeletal"), std::string::npos) << help.out;

    const support::Outcome unknown = support::run_sinew({"bench", "skining"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("skinning"), std::string::npos) << unknown.err;
}

}  // namespace sinew
