#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/pipeline/body_display.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

TEST(BodyDisplay, HasALayerForEachKindOfPart) {
    const Body body = support::limb_body({.along = 8});
    const BodyDisplay display(body);
    EXPECT_EQ(display.mesh(DisplayLayer::Skin).points, body.skin.mesh.points);
    ASSERT_EQ(display.mesh(DisplayLayer::Muscles).parts.size(), body.muscles.size());
    EXPECT_EQ(display.mesh(DisplayLayer::Muscles).parts[1].name, body.muscles[1].name);
    EXPECT_EQ(display.mesh(DisplayLayer::Bones).parts.size(), body.bones.size());
    // Faces of each tissue enclose it: together they are the whole body.
    const DisplayMesh& tissues = display.mesh(DisplayLayer::Tissues);
    double sum = 0.0;
    for (const DisplayPart& part : tissues.parts) {
        const double enclosed =
            enclosed_volume(tissues.points, tissues.triangles.middleRows(part.first, part.count));
        EXPECT_GT(enclosed, 0.0) << part.name;
        sum += enclosed;
    }
    EXPECT_NEAR(sum, volume(body.tets), 1e-9);
}

TEST(BodyDisplay, AnyResolutionOfThePersonMovesTheSameMeshes) {
    const Body fine = support::limb_body({.along = 16, .across = 12});
    const Body coarse = support::limb_body({.along = 8, .across = 10});
    const BodyDisplay display(fine);
    for (const Body* body : {&fine, &coarse}) {
        const BodySurfaces surfaces(*body, display.meshes());
        for (const DisplayLayer layer :
             {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones}) {
            const Points& rest = display.mesh(layer).points;
            EXPECT_LT((surfaces.reshaped(layer, body->tets.points) - rest).norm(), 1e-9);
            // Affine motions are followed exactly, up to what lies between the two skins.
            const Points moved = surfaces.reshaped(layer, 1.2 * body->tets.points);
            EXPECT_LT((moved - 1.2 * rest).rowwise().norm().maxCoeff(), 2e-3);
        }
        // A map on the display's skin, as the body's skin has it.
        std::vector<double> height;
        for (Eigen::Index i = 0; i < display.mesh(DisplayLayer::Skin).points.rows(); ++i) {
            height.push_back(display.mesh(DisplayLayer::Skin).points(i, 1));
        }
        const std::vector<double> there =
            SkinValues(display.mesh(DisplayLayer::Skin), *body).on_body_skin(height);
        for (std::size_t i = 0; i < there.size(); ++i) {
            EXPECT_NEAR(there[i], body->skin.mesh.points(static_cast<Eigen::Index>(i), 1), 0.02);
        }
    }
}

}  // namespace
}  // namespace sinew
