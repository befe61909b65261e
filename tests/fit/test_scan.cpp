#include "sinew/base/error.h"
#include "sinew/fit/cloud_normals.h"
#include "sinew/fit/landmarks.h"
#include "sinew/fit/placement.h"
#include "sinew/fit/scan.h"
#include "sinew/fit/scan_index.h"
#include "sinew/io/landmark_file.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

Scan scan_of(const TriangleMesh& mesh) {
    Scan scan;
    scan.points = mesh.points;
    scan.triangles = mesh.triangles;
    return scan;
}

TEST(PrepareScan, NormalsOfCloudsPointOutward) {
    const TriangleMesh ball = support::torus(1.0, 0.3, 24, 80);
    const Points normals = cloud_normals(ball.points);
    for (Eigen::Index i = 0; i < normals.rows(); ++i) {
        const Vec3 p = point(ball.points, i);
        // The torus lies around the axis that its points spread least along.
        Vec3 ring = p;
        const Eigen::Vector3d spread = ball.points.cwiseAbs().colwise().maxCoeff().transpose();
        Eigen::Index axis = 0;
        spread.minCoeff(&axis);
        ring[axis] = 0.0;
        const Vec3 outward = (p - ring.normalized()).normalized();
        ASSERT_GT(point(normals, i).dot(outward), 0.97)
            << i << " of " << normals.rows() << ": " << p.transpose() << ", "
            << point(normals, i).transpose();
    }
}

TEST(PrepareScan, TurnsInwardSurfacesAndDropsCrumbs) {
    TriangleMesh ball = support::sphere(4, 0.5);
    const Eigen::Index points = ball.points.rows();
    ball = support::joined(ball, support::sphere(0, 0.001, Vec3(2, 0, 0)));
    ball.triangles.col(1).swap(ball.triangles.col(2));
    const PreparedScan prepared = prepare_scan(scan_of(ball));
    EXPECT_EQ(prepared.report.pieces, 2);
    EXPECT_EQ(prepared.scan.points.rows(), points);
    EXPECT_GT(point(prepared.scan.normals, 0).dot(point(prepared.scan.points, 0)), 0.0);
    EXPECT_EQ(prepared.report.remarks.size(), 2U);
}

TEST(PrepareScan, FewOrBrokenPointsAreRefused) {
    EXPECT_THROW(prepare_scan(scan_of(support::sphere(1, 1.0))), InputError);
    TriangleMesh ball = support::sphere(4, 0.5);
    ball.points(7, 1) = std::nan("");
    EXPECT_THROW(prepare_scan(scan_of(ball)), InputError);
}

TEST(PrepareScan, LargeCloudsAreThinned) {
    Scan cloud;
    cloud.points = support::sphere(5, 0.8).points;
    const PreparedScan prepared = prepare_scan(cloud, {.max_points = 3000});
    EXPECT_LE(prepared.scan.points.rows(), 3000);
    EXPECT_GT(prepared.scan.points.rows(), 1500);
    EXPECT_EQ(prepared.scan.normals.rows(), prepared.scan.points.rows());
}

TEST(GuessUnit, FindsMetresCentimetresMillimetresAndInches) {
    Points person(2, 3);
    person << 0, 0, 0, 0.4, 1.75, 0.3;
    std::string name;
    EXPECT_EQ(guess_unit(person, name), 1.0);
    EXPECT_EQ(guess_unit(100.0 * person, name), 0.01);
    EXPECT_EQ(guess_unit(1000.0 * person, name), 0.001);
    EXPECT_EQ(guess_unit(person / 0.0254, name), 0.0254);
    EXPECT_THROW(guess_unit(1e-3 * person, name), InputError);
    EXPECT_THROW(guess_unit(10.0 * person, name), InputError);
}

TEST(ScanIndex, BordersDoNotCount) {
    const TriangleMesh square = support::open_square(8);
    PreparedScan prepared;
    prepared.scan = scan_of(square);
    prepared.scan.normals = Points::Zero(square.points.rows(), 3);
    prepared.scan.normals.col(2).setOnes();
    Points normals = prepared.scan.normals.topRows(2);
    Points points(2, 3);
    const Vec3 low = square.points.colwise().minCoeff().transpose();
    const Vec3 high = square.points.colwise().maxCoeff().transpose();
    points.row(0) = (0.5 * (low + high) + Vec3(0, 0, 0.01)).transpose();
    points.row(1) = (Vec3(high.x() + 0.02, 0.5 * (low.y() + high.y()), 0.0)).transpose();
    const std::vector<ScanMatch> found =
        ScanIndex(prepared.scan).matches(points, normals, 0.05, 0.5);
    EXPECT_TRUE(found[0].is_valid);
    EXPECT_NEAR(found[0].distance, 0.01, 1e-12);
    EXPECT_FALSE(found[1].is_valid);
    EXPECT_NEAR(found[1].distance, 0.02, 1e-9);
    normals *= -1.0;
    EXPECT_FALSE(ScanIndex(prepared.scan).matches(points, normals, 0.05, 0.5)[0].is_valid);
}

TEST(Similarity, Umeyama1991RecoversAKnownSimilarity) {
    const PoseRig rig(support::limb_body({.along = 6}));
    const Points from = support::sphere(1, 1.0).points;
    const Mat3 R = Eigen::AngleAxisd(0.9, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
    const Points to = (1.7 * from * R.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
    const RigState state = similarity(from, to, rig.start());
    EXPECT_LT((state.rotation - R).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(state.scale, 1.7, 1e-12);
    EXPECT_LT((state.translation - Vec3(1, 2, 3)).norm(), 1e-12);
}

TEST(Landmarks, UnknownAndRepeatedNamesAreRefused) {
    EXPECT_EQ(scan_landmark_names().size(), 30U);
    EXPECT_NO_THROW(require_known({{"nose_tip", Vec3::Zero()}, {"heel_R", Vec3::Zero()}}));
    EXPECT_THROW(require_known({{"heel_R", Vec3::Zero()}, {"heel_R", Vec3::Zero()}}), InputError);
    try {
        require_known({{"nose_tp", Vec3::Zero()}});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(error.parts().found.find("nose_tip"), std::string::npos);
    }
}

TEST(LandmarkFile, ReadsNamesAndPlaces) {
    const std::vector<Landmark> plain = parse_landmarks(R"({"chin": [1, 2, 3]})", "test");
    ASSERT_EQ(plain.size(), 1U);
    EXPECT_EQ(plain[0].name, "chin");
    EXPECT_EQ(plain[0].position, Vec3(1, 2, 3));
    EXPECT_EQ(parse_landmarks(R"({"units": "m", "landmarks": {"c7": [0, 1, 0]}})", "test").size(),
              1U);
    EXPECT_THROW(parse_landmarks(R"({"chin": [1, 2]})", "test"), InputError);
    EXPECT_THROW(parse_landmarks(R"({"landmarks": {}, "more": 1})", "test"), InputError);
    EXPECT_THROW(parse_landmarks("[1", "test"), InputError);
}

}  // namespace
}  // namespace sinew
