#include "sinew/base/error.h"
#include "sinew/base/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sinew {
namespace {

double value(const std::string& text) {
    return Formula(text, "test").at(2.0, 3.0, 5.0);
}

TEST(Formula, FollowsTheRulesOfArithmetic) {
    EXPECT_EQ(value("1 + 2*3"), 7.0);
    EXPECT_EQ(value("(1 + 2)*3"), 9.0);
    EXPECT_EQ(value("10 - 4 - 3"), 3.0);
    EXPECT_EQ(value("16/4/2"), 2.0);
    EXPECT_EQ(value("2^3^2"), 512.0);
    EXPECT_EQ(value("-x^2"), -4.0);
    EXPECT_EQ(value("2^-1"), 0.5);
    EXPECT_EQ(value("x*y - z"), 1.0);
    EXPECT_EQ(value("+1.5e1"), 15.0);
    EXPECT_NEAR(value("atan2(x, y) + sin(pi/6) + sqrt(x^2 + y^2)"),
                std::atan2(2.0, 3.0) + 0.5 + std::sqrt(13.0), 1e-15);
    EXPECT_EQ(value("max(x, min(y, z)) + abs(-1) + exp(0) + log(1) + cos(0)"), 6.0);
}

TEST(Formula, WhatIsNoneIsRefusedWithItsPlace) {
    for (const std::string text : {"", "1 +", "x y", "2x", "foo(1)", "sin", "sin(1", "atan2(1)",
                                   "min(1, 2, 3)", "1)", "a", "1e999", "..", "^2", "x = 2"}) {
        EXPECT_THROW(Formula(text, "test"), InputError) << text;
    }
    EXPECT_THROW(Formula(std::string(5000, '('), "test"), InputError);
    EXPECT_THROW(Formula(std::string(5000, '-') + "1", "test"), InputError);
    std::string powers = "2";
    for (int i = 0; i < 2000; ++i) {
        powers += "^2";
    }
    EXPECT_THROW(Formula(powers, "test"), InputError);
    EXPECT_THROW(Formula(std::string(20000, '1'), "test"), InputError);
}

}  // namespace
}  // namespace sinew
