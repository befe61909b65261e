#include "sinew/geometry/measure.h"
#include "sinew/growth/skeleton_following.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// Bones, samples and joints of the limb under a map, and its slope at each sample.
EditedBody follow_map(const Body& body, const std::function<Vec3(const Vec3&)>& map,
                      const std::function<Mat3(const Vec3&)>& slope) {
    EditedSkeleton skeleton;
    for (const Bone& bone : body.bones) {
        Points points = bone.mesh.points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            points.row(i) = map(point(bone.mesh.points, i)).transpose();
        }
        skeleton.bones.push_back(points);
    }
    skeleton.attachments = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    std::vector<Mat3> maps;
    for (Eigen::Index s = 0; s < skeleton.attachments.rows(); ++s) {
        const Vec3 p = point(skeleton.attachments, s);
        maps.push_back(slope(p));
        skeleton.attachments.row(s) = map(p).transpose();
    }
    for (const Joint& joint : body.skeleton.joints) {
        skeleton.joints.push_back(map(joint.centre));
    }
    return follow_skeleton(body, skeleton, maps);
}

// One affine map for all bones is harmonic: the flesh takes it to rounding, bones with it.
TEST(FollowSkeleton, OneAffineMapOfAllBonesIsThatOfTheFlesh) {
    const Body body = support::limb_body();
    Mat3 A;
    A << 1.4, 0.1, 0.0, 0.0, 1.7, 0.2, -0.1, 0.0, 1.3;
    const Vec3 b(0.2, 0.0, -0.3);
    const EditedBody out = follow_map(
        body, [&](const Vec3& x) { return Vec3(A * x + b); }, [&](const Vec3&) { return A; });
    Points wanted = (body.tets.points * A.transpose()).rowwise() + b.transpose();
    wanted.col(1).array() -= wanted.col(1).minCoeff() - body.tets.points.col(1).minCoeff();
    EXPECT_LT((out.body.tets.points - wanted).rowwise().norm().maxCoeff(), 1e-6);
    EXPECT_LT(out.report.largest_gap, 1e-6);
    EXPECT_EQ(out.report.inverted_tets, 0);
    EXPECT_NEAR(tet_volumes(out.body.tets).sum(), A.determinant() * tet_volumes(body.tets).sum(),
                1e-8);
}

// The upper half twice as long: its flesh is, and none of it turns inside out.
TEST(FollowSkeleton, FleshIsAsLongAsItsBone) {
    const Body body = support::limb_body();
    const double middle = body.skeleton.joints[1].centre.y();
    const auto map = [&](const Vec3& x) {
        return x.y() < middle ? x : Vec3(x.x(), middle + 2.0 * (x.y() - middle), x.z());
    };
    const auto slope = [&](const Vec3& x) {
        return Mat3(Vec3(1.0, x.y() < middle ? 1.0 : 2.0, 1.0).asDiagonal());
    };
    const EditedBody out = follow_map(body, map, slope);
    EXPECT_EQ(out.report.inverted_tets, 0);
    const double height = bounds(body.skin.mesh.points).size().y();
    EXPECT_NEAR(bounds(out.body.skin.mesh.points).size().y(), 1.5 * height, 0.02 * height);
    // Across it stays as thick as it was.
    EXPECT_NEAR(bounds(out.body.skin.mesh.points).size().x(),
                bounds(body.skin.mesh.points).size().x(), 0.002);
    EXPECT_LT(out.report.largest_gap, 1e-3);
}

}  // namespace
}  // namespace sinew
