#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/growth/growth_session.h"
#include "sinew/growth/muscle_responses.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

double mean_distance(const Points& a, const Points& b) {
    return (a - b).rowwise().norm().mean();
}

using Alphas = std::vector<double>;
const Alphas kAllOne = {1.0, 1.0};

// Two groups, one side.
class MuscleResponsesOfALimb : public ::testing::Test {
protected:
    MuscleResponsesOfALimb() : body_(support::limb_body({.along = 12})), growth_(body_) {}

    void learn_all() {
        while (responses_.learn_next(growth_)) {
        }
    }
    Points end_of(const Alphas& alpha) {
        growth_.restart();
        growth_.set_growth(alpha);
        growth_.iterate(150);
        return growth_.positions();
    }
    Points foreseen(const Alphas& alpha) const {
        return body_.tets.points + responses_.shift(kAllOne, alpha).displacement;
    }

    const Body body_;
    MuscleGrowth growth_;
    MuscleResponses responses_{body_};
};

TEST_F(MuscleResponsesOfALimb, OneGroupAsItWasLearntIsForeseenToTheEnd) {
    ASSERT_EQ(responses_.size(), 2U);
    EXPECT_EQ(responses_.shift(kAllOne, Alphas{1.3, 1.2}).displacement.norm(),
              0.0);  // nothing known
    learn_all();
    EXPECT_TRUE(responses_.is_complete());
    for (const Alphas& alpha : {Alphas{1.3, 1.0}, Alphas{1.0, 0.8}}) {
        const Points end = end_of(alpha);
        const double moved = mean_distance(body_.tets.points, end);
        EXPECT_LT(mean_distance(foreseen(alpha), end), 0.15 * moved);
    }
}

// Not learnt: both at once, other amounts, one grown and one shrunk.
TEST_F(MuscleResponsesOfALimb, PlansOfSeveralGroupsAreForeseenByTheSum) {
    learn_all();
    for (const Alphas& alpha : {Alphas{1.3, 1.3}, Alphas{1.15, 1.2}, Alphas{1.2, 0.85}}) {
        const Points end = end_of(alpha);
        const double moved = mean_distance(body_.tets.points, end);
        EXPECT_LT(mean_distance(foreseen(alpha), end), 0.2 * moved) << alpha[0] << " " << alpha[1];
        // From there one iteration is nearer to the end than four plain ones.
        growth_.restart();
        growth_.set_growth(alpha);
        growth_.iterate(4);
        const double plain = mean_distance(growth_.positions(), end);
        growth_.restart();
        growth_.set_growth(alpha);
        growth_.shift(responses_.shift(kAllOne, alpha));
        growth_.iterate(1);
        EXPECT_LT(mean_distance(growth_.positions(), end), plain) << alpha[0] << " " << alpha[1];
    }
}

TEST_F(MuscleResponsesOfALimb, WhatIsForeseenAddsUpAlongAPullAndEndsAtTheLimits) {
    learn_all();
    const auto shift = [&](double from, double to) {
        return responses_.shift(Alphas{from, from}, Alphas{to, to}).displacement;
    };
    EXPECT_LT((shift(1.0, 1.1) + shift(1.1, 1.25) - shift(1.0, 1.25)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((shift(0.9, 1.1) + shift(1.1, 0.9)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_EQ(shift(1.0, 1.6), shift(1.0, 4.0));
    EXPECT_EQ(shift(0.5, 1.0), shift(0.2, 1.0));
}

TEST_F(MuscleResponsesOfALimb, LearningLeavesTheSolverAtRestAndDoesNotChangeWhereGrowthEnds) {
    const Points before = end_of({1.25, 1.1});
    learn_all();
    EXPECT_EQ(growth_.positions(), body_.tets.points);
    for (const double f : growth_.factors()) {
        EXPECT_EQ(f, 1.0);
    }
    growth_.set_growth(Alphas{1.25, 1.1});
    growth_.shift(responses_.shift(kAllOne, Alphas{1.25, 1.1}));
    const MuscleGrowthReport report = growth_.iterate(150);
    EXPECT_TRUE(report.is_converged);
    EXPECT_LT(mean_distance(growth_.positions(), before), 2e-4);  // of 3 mm; 0.01 mm a step is rest
    EXPECT_EQ(report.refactorisations, 0);
}

TEST_F(MuscleResponsesOfALimb, AreTheSameBytesForAnyNumberOfThreads) {
    const auto learnt = [&](int threads) {
        const ThreadLimit limit(threads);
        MuscleGrowth growth(body_);
        MuscleResponses responses(body_);
        responses.learn_next(growth);
        return responses.shift(kAllOne, Alphas{1.2, 1.2}).displacement;
    };
    EXPECT_EQ(learnt(1), learnt(2));
}

TEST(GrowthSessionThatLearns, ShowsPlansNearTheirEndAtOnceAndEndsWhereItDidBefore) {
    const Body body = support::limb_body({.along = 12});
    const GrowthPlan first{.muscles = {{"biceps", 1.2}}, .iterations = 100};
    const GrowthPlan then{.muscles = {{"biceps", 1.3}, {"triceps", 1.25}}, .iterations = 100};
    GrowthSession plain(body);
    plain.grow_to(first);
    Points plain_start;
    plain.grow_to(then, {}, [&](const Points& x) {
        plain_start = plain_start.rows() == 0 ? x : plain_start;
    });

    GrowthSession learning(body);
    learning.grow_to(first);
    const Points shown = learning.positions();
    EXPECT_TRUE(learning.learn_next());
    EXPECT_TRUE(learning.learn_next());
    EXPECT_FALSE(learning.learn_next());
    EXPECT_TRUE(learning.foresees());
    EXPECT_EQ(learning.positions(), shown);
    Points start;
    const GrowthResult result =
        learning.grow_to(then, {}, [&](const Points& x) { start = start.rows() == 0 ? x : start; });
    EXPECT_LT(mean_distance(learning.positions(), plain.positions()), 2e-4);
    EXPECT_LT(mean_distance(start, learning.positions()),
              0.5 * mean_distance(plain_start, plain.positions()));
    // Bones make another body, of which nothing is known; back at rest it is known again.
    learning.grow_to({.bones = {{"forearm", 1.1}}});
    EXPECT_FALSE(learning.learn_next());
    EXPECT_FALSE(learning.foresees());
    EXPECT_EQ(learning.grow_to({}).body.tets.points, body.tets.points);
}

TEST(GrowthSessionThatLearns, GoesOnFromWhereItWasWhenLearningIsOvertaken) {
    const Body body = support::limb_body({.along = 10, .across = 10});
    GrowthSession session(body);
    const GrowthPlan plan{.muscles = {{"biceps", 1.3}}, .iterations = 100};
    const GrowthResult before = session.grow_to(plan);
    const Progress overtaken;
    overtaken.cancel();
    EXPECT_THROW(session.learn_next(overtaken), Cancelled);
    const GrowthResult after = session.grow_to(plan);
    EXPECT_EQ(before.body.tets.points, after.body.tets.points);
}

}  // namespace
}  // namespace sinew
