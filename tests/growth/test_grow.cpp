#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/growth/grow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

TEST(Grow, BonesMusclesAndFatComeInThisOrderAndTargetsAreMet) {
    const Body body = support::limb_body({.along = 12});
    int calls = 0;
    const GrowthResult grown = grow(body,
                                    {.muscles = {{"all", 0.9}, {"biceps", 1.3}},
                                     .fat = {{"arms", 1.5}},
                                     .bones = {{"forearm", 1.1}},
                                     .stature = 0.6,
                                     .fat_distribution = "arms",
                                     .iterations = 60,
                                     .shows_gravity = true},
                                    {}, [&](int, const Points&) { ++calls; });
    EXPECT_NEAR(grown.stature, 0.6, 2e-4);
    EXPECT_EQ(calls, grown.muscle_report.iterations);
    ASSERT_EQ(grown.muscles.size(), 2u);
    EXPECT_NEAR(grown.muscles[0].alpha, 1.3, 1e-12);
    EXPECT_NEAR(grown.muscles[1].alpha, 0.9, 1e-12);
    EXPECT_EQ(grown.inverted_tets, 0);
    EXPECT_TRUE(grown.warnings.empty());
    EXPECT_NO_THROW(require_valid(grown.body, "grown"));
    // Gravity is a preview: flesh hangs lower, the rest shape does not know.
    EXPECT_LT(grown.sagged.col(1).mean(), grown.body.tets.points.col(1).mean());
}

TEST(Grow, HangingFleshReportsHowItWasSolved) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    const SaggedFlesh sagged = sagged_flesh(body);
    // So soft a limb ends at the level of rounding, which may lie above or below the tolerance: the
    // residual tells, not the status.
    EXPECT_GT(sagged.report.iterations, 0);
    EXPECT_LT(sagged.report.last_residual(), 0.01);
    // What was never solved is no small residual.
    EXPECT_TRUE(std::isinf(SolverReport{}.last_residual()));
}

// So much in so few iterations that tetrahedra turn inside out: they are mended before the body is
// handed over, and what is reported is what it has then.
TEST(Grow, ReportsTheVolumesOfTheBodyThatItHandsOver) {
    const Body body = support::limb_body({.along = 12});
    const GrowthResult grown =
        grow(body, {.muscles = {{"biceps", 5.0}, {"triceps", 0.2}}, .iterations = 6});
    EXPECT_GT(grown.muscle_report.inverted_tets, 0);
    EXPECT_EQ(grown.inverted_tets, 0);
    const std::vector<double> volumes = muscle_volumes_in_tets(grown.body);
    ASSERT_EQ(grown.muscles.size(), 2u);
    double asked_for = 0.0;
    double present = 0.0;
    for (const MuscleMeasure& m : grown.muscles) {
        EXPECT_NEAR(m.after, volumes[static_cast<std::size_t>(m.muscle)], 1e-15) << m.name;
        asked_for += m.alpha * m.alpha * m.belly_before;
        present += m.belly_after;
    }
    EXPECT_NEAR(grown.muscle_error, present / asked_for - 1.0, 1e-12);
    // Six iterations are not enough for that, which is said with numbers.
    EXPECT_FALSE(grown.is_reached);
    EXPECT_TRUE(std::any_of(grown.warnings.begin(), grown.warnings.end(), [](const auto& w) {
        return w.find("did not become what was asked for") != std::string::npos;
    }));
}

// The surface of a muscle, its volume and its shares of tetrahedra are one thing.
TEST(Grow, SurfacesOfMusclesHoldWhatTheirTetrahedraHold) {
    const Body body = support::limb_body({.along = 12});
    for (const double alpha : {1.5, 0.6}) {
        const GrowthResult grown =
            grow(body, {.muscles = {{"biceps", alpha}}, .fat = {{"arms", 1.3}}, .iterations = 60});
        EXPECT_TRUE(grown.is_reached) << alpha;
        const std::vector<double> before = muscle_volumes_in_tets(body);
        const std::vector<double> after = muscle_volumes_in_tets(grown.body);
        for (std::size_t m = 0; m < after.size(); ++m) {
            const Muscle& muscle = grown.body.muscles[m];
            EXPECT_NEAR(enclosed_volume(muscle.mesh) / enclosed_volume(body.muscles[m].mesh),
                        after[m] / before[m], 2e-3 * after[m] / before[m])
                << muscle.name << " " << alpha;
            EXPECT_NEAR(muscle.volume, enclosed_volume(muscle.mesh), 1e-12);
            const Points embedded = positions_of(grown.body.muscle_embeddings[m],
                                                 grown.body.tets.points, grown.body.tets.tets);
            EXPECT_LT((embedded - muscle.mesh.points).cwiseAbs().maxCoeff(), 1e-9);
        }
    }
}

TEST(Grow, NothingAskedForIsNothingChanged) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    const GrowthResult same = grow(body, {.muscles = {{"biceps", 1.0}}});
    EXPECT_EQ(same.body.tets.points, body.tets.points);
    EXPECT_TRUE(same.is_converged);
}

TEST(Grow, NonsenseIsRefusedWithASuggestion) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    const auto message = [&](const GrowthPlan& plan) {
        try {
            grow(body, plan);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(message({.muscles = {{"bicpes", 1.2}}}).find("biceps"), std::string::npos);
    EXPECT_NE(message({.muscles = {{"biceps", 0.0}}}).find("biceps"), std::string::npos);
    EXPECT_NE(message({.muscles = {{"biceps", NAN}}}).find("biceps"), std::string::npos);
    EXPECT_NE(message({.fat = {{"arms", -1.0}}}).find("arms"), std::string::npos);
    EXPECT_NE(message({.bones = {{"forearm", 9.0}}}).find("forearm"), std::string::npos);
    EXPECT_NE(message({.stature = 40.0}).find("stature"), std::string::npos);
    EXPECT_NE(message({.weight = 80.0, .body_fat = 0.2}).find("one of them"), std::string::npos);
}

TEST(JumpPreview, BonesTakeOffFlyAndLandWithoutAJerk) {
    const JumpOptions options;
    EXPECT_EQ(jump_height_at(0.0, options), 0.0);
    double highest = 0.0;
    for (double t = 0.0; t < 2.0; t += 0.001) {
        highest = std::max(highest, jump_height_at(t, options));
        const double speed =
            (jump_height_at(t + 0.001, options) - jump_height_at(t, options)) / 0.001;
        ASSERT_LT(std::abs(speed), 2.4) << t;
    }
    EXPECT_NEAR(highest, options.height, 1e-5);
    EXPECT_NEAR(jump_height_at(3.0, options), 0.0, 1e-6);
}

TEST(JumpPreview, FleshLagsBehindTheBones) {
    const Body body = support::limb_body({.along = 8, .across = 10});
    const std::vector<Points> frames = jump_preview(body, {.seconds = 0.6});
    ASSERT_EQ(frames.size(), 19u);
    double largest = 0.0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const double bones = jump_height_at(static_cast<double>(f) / 30.0, {});
        const double skin = frames[f].col(1).mean() - frames[0].col(1).mean();
        largest = std::max(largest, std::abs(skin - bones));
        ASSERT_LT(std::abs(skin - bones), 0.03) << f;
    }
    EXPECT_GT(largest, 1e-4);
}

}  // namespace
}  // namespace sinew
