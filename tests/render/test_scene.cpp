#include "sinew/base/error.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/render/body_scene.h"
#include "sinew/render/ray_scene.h"
#include "sinew/render/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {

TEST(Scene, PartsKeepTheirOwnColourAndGetAnAnatomicalOneElse) {
    std::vector<MeshPart> parts(2);
    parts[0] = {.name = "a", .mesh = support::sphere(1, 1.0), .kind = "bone"};
    parts[1] = {.name = "b", .mesh = support::sphere(1, 1.0), .colour = {1, 0, 0, 0.5f}};
    const Scene scene = scene_from_parts(parts);
    ASSERT_EQ(scene.surfaces.size(), 2u);
    EXPECT_FALSE(scene.surfaces[0].colour.has_value());
    EXPECT_EQ(scene.surfaces[1].colour.value(), Colour(1, 0, 0));
    EXPECT_DOUBLE_EQ(scene.surfaces[1].opacity, 0.5);
}

TEST(Scene, LayersChooseByKind) {
    EXPECT_TRUE(is_in_layers("skin", "", ""));
    EXPECT_TRUE(is_in_layers("skin", "", "all"));
    EXPECT_TRUE(is_in_layers("bone", "femur_l", "skin, bones"));
    EXPECT_TRUE(is_in_layers("cartilage", "", "bones"));
    EXPECT_TRUE(is_in_layers("tendons", "", "muscles"));
    EXPECT_FALSE(is_in_layers("skin", "", "muscles,bones"));
    EXPECT_FALSE(is_in_layers("", "box", "bones"));
    EXPECT_THROW(is_in_layers("skin", "", "musclse"), InputError);
}

TEST(Scene, UncutTetsShowTheirBoundary) {
    const TetMesh mesh = support::cube_of_tets(3);
    const Scene scene = scene_from_tets(mesh);
    EXPECT_EQ(scene.surfaces[0].mesh.triangles.rows(), boundary_triangles(mesh.tets).rows());
    EXPECT_EQ(find_attribute(scene.surfaces[0].mesh.triangle_data, "colour")->count(),
              static_cast<std::size_t>(scene.surfaces[0].mesh.triangles.rows()));
}

TEST(Scene, CutTetsAreLeftOutWhole) {
    TetMesh mesh = support::box_of_tets({4, 2, 2}, {2, 1, 1});
    mesh.tet_data.push_back({.name = "number", .values = std::vector<double>(16 * 6)});
    for (std::size_t t = 0; t < 96; ++t) {
        mesh.tet_data[0].values[t] = static_cast<double>(t);
    }
    const Scene scene = scene_from_tets(mesh, {.cut = CutPlane{Vec3::UnitX(), 1.0}});
    const TriangleMesh& shown = scene.surfaces[0].mesh;
    // Half a box of 2 x 2 x 2 cells: six sides of 4 squares of 2 triangles.
    EXPECT_EQ(shown.triangles.rows(), 48);
    EXPECT_LE(shown.points.col(0).maxCoeff(), 1.0);
    // The data came along from the tetrahedra that remain: the first half of the rows.
    for (const double v : find_attribute(shown.triangle_data, "number")->values) {
        EXPECT_LT(v, 48.0);
    }
    EXPECT_EQ(scene_from_tets(mesh, {.cut = CutPlane{Vec3::UnitX(), -1.0}})
                  .surfaces[0]
                  .mesh.triangles.rows(),
              0);
}

TEST(Scene, WhatIsNotFiniteOrDoesNotMatchIsRefused) {
    Scene scene;
    scene.surfaces.push_back({.mesh = support::sphere(1, 1.0)});
    EXPECT_NO_THROW(require_valid(scene));
    scene.surfaces[0].opacity = 1.5;
    EXPECT_THROW(require_valid(scene), InputError);
    scene.surfaces[0].opacity = 1.0;
    scene.surfaces[0].mesh.points(3, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(require_valid(scene), InputError);
    Scene lines;
    lines.lines.push_back({.lines = {{Vec3::Zero()}}});
    EXPECT_THROW(require_valid(lines), InputError);
    Scene dots;
    dots.dots.push_back({.points = {Vec3::Zero()}, .radius = -1.0});
    EXPECT_THROW(require_valid(dots), InputError);
}

TEST(Scene, ScalarRangeIsWhatTheDataHold) {
    Scene scene;
    scene.surfaces.push_back({.mesh = support::sphere(0, 1.0)});
    Attribute a{.name = "error", .values = std::vector<double>(12, 2.0), .unit = "mm"};
    a.values[3] = -1.0;
    a.values[4] = std::nan("");
    a.values[5] = 7.0;
    scene.surfaces[0].mesh.point_data.push_back(a);
    scene.scalar = ScalarMap{.attribute = "error"};
    EXPECT_EQ(scalar_range(scene).low, -1.0);
    EXPECT_EQ(scalar_range(scene).high, 7.0);
    EXPECT_EQ(scalar_range(scene).unit, "mm");
    scene.scalar->high = 3.0;
    EXPECT_EQ(scalar_range(scene).high, 3.0);
    scene.scalar->attribute = "absent";
    try {
        scalar_range(scene);
        FAIL() << "data that no part has";
    } catch (const InputError& error) {
        EXPECT_NE(error.parts().remedy.find("error"), std::string::npos) << error.what();
    }
}

TEST(Scene, ABodyGivesItsSkinBonesAndMuscles) {
    Body body;
    body.skin.mesh = support::sphere(1, 1.0);
    body.maps.push_back({.name = "fat", .values = std::vector<double>(42, 0.01), .unit = "m"});
    body.bones.push_back({.name = "femur_l", .mesh = support::sphere(1, 0.1)});
    body.bones.push_back(
        {.name = "disc_l4_l5", .kind = BoneKind::Disc, .mesh = support::sphere(1, 0.1)});
    body.muscles.push_back({.name = "soleus_l", .mesh = support::sphere(1, 0.2)});
    const Scene scene = scene_from_body(body);
    ASSERT_EQ(scene.surfaces.size(), 4u);
    EXPECT_NE(find_attribute(scene.surfaces[0].mesh.point_data, "fat"), nullptr);
    EXPECT_EQ(scene.surfaces[1].kind, "bone");
    EXPECT_EQ(scene.surfaces[2].kind, "cartilage");
    EXPECT_EQ(scene.surfaces[3].kind, "muscle");
    EXPECT_NO_THROW(require_valid(scene));
    body.display_skin = support::sphere(2, 1.0);
    EXPECT_EQ(scene_from_body(body).surfaces[0].mesh.points.rows(), 162);
    Template anatomy;
    anatomy.skin = support::sphere(1, 1.0);
    anatomy.muscles.push_back(
        {.name = "tract", .mesh = support::sphere(1, 0.1), .is_passive = true});
    EXPECT_EQ(scene_from_template(anatomy).surfaces[1].kind, "tendon");
}

// On a sphere the true normal is the direction from the middle; across a box's edges nothing is
// smoothed.
TEST(CornerNormals, AreSmoothOnASphereAndSharpOnABox) {
    const TriangleMesh ball = support::sphere(3, 2.0);
    const auto smooth = detail::corner_normals(ball, 1.3);
    for (Eigen::Index t = 0; t < ball.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 direction = point(ball.points, ball.triangles(t, k)).normalized();
            EXPECT_GT(smooth[static_cast<std::size_t>(3 * t + k)].dot(direction.cast<float>()),
                      0.9995f);
        }
    }
    const auto sharp = detail::corner_normals(support::box(Vec3::Zero(), Vec3::Ones()), 1.3);
    for (const auto& n : sharp) {
        EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1.0f, 1e-6f);
    }
}

}  // namespace sinew
