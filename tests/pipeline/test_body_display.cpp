#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/pipeline/body_display.h"
#include "sinew/pipeline/body_motion.h"

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

TEST(BodyCarriers, AreRefusedForASkeletonThatIsNotAHumans) {
    EXPECT_THROW(carriers_of(support::limb_body({.along = 6})), InputError);
}

/// Arms that hang at 45 degrees, as bodies rest.
CharacterSkeleton resting() {
    CharacterSkeleton s;
    s.joints = {{.name = "pelvis", .parent = -1, .position = Vec3(0.0, 0.9, 0.0)},
                {.name = "chest", .parent = 0, .position = Vec3(0.0, 1.2, 0.0)},
                {.name = "shoulder_l", .parent = 1, .position = Vec3(0.2, 1.4, 0.0)},
                {.name = "elbow_l", .parent = 2, .position = Vec3(0.4, 1.2, 0.0)},
                {.name = "wrist_l", .parent = 3, .position = Vec3(0.6, 1.0, 0.0)}};
    return s;
}

/// A recording that rests in a T-pose, with names of motion capture, in half the size.
MotionClip recording() {
    MotionClip clip;
    clip.name = "test";
    const auto rotations = {Channel::ZRotation, Channel::XRotation, Channel::YRotation};
    clip.joints = {{.name = "Hips", .parent = -1},
                   {.name = "Chest", .parent = 0, .offset = Vec3(0.0, 0.2, 0.0)},
                   {.name = "LeftArm", .parent = 1, .offset = Vec3(0.1, 0.1, 0.0)},
                   {.name = "LeftForeArm", .parent = 2, .offset = Vec3(0.15, 0.0, 0.0)},
                   {.name = "LeftHand", .parent = 3, .offset = Vec3(0.15, 0.0, 0.0)}};
    for (MotionJoint& joint : clip.joints) {
        joint.channels = rotations;
    }
    clip.frame_count = 2;
    clip.values.assign(2 * channel_count(clip), 0.0);
    // In the second frame the elbow bends forward by 90 degrees, about Y.
    clip.values[channel_count(clip) + 3 * 3 + 2] = -0.5 * M_PI;
    return clip;
}

TEST(Retargeted, LimbsPointWhereThoseOfTheRecordingPoint) {
    const CharacterSkeleton skeleton = resting();
    const CharacterMotion motion = retargeted(recording(), skeleton);
    ASSERT_EQ(motion.keys.size(), 2u);
    const auto direction = [&](std::size_t frame, std::size_t from, std::size_t to) {
        const CharacterPose pose = pose_of(skeleton, motion.keys[frame]);
        const Vec3 a = pose[from] * skeleton.joints[from].position;
        const Vec3 b = pose[from] * skeleton.joints[to].position;
        return Vec3((b - a).normalized());
    };
    // The T-pose: both bones along +X, although the body rests with hanging arms.
    EXPECT_LT((direction(0, 2, 3) - Vec3::UnitX()).norm(), 1e-9);
    EXPECT_LT((direction(0, 3, 4) - Vec3::UnitX()).norm(), 1e-9);
    // A turn of X by -90 degrees about Y is +Z: forward.
    EXPECT_LT((direction(1, 2, 3) - Vec3::UnitX()).norm(), 1e-9);
    EXPECT_LT((direction(1, 3, 4) - Vec3::UnitZ()).norm(), 1e-9);
}

TEST(Retargeted, AMotionWithoutKnownNamesIsRefused) {
    MotionClip clip = recording();
    for (MotionJoint& joint : clip.joints) {
        joint.name = "x" + joint.name + "x";
    }
    EXPECT_THROW(retargeted(clip, resting()), InputError);
}

}  // namespace
}  // namespace sinew
