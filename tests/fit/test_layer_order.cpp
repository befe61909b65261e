#include "sinew/base/random.h"
#include "sinew/fit/bone_transfer.h"
#include "sinew/fit/layer_order.h"
#include "sinew/fit/layers.h"
#include "sinew/geometry/signed_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/fit/onion_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Turned and half as large again, the skin takes what is under it along.
TEST(LayerOrder, WhatIsUnderTheSkinTurnsAndGrowsWithIt) {
    const TriangleMesh skin = support::sphere(3, 0.1);
    const Points under = 0.9 * skin.points;
    const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    const Points now = (1.5 * skin.points * R.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
    const Points expected = (1.5 * under * R.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
    const Points carried = carried_under(skin.points, under, now, skin.triangles);
    EXPECT_LT((carried - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LayerOrder, VerticesThatLeftGoBackAndOthersStay) {
    const TriangleMesh skin = support::sphere(3, 0.1);
    Points under = 0.95 * skin.points;
    under.row(7) *= 1.3;
    under.row(20) = -1.2 * skin.points.row(20);  // out on the other side
    const Points before = under;
    EXPECT_EQ(count_crossings(skin.points, under, skin.triangles, 0.001), 2);
    std::vector<char> is_held(static_cast<std::size_t>(under.rows()), 0);
    EXPECT_EQ(put_inside(skin.points, skin.triangles, 1e-4, is_held, under), 2);
    EXPECT_EQ(count_crossings(skin.points, under, skin.triangles, 0.0), 0);
    for (Eigen::Index i = 0; i < under.rows(); ++i) {
        if (i != 7 && i != 20) {
            EXPECT_EQ(under.row(i), before.row(i));
        }
    }
    under = before;
    is_held[7] = 1;
    EXPECT_EQ(put_inside(skin.points, skin.triangles, 1e-4, is_held, under), 1);
    EXPECT_EQ(under.row(7), before.row(7));
}

// Outside and close below the surface, far below it, and at the level itself.
TEST(LayerOrder, DistancesAreExactAboveTheLevelAndNowhereBeyondIt) {
    const TriangleMesh ball = support::sphere(3, 0.1);
    const SignedDistance distance(ball);
    Points points(5000, 3);
    Random random(Seed{5}, 0);
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            points(i, k) = random.uniform(-0.08, 0.08);
        }
    }
    const Eigen::VectorXd exact = distance.at_all(points);
    for (const double level : {0.0, -0.005}) {
        const Eigen::VectorXd found = distances_above(distance, points, level);
        Eigen::Index spared = 0;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            if (exact[i] > level) {
                EXPECT_EQ(found[i], exact[i]);
            } else {
                EXPECT_LE(found[i], level);
                EXPECT_GE(found[i], exact[i] - 1e-12);
            }
            spared += found[i] != exact[i] ? 1 : 0;
        }
        EXPECT_GT(spared, points.rows() / 4);
    }
}

// The skeleton surface moves unevenly: the warp between its points is not where the bone goes.
TEST(BoneTransfer, JointsGoWithTheBonesAroundThem) {
    const Body body = support::onion_body(3);
    const LayeredTemplate layers = build_layers(body, {.wrap_voxel = 0.006});
    const BoneTransfer transfer(body, layers, 400, {});
    Points surface = layers.bone;
    for (Eigen::Index i = 0; i < surface.rows(); ++i) {
        surface(i, 2) += 20.0 * surface(i, 0) * surface(i, 0);
    }
    const BoneTransfer::Moved moved = transfer.to(surface, body.tets.points);
    const Vec3& centre = body.skeleton.joints[0].centre;
    const Points& before = body.bones[0].mesh.points;
    const Points& after = moved.bones.bones[0];
    Vec3 mean = Vec3::Zero();
    double count = 0.0;
    for (Eigen::Index i = 0; i < before.rows(); ++i) {
        if ((point(before, i) - centre).norm() < 0.04) {
            mean += point(after, i) - point(before, i);
            count += 1.0;
        }
    }
    const Vec3 went = moved.bones.joints[0] - centre;
    ASSERT_GT(count, 0.0);
    EXPECT_GT(mean.z() / count, 1e-4);
    EXPECT_NEAR(went.z(), mean.z() / count, 0.5 * mean.z() / count);  // the warp there: 0
}

TEST(BoneTransfer, TheNearestAffineMapIsTheOneThatWasThere) {
    const Points from = support::sphere(2, 0.01).points;
    Mat3 A;
    A << 1.1, 0.05, 0.0, -0.02, 0.9, 0.03, 0.0, 0.01, 1.2;
    const Points to = (from * A.transpose()).rowwise() + Eigen::RowVector3d(0.3, 1.0, -0.2);
    const Eigen::Affine3d map = nearest_affine(from, to);
    EXPECT_LT((map.linear() - A).norm(), 2e-3);  // held to the identity by a thousandth
    EXPECT_LT((map * Vec3::Zero() - Vec3(0.3, 1.0, -0.2)).norm(), 1e-4);
    // Points in a line say nothing of what is across: that stays.
    Points line = Points::Zero(3, 3);
    line(1, 0) = 0.01;
    line(2, 0) = 0.02;
    const Points longer = 2.0 * line;
    EXPECT_LT((nearest_affine(line, longer).linear().col(1) - Vec3::UnitY()).norm(), 1e-9);
}

}  // namespace
}  // namespace sinew
