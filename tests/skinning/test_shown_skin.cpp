#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/winding_number.h"
#include "sinew/meshing/decimate.h"
#include "sinew/skinning/near_skin.h"
#include "sinew/skinning/projective_skinning.h"
#include "sinew/skinning/shown_skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tests/skinning/tube_arm.h"
#include "tests/support/capsule_person.h"

namespace sinew {
namespace {

// A fine skin and the coarse one that is simulated.
struct Skins {
    TriangleMesh fine;
    TriangleMesh coarse;
    CharacterSkeleton skeleton;
};

Skins arm() {
    return {support::cylinder(0.05, 0.6, 40, 60), support::cylinder(0.05, 0.6, 14, 20),
            support::two_bones()};
}

const Skins& person() {
    static const Skins kPerson = [] {
        Skins skins{support::capsule_person_skin(0.024), {}, support::capsule_person()};
        skins.coarse = decimated(skins.fine, {.target_triangles = 1600, .evenness = 0.1});
        return skins;
    }();
    return kPerson;
}

CharacterPose crouch(const CharacterSkeleton& skeleton, double share) {
    JointRotations r;
    for (const CharacterJoint& joint : skeleton.joints) {
        const std::string_view name = joint.name;
        const double angle = name.starts_with("hip")     ? -2.1
                             : name.starts_with("knee")  ? 2.4
                             : name.starts_with("elbow") ? -1.5
                                                         : 0.2;
        r.rotations.emplace_back(Eigen::AngleAxisd(share * angle, Vec3::UnitX()));
    }
    return pose_of(skeleton, r);
}

// Vertices more than 1 mm inside of other flesh: behind them the winding number of the skin, by
// another program, counts their own flesh and that.
int count_enclosed(const Points& skin, const Triangles& triangles) {
    const WindingNumber winding(skin, triangles);
    return static_cast<int>(
        (winding.at_all(skin - 1e-3 * vertex_normals(skin, triangles)).array() > 1.5).count());
}

ShownSkin shown_of(const Skins& skins, const ProjectiveSkinning& skinning, bool keep_apart) {
    return {SkinUpsampling(skins.coarse, skins.fine), skinning.skin_on_joints(), skins.fine,
            keep_apart};
}

struct Outcome {
    int enclosed = 0;  // in every other frame
    double deepest = 0.0;
    Points last = Points(0, 3);
    Points simulated = Points(0, 3);
};

// Moves on with every frame, then holds still.
template <class Pose>
Outcome moved(const Skins& skins, bool keep_apart, int frames, const Pose& pose) {
    ProjectiveSkinning skinning(skins.coarse, skins.skeleton,
                                {.collisions = SkinCollisions::Global});
    ShownSkin shown = shown_of(skins, skinning, keep_apart);
    Outcome run;
    for (int frame = 1; frame <= frames; ++frame) {
        const CharacterPose now = pose(std::min(1.0, 1.2 * frame / frames));
        skinning.step(now);
        run.last = shown.show(skinning.skin(), now);
        if (frame % 2 == 0) {
            run.enclosed += count_enclosed(run.last, skins.fine.triangles);
            run.deepest = std::max(run.deepest, shown.penetration().deepest);
        }
    }
    run.simulated = skinning.skin();
    return run;
}

TEST(ShownSkin, AFoldedArmKeepsOutOfItselfAsItIsShown) {
    const Skins skins = arm();
    const auto fold = [&](double share) { return support::bent(skins.skeleton, 2.3 * share); };
    const Outcome through = moved(skins, false, 20, fold);
    const Outcome apart = moved(skins, true, 20, fold);
    EXPECT_GT(through.enclosed, 5);
    EXPECT_LE(apart.enclosed, 1);
    EXPECT_GT(through.deepest, 0.002);
    EXPECT_LT(apart.deepest, 0.001);
    // The simulation does not know of it, and what is far from the fold is left alone.
    EXPECT_EQ(apart.simulated, through.simulated);
    EXPECT_LT((apart.last - through.last).rowwise().norm().maxCoeff(), 0.04);
    const double moved_share =
        static_cast<double>(((apart.last - through.last).rowwise().norm().array() > 1e-3).count()) /
        static_cast<double>(apart.last.rows());
    EXPECT_LT(moved_share, 0.15);
}

TEST(ShownSkin, ACrouchingPersonKeepsOutOfItselfAsItIsShown) {
    const Skins& skins = person();
    const auto down = [&](double share) { return crouch(skins.skeleton, share); };
    const Outcome through = moved(skins, false, 12, down);
    const Outcome apart = moved(skins, true, 12, down);
    EXPECT_GT(through.enclosed, 15);
    EXPECT_LE(apart.enclosed, 2);
    EXPECT_LT(apart.deepest, 0.002);
}

// In creases the way out is up to small things; it may not change from one frame to the next. No
// edge is torn to get there.
TEST(ShownSkin, NothingJumpsInACrouchThatIsHeld) {
    const Skins& skins = person();
    ProjectiveSkinning skinning(skins.coarse, skins.skeleton,
                                {.collisions = SkinCollisions::Global});
    ShownSkin shown = shown_of(skins, skinning, true);
    const auto advance = [&](double share) {
        const CharacterPose now = crouch(skins.skeleton, share);
        skinning.step(now);
        return shown.show(skinning.skin(), now);
    };
    Points before;
    for (int frame = 1; frame <= 30; ++frame) {
        before = advance(std::min(1.0, frame / 20.0));
    }
    int jumps = 0;
    constexpr int kHeld = 8;
    for (int frame = 0; frame < kHeld; ++frame) {
        const Points now = advance(1.0);
        jumps += static_cast<int>(((now - before).rowwise().norm().array() > 0.005).count());
        before = now;
    }
    EXPECT_LE(jumps, kHeld);
    double longest = 0.0;
    for (Eigen::Index t = 0; t < skins.fine.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index i = skins.fine.triangles(t, k);
            const Index j = skins.fine.triangles(t, (k + 1) % 3);
            const double rest = (skins.fine.points.row(i) - skins.fine.points.row(j)).norm();
            longest = std::max(longest, (before.row(i) - before.row(j)).norm() / rest);
        }
    }
    EXPECT_LT(longest, 3.0);
}

TEST(ShownSkin, TheRestShapeIsLeftAsUpsamplingHasIt) {
    const Skins& skins = person();
    const ProjectiveSkinning skinning(skins.coarse, skins.skeleton);
    ShownSkin shown = shown_of(skins, skinning, true);
    Points upsampled;
    SkinUpsampling(skins.coarse, skins.fine).apply(skins.coarse.points, upsampled);
    EXPECT_EQ(shown.show(skins.coarse.points, rest_pose(skins.skeleton)), upsampled);
    EXPECT_LT((upsampled - skins.fine.points).cwiseAbs().maxCoeff(), 2e-5);
    EXPECT_EQ(shown.penetration().vertices, 0);
}

// To ask some vertices is as good as to ask all.
TEST(ShownSkin, AllThatIsEnclosedIsNearOtherSkin) {
    const Skins skins = arm();
    ProjectiveSkinning skinning(skins.coarse, skins.skeleton,
                                {.collisions = SkinCollisions::Global});
    const SkinUpsampling upsampling(skins.coarse, skins.fine);
    NearSkin near(skins.coarse, skins.fine, upsampling.weights().nearest_triangle);
    SkinOnBones on_bones;
    on_bones.points = skins.fine.points;
    on_bones.triangles = skins.fine.triangles;
    on_bones.base_points = skins.fine.points;
    SkinEnclosure enclosure(on_bones);
    int enclosed = 0;
    std::size_t asked = 0;
    constexpr int kFrames = 20;
    for (int frame = 1; frame <= kFrames; ++frame) {
        skinning.step(support::bent(skins.skeleton, 2.8 * frame / kFrames));
        Points fine;
        upsampling.apply(skinning.skin(), fine);
        const std::vector<Index> found = near.find(skinning.skin(), fine);
        for (const SkinEnclosure::Depth& d : enclosure.depths(fine)) {
            EXPECT_TRUE(std::binary_search(found.begin(), found.end(), d.vertex))
                << "frame " << frame << ", vertex " << d.vertex;
            ++enclosed;
        }
        asked += found.size();
    }
    EXPECT_GT(enclosed, 60);
    EXPECT_LT(asked, static_cast<std::size_t>(kFrames * skins.fine.points.rows() / 3));
}

TEST(ShownSkin, SameBitsForAnyNumberOfThreads) {
    const Skins skins = arm();
    std::vector<Points> last;
    for (const int threads : {1, 2, 2}) {
        const ThreadLimit limit(threads);
        last.push_back(moved(skins, true, 8, [&](double share) {
                           return support::bent(skins.skeleton, 2.3 * share);
                       }).last);
    }
    EXPECT_EQ(last[0], last[1]);
    EXPECT_EQ(last[1], last[2]);
}

// What was moved in the frames before is dropped with them.
TEST(ShownSkin, AForgottenFrameLeavesNothingBehind) {
    const Skins skins = arm();
    ProjectiveSkinning skinning(skins.coarse, skins.skeleton,
                                {.collisions = SkinCollisions::Global});
    ShownSkin shown = shown_of(skins, skinning, true);
    const CharacterPose pose = support::bent(skins.skeleton, 2.2);
    skinning.reset(pose, 6);
    const Points first = shown.show(skinning.skin(), pose);
    skinning.step(pose);
    shown.show(skinning.skin(), pose);
    shown.forget();
    skinning.reset(pose, 6);
    EXPECT_EQ(shown.show(skinning.skin(), pose), first);
}

}  // namespace
}  // namespace sinew
