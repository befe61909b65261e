#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/summary.h"
#include "sinew/build/bone_attachments.h"
#include "sinew/build/segment_cuts.h"
#include "sinew/build/segment_masses.h"
#include "sinew/build/tissue_shares.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/winding_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

std::vector<TissueMaterial> materials() {
    return {{.name = "generic", .tissue = Tissue::Generic, .density = 1000.0},
            {.name = "muscle", .tissue = Tissue::Muscle, .density = 1060.0},
            {.name = "fat", .tissue = Tissue::Fat, .density = 900.0},
            {.name = "bone", .tissue = Tissue::Bone, .density = 1500.0},
            {.name = "tendon", .tissue = Tissue::Tendon, .density = 1120.0}};
}

Muscle muscle_of(const std::string& name, double radius, double length, const Vec3& foot) {
    Muscle muscle;
    muscle.name = name;
    muscle.mesh = support::cylinder(radius, length, 32, 20);
    Attribute share{.name = "share", .components = 1, .values = {}};
    for (Eigen::Index i = 0; i < muscle.mesh.points.rows(); ++i) {
        share.values.push_back(muscle.mesh.points(i, 1) / length);
    }
    muscle.mesh.points.rowwise() += foot.transpose();
    muscle.mesh.point_data.push_back(std::move(share));
    muscle.belly_begin = 0.25;
    muscle.volume = enclosed_volume(muscle.mesh);
    return muscle;
}

/// A block of flesh, 10 x 24 x 10 cm, its top 4 cm fat; two muscles side by side that overlap by a
/// sixth, a bone above and one below.
Template block_anatomy() {
    Template anatomy;
    anatomy.materials = materials();
    anatomy.skeleton.segments = {{.name = "lower"}, {.name = "upper"}};
    anatomy.skeleton.joints = {
        {.name = "root", .child = 0, .type = JointType::Free},
        {.name = "hinge", .parent = 0, .child = 1, .type = JointType::Hinge}};
    anatomy.muscles = {muscle_of("left", 0.015, 0.14, Vec3(0.038, 0.03, 0.05)),
                       muscle_of("right", 0.015, 0.14, Vec3(0.061, 0.03, 0.052))};
    anatomy.bones.resize(2);
    anatomy.bones[0] = {.name = "low", .segment = 0};
    anatomy.bones[0].mesh = support::sphere(3, 0.012, Vec3(0.05, 0.05, 0.08));
    anatomy.bones[1] = {.name = "high", .segment = 1};
    anatomy.bones[1].mesh = support::sphere(3, 0.012, Vec3(0.05, 0.15, 0.08));
    return anatomy;
}

TetMesh block_tets() {
    TetMesh tets = support::box_of_tets({10, 24, 10}, Vec3(0.1, 0.24, 0.1));
    for (Eigen::Index t = 0; t < tets.tets.rows(); ++t) {
        double y = 0.0;
        for (Eigen::Index k = 0; k < 4; ++k) {
            y += 0.25 * tets.points(tets.tets(t, k), 1);
        }
        tets.region.push_back(y > 0.2 ? kFatRegion : kFleshRegion);
    }
    return tets;
}

Body block_body(const TissueSampling& sampling) {
    const Template anatomy = block_anatomy();
    Body body;
    body.name = "block";
    body.tets = block_tets();
    body.materials = anatomy.materials;
    body.skeleton = anatomy.skeleton;
    body.bones = anatomy.bones;
    body.muscles = anatomy.muscles;
    body.shares = sampling.shares;
    body.fibres = sampling.fibres;
    const TetLocator locator(body.tets);
    body.attachments = sample_bone_attachments(body.bones, locator, {.spacing = 0.004});
    body.bone_embeddings = embed_parts(body.bones, locator);
    body.muscle_embeddings = embed_parts(body.muscles, locator);
    body.skeleton.segments = weigh_segments(body);
    return body;
}

double share_of(const TissueShares& shares, std::size_t t, Index material, Index part) {
    double sum = 0.0;
    for (Index e = shares.start[t]; e < shares.start[t + 1]; ++e) {
        const auto i = static_cast<std::size_t>(e);
        if (shares.material[i] == material && shares.part[i] == part) {
            sum += shares.fraction[i];
        }
    }
    return sum;
}

TEST(TissueShares, SumToTheVolumesOfTheMeshesAndMakeAValidBody) {
    const TissueSampling sampling = sample_tissues(block_tets(), block_anatomy());
    const Body body = block_body(sampling);
    require_valid(body, "block");
    const std::vector<double> volumes = muscle_volumes_in_tets(body);
    for (std::size_t m = 0; m < 2; ++m) {
        EXPECT_NEAR(volumes[m], body.muscles[m].volume, 0.004 * body.muscles[m].volume);
        // Overlaps are shared before the correction, so something was missing.
        EXPECT_LT(sampling.muscles[m].sampled, 0.98 * sampling.muscles[m].mesh);
    }
    // Fat above, one share each; tendon in the first quarter of the way, belly behind it.
    double tendon = 0.0, belly = 0.0;
    const Eigen::VectorXd tet_volume = tet_volumes(body.tets);
    for (std::size_t t = 0; t < body.tets.region.size(); ++t) {
        if (body.tets.region[t] == kFatRegion) {
            EXPECT_EQ(share_of(body.shares, t, 2, -1), 1.0);
        }
        tendon += share_of(body.shares, t, 4, 0) * tet_volume[static_cast<Eigen::Index>(t)];
        belly += share_of(body.shares, t, 1, 0) * tet_volume[static_cast<Eigen::Index>(t)];
    }
    EXPECT_NEAR(tendon / (tendon + belly), 0.25, 0.03);
    // Fibres follow the axes, but for the ends, whose rims hold them too.
    for (std::size_t t = 0; t < body.tets.region.size(); ++t) {
        const double y = body.tets.points(body.tets.tets(static_cast<Eigen::Index>(t), 0), 1);
        for (Index e = body.fibres.start[t]; e < body.fibres.start[t + 1] && y > 0.045 && y < 0.155;
             ++e) {
            EXPECT_GT(body.fibres.direction(e, 1), 0.999);
        }
    }
}

// One part alone needs no correction: shares are what independent random points say.
TEST(TissueShares, AgreeWithRandomPointsAndTheWindingNumber) {
    Template anatomy = block_anatomy();
    anatomy.muscles.clear();
    anatomy.bones.resize(1);
    const TetMesh tets = block_tets();
    const TissueSampling sampling = sample_tissues(tets, anatomy, {.max_rounds = 0});
    const WindingNumber inside(anatomy.bones[0].mesh);
    int tested = 0;
    for (std::size_t t = 0; t < tets.region.size(); ++t) {
        const double share = share_of(sampling.shares, t, 3, 0);
        if (share == 0.0 || share == 1.0) {
            continue;
        }
        TetMesh one;
        one.points = tets.points;
        one.tets = tets.tets.row(static_cast<Eigen::Index>(t));
        const VolumeSamples points = sample_volume(one, 1500, Seed{t});
        double hits = 0.0;
        for (Eigen::Index i = 0; i < points.points.rows(); ++i) {
            hits += inside.is_inside(point(points.points, i)) ? 1.0 : 0.0;
        }
        // Four deviations of the points, and what the lines may miss.
        EXPECT_NEAR(share, hits / 1500.0, 4.0 * 0.5 / std::sqrt(1500.0) + 0.02);
        ++tested;
    }
    EXPECT_GT(tested, 20);
}

TEST(TissueShares, AreTheSameForAnyNumberOfThreads) {
    const auto run = [](int threads) {
        const ThreadLimit limit(threads);
        return sample_tissues(block_tets(), block_anatomy());
    };
    const TissueSampling one = run(1), two = run(2);
    EXPECT_EQ(one.shares.fraction, two.shares.fraction);
    EXPECT_EQ(one.shares.part, two.shares.part);
    EXPECT_EQ(one.fibres.direction, two.fibres.direction);
}

TEST(BoneAttachments, AreSpreadEvenlyOverTheSurface) {
    const Template anatomy = block_anatomy();
    const TetMesh tets = block_tets();
    const double spacing = 0.003;
    const Attachments held =
        sample_bone_attachments(anatomy.bones, TetLocator(tets), {.spacing = spacing});
    const Points places = positions_of(held.points, tets.points, tets.tets);
    // A sphere takes about 0.7 discs of that radius / 2 per disc area; gaps stay small.
    const double area = surface_area(anatomy.bones[0].mesh);
    EXPECT_NEAR(static_cast<double>(held.bone.size()), 2.0 * 0.7 * area / (spacing * spacing),
                0.25 * area / (spacing * spacing));
    for (Eigen::Index i = 0; i < places.rows(); ++i) {
        const Vec3 centre(0.05, held.bone[static_cast<std::size_t>(i)] == 0 ? 0.05 : 0.15, 0.08);
        EXPECT_NEAR((point(places, i) - centre).norm(), 0.012, 2e-4);
        for (Eigen::Index j = 0; j < i; ++j) {
            EXPECT_GE((places.row(i) - places.row(j)).norm(), spacing * (1.0 - 1e-9));
        }
    }
}

// Both segments hold half the flesh; one segment with everything has the block's own moments.
TEST(SegmentMasses, AddUpToTheBodyAndMatchTheClosedFormOfABlock) {
    Template anatomy = block_anatomy();
    anatomy.muscles.clear();
    TetMesh tets = block_tets();
    tets.region.clear();
    for (TissueMaterial& material : anatomy.materials) {
        material.density = 1000.0;
    }
    Body body;
    body.tets = tets;
    body.materials = anatomy.materials;
    body.skeleton = anatomy.skeleton;
    body.bones = anatomy.bones;
    body.shares = sample_tissues(tets, anatomy).shares;
    const std::vector<Segment> two = weigh_segments(body);
    EXPECT_NEAR(two[0].mass + two[1].mass, 2.4, 1e-9);
    // The border lies between the bones, at y = 0.1.
    EXPECT_NEAR(two[0].mass, 1.0, 0.1);
    EXPECT_NEAR(two[0].com.y(), 0.05, 0.006);

    body.bones[1].segment = 0;
    const Segment all = weigh_segments(body)[0];
    EXPECT_LT((all.com - Vec3(0.05, 0.12, 0.05)).norm(), 1e-9);
    // I_yy = m (a^2 + c^2) / 12 and so on.
    const double m = 2.4, a = 0.1, b = 0.24;
    EXPECT_NEAR(all.inertia(0, 0), m * (b * b + a * a) / 12.0, 1e-9);
    EXPECT_NEAR(all.inertia(1, 1), m * (a * a + a * a) / 12.0, 1e-9);
    EXPECT_NEAR(all.inertia(0, 1), 0.0, 1e-9);
}

// A straight leg of one bone after the other: what lies beyond a joint's plane counts to the child,
// also where the parent's bone is nearer.
TEST(SegmentCuts, PlanesThroughJointsPartTheFlesh) {
    Body body;
    body.skeleton.segments.resize(4);
    const auto add_joint = [&](const char* name, Index parent, Index child, const Vec3& centre) {
        Joint joint;
        joint.name = name;
        joint.parent = parent;
        joint.child = child;
        joint.centre = centre;
        body.skeleton.joints.push_back(joint);
    };
    add_joint("root", -1, 0, {0, 1, 0});
    add_joint("hip_l", 0, 1, {0.1, 0.9, 0});
    add_joint("knee_l", 1, 2, {0.1, 0.5, 0});
    add_joint("ankle_l", 2, 3, {0.1, 0.1, 0});
    const std::vector<SegmentCut> cuts = segment_cuts(body);
    ASSERT_EQ(cuts.size(), 3u);
    // In the groin the plane makes 37 degrees with the sagittal one.
    EXPECT_NEAR(std::acos(cuts[0].normal.x()), 37.0 * std::numbers::pi / 180.0, 1e-12);
    EXPECT_LT((cuts[1].normal + Vec3::UnitY()).norm(), 1e-12);
    EXPECT_LT((cuts[2].at - Vec3(0.1, 0.1, 0)).norm(), 1e-12);
    EXPECT_EQ(cut_regions(body.skeleton, cuts), (std::vector<Index>{-1, 0, 1, 2}));

    // Tiny tetrahedra at chosen places, all counted to the wrong side or far away.
    const std::vector<Vec3> places = {
        {0.1, 0.49, 0.01}, {0.1, 0.51, 0.01}, {0.2, 0.85, 0.0}, {0.1, 0.05, 0.0}, {0.0, 0.5, 0.6}};
    body.tets.points.resize(static_cast<Eigen::Index>(4 * places.size()), 3);
    body.tets.tets.resize(static_cast<Eigen::Index>(places.size()), 4);
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (int k = 0; k < 4; ++k) {
            const auto row = static_cast<Eigen::Index>(4 * i) + k;
            body.tets.points.row(row) = places[i].transpose();
            body.tets.tets(static_cast<Eigen::Index>(i), k) = static_cast<Index>(row);
        }
    }
    std::vector<Index> segment = {1, 2, 0, 2, 1};
    apply_cuts(body, cuts, segment);
    EXPECT_EQ(segment, (std::vector<Index>{2, 1, 1, 3, 1}));
}

}  // namespace
}  // namespace sinew
