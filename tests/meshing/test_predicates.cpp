#include "sinew/base/random.h"
#include "sinew/meshing/predicates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {

TEST(Predicates, UnitTetrahedronIsPositive) {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(0, 0, 1);
    EXPECT_EQ(orientation(a, b, c, d), 1);
    EXPECT_EQ(orientation(b, a, c, d), -1);
    EXPECT_EQ(orientation(a, b, c, Vec3(0.3, 0.3, 0)), 0);
}

// Integers below 2^20 have determinants below 2^63: long arithmetic gives the truth. The points are
// nearly coplanar, and far from the origin once scaled, so that plain doubles cannot tell.
TEST(Predicates, AgreesWithIntegersOnNearlyFlatPoints) {
    Random random(Seed{5});
    int zeros = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        long long p[4][3];
        for (auto& row : p) {
            row[0] = random.below(1 << 18);
            row[1] = random.below(1 << 18);
            row[2] = row[0] + row[1] + random.below(2);
        }
        __extension__ typedef __int128 Wide;
        const auto d = [&](int i, int k) { return static_cast<Wide>(p[i][k] - p[0][k]); };
        const Wide det = d(3, 0) * (d(1, 1) * d(2, 2) - d(1, 2) * d(2, 1)) +
                         d(3, 1) * (d(1, 2) * d(2, 0) - d(1, 0) * d(2, 2)) +
                         d(3, 2) * (d(1, 0) * d(2, 1) - d(1, 1) * d(2, 0));
        const int truth = det > 0 ? 1 : (det < 0 ? -1 : 0);
        zeros += truth == 0;
        Vec3 v[4];
        for (int i = 0; i < 4; ++i) {
            // A shift of 2^40 keeps the integers exact but leaves the products no room.
            v[i] = Vec3(static_cast<double>(p[i][0]), static_cast<double>(p[i][1]),
                        static_cast<double>(p[i][2])) +
                   Vec3::Constant(std::ldexp(1.0, 40));
        }
        ASSERT_EQ(orientation(v[0], v[1], v[2], v[3]), truth);
        ASSERT_EQ(orientation(v[1], v[0], v[2], v[3]), -truth);
    }
    EXPECT_GT(zeros, 1000);
}

// One last bit beside the line through two points 1/3 and 2/3 decides.
TEST(Predicates, SeesOneUnitInTheLastPlaceBesideALine) {
    const Vec2 a(0.1, 0.1);
    const Vec2 b(0.7, 0.7);
    const Vec2 on(0.3, 0.3);
    EXPECT_EQ(orientation(a, b, on), 0);
    EXPECT_EQ(orientation(a, b, Vec2(0.3, std::nextafter(0.3, 1.0))), 1);
    EXPECT_EQ(orientation(a, b, Vec2(0.3, std::nextafter(0.3, 0.0))), -1);
}

TEST(Predicates, CollinearPointsAreFound) {
    EXPECT_TRUE(are_collinear(Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(2, 4, 6)));
    EXPECT_TRUE(are_collinear(Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(2, 5, 6)));
    EXPECT_FALSE(are_collinear(Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(2, 4, 6.0000001)));
}

}  // namespace sinew
