// Which points of a line become a path, about one hinge, against closed forms and published ranges.

#include "sinew/base/units.h"
#include "sinew/motion/path_choice.h"
#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace sinew {
namespace {

// A tendon behind a knee that bends by 140 degrees about x through the origin, body 0 above it and
// body 1 below; it ends in front of the axis, as those of the pes anserinus do.
CrossedLine tendon_behind_knee() {
    CrossedLine line;
    for (const auto& [y, z] :
         {std::pair{0.3, -0.03}, std::pair{0.2, -0.032}, std::pair{0.1, -0.032},
          std::pair{0.05, -0.031}, std::pair{0.02, -0.031}, std::pair{-0.02, -0.03},
          std::pair{-0.04, -0.026}, std::pair{-0.055, -0.015}, std::pair{-0.065, 0.005}}) {
        line.points.push_back(Vec3(0.0, y, z));
    }
    line.bodies = {0, 1};
    LineCrossing knee;
    knee.joint = 1;
    knee.axis_count = 1;
    knee.axes[0] = Vec3::UnitX();
    knee.low[0] = -3.0 * kDegree;
    knee.high[0] = 140.0 * kDegree;
    line.crossings.push_back(knee);
    return line;
}

double length_at(const ChosenPath& path, double angle) {
    const Mat3 R = Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix();
    const auto placed = [&](const ChosenPath::Point& p) {
        return p.body == 1 ? Vec3(R * p.position) : p.position;
    };
    double length = 0.0;
    for (std::size_t k = 0; k + 1 < path.points.size(); ++k) {
        const Vec3 from = placed(path.points[k]);
        const Vec3 to = placed(path.points[k + 1]);
        double piece = (to - from).norm();
        for (const ChosenPath::Wrap& w : path.wraps) {
            if (static_cast<std::size_t>(w.after) != k) {
                continue;
            }
            EXPECT_EQ(w.object.body, 0);
            const Placement inwards = w.object.placement.inverse();
            const SurfaceWrap round = wrap_segment(w.object, inwards * from, inwards * to);
            if (round.wraps) {
                piece = (round.begin - inwards * from).norm() + round.length +
                        (inwards * to - round.end).norm();
            }
        }
        length += piece;
    }
    return length;
}

std::vector<double> arms_of(const ChosenPath& path) {
    std::vector<double> arms;
    for (int degrees = -3; degrees < 140; degrees += 1) {
        const double a = (degrees + 0.5) * kDegree;
        const double h = 0.5 * kDegree;
        arms.push_back((length_at(path, a - h) - length_at(path, a + h)) / (2.0 * h));
    }
    return arms;
}

TEST(PathChoice, AHingesCylinderNeverSendsThePathAllTheWayRound) {
    const std::vector<double> arms = arms_of(choose_path(tendon_behind_knee()));
    for (std::size_t k = 0; k < arms.size(); ++k) {
        EXPECT_GT(arms[k], 0.0) << k;
        EXPECT_LT(arms[k], 0.08) << k;
        EXPECT_LT(k > 0 ? std::abs(arms[k] - arms[k - 1]) : 0.0, 0.006) << k;
    }
}

TEST(PathChoice, PublishedRangesAreKeptAsFarAsTheyWereMeasured) {
    CrossedLine line = tendon_behind_knee();
    line.crossings[0].least_arm[0] = 0.026;
    line.crossings[0].most_arm[0] = 0.05;
    line.crossings[0].measured_to[0] = 100.0 * kDegree;
    const std::vector<double> arms = arms_of(choose_path(line));
    for (std::size_t k = 0; k < arms.size(); ++k) {
        EXPECT_GT(arms[k], k < 103 ? 0.022 : 0.0) << k;
        EXPECT_LT(arms[k], 0.058) << k;  // a place that has both ends right lies a little beyond
    }
}

TEST(PathChoice, LinesAreBentUntilTheyHaveTheirMomentArm) {
    CrossedLine line = tendon_behind_knee();
    const double before = line_moment_arms(line, 0)[0];
    EXPECT_NEAR(before, 0.031, 0.002);
    lead_past(line, 0, 0, 0.02);
    EXPECT_DOUBLE_EQ(line_moment_arms(line, 0)[0], before);  // has as much already
    const Vec3 begin = line.points.front();
    const Vec3 end = line.points.back();
    lead_past(line, 0, 0, 0.04);
    EXPECT_NEAR(line_moment_arms(line, 0)[0], 0.04, 0.001);
    EXPECT_LT((line.points.front() - begin).norm(), 1e-12);
    EXPECT_LT((line.points.back() - end).norm(), 1e-12);
}

// 4 cm behind a joint that turns by 15 degrees either way, points 3 mm above and below it would
// pass each other.
TEST(PathChoice, PointsDoNotPassEachOtherAtJointsThatTurnLittle) {
    CrossedLine line = tendon_behind_knee();
    line.points.clear();
    for (const double y : {0.1, 0.05, 0.003, -0.003, -0.05, -0.1}) {
        line.points.push_back(Vec3(0.0, y, -0.04));
    }
    line.crossings[0].low[0] = -15.0 * kDegree;
    line.crossings[0].high[0] = 15.0 * kDegree;
    const ChosenPath path = choose_path(line);
    for (double degrees = -15.0; degrees < 15.0; degrees += 1.0) {
        const double arm =
            (length_at(path, degrees * kDegree) - length_at(path, (degrees + 1.0) * kDegree)) /
            kDegree;
        EXPECT_GT(arm, 0.03) << degrees;
    }
}

}  // namespace
}  // namespace sinew
