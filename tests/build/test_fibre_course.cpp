#include <gtest/gtest.h>

#include <cmath>

#include "bench/fibre_course.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

constexpr double kDegreesPerRadian = 57.29577951308232;

/// A block of muscle along y whose strokes lean by `strokes` and whose fibres by `fibres`, degrees,
/// from y towards x.
Body block_of_muscle(double strokes, double fibres) {
    const auto leaning = [](double degrees) {
        return Vec3(std::sin(degrees / kDegreesPerRadian), std::cos(degrees / kDegreesPerRadian),
                    0.0);
    };
    Body body;
    const Vec3 size(0.04, 0.12, 0.04);
    body.tets = support::box_of_tets({4, 12, 4}, size);
    body.materials.push_back({.name = "muscle", .tissue = Tissue::Muscle});
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        body.shares.start.push_back(static_cast<Index>(t + 1));
        body.shares.material.push_back(0);
        body.shares.part.push_back(0);
        body.shares.fraction.push_back(1.0);
        body.fibres.start.push_back(static_cast<Index>(t + 1));
        body.fibres.muscle.push_back(0);
    }
    body.fibres.direction = leaning(fibres).transpose().replicate(body.tets.tets.rows(), 1);
    Muscle muscle;
    muscle.name = "block";
    muscle.mesh = support::cylinder(0.018, 0.118, 24, 24);
    muscle.mesh.points.rowwise() += Eigen::RowVector3d(0.02, 0.001, 0.02);
    Attribute share{.name = "share", .components = 1, .values = {}};
    Attribute course{.name = "fibre", .components = 3, .values = {}};
    for (Eigen::Index i = 0; i < muscle.mesh.points.rows(); ++i) {
        share.values.push_back((muscle.mesh.points(i, 1) - 0.001) / 0.118);
        const Vec3 d = leaning(strokes);
        course.values.insert(course.values.end(), d.begin(), d.end());
    }
    muscle.mesh.point_data = {share, course};
    body.muscles.push_back(std::move(muscle));
    return body;
}

TEST(FibreCourse, FibresAlongStrokesAndCentreLineMakeNoAngle) {
    const std::vector<bench::FibreCourse> courses = bench::measure_fibres(block_of_muscle(0, 0));
    ASSERT_EQ(courses.size(), 1u);
    EXPECT_EQ(courses[0].muscle, "block");
    EXPECT_NEAR(courses[0].stroke_angle, 0.0, 1e-6);
    EXPECT_NEAR(courses[0].end_to_end_angle, 0.0, 0.1);
}

TEST(FibreCourse, StrokesAndEndsAreMeasuredApart) {
    // Fibres lean by 40 degrees as their strokes do; the muscle as a whole stands upright.
    const std::vector<bench::FibreCourse> oblique = bench::measure_fibres(block_of_muscle(40, 40));
    EXPECT_NEAR(oblique.at(0).stroke_angle, 0.0, 1e-6);
    EXPECT_NEAR(oblique.at(0).end_to_end_angle, 40.0, 0.5);
    const std::vector<bench::FibreCourse> wrong = bench::measure_fibres(block_of_muscle(-20, 10));
    EXPECT_NEAR(wrong.at(0).stroke_angle, 30.0, 1e-6);
    EXPECT_NEAR(wrong.at(0).end_to_end_angle, 10.0, 0.5);
}

TEST(FibreCourse, FibresThatRunBackwardsAreOff) {
    const std::vector<bench::FibreCourse> courses = bench::measure_fibres(block_of_muscle(0, 180));
    EXPECT_NEAR(courses.at(0).stroke_angle, 180.0, 1e-6);
    EXPECT_GT(courses.at(0).end_to_end_angle, 170.0);
}

TEST(FibreCourse, WithoutKnownEndsNothingIsSaid) {
    Body body = block_of_muscle(0, 0);
    body.muscles[0].mesh.point_data.clear();
    EXPECT_TRUE(bench::measure_fibres(body).empty());
}

}  // namespace
}  // namespace sinew
