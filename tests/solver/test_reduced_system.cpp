#include "sinew/base/random.h"
#include "sinew/solver/reduced_system.h"

#include <gtest/gtest.h>

#include <array>

namespace sinew {
namespace {

constexpr Index kLinks = 60;

/// A chain of springs that resist in all directions, the first vertex held; the last has one more
/// spring, which may push.
BlockHessian chain(double stiff, double soft, double last) {
    BlockPattern pattern(kLinks);
    for (Index v = 0; v + 1 < kLinks; ++v) {
        pattern.couple(std::array{v, v + 1});
    }
    BlockHessian H(pattern);
    H.set_zero();
    H.add(0, 0, stiff * Mat3::Identity());
    for (Index v = 0; v + 1 < kLinks; ++v) {
        const Mat3 k = (v % 7 == 0 ? stiff : soft) * Mat3::Identity();
        H.add(v, v, k);
        H.add(v + 1, v + 1, k);
        H.add(v + 1, v, -k);
    }
    H.add(kLinks - 1, kLinks - 1, last * Mat3::Identity());
    return H;
}

// |H y - b| / |b| of single precision factors, refined, where stiff and soft springs are 1e5 apart.
TEST(ReducedSystem, SinglePrecisionIsRefinedToTheSolutionOfDouble) {
    const BlockHessian H = chain(1e6, 10.0, 1.0);
    ReducedSystem system(H, VertexConstraints());
    Points b(kLinks, 3);
    Random random(Seed{5});
    for (Eigen::Index i = 0; i < b.size(); ++i) {
        b.data()[i] = random.uniform(-1.0, 1.0);
    }
    ASSERT_TRUE(system.factorise(H, 0.0, ReducedSystem::Precision::Single));
    const Points single = system.solve(b);
    ASSERT_TRUE(system.factorise(H, 0.0, ReducedSystem::Precision::Double));
    const Points exact = system.solve(b);
    EXPECT_LT((H.times(single) - b).norm(), 1e-6 * b.norm());
    EXPECT_LT((single - exact).norm(), 1e-5 * exact.norm());
}

// The last spring pushes: eigenvalues near zero on either side of it drown in single precision.
TEST(ReducedSystem, SinglePrecisionSaysWhatDoubleSays) {
    const double limit = -10.0 / kLinks;  // about where the chain becomes unstable
    int positive = 0;
    for (const double last : {0.0, 0.9 * limit, 1.3 * limit, 10.0 * limit, -100.0}) {
        const BlockHessian H = chain(1e6, 10.0, last);
        ReducedSystem system(H, VertexConstraints());
        const bool is_positive = system.factorise(H, 0.0, ReducedSystem::Precision::Double);
        EXPECT_EQ(system.factorise(H, 0.0, ReducedSystem::Precision::Single), is_positive) << last;
        positive += is_positive;
    }
    EXPECT_GT(positive, 1);
    EXPECT_LT(positive, 5);
}

}  // namespace
}  // namespace sinew
