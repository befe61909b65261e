#include "sinew/base/error.h"
#include "sinew/body/body_surfaces.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

constexpr std::array kAll = {DisplayLayer::Skin,     DisplayLayer::Muscles, DisplayLayer::Bones,
                             DisplayLayer::Envelope, DisplayLayer::Tissues, DisplayLayer::TetSkin};

double furthest(const Points& a, const Points& b) {
    return (a - b).rowwise().norm().maxCoeff();
}

TEST(BodySurfaces, ABodyAtRestLooksAsItWasBuilt) {
    const Body limb = support::limb_body({.along = 8});
    const DisplayMeshes meshes = display_meshes(limb, kAll);
    const BodySurfaces surfaces(limb, meshes);
    for (const DisplayLayer layer : kAll) {
        ASSERT_GT(meshes.at(layer).points.rows(), 0) << name_of(layer);
        EXPECT_LT(furthest(surfaces.at(layer, rest_state(limb)), meshes.at(layer).points), 1e-12);
    }
}

// Tetrahedra and segments that move as one take every surface along; fine skins too, which ride on
// the skin of the tetrahedra.
TEST(BodySurfaces, RigidMotionsCarryEveryLayer) {
    const Body limb = support::limb_body({.along = 8});
    DisplayMeshes meshes = display_meshes(limb, kAll);
    meshes[DisplayLayer::Skin].points *= 1.01;
    const BodySurfaces surfaces(limb, meshes);
    for (const auto& T : support::rigid_motions(4, Seed{3})) {
        const State moved{.positions = support::moved(limb.tets.points, T),
                          .segments = std::vector(limb.skeleton.segments.size(), T)};
        for (const DisplayLayer layer : kAll) {
            EXPECT_LT(
                furthest(surfaces.at(layer, moved), support::moved(meshes.at(layer).points, T)),
                1e-9)
                << name_of(layer);
        }
    }
}

// Flesh that is stretched does not stretch the bones in it.
TEST(BodySurfaces, BonesOfAMovingBodyAreRigidAndThoseOfANewShapeAreNot) {
    const Body limb = support::limb_body({.along = 8});
    constexpr std::array kBones = {DisplayLayer::Bones};
    const DisplayMeshes meshes = display_meshes(limb, kBones);
    const BodySurfaces surfaces(limb, meshes);
    State stretched{.positions = 1.3 * limb.tets.points};
    const Points& rest = meshes.at(DisplayLayer::Bones).points;
    EXPECT_EQ(surfaces.at(DisplayLayer::Bones, stretched), rest);
    stretched.segments.assign(limb.skeleton.segments.size(), Eigen::Isometry3d::Identity());
    stretched.segments.back() = Eigen::Translation3d(0.0, 0.1, 0.0);
    const Points moved = surfaces.at(DisplayLayer::Bones, stretched);
    for (const DisplayPart& part : meshes.at(DisplayLayer::Bones).parts) {
        const bool is_last = part.name == limb.bones.back().name;
        const Points way = (moved - rest).middleRows(part.first_point, part.point_count);
        EXPECT_NEAR(way.col(1).minCoeff(), is_last ? 0.1 : 0.0, 1e-12) << part.name;
        EXPECT_NEAR(way.col(1).maxCoeff(), is_last ? 0.1 : 0.0, 1e-12) << part.name;
    }
    EXPECT_LT(furthest(surfaces.reshaped(DisplayLayer::Bones, stretched.positions), 1.3 * rest),
              1e-9);
}

TEST(BodySurfaces, PartsKeepTheirNamesAndKinds) {
    const Body limb = support::limb_body({.along = 8});
    constexpr std::array kSome = {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones};
    const std::vector<MeshPart> parts = surfaces_at(limb, rest_state(limb), kSome);
    ASSERT_EQ(parts.size(), 1 + limb.muscles.size() + limb.bones.size());
    EXPECT_EQ(parts[0].name, "skin");
    EXPECT_EQ(parts[1].name, limb.muscles[0].name);
    EXPECT_EQ(parts[1].kind, "muscle");
    EXPECT_EQ(parts[1].mesh.triangles, limb.muscles[0].mesh.triangles);
    EXPECT_EQ(parts.back().name, limb.bones.back().name);
    EXPECT_NE(parts[1].colour, parts[0].colour);
}

TEST(DisplayLayers, AreFoundByTheirNames) {
    EXPECT_EQ(layers_from_names("bones,skin", "--layers"),
              (std::vector{DisplayLayer::Bones, DisplayLayer::Skin}));
    for (const DisplayLayer layer : kAll) {
        EXPECT_EQ(layers_from_names(name_of(layer), "x"), std::vector{layer});
    }
    for (const char* wrong : {"", "skin,", "skins", "skin,skin"}) {
        EXPECT_THROW(layers_from_names(wrong, "--layers"), InputError) << wrong;
    }
}

}  // namespace
}  // namespace sinew
