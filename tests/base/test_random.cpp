#include "sinew/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {

TEST(Random, SameSeedAndStreamGiveTheSameNumbers) {
    Random a(Seed{7}, 3);
    Random b(Seed{7}, 3);
    Random other(Seed{7}, 4);
    int equal_to_other = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::uint32_t x = a.bits();
        EXPECT_EQ(x, b.bits());
        equal_to_other += x == other.bits() ? 1 : 0;
    }
    EXPECT_LT(equal_to_other, 3);
}

// Mean 1/2 and variance 1/12 of the uniform law, 0 and 1 of the normal one; five standard errors.
TEST(Random, MomentsMatchTheirLaws) {
    constexpr int kDraws = 200'000;
    Random random(Seed{1});
    double u = 0, u2 = 0, n = 0, n2 = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double x = random.uniform();
        ASSERT_GE(x, 0.0);
        ASSERT_LT(x, 1.0);
        u += x;
        u2 += (x - 0.5) * (x - 0.5);
        const double z = random.normal();
        n += z;
        n2 += z * z;
    }
    EXPECT_NEAR(u / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
    EXPECT_NEAR(u2 / kDraws, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / kDraws));
    EXPECT_NEAR(n / kDraws, 0.0, 5 / std::sqrt(kDraws));
    EXPECT_NEAR(n2 / kDraws, 1.0, 5 * std::sqrt(2.0 / kDraws));
}

TEST(Random, BelowIsEvenlySpread) {
    Random random(Seed{5});
    int count[3] = {};
    for (int i = 0; i < 30'000; ++i) {
        ++count[random.below(3)];
    }
    for (const int c : count) {
        EXPECT_NEAR(c, 10'000, 5 * std::sqrt(30'000 * 2.0 / 9));
    }
}

}  // namespace sinew
