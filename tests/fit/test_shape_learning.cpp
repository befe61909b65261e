#include "sinew/base/error.h"
#include "sinew/fit/shape_learning.h"
#include "sinew/io/shape_space_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// Limbs that differ in length and thickness by known amounts.
std::vector<RestShape> limbs(const Body& body) {
    std::vector<RestShape> shapes;
    for (const double longer : {-0.1, 0.0, 0.1}) {
        for (const double thicker : {-0.05, 0.05}) {
            RestShape shape;
            shape.skin = body.skin.mesh.points;
            shape.skin.col(1) *= 1.0 + longer;
            shape.skin.col(0) *= 1.0 + thicker;
            shape.skin.col(2) *= 1.0 + thicker;
            for (const Joint& joint : body.skeleton.joints) {
                shape.joints.push_back(joint.centre.cwiseProduct(Vec3(1, 1.0 + longer, 1)));
            }
            shapes.push_back(shape);
        }
    }
    return shapes;
}

TEST(ShapeSpace, ComponentsOfTwoFactorsAreTwo) {
    const Body body = support::limb_body({.along = 10});
    const std::vector<RestShape> shapes = limbs(body);
    const ShapeSpace space = learn_shape_space(body, shapes, 5);
    ASSERT_EQ(space.components.size(), 5U);
    EXPECT_EQ(space.people, 6);
    // The mean is the limb itself; the first component its length, sd sqrt(0.04 / 5) of it.
    EXPECT_LT(space.mean_skin.cwiseAbs().maxCoeff(), 1e-12);
    const double sd = std::sqrt(4.0 * 0.01 / 5.0);
    const Points& first = space.components[0].skin;
    EXPECT_NEAR(first.col(1).cwiseAbs().maxCoeff(), sd * 0.40, 1e-9);
    EXPECT_LT(first.col(0).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(std::abs(space.components[0].joints(1, 1)), sd * body.skeleton.joints[1].centre.y(),
                1e-9);
    EXPECT_NEAR(space.components[1].skin.col(0).cwiseAbs().maxCoeff(),
                std::sqrt(6.0 * 0.0025 / 5.0) * 0.05, 1e-9);
    EXPECT_LT(space.components[2].skin.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(ShapeSpace, TooFewOrOtherShapesAreRefused) {
    const Body body = support::limb_body({.along = 10});
    std::vector<RestShape> shapes = limbs(body);
    shapes[1].skin.conservativeResize(5, 3);
    EXPECT_THROW(learn_shape_space(body, shapes, 3), InputError);
    shapes = limbs(body);
    shapes.resize(2);
    EXPECT_THROW(learn_shape_space(body, shapes, 3), InputError);
}

TEST(ShapeSpace, RestShapeIsFoundFromAPosedSkin) {
    const Body body = support::limb_body({.along = 10});
    const PoseRig rig(body);
    RigState state = rig.start();
    state.angles[0] = 0.5;
    state.rotation = Eigen::AngleAxisd(0.2, Vec3::UnitX()).toRotationMatrix();
    state.translation = Vec3(0.1, 0.2, 0.0);
    const RestShape shape = rest_shape_of(rig, rig.placed(state).world, rig.start());
    EXPECT_LT((shape.skin - body.skin.mesh.points).cwiseAbs().maxCoeff(), 2e-3);
    EXPECT_NEAR(shape.state.angles[0], 0.5, 0.02);
}

TEST(ShapeSpaceFile, ReadsWhatItWrites) {
    const Body body = support::limb_body({.along = 6});
    ShapeSpace space = learn_shape_space(body, limbs(body), 2);
    space.name = "limbs";
    space.source = "made in code, \"quoted\"";
    space.sex = Sex::Female;
    space.landmarks.push_back({.name = "top", .position = Vec3(0, 0.4, 0), .skin_vertex = 3});
    const ShapeSpace again = parse_shape_space(format_shape_space(space), "test");
    EXPECT_EQ(again.source, space.source);
    EXPECT_EQ(again.sex, Sex::Female);
    EXPECT_EQ(again.joint_names, space.joint_names);
    EXPECT_EQ(again.landmarks[0].skin_vertex, 3);
    EXPECT_LE((again.reference.points - space.reference.points).cwiseAbs().maxCoeff(), 5.1e-5);
    EXPECT_LE((again.components[1].skin - space.components[1].skin).cwiseAbs().maxCoeff(), 5.1e-5);
    EXPECT_EQ(again.reference.triangles, space.reference.triangles);
}

TEST(ShapeSpaceFile, WrongFilesAreRefused) {
    const Body body = support::limb_body({.along = 6});
    const std::string good = format_shape_space(learn_shape_space(body, limbs(body), 2));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    EXPECT_NO_THROW(parse_shape_space(good, "test"));
    EXPECT_THROW(parse_shape_space(with("\"version\": 1", "\"version\": 2"), "test"), InputError);
    EXPECT_THROW(parse_shape_space(with("\"mean\": [", "\"mean\": [1,2,3,"), "test"), InputError);
    EXPECT_THROW(parse_shape_space(with("\"triangles\": [", "\"triangles\": [-1,"), "test"),
                 InputError);
    EXPECT_THROW(parse_shape_space(with("\"people\"", "\"peple\""), "test"), InputError);
    EXPECT_THROW(parse_shape_space("{", "test"), InputError);
}

TEST(ShapeSpaceFile, BuiltInSpacesAreThere) {
    for (const Sex sex : {Sex::Male, Sex::Female}) {
        const ShapeSpace space = built_in_shape_space(sex);
        EXPECT_EQ(space.sex, sex);
        EXPECT_GE(space.people, 30);
        EXPECT_GE(space.components.size(), 10U);
        EXPECT_EQ(space.landmarks.size(), 30U);
    }
    EXPECT_THROW(built_in_shape_space(Sex::Unknown), InputError);
}

}  // namespace
}  // namespace sinew
