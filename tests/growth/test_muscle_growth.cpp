#include "sinew/base/error.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/rest_shape.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/growth/loose_tissue.h"
#include "sinew/growth/muscle_growth.h"
#include "sinew/growth/skin_limits.h"
#include "sinew/growth/skin_separation.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/inversions.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

using support::limb_body;

MuscleGrowthOptions thorough() {
    MuscleGrowthOptions options;
    options.solver.max_iterations = 300;
    options.solver.tolerance = 1e-4;
    options.settled = 1e-7;
    return options;
}

// A limb all of muscle that nothing holds: it takes the shape of its growth tensor, exactly.
TEST(MuscleGrowth, Saito2015Eq1AFreeMuscleWidensByAlphaAndKeepsItsLength) {
    const Body body =
        limb_body({.along = 8, .across = 4, .envelope = 1.0, .bone = 0.0, .has_tendons = false});
    MuscleGrowthOptions options = thorough();
    options.corrects_volumes = false;
    MuscleGrowth growth(body, options);
    growth.set_growth(std::vector<double>{1.3, 1.3});
    const MuscleGrowthReport report = growth.settle();
    EXPECT_LT(report.volume_error.total, 1e-4);
    EXPECT_EQ(report.refactorisations, 0);
    const Body grown = growth.body();
    EXPECT_NEAR(volume(grown.tets) / volume(body.tets), 1.69, 1e-3);
    const Vec3 before = bounds(body.tets.points).size();
    const Vec3 after = bounds(grown.tets.points).size();
    EXPECT_NEAR(after.y() / before.y(), 1.0, 2e-3);
    EXPECT_NEAR(after.x() / before.x(), 1.3, 2e-3);
    EXPECT_NEAR(grown.muscles[0].fmax / body.muscles[0].fmax, 1.69, 1e-12);
}

// Every tetrahedron is of one tissue, so nothing is loose beside a belly: it cannot gain, but what
// it loses is filled by generic tissue, and every tetrahedron stays full.
TEST(LooseTissue, FillsWhatWastedBelliesLeaveAndGivesNothingWhereThereIsNone) {
    const Body body = limb_body({.along = 6, .across = 8, .has_tendons = false});
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    const std::vector<double> before = muscle_volumes_in_tets(body);
    const std::vector<double> asked_for = {0.7 * before[0], 1.3 * before[1]};
    Body changed = body;
    const LooseTissue loose = with_loose_tissue(body, body.shares.fraction, volumes, asked_for);
    changed.shares = loose.shares;
    const std::vector<double> after = muscle_volumes_in_tets(changed);
    EXPECT_NEAR(after[0], asked_for[0], 1e-9 * before[0]);
    EXPECT_NEAR(after[1], before[1], 1e-9 * before[1]);
    EXPECT_NEAR(loose.moved, 0.3 * before[0], 1e-9 * before[0]);
    for (std::size_t t = 0; t + 1 < changed.shares.start.size(); ++t) {
        double sum = 0.0;
        for (Index e = changed.shares.start[t]; e < changed.shares.start[t + 1]; ++e) {
            EXPECT_GT(changed.shares.fraction[at(e)], 0.0);
            sum += changed.shares.fraction[at(e)];
        }
        EXPECT_NEAR(sum, 1.0, 1e-12) << t;
    }
    // What has what it asks for stays as it is.
    const LooseTissue same = with_loose_tissue(body, body.shares.fraction, volumes, before);
    EXPECT_EQ(same.shares.fraction, body.shares.fraction);
    EXPECT_EQ(same.moved, 0.0);
}

// One belly shares all its tetrahedra with another and nothing loose: it grows where the other one
// gives way, which takes loose tissue elsewhere. By hand: both have what they ask for, and every
// tetrahedron stays full.
TEST(LooseTissue, BelliesPushEachOtherAsideWhereTheOtherHasRoom) {
    Body body = limb_body({.along = 6, .across = 8, .has_tendons = false});
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    TissueShares shares;
    for (std::size_t t = 0; t + 1 < body.shares.start.size(); ++t) {
        const bool is_shared = t % 3 == 0;
        shares.material.insert(shares.material.end(), {1, is_shared ? 1 : 0});
        shares.part.insert(shares.part.end(), {1, is_shared ? 0 : -1});
        shares.fraction.insert(shares.fraction.end(), {0.5, 0.5});
        shares.start.push_back(static_cast<Index>(shares.material.size()));
    }
    body.shares = shares;
    const std::vector<double> before = belly_volumes(body);
    const std::vector<double> asked_for = {1.3 * before[0], 1.1 * before[1]};
    const LooseTissue loose = with_loose_tissue(body, body.shares.fraction, volumes, asked_for);
    body.shares = loose.shares;
    const std::vector<double> after = belly_volumes(body);
    EXPECT_NEAR(after[0], asked_for[0], 1e-3 * before[0]);
    EXPECT_NEAR(after[1], asked_for[1], 1e-3 * before[1]);
    for (std::size_t t = 0; t + 1 < body.shares.start.size(); ++t) {
        const auto e = at(body.shares.start[t]);
        EXPECT_NEAR(body.shares.fraction[e] + body.shares.fraction[e + 1], 1.0, 1e-12) << t;
    }
    // Of a tetrahedron without loose tissue nobody gets more than all of it.
    const LooseTissue most =
        with_loose_tissue(body, body.shares.fraction, volumes,
                          std::vector<double>{10.0 * before[0], 10.0 * before[1]});
    for (const double f : most.shares.fraction) {
        EXPECT_LE(f, 1.0);
        EXPECT_GE(f, 0.0);
    }
}

// Thin fat on a muscle whose tetrahedra hold half as much again: its surface widens under the skin,
// not through it, and encloses what it should.
TEST(MuscleMeshes, StayBelowTheSkin) {
    const Body body = limb_body({.along = 12, .across = 12, .envelope = 5.0 / 6.0});
    Body before = body;
    for (std::size_t e = 0; e < before.shares.part.size(); ++e) {
        const Tissue tissue = before.materials[at(before.shares.material[e])].tissue;
        before.shares.fraction[e] *=
            tissue == Tissue::Muscle || tissue == Tissue::Tendon ? 1.0 / 1.5 : 1.0;
    }
    Body grown = body;
    fit_muscle_meshes(before, grown);
    const SignedDistance skin(body.skin.mesh);
    double furthest = -1.0;
    for (const Muscle& muscle : grown.muscles) {
        furthest = std::max(furthest, skin.at_all(muscle.mesh.points).maxCoeff());
        EXPECT_NEAR(
            enclosed_volume(muscle.mesh) /
                enclosed_volume(
                    body.muscles[static_cast<std::size_t>(&muscle - grown.muscles.data())].mesh),
            1.5, 0.2);
    }
    EXPECT_LT(furthest, -2.5e-4);
    EXPECT_GT(furthest, -2e-3);  // and it did come near
}

/// A short limb of few tetrahedra, for what does not turn on their size.
class LimbGrowth : public testing::Test {
protected:
    static void SetUpTestSuite() {
        body_ = new Body(limb_body({.along = 12}));
    }
    static void TearDownTestSuite() {
        delete body_;
    }
    static const Body& body() {
        return *body_;
    }

private:
    static Body* body_;
};
Body* LimbGrowth::body_ = nullptr;

TEST_F(LimbGrowth, TheSyntheticLimbIsAValidBody) {
    EXPECT_NO_THROW(require_valid(body(), "limb"));
    EXPECT_GT(summarise(body()).body_fat, 0.2);
}

TEST_F(LimbGrowth, NothingMovesWithoutGrowth) {
    MuscleGrowth growth(body());
    growth.set_growth(std::vector<double>{1.0, 1.0});
    growth.settle();
    EXPECT_LT((growth.positions() - body().tets.points).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(FineLimbGrowth, BelliesFollowAlphaSquaredAndTendonsAndBonesStay) {
    const Body limb = limb_body();
    MuscleGrowth growth(limb, thorough());
    growth.set_growth(std::vector<double>{1.4, 1.0});
    const MuscleGrowthReport report = growth.settle();
    EXPECT_LT(report.volume_error.total, 0.01);
    EXPECT_TRUE(report.is_converged);
    EXPECT_EQ(report.inverted_tets, 0);
    const std::vector<MuscleMeasure> m = growth.measures();
    EXPECT_NEAR(m[0].belly_after / m[0].belly_before, 1.96, 0.03 * 1.96);
    EXPECT_NEAR((m[0].after - m[0].belly_after) / (m[0].before - m[0].belly_before), 1.0, 0.03);
    EXPECT_NEAR(m[1].after / m[1].before, 1.0, 0.02);
    const Body grown = growth.body();
    EXPECT_NO_THROW(require_valid(grown, "grown limb"));
    for (std::size_t b = 0; b < 2; ++b) {
        EXPECT_EQ(grown.bones[b].mesh.points, limb.bones[b].mesh.points);
        const Points embedded =
            positions_of(grown.bone_embeddings[b], grown.tets.points, grown.tets.tets);
        EXPECT_LT((embedded - grown.bones[b].mesh.points).cwiseAbs().maxCoeff(), 1e-9);
        // The flesh at the bone moved little: the springs hold it.
        EXPECT_LT((positions_of(limb.bone_embeddings[b], grown.tets.points, grown.tets.tets) -
                   limb.bones[b].mesh.points)
                      .cwiseAbs()
                      .maxCoeff(),
                  0.002);
    }
    const std::vector<double> stored = muscle_volumes_in_tets(grown);
    EXPECT_NEAR(stored[0], m[0].after, 1e-12);
}

// Ten iterations are enough to look at.
TEST(FineLimbGrowth, TenIterationsBringTheSkinWithinHalfAMillimetreOfTheEnd) {
    const Body limb = limb_body();
    MuscleGrowth growth(limb, thorough());
    growth.set_growth(std::vector<double>{1.3, 1.3});
    growth.iterate(10);
    const Points early = growth.positions();
    growth.iterate(300);
    double sum = 0.0;
    for (const Index v : limb.skin.tet_vertex) {
        sum += (growth.positions().row(v) - early.row(v)).norm();
    }
    EXPECT_LT(sum / static_cast<double>(limb.skin.tet_vertex.size()), 5e-4);
}

// The matrix only decides how fast the minimum is reached.
TEST_F(LimbGrowth, TheShareOfVolumeInTheMatrixDoesNotChangeTheResult) {
    std::vector<Points> ends;
    std::vector<int> iterations;
    for (const double share : {1.0, 0.3}) {
        MuscleGrowthOptions options = thorough();
        options.corrects_volumes = false;
        options.matrix_share = share;
        options.fat_matrix_share = share;
        MuscleGrowth growth(body(), options);
        growth.set_growth(std::vector<double>{1.2, 1.2});
        const MuscleGrowthReport report = growth.settle();
        EXPECT_TRUE(report.is_converged) << share;
        ends.push_back(growth.positions());
        iterations.push_back(report.iterations);
    }
    EXPECT_LT((ends[0] - ends[1]).cwiseAbs().maxCoeff(), 2e-5);
    EXPECT_LT(iterations[1], iterations[0]);
}

// A tetrahedron pressed flat is opened, and nothing far away moves.
TEST_F(LimbGrowth, FlatTetrahedraAreOpenedAgain) {
    const Tets& tets = body().tets.tets;
    const Eigen::VectorXd was = tet_dihedral_angles(body().tets.points, tets).rowwise().minCoeff();
    Eigen::Index best = 0;
    was.maxCoeff(&best);
    Points x = body().tets.points;
    const Vec3 a = point(x, tets(best, 0));
    const Vec3 b = point(x, tets(best, 1));
    const Vec3 c = point(x, tets(best, 2));
    const Vec3 n = (b - a).cross(c - a).normalized();
    const double height = (point(x, tets(best, 3)) - a).dot(n);
    x.row(tets(best, 3)) -= 0.99 * height * n.transpose();
    const Points opened = mend_inversions(body().tets, x).x;
    EXPECT_GT(tet_dihedral_angles(opened, tets).row(best).minCoeff(), 0.02);
    EXPECT_EQ((tet_volumes(opened, tets).array() <= 0.0).count(), 0);
    EXPECT_LT((opened - body().tets.points).cwiseAbs().maxCoeff(), 2.0 * std::abs(height));
}

TEST_F(LimbGrowth, SmoothedTensorsGiveTheSameVolumes) {
    for (const int rounds : {0, 4}) {
        MuscleGrowthOptions options = thorough();
        options.smoothing_rounds = rounds;
        MuscleGrowth growth(body(), options);
        growth.set_growth(std::vector<double>{1.3, 1.0});
        EXPECT_LT(growth.settle().volume_error.total, 0.005) << rounds;
        const MuscleMeasure m = growth.measures()[0];
        EXPECT_NEAR(m.belly_after / m.belly_before, 1.69, 0.03) << rounds;
    }
}

// [Saito2015, Figure 6]: without the volume term the growth is largely squeezed away again.
TEST_F(LimbGrowth, Saito2015Fig6WithoutVolumeTermVolumeIsLost) {
    MuscleGrowthOptions options = thorough();
    options.stiffness.volume = 0.0;
    MuscleGrowth without(body(), options);
    MuscleGrowth with(body(), thorough());
    for (MuscleGrowth* growth : {&without, &with}) {
        growth->set_growth(std::vector<double>{1.6, 1.6});
        growth->settle();
    }
    const auto ratio = [](const MuscleGrowth& g) {
        const std::vector<MuscleMeasure> m = g.measures();
        return m[0].belly_after / m[0].belly_before / 2.56;
    };
    EXPECT_LT(ratio(without), 0.97);
    EXPECT_NEAR(ratio(with), 1.0, 0.03);
}

// The matrix of rest is not that of the grown state, yet the minimum is the same.
TEST_F(LimbGrowth, Saito2015RestHessianFindsTheSameShapeAsTheExactOne) {
    MuscleGrowth approximate(body(), thorough());
    MuscleGrowth exact(body(), thorough());
    const std::vector<double> alpha = {1.3, 0.8};
    approximate.set_growth(alpha);
    exact.set_growth(alpha);
    exact.refactor();
    const MuscleGrowthReport a = approximate.settle();
    const MuscleGrowthReport b = exact.settle();
    EXPECT_EQ(a.refactorisations, 0);
    EXPECT_EQ(b.refactorisations, 1);
    EXPECT_LT((approximate.positions() - exact.positions()).rowwise().norm().maxCoeff(), 2e-4);
}

// [Saito2015, Figure 2]: flexed is shorter and thicker, grown is only thicker.
TEST(MuscleGrowth, Kadlecek2022Eq415AFreeMuscleShortensBulgesAndKeepsItsVolume) {
    const Body body =
        limb_body({.along = 8, .across = 4, .envelope = 1.0, .bone = 0.0, .has_tendons = false});
    MuscleGrowth flexed(body, thorough());
    flexed.set_contraction(std::vector<double>{1.3, 1.3});
    int calls = 0;
    const MuscleGrowthReport report =
        flexed.settle({}, [&](int, const Points& x) { calls += x.rows() > 0 ? 1 : 0; });
    EXPECT_EQ(calls, report.iterations);
    EXPECT_NEAR(volume(flexed.positions(), body.tets.tets) / volume(body.tets), 1.0, 0.003);
    const Vec3 ratio =
        bounds(flexed.positions()).size().cwiseQuotient(bounds(body.tets.points).size());
    EXPECT_NEAR(ratio.y(), 1.0 / 1.3, 0.005);
    EXPECT_NEAR(ratio.x(), std::sqrt(1.3), 0.005);
}

TEST_F(LimbGrowth, InvertedTetrahedraAreSmoothedAway) {
    Points x = body().tets.points;
    const Index v = body().tets.tets(body().tets.tets.rows() / 2, 0);
    x.row(v) += Eigen::RowVector3d(0.02, 0.03, -0.02);
    const MendedInversions smoothed = mend_inversions(body().tets, x);
    EXPECT_GT(smoothed.before, 0);
    EXPECT_EQ(smoothed.after, 0);
    EXPECT_EQ((tet_volumes(smoothed.x, body().tets.tets).array() <= 0.0).count(), 0);
    EXPECT_EQ(mend_inversions(body().tets, body().tets.points).x, body().tets.points);
}

// 8 mm of air between two limbs whose muscles want more than that: without limits they cross.
TEST(GrowthOfTwoLimbs, StopsAtTheSkinThatFacesItAndKeepsItsVolumes) {
    const Body body = support::two_limbs(0.108, {.along = 12});
    const std::vector<double> alpha(body.muscles.size(), 1.4);
    const auto grown = [&](bool keeps_apart) {
        MuscleGrowthOptions options;
        options.keeps_apart = keeps_apart;
        MuscleGrowth growth(body, options);
        growth.set_growth(alpha);
        const MuscleGrowthReport report = growth.iterate(60);
        EXPECT_EQ(report.refactorisations, 0);
        EXPECT_LT(report.volume_error.total, 0.01);
        for (const MuscleMeasure& m : growth.measures()) {
            EXPECT_NEAR(m.belly_after / m.belly_before, 1.96, 0.02) << m.name;
        }
        return growth.body();
    };
    EXPECT_FALSE(find_self_intersections(grown(false).skin.mesh).pairs.empty());
    const Body apart = grown(true);
    EXPECT_TRUE(find_self_intersections(apart.skin.mesh).pairs.empty());
    EXPECT_EQ((tet_volumes(apart.tets).array() <= 0.0).count(), 0);
    // Where nothing is in the way they are as wide as ever.
    EXPECT_LT(apart.skin.mesh.points.col(0).minCoeff(), -0.058);
}

// Alone in the air nothing is ever held.
TEST_F(LimbGrowth, SkinThatFacesNoSkinHasNoLimits) {
    EXPECT_EQ(SkinLimits(body(), 1e6).size(), 0u);
}

// Both limbs go towards each other by more than half of the air between them.
Points pressed_together(const Body& body, double by) {
    Points x = body.tets.points;
    const double middle = 0.5 * (x.col(0).minCoeff() + x.col(0).maxCoeff());
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        x(i, 0) += x(i, 0) < middle ? by : -by;
    }
    return x;
}

TEST(SkinSeparation, SkinGoesBackUntilNothingCrossesAndElsewhereStays) {
    const Body body = support::two_limbs(0.108, {.along = 12});
    EXPECT_EQ(separate_skin(body, body.tets.points).x, body.tets.points);
    const Points x = pressed_together(body, 0.006);
    const SeparatedSkin apart = separate_skin(body, x);
    EXPECT_GT(apart.crossing_before, 0);
    EXPECT_EQ(apart.crossing_after, 0);
    EXPECT_GT(apart.furthest, 1e-3);
    EXPECT_LT(apart.furthest, 0.006);
    // The far sides do not move.
    Eigen::Index far = 0;
    x.col(0).minCoeff(&far);
    EXPECT_EQ(apart.x.row(far), x.row(far));
}

TEST(SkinLimits, HoldWhatCrossesAndLetGoWhatPullsAway) {
    const Body body = support::two_limbs(0.108, {.along = 12});
    SkinLimits limits(body, 1e6);
    EXPECT_FALSE(limits.hold(body.tets.points));
    const Points x = pressed_together(body, 0.006);
    EXPECT_EQ(limits.value(x), 0.0);
    EXPECT_TRUE(limits.hold(x));
    EXPECT_GT(limits.held(), 0u);
    EXPECT_GT(limits.value(x), 0.0);
    // No force where skin is held; back at rest it has left, and is let go.
    const Points apart = separate_skin(body, x).x;
    EXPECT_LT(limits.value(apart), 1e-12);
    EXPECT_TRUE(limits.hold(body.tets.points));
    EXPECT_EQ(limits.held(), 0u);
}

TEST(SkinLimits, ForcesAreTheEnergysGradient) {
    const Body body = support::two_limbs(0.108, {.along = 6});
    SkinLimits limits(body, 1e6);
    Points x = pressed_together(body, 0.006);
    ASSERT_TRUE(limits.hold(x));
    Points gradient = Points::Zero(x.rows(), 3);
    limits.add_gradient(x, gradient);
    Eigen::Index most = 0;
    gradient.rowwise().squaredNorm().maxCoeff(&most);
    constexpr double h = 1e-6;
    for (int c = 0; c < 3; ++c) {
        const double here = x(most, c);
        x(most, c) = here + h;
        const double above = limits.value(x);
        x(most, c) = here - h;
        const double below = limits.value(x);
        x(most, c) = here;
        EXPECT_NEAR((above - below) / (2.0 * h), gradient(most, c),
                    1e-6 * gradient.row(most).norm());
    }
}

TEST_F(LimbGrowth, NonsenseIsRefusedByName) {
    MuscleGrowth growth(body());
    try {
        growth.set_growth(std::vector<double>{1.0, -1.0});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("triceps_brachii_l"), std::string::npos);
    }
    EXPECT_THROW(growth.set_growth(std::vector<double>{1.0}), InputError);
    Body bare = body();
    bare.shares = {};
    EXPECT_THROW(MuscleGrowth{bare}, InputError);
}

}  // namespace
}  // namespace sinew
