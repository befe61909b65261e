#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/fat_growth.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/skin_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

class FatOfALimb : public testing::Test {
protected:
    Body body_ = support::limb_body({.along = 12});
    std::vector<double> all_ =
        std::vector<double>(static_cast<std::size_t>(body_.skin.mesh.points.rows()), 1.0);
    double radius(const Points& x) const {
        // of the skin at half the height, mean
        double sum = 0.0;
        int count = 0;
        for (const Index v : body_.skin.tet_vertex) {
            if (std::abs(body_.tets.points(v, 1) - 0.2) < 1e-6) {
                sum += std::hypot(x(v, 0), x(v, 2));
                ++count;
            }
        }
        return sum / count;
    }
};

// A long cylinder under pressure g against hoop stretch and springs, all lengths in cm:
//   E per cm^2 = 2 w_s (u/R)^2 - g u + (w_r / g) u^2,   so   u = g / (4 w_s / R^2 + 2 w_r / g).
TEST_F(FatOfALimb, Saito2015Eq9ACylinderInflatesAsTheClosedFormSays) {
    FatGrowthOptions options;
    options.bending = 0.0;
    options.iterations = 400;
    const FatLayer layer(body_, options);
    for (const double g : {2.0, 6.0}) {
        std::vector<double> gamma(all_.size(), g);
        const Points x = layer.inflated(gamma).points;
        const double R = 5.0;
        const double u = g / (4.0 * 15.0 / (R * R) + 2.0 * 10.0 / g);
        EXPECT_NEAR(100.0 * (radius(x) - radius(body_.tets.points)), u, 0.04 * u) << g;
    }
}

TEST_F(FatOfALimb, NothingUnderTheEnvelopeMoves) {
    const FatLayer layer(body_);
    const Points x = layer.inflated(std::vector<double>(all_.size(), 5.0)).points;
    for (const Index v : body_.envelope.tet_vertex) {
        ASSERT_EQ(x.row(v), body_.tets.points.row(v));
    }
    EXPECT_GT(layer.volume(x), 1.05 * layer.volume(body_.tets.points));
    EXPECT_EQ((tet_volumes(x, body_.tets.tets).array() <= 0.0).count(), 0);
}

TEST_F(FatOfALimb, Komaritzan418VolumesAreScaledAndLossStopsAtTheFloor) {
    FatLayer layer(body_);
    const double before = layer.volume(body_.tets.points);
    for (const double s : {1.5, 0.7}) {
        const std::vector<double> ratio(static_cast<std::size_t>(body_.tets.tets.rows()), s);
        EXPECT_NEAR(layer.volume(layer.scaled(ratio).points) / before, s, 0.02) << s;
    }
    const std::vector<double> none(static_cast<std::size_t>(body_.tets.tets.rows()), 0.01);
    EXPECT_GT(layer.volume(layer.scaled(none).points) / before, 0.33);
}

// Where a pressure is begun from does not matter, and residuals mean the same.
TEST_F(FatOfALimb, PressureEndsWhereItDoesFromRest) {
    FatGrowthOptions options;
    options.iterations = 400;
    const FatLayer layer(body_, options);
    const std::vector<double> weak(all_.size(), 2.0);
    const std::vector<double> strong(all_.size(), 3.0);
    const FatShape first = layer.inflated(weak);
    const FatShape from_rest = layer.inflated(strong);
    const FatShape from_there = layer.inflated(strong, {}, &first.points);
    const double moved = (from_rest.points - body_.tets.points).rowwise().norm().maxCoeff();
    EXPECT_LT((from_there.points - from_rest.points).rowwise().norm().maxCoeff(), 0.01 * moved);
    EXPECT_LT(from_there.report.last_residual(), 2e-4);
    EXPECT_LT(from_there.report.residual.front(), 1.0);
    EXPECT_LT(from_there.report.iterations, from_rest.report.iterations);
}

TEST_F(FatOfALimb, SolvesThatStopEarlySaySo) {
    FatPlan plan = {.total = 1.3 * FatLayer(body_).volume(body_.tets.points), .spread = all_};
    EXPECT_LT(grow_fat(body_, plan).report.residual, 0.01);
    // Pressure goes on from round to round, one iteration each; scaling starts anew.
    FatGrowthOptions hasty;
    hasty.iterations = 1;
    EXPECT_LT(grow_fat(body_, plan, hasty).report.residual, 0.01);
    plan.model = FatModel::Volume;
    EXPECT_GT(grow_fat(body_, plan, hasty).report.residual, 0.01);
}

TEST_F(FatOfALimb, RegionsGetTheVolumeTheyAreAskedFor) {
    std::vector<double> half = all_;
    for (std::size_t i = 0; i < half.size(); ++i) {
        const double y = body_.skin.mesh.points(static_cast<Eigen::Index>(i), 1);
        half[i] = std::exp(-std::pow((y - 0.1) / 0.05, 2));
    }
    for (const double factor : {1.8, 0.8}) {
        const FattenedBody grown =
            grow_fat(body_, {.regions = {{.name = "half", .map = half, .factor = factor}}});
        ASSERT_EQ(grown.report.regions.size(), 1u);
        EXPECT_NEAR(grown.report.regions[0].reached, factor, 0.01) << factor;
        EXPECT_EQ(grown.report.inverted_tets, 0);
        EXPECT_NO_THROW(require_valid(grown.body, "fat limb"));
    }
}

TEST_F(FatOfALimb, TargetsOfMassAndShareAreMet) {
    const BodySummary before = summarise(body_);
    const double mass = 1.25 * before.mass;
    const FattenedBody heavy =
        grow_fat(body_, {.total = fat_volume_for_mass(body_, mass), .spread = all_});
    EXPECT_NEAR(summarise(heavy.body).mass, mass, 0.005 * mass);
    for (const double share : {before.body_fat + 0.08, before.body_fat - 0.06}) {
        const FattenedBody other =
            grow_fat(body_, {.total = fat_volume_for_share(body_, share), .spread = all_});
        EXPECT_NEAR(summarise(other.body).body_fat, share, 0.005);
    }
    EXPECT_THROW(fat_volume_for_mass(body_, 0.1 * before.mass), InputError);
}

TEST_F(FatOfALimb, FatIsTransferredToABodyWithLess) {
    const Body fat =
        grow_fat(body_, {.total = 1.5 * FatLayer(body_).volume(body_.tets.points), .spread = all_})
            .body;
    const FattenedBody copied = grow_fat(body_, {.transfer = fat_transfer_ratios(fat, body_)});
    // Thickness is what is copied: the wider skin of the source holds a little more.
    EXPECT_GT(copied.report.after / copied.report.before, 1.3);
    EXPECT_LT(copied.report.after / copied.report.before, 1.55);
}

TEST_F(FatOfALimb, APaintedMapIsRoundedOffAndKeepsItsLargestValue) {
    const std::vector<double> even = smoothed_map(body_, all_, 0.02);
    EXPECT_NEAR(*std::min_element(even.begin(), even.end()), 1.0, 1e-12);
    std::vector<double> dab(all_.size(), 0.0);
    dab[dab.size() / 2] = 0.8;
    EXPECT_EQ(smoothed_map(body_, dab, 0.0), dab);
    const std::vector<double> soft = smoothed_map(body_, dab, 0.03);
    EXPECT_NEAR(*std::max_element(soft.begin(), soft.end()), 0.8, 1e-12);
    const auto touched = [](const std::vector<double>& map) {
        return std::count_if(map.begin(), map.end(), [](double v) { return v > 0.01; });
    };
    EXPECT_GT(touched(soft), 8);
    EXPECT_LT(touched(soft), static_cast<long>(dab.size()) / 2);
    EXPECT_THROW(smoothed_map(body_, {1.0, 2.0}, 0.01), InputError);
}

TEST_F(FatOfALimb, MapsLieInZeroToOneAndUnknownOnesAreRefused) {
    for (const std::string& name : fat_map_names()) {
        for (const double f : fat_map(body_, name)) {
            ASSERT_GE(f, 0.0) << name;
            ASSERT_LE(f, 1.0) << name;
        }
    }
    const std::vector<double> arms = fat_map(body_, "arms");
    EXPECT_GT(*std::max_element(arms.begin(), arms.end()), 0.5);
    try {
        fat_map(body_, "bely");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("belly"), std::string::npos);
    }
    TriangleMesh painted = body_.skin.mesh;
    painted.point_data = {{.name = "colour", .components = 3, .values = {}}};
    for (std::size_t i = 0; i < all_.size(); ++i) {
        painted.point_data[0].values.insert(painted.point_data[0].values.end(), {0.5, 0.0, 0.0});
    }
    EXPECT_EQ(fat_map_from_mesh(body_, painted, "paint.ply"),
              std::vector<double>(all_.size(), 0.5));
    EXPECT_THROW(fat_map_from_mesh(body_, body_.skin.mesh, "bare.ply"), InputError);
}

using support::two_limbs;

TEST(OutwardRoom, IsNearlyHalfTheAirBetweenFacingSidesAndInfiniteElsewhere) {
    const Body body = two_limbs(0.12, {.along = 12});  // 2 cm of air where they are nearest
    const std::vector<double> room = outward_room(body.skin.mesh);
    double nearest = 1.0;
    for (std::size_t i = 0; i < room.size(); ++i) {
        const auto p = body.skin.mesh.points.row(static_cast<Eigen::Index>(i));
        nearest = std::min(nearest, room[i]);
        if (p.x() < -0.045 || p.x() > 0.165) {
            EXPECT_TRUE(std::isinf(room[i]));
        }
    }
    EXPECT_LE(nearest, 0.45 * 0.02 + 1e-9);
    EXPECT_GE(nearest, 0.2 * 0.02);  // slanted ways between round sides are shorter
}

void expect_to_keep_apart(FatModel model) {
    const Body body = two_limbs(0.12, {.along = 12});
    const std::vector<double> all(static_cast<std::size_t>(body.skin.mesh.points.rows()), 1.0);
    FatPlan plan;
    plan.model = model;
    plan.regions = {{.name = "all", .map = all, .factor = 2.2}};
    const FattenedBody fat = grow_fat(body, plan);
    double left = -1.0;
    double right = 1.0;
    double free_side = 0.0;
    const Eigen::Index half = body.skin.mesh.points.rows() / 2;
    for (Eigen::Index i = 0; i < half; ++i) {
        left = std::max(left, fat.body.skin.mesh.points(i, 0));
        right = std::min(right, fat.body.skin.mesh.points(half + i, 0));
        free_side = std::min(free_side, fat.body.skin.mesh.points(i, 0));
    }
    EXPECT_LT(left, right);               // 0.06 is the middle
    EXPECT_LT(free_side, -0.05 - 0.011);  // where nothing is in the way it would have met
    EXPECT_NEAR(fat.report.after / fat.report.before, 2.2, 0.02);
}

TEST(FatOfTwoLimbs, GrowsWithoutPushingOneThroughTheOther) {
    expect_to_keep_apart(FatModel::Pressure);
}

TEST(FatOfTwoLimbs, ScaledByVolumeKeepsApartToo) {
    expect_to_keep_apart(FatModel::Volume);
}

}  // namespace
}  // namespace sinew
