#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/fat_layer.h"
#include "sinew/growth/growth_session.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

double largest_distance(const Points& a, const Points& b) {
    return (a - b).rowwise().norm().maxCoeff();
}

const GrowthPlan& mixed_plan() {
    static const GrowthPlan kPlan{.muscles = {{"biceps", 1.3}},
                                  .fat = {{"arms", 1.4}},
                                  .bones = {{"forearm", 1.1}},
                                  .iterations = 60};
    return kPlan;
}

TEST(GrowthSession, EndsWhereGrowEnds) {
    const Body body = support::limb_body({.along = 12});
    GrowthSession session(body);
    const GrowthResult by_session = session.grow_to(mixed_plan());
    const GrowthResult at_once = grow(body, mixed_plan());
    EXPECT_LT(largest_distance(by_session.body.tets.points, at_once.body.tets.points), 1e-3);
    EXPECT_NEAR(by_session.mass, at_once.mass, 1e-3 * at_once.mass);
    EXPECT_EQ(session.positions(), by_session.body.tets.points);
    EXPECT_NO_THROW(require_valid(by_session.body, "grown"));
}

TEST(GrowthSession, ReturnsToRestExactlyWhenNothingIsAskedFor) {
    const Body body = support::limb_body({.along = 10, .across = 10});
    GrowthSession session(body);
    session.grow_to(mixed_plan());
    const GrowthResult back = session.grow_to({});
    EXPECT_EQ(back.body.tets.points, body.tets.points);
    EXPECT_EQ(back.body.muscles[0].fmax, body.muscles[0].fmax);
}

TEST(GrowthSession, AnOvertakenPlanLeavesNoTrace) {
    const Body body = support::limb_body({.along = 12});
    GrowthSession session(body);
    int shown = 0;
    const Progress progress;
    EXPECT_THROW(session.grow_to({.muscles = {{"triceps", 1.6}}, .iterations = 60}, progress,
                                 [&](const Points&) {
                                     if (++shown == 4) {
                                         progress.cancel();
                                     }
                                 }),
                 Cancelled);
    EXPECT_GE(shown, 4);
    EXPECT_LE(shown, 6);  // it stops at once
    const GrowthPlan wanted{.muscles = {{"biceps", 1.3}}, .iterations = 100};
    const GrowthResult then = session.grow_to(wanted);
    const GrowthResult fresh = grow(body, wanted);
    EXPECT_LT(largest_distance(then.body.tets.points, fresh.body.tets.points), 1e-3);
}

TEST(GrowthSession, EveryPlanIsSeenEvenWhenItIsOvertakenAtOnce) {
    GrowthSession session(support::limb_body({.along = 10, .across = 10}));
    const Progress overtaken;
    overtaken.cancel();
    const std::vector<GrowthPlan> plans = {{.muscles = {{"biceps", 1.2}}},
                                           {.muscles = {{"biceps", 1.3}}},
                                           {.muscles = {{"biceps", 1.3}}, .fat = {{"arms", 1.5}}},
                                           {.fat = {{"arms", 1.5}}, .bones = {{"forearm", 1.1}}},
                                           {.bones = {{"forearm", 1.1}}, .stature = 0.6}};
    for (const GrowthPlan& plan : plans) {
        const Points before = session.positions();
        int shown = 0;
        EXPECT_THROW(session.grow_to(plan, overtaken, [&](const Points&) { ++shown; }), Cancelled);
        EXPECT_GE(shown, 1);
        EXPECT_GT(largest_distance(before, session.positions()), 1e-5);
    }
}

// The estimate that is shown first adds the volume that is asked for.
TEST(GrowthSession, TheFirstLookAtFatHasAboutItsVolume) {
    const Body body = support::limb_body({.along = 12});
    GrowthSession session(body);
    const Progress overtaken;
    overtaken.cancel();
    const double factor = 1.3;
    EXPECT_THROW(session.grow_to({.fat = {{"uniform", factor}}}, overtaken), Cancelled);
    const double gained = volume(session.positions(), body.tets.tets) - volume(body.tets);
    const double fat = FatLayer(body).volume(body.tets.points);
    EXPECT_NEAR(gained / ((factor - 1.0) * fat), 1.0, 0.3);
}

TEST(GrowthSession, APlanThatCannotBeFollowedChangesNothing) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    GrowthSession session(body);
    EXPECT_THROW(session.grow_to({.muscles = {{"bicpes", 1.2}}}), InputError);
    EXPECT_THROW(session.grow_to({.weight = 80.0, .body_fat = 0.2}), InputError);
    EXPECT_EQ(session.positions(), body.tets.points);
}

}  // namespace
}  // namespace sinew
