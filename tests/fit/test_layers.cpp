#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/fit/anatomy_transfer.h"
#include "sinew/fit/layers.h"
#include "sinew/fit/layers_flow.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fit/onion_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Straight below: no error. Shifted by 45 degrees under parallel normals: 1 - cos 45.
TEST(Layers, Komaritzan44AlignmentErrorIsOneMinusTheCosine) {
    const Vec3 up = Vec3::UnitY();
    EXPECT_NEAR(alignment_error(Vec3(0, 1, 0), up, Vec3(0, 0, 0), up), 0.0, 1e-15);
    EXPECT_NEAR(alignment_error(Vec3(1, 1, 0), up, Vec3(0, 0, 0), up), 1.0 - std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(alignment_error(Vec3(0, 0, 0), up, Vec3(0, 1, 0), up), 2.0, 1e-12);
}

TEST(Layers, VolumeBetweenSpheresIsTheirDifference) {
    const TriangleMesh outer = support::sphere(4, 1.0);
    const double between = volume_between(outer.points, 0.5 * outer.points, outer.triangles);
    EXPECT_NEAR(between, enclosed_volume(outer) * 7.0 / 8.0, 1e-12);
    EXPECT_EQ(count_crossings(outer.points, 0.5 * outer.points, outer.triangles, 0.001), 0);
    EXPECT_EQ(count_crossings(0.5 * outer.points, outer.points, outer.triangles, 0.001),
              outer.points.rows());
}

// Between concentric spheres phi = (1/r - 1/r_o) / (1/r_i - 1/r_o) reversed: its lines are radii.
TEST(Layers, LinesBetweenConcentricSpheresAreRadii) {
    const TetMesh ball = support::ball_of_tets(16, 0.1);
    const Triangles border = boundary_triangles(ball.tets);
    std::vector<Index> outside(border.data(), border.data() + border.size());
    std::sort(outside.begin(), outside.end());
    outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    const SignedDistance core(support::sphere(3, 0.04));
    const TriangleMesh start = support::sphere(2, 0.095);
    const Points inward = -start.points / 0.095;
    const Points ends = flow_to_solid(ball, outside, core, start.points, inward);
    for (Eigen::Index i = 0; i < ends.rows(); ++i) {
        const Vec3 from = point(start.points, i).normalized();
        const Vec3 to = point(ends, i).normalized();
        EXPECT_LT(std::acos(std::min(1.0, from.dot(to))), 0.12) << i;
        EXPECT_GT(point(ends, i).norm(), 0.0395) << i;
        EXPECT_LT(point(ends, i).norm(), 0.056) << i;
    }
}

TEST(Layers, SkeletonSurfaceLiesBetweenBonesAndMuscleSurface) {
    const Body body = support::onion_body(3);
    require_valid(body, "onion");
    const LayeredTemplate layers = build_layers(body, {.wrap_voxel = 0.006});
    EXPECT_EQ(layers.triangles, body.skin.mesh.triangles);
    EXPECT_EQ(count_crossings(layers.skin, layers.muscle, layers.triangles, 0.0), 0);
    EXPECT_EQ(count_crossings(layers.muscle, layers.bone, layers.triangles, 0.0), 0);
    // Bones stick out by less than what chords of the coarse triangulation cut off.
    const SignedDistance skeleton({.points = layers.bone, .triangles = layers.triangles});
    EXPECT_LT(skeleton.at_all(body.bones[0].mesh.points).maxCoeff(), 0.006);
    // In the middle of the limb, lines go straight down, through a muscle of 3.2 cm (semi-axes 50
    // and 18 mm).
    for (Eigen::Index i = 0; i < layers.skin.rows(); ++i) {
        if (std::abs(layers.skin(i, 1)) < 0.08) {
            EXPECT_LT(layers.alignment_error[at(i)], 0.05) << i;
            EXPECT_NEAR(layers.muscle_thickness[at(i)], 0.032, 0.006) << i;
        }
    }
    const TetMesh shown = layers_as_tets(layers);
    EXPECT_GT(tet_volumes(shown).minCoeff(), 0.0);
}

TEST(Layers, RefusesABodyWhoseEnvelopeHasOtherTriangles) {
    Body body = support::onion_body(1);
    body.envelope.mesh.triangles.conservativeResize(body.envelope.mesh.triangles.rows() - 1, 3);
    EXPECT_THROW(build_layers(body), InputError);
}

TEST(FarthestPoints, AreSpreadAndComeOnce) {
    const TriangleMesh ball = support::sphere(3, 1.0);
    const std::vector<Index> chosen = farthest_points(ball.points, 50);
    ASSERT_EQ(chosen.size(), 50u);
    double nearest = 1e300;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            nearest = std::min(
                nearest, (point(ball.points, chosen[i]) - point(ball.points, chosen[j])).norm());
        }
    }
    // Fifty discs of half that radius fit on a sphere of area 4 pi.
    EXPECT_GT(nearest, 0.35);
    EXPECT_EQ(farthest_points(ball.points, 1'000'000).size(), at(ball.points.rows()));
}

class Transfer : public ::testing::Test {
protected:
    static const Body& body() {
        static const Body made = support::onion_body(3);
        return made;
    }
    static const LayeredTemplate& layers() {
        static const LayeredTemplate made = build_layers(body(), {.wrap_voxel = 0.006});
        return made;
    }
    static const AnatomyTransfer& transfer() {
        static const AnatomyTransfer made(body(), layers(), {.centres = 400});
        return made;
    }
};

TEST_F(Transfer, TheTemplatesOwnLayersGiveTheTemplate) {
    const TransferredBody same = transfer().to({layers().skin, layers().muscle, layers().bone});
    EXPECT_LT((same.body.tets.points - body().tets.points).rowwise().norm().maxCoeff(), 1e-9);
    EXPECT_LT((same.body.bones[0].mesh.points - body().bones[0].mesh.points).norm(), 1e-8);
    EXPECT_NEAR(same.body.muscles[0].fmax, body().muscles[0].fmax, 1e-6);
    require_valid(same.body, "same");
}

// r^3 with a linear polynomial reproduces affine maps: everything inside goes with them.
TEST_F(Transfer, Komaritzan415AffineMapsCarryAllOfTheAnatomy) {
    Mat3 A;
    A << 1.3, 0.1, 0.0, 0.0, 1.1, 0.05, 0.0, 0.0, 0.9;
    const Eigen::RowVector3d b(0.1, -0.2, 0.3);
    const auto mapped = [&](const Points& p) { return Points((p * A.transpose()).rowwise() + b); };
    const TransferredBody moved =
        transfer().to({mapped(layers().skin), mapped(layers().muscle), mapped(layers().bone)});
    EXPECT_LT((moved.body.tets.points - mapped(body().tets.points)).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((moved.body.bones[0].mesh.points - mapped(body().bones[0].mesh.points)).norm(), 1e-6);
    const Vec3 joint = A * body().skeleton.joints[0].centre + b.transpose();
    EXPECT_LT((moved.body.skeleton.joints[0].centre - joint).norm(), 1e-8);
    const Vec3 fibre = (A * Vec3::UnitY()).normalized();
    EXPECT_LT((point(moved.body.fibres.direction, 0) - fibre).norm(), 1e-9);
    // Force goes with volume over length: det A over |A y|.
    const double stronger = A.determinant() / (A * Vec3::UnitY()).norm();
    EXPECT_NEAR(moved.body.muscles[0].fmax / body().muscles[0].fmax, stronger, 1e-6);
    EXPECT_EQ(moved.report.inverted_tets, 0);
    require_valid(moved.body, "moved");
}

TEST_F(Transfer, FoldedLayersAreMended) {
    Points muscle = layers().muscle;
    muscle.row(0) = 1.05 * layers().skin.row(0);  // outside the skin
    const TransferredBody mended = transfer().to({layers().skin, muscle, layers().bone});
    EXPECT_GT(mended.report.inverted_before, 0);
    EXPECT_EQ(mended.report.inverted_tets, 0);
    require_valid(mended.body, "mended");
}

// A third of the muscle layer loose: muscles take what they lack from it, and no more than is
// there.
TEST_F(Transfer, MuscleMassIsReachedByLooseTissueWithinItsLimits) {
    Body mixed = body();
    TissueShares shares;
    for (std::size_t t = 0; t + 1 < mixed.shares.start.size(); ++t) {
        const Index material = mixed.shares.material[t];
        const bool is_muscle = material == static_cast<Index>(Tissue::Muscle);
        shares.material.push_back(material);
        shares.part.push_back(mixed.shares.part[t]);
        shares.fraction.push_back(is_muscle ? 2.0 / 3.0 : 1.0);
        if (is_muscle) {
            shares.material.push_back(static_cast<Index>(Tissue::Generic));
            shares.part.push_back(-1);
            shares.fraction.push_back(1.0 / 3.0);
        }
        shares.start.push_back(static_cast<Index>(shares.material.size()));
    }
    mixed.shares = shares;
    const AnatomyTransfer carry(mixed, layers(), {.centres = 200});
    const auto mass = [](const Body& b) {
        const auto muscle = static_cast<std::size_t>(Tissue::Muscle);
        return b.materials[muscle].density * summarise(b).tissue_volume[muscle];
    };
    const PersonLayers same{layers().skin, layers().muscle, layers().bone};
    for (const double factor : {0.8, 1.0, 1.2}) {
        const TransferredBody moved = carry.to(same, factor * mass(mixed));
        EXPECT_NEAR(mass(moved.body), factor * mass(mixed), 0.011) << factor;
        EXPECT_NEAR(moved.body.muscles[0].fmax / 1000.0, factor, 0.02) << factor;
        require_valid(moved.body, "exchanged");
    }
    // At most four fifths of a third: 1 + 0.8 / 2 of the muscle.
    EXPECT_NEAR(mass(carry.to(same, 10.0 * mass(mixed)).body), 1.4 * mass(mixed), 0.02);
}

TEST_F(Transfer, RefusesLayersOfAnotherTemplate) {
    const Points few = layers().skin.topRows(10);
    EXPECT_THROW(transfer().to({few, layers().muscle, layers().bone}), InputError);
}

}  // namespace
}  // namespace sinew
