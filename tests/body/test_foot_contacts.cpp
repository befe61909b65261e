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
        EXPECT_LE((paths.own[span.last] - paths.own[span.first]).norm(), 0.12 + 1e-9);
    }
}

// A foot that stirs by 3 cm for a sixth of a second stands; one that goes 8 cm has stepped.
TEST(FootContacts, AShortStirIsNoStep) {
    for (const double far : {0.03, 0.08}) {
        FootPaths paths{.own = {}, .other = step_path(0.0, 0.3), .ground = 0.05};
        for (int f = 0; f < 75; ++f) {
            const double t = std::clamp((f - 30) / 5.0, 0.0, 1.0);
            paths.own.emplace_back(0.0, 0.05, far * 0.5 * (1.0 - std::cos(M_PI * t)));
        }
        EXPECT_EQ(find_contacts(paths, -1).size(), far < 0.05 ? 1u : 2u) << far;
    }
}

// Recorded feet stand on heights of their own; one that is held up stands on nothing.
TEST(FootContacts, AFootStandsOnItsOwnGround) {
    const std::vector<Vec3> low(60, Vec3(0.0, 0.05, 0.0));
    const std::vector<Vec3> higher(60, Vec3(0.3, 0.09, 0.0));
    const std::vector<Vec3> raised(60, Vec3(0.3, 0.30, 0.0));
    EXPECT_DOUBLE_EQ(ground_under({.own = higher, .other = low}, -1), 0.09);
    EXPECT_DOUBLE_EQ(ground_under({.own = raised, .other = low}, -1), 0.05);
}

// Two points of a rigid foot of 0.15 m; the heel lifts in between and comes down askew.
TEST(FootContacts, PinsThatHoldTogetherAreAFootApart) {
    std::vector<FootPin> heels = {{{.first = 0, .last = 20}, Vec3(0.0, 0.08, 0.0)},
                                  {{.first = 40, .last = 60}, Vec3(0.02, 0.08, 0.01)},
                                  {{.first = 90, .last = 99}, Vec3(5.0, 0.08, 0.0)}};
    std::vector<FootPin> balls = {{{.first = 5, .last = 55}, Vec3(0.01, 0.03, 0.17)}};
    keep_foot_length(heels, balls, 0.15);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR((balls[0].position - heels[k].position).norm(), 0.15, 1e-6);
        EXPECT_EQ(heels[k].position.y(), 0.08);
        EXPECT_LT((heels[k].position - Vec3(0.01, 0.08, 0.0)).norm(), 0.04);
    }
    EXPECT_EQ(heels[2].position, Vec3(5.0, 0.08, 0.0));  // at another time
}

TEST(FootContacts, PinsHoldStillOnTheGroundAndFadeSmoothly) {
    std::vector<Vec3> path = step_path();
    for (std::size_t f = 0; f < path.size(); ++f) {
        path[f].x() += 0.01 * std::sin(0.3 * static_cast<double>(f));  // slides
        path[f].y() -= 0.02;                                           // sinks
    }
    const std::vector<ContactSpan> spans = {{.first = 5, .last = 28}, {.first = 47, .last = 70}};
    const FootCorrection done = hold_at_pins(path, pins_of(path, spans, 0.05), 1.0 / 30.0);
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
