#include "sinew/body/foot_contacts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

// Stands for a second, steps forward by 0.4 m in half a second, stands again.
std::vector<Vec3> step_path(double start = 0.0, double height = 0.05) {
    std::vector<Vec3> path;
    for (int f = 0; f < 75; ++f) {
        const double t = std::clamp((f - 30) / 15.0, 0.0, 1.0);
        path.emplace_back(0.1, height + 0.1 * std::sin(M_PI * t), start + 0.4 * t);
    }
    return path;
}

TEST(FootContacts, AFootStandsBeforeAndAfterItsStep) {
    FootPaths paths{.own = step_path(), .other = step_path(0.2, 0.3)};
    paths.ground = standing_height(paths, -1);
    EXPECT_NEAR(paths.ground, 0.05, 1e-3);
    const std::vector<ContactSpan> spans = find_contacts(paths, -1);
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0].first, 0u);
    EXPECT_NEAR(static_cast<double>(spans[0].last), 30.0, 2.0);
    EXPECT_NEAR(static_cast<double>(spans[1].first), 45.0, 2.0);
    EXPECT_TRUE(spans[1].is_on_ground);
}

TEST(FootContacts, ACreepingFootDoesNotStand) {
    FootPaths paths{.own = {}, .other = step_path(), .ground = 0.05};
    for (int f = 0; f < 75; ++f) {
        paths.own.emplace_back(0.0, 0.05, 0.2 / 30.0 * f);  // 0.2 m/s
    }
    for (const ContactSpan& span : find_contacts(paths, -1)) {
        EXPECT_LE((paths.own[span.last] - paths.own[span.first]).norm(), 0.04 + 1e-9);
    }
}

TEST(FootContacts, PinsHoldStillOnTheGroundAndFadeSmoothly) {
    std::vector<Vec3> path = step_path();
    for (std::size_t f = 0; f < path.size(); ++f) {
        path[f].x() += 0.01 * std::sin(0.3 * static_cast<double>(f));  // slides
        path[f].y() -= 0.02;                                           // sinks
    }
    const std::vector<ContactSpan> spans = {{.first = 5, .last = 28}, {.first = 47, .last = 70}};
    const FootCorrection done = pin_to_contacts(path, spans, 0.05, 1.0 / 30.0);
    for (const ContactSpan& span : spans) {
        for (std::size_t f = span.first; f <= span.last; ++f) {
            const Vec3 p = path[f] + done.shift[f];
            EXPECT_LT((p - path[span.first] - done.shift[span.first]).norm(), 1e-12);
            EXPECT_DOUBLE_EQ(p.y(), 0.05);
            EXPECT_EQ(done.weight[f], 1.0);
        }
    }
    for (std::size_t f = 1; f < path.size(); ++f) {
        EXPECT_LT((done.shift[f] - done.shift[f - 1]).norm(), 0.012) << f;
    }
    EXPECT_EQ(done.weight[37], 0.0);
    EXPECT_EQ(done.shift[37].norm(), 0.0);
}

}  // namespace
}  // namespace sinew
