#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/fit/composition.h"
#include "sinew/fit/landmarks.h"
#include "sinew/fit/scan_girths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

constexpr int kAround = 200;

// A trunk of round sections: 0.17 m at the hips, 0.12 at the waist, 0.15 at the chest.
double radius_at(double y) {
    const auto between = [y](double a, double at_a, double b, double at_b) {
        return at_a + (y - a) / (b - a) * (at_b - at_a);
    };
    return y < 0.85   ? between(0.6, 0.10, 0.85, 0.17)
           : y < 1.05 ? between(0.85, 0.17, 1.05, 0.12)
                      : between(1.05, 0.12, 1.25, 0.15);
}

Body round_trunk() {
    constexpr int kLevels = 81;  // every centimetre from 0.6 to 1.4 m
    Body body;
    Points& p = body.skin.mesh.points;
    p.resize(kLevels * kAround, 3);
    Triangles& t = body.skin.mesh.triangles;
    t.resize(2 * (kLevels - 1) * kAround, 3);
    Eigen::Index row = 0;
    for (int i = 0; i < kLevels; ++i) {
        const double y = 0.6 + 0.01 * i;
        for (int k = 0; k < kAround; ++k) {
            const double angle = 2.0 * kPi * k / kAround;
            p.row(i * kAround + k) << radius_at(y) * std::sin(angle), y,
                radius_at(y) * std::cos(angle);
            if (i + 1 < kLevels) {
                const int next = (k + 1) % kAround;
                t.row(row++) << i * kAround + k, i * kAround + next, (i + 1) * kAround + k;
                t.row(row++) << (i + 1) * kAround + k, i * kAround + next, (i + 1) * kAround + next;
            }
        }
    }
    body.skeleton.joints = {{.name = "hip_l", .centre = Vec3(0.08, 0.82, 0.0)},
                            {.name = "hip_r", .centre = Vec3(-0.08, 0.82, 0.0)}};
    return body;
}

const std::vector<Landmark> kNamed = {{.name = "nipple_L", .position = Vec3(0.1, 1.26, 0.12)},
                                      {.name = "nipple_R", .position = Vec3(-0.1, 1.24, 0.12)},
                                      {.name = "navel", .position = Vec3(0.0, 0.99, 0.15)}};

TEST(ScanGirths, AreThoseOfTheLevelsThatNamedPointsSay) {
    const auto found = scan_girths(round_trunk(), kNamed);
    const std::map<std::string, double> girth(found.begin(), found.end());
    const auto circle = [](double r) { return 2.0 * kPi * r; };
    EXPECT_NEAR(girth.at("chest"), circle(0.15), 1e-3);
    EXPECT_NEAR(girth.at("waist"), circle(0.12), 1e-3);
    EXPECT_NEAR(girth.at("waist_navel"), circle(radius_at(0.99)), 1e-3);
    EXPECT_NEAR(girth.at("hips"), circle(0.17), 4e-3);
}

// Below the larynx and sloping down to the front, whether it is narrowest there or not
// [Hodgdon1984].
TEST(ScanGirths, TheNeckIsTapedAcrossItsMiddle) {
    Body trunk = round_trunk();
    trunk.skeleton.joints.push_back({.name = "neck_c7_t1", .centre = Vec3(0.0, 0.875, 0.0)});
    trunk.skeleton.joints.push_back(
        {.name = "neck_atlanto_occipital", .centre = Vec3(0.0, 1.275, 0.0)});
    const auto found = scan_girths(trunk, kNamed);
    const std::map<std::string, double> girth(found.begin(), found.end());
    // An ellipse: the circle's depth over the cosine of 7 degrees.
    const double radius = radius_at(0.875 + 0.56 * 0.4);
    const double mean = 0.5 * radius * (1.0 + 1.0 / std::cos(7.0 * kDegree));
    EXPECT_NEAR(girth.at("neck"), 2.0 * kPi * mean, 2e-3);
}

// Round a ball of 80 triangles a flat tape is short; rounded triangles make up for most of it.
TEST(ScanGirths, Vlachos2001TapesFollowTheRoundLimbAndNotItsTriangles) {
    Body limb;
    limb.skin.mesh = support::sphere(1, 0.1);
    limb.skeleton.joints = {{.name = "hip_l", .centre = Vec3(0.001, 0.101, 0.002)},
                            {.name = "knee_l", .centre = Vec3(0.001, -0.091, 0.002)}};
    const double flat =
        tape_girth(limb.skin.mesh.points, limb.skin.mesh.triangles, Vec3::Zero(), Vec3::UnitY());
    const auto found = scan_girths(limb, {});
    const std::map<std::string, double> girth(found.begin(), found.end());
    const double circle = 2.0 * kPi * 0.1;
    EXPECT_LT(flat, 0.985 * circle);
    EXPECT_NEAR(girth.at("thigh_l"), circle, 0.5 * (circle - flat));
}

TEST(ScanGirths, AreThoseOfJointsWherePointsAreAbsent) {
    const auto found = scan_girths(round_trunk(), {});
    const std::map<std::string, double> girth(found.begin(), found.end());
    EXPECT_EQ(girth.count("waist_navel"), 0U);
    EXPECT_NEAR(girth.at("hips"), 2.0 * kPi * radius_at(0.82), 1e-3);
}

TEST(ScanGirths, MensWaistInTheFormulaIsThatAtTheNavel) {
    const std::vector<std::pair<std::string, double>> girths = {
        {"neck", 0.38}, {"waist", 0.85}, {"waist_navel", 0.90}, {"hips", 1.0}};
    EXPECT_EQ(*composition_witnesses(Sex::Male, 1.8, girths, {}).navy_body_fat,
              navy_body_fat(Sex::Male, 1.8, 0.38, 0.90, 1.0));
    EXPECT_EQ(*composition_witnesses(Sex::Female, 1.8, girths, {}).navy_body_fat,
              navy_body_fat(Sex::Female, 1.8, 0.38, 0.85, 1.0));
}

TEST(ScanGirths, NamedPointsAreCarriedWithTheirTriangles) {
    const Body trunk = round_trunk();
    const Points& from = trunk.skin.mesh.points;
    Points to = 2.0 * from;
    to.rowwise() += Eigen::RowVector3d(0.1, 0.2, 0.3);
    const std::vector<Landmark> on = {{.name = "navel", .position = point(from, 7777)}};
    const auto carried = landmarks_carried(on, from, to, trunk.skin.mesh.triangles);
    EXPECT_LT((carried[0].position - point(to, 7777)).norm(), 1e-9);
}

// A flat chest of a vertex every 5 mm with a bump, and where it ends from 5 cm above.
Vec3 apex_of_bump(double height, double below) {
    constexpr int kSide = 81;
    Points chest(kSide * kSide, 3);
    Index start = 0;
    for (int i = 0; i < kSide; ++i) {
        for (int k = 0; k < kSide; ++k) {
            const double x = 0.1 + 0.005 * (i - kSide / 2);
            const double y = 0.005 * (k - kSide / 2);
            const double q = (std::pow(x - 0.1, 2) + std::pow(y + below, 2)) / (0.05 * 0.05);
            chest.row(i * kSide + k) << x, y, height * std::exp(-q);
            if (i == kSide / 2 && k == kSide / 2) {
                start = static_cast<Index>(i * kSide + k);
            }
        }
    }
    return point(chest, breast_apex(chest, start, true));
}

TEST(BreastApex, IsFoundBelowTheStart) {
    const Vec3 apex = apex_of_bump(0.06, 0.05);
    EXPECT_NEAR(apex.y(), -0.05, 0.006);
    // It looks outward a little, so its point is outward of the middle.
    EXPECT_GE(apex.x(), 0.1);
    EXPECT_LT(apex.x(), 0.13);
}

TEST(BreastApex, StaysWhereNothingStandsOut) {
    EXPECT_LT((apex_of_bump(0.005, 0.05) - Vec3(0.1, 0.0, 0.0)).head<2>().norm(), 1e-12);
}

}  // namespace
}  // namespace sinew
