#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/tet_locator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

Vec3 at(const TetMesh& mesh, const TetLocation& location) {
    Vec3 p = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
        p += location.barycentric[k] * point(mesh.points, mesh.tets(location.tet, k));
    }
    return p;
}

TEST(TetLocator, PointsInsideAreFoundAndReproduced) {
    for (const TetMesh& mesh :
         {support::one_tet(), support::cube_of_tets(5), support::ball_of_tets(10, 0.4),
          support::box_of_tets({20, 1, 3}, {2.0, 1e-4, 0.1})}) {
        const TetLocator locator(mesh);
        const VolumeSamples samples = sample_volume(mesh, 2000, Seed{3});
        const std::vector<TetLocation> found = locator.find_all(samples.points);
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_GE(found[i].tet, 0) << "sample " << i;
            EXPECT_EQ(found[i].distance, 0.0);
            EXPECT_GE(found[i].barycentric.minCoeff(), 0.0);
            EXPECT_LT(
                (at(mesh, found[i]) - point(samples.points, static_cast<Eigen::Index>(i))).norm(),
                1e-12);
        }
    }
}

TEST(TetLocator, VerticesEdgesAndFacesLeaveNoCracks) {
    for (const support::Rigid& g : support::rigid_motions(3, Seed{2})) {
        TetMesh mesh = support::cube_of_tets(4);
        mesh.points = support::moved(mesh.points, g);
        const TetLocator locator(mesh);
        for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
            for (const Vec4& w : {Vec4(1, 0, 0, 0), Vec4(0.5, 0.5, 0, 0), Vec4(0, 0.2, 0.3, 0.5),
                                  Vec4(0.1, 0, 0.9, 0)}) {
                Vec3 p = Vec3::Zero();
                for (int k = 0; k < 4; ++k) {
                    p += w[k] * point(mesh.points, mesh.tets(t, k));
                }
                const TetLocation found = locator.find(p);
                ASSERT_GE(found.tet, 0);
                EXPECT_LT((at(mesh, found) - p).norm(), 1e-11);
            }
        }
    }
}

TEST(TetLocator, TheFirstOfSeveralTetsThatHoldAPointIsNamed) {
    const TetMesh mesh = support::cube_of_tets(2);
    // The centre of the cube belongs to 24 tetrahedra.
    const TetLocation found = TetLocator(mesh).find(Vec3::Constant(0.5));
    Index first = -1;
    for (Index t = 0; t < mesh.tets.rows() && first < 0; ++t) {
        for (int k = 0; k < 4; ++k) {
            if (point(mesh.points, mesh.tets(t, k)) == Vec3::Constant(0.5)) {
                first = t;
            }
        }
    }
    EXPECT_EQ(found.tet, first);
}

TEST(TetLocator, PointsOutsideAreNotFoundButTheNearestTetIs) {
    const TetMesh mesh = support::cube_of_tets(4);
    const TetLocator locator(mesh);
    Random random(Seed{7});
    for (int i = 0; i < 500; ++i) {
        const Vec3 p(random.uniform(-1, 2), random.uniform(-1, 2), random.uniform(-1, 2));
        const Vec3 clamped = p.cwiseMax(0.0).cwiseMin(1.0);
        const double distance = (p - clamped).norm();
        const TetLocation nearest = locator.nearest(p);
        ASSERT_GE(nearest.tet, 0);
        EXPECT_NEAR(nearest.distance, distance, 1e-14);
        EXPECT_LT((at(mesh, nearest) - clamped).norm(), 1e-14);
        EXPECT_EQ(locator.find(p).tet >= 0, distance == 0.0);
        if (distance > 0.1) {
            EXPECT_EQ(locator.nearest(p, 0.99 * distance).tet, -1);
            EXPECT_GE(locator.nearest(p, 1.01 * distance).tet, 0);
        }
    }
    EXPECT_LT((at(mesh, locator.nearest({1e5, 0.5, 0.5})) - Vec3(1, 0.5, 0.5)).norm(), 1e-6);
    EXPECT_NEAR(locator.nearest({1e9, 0.5, 0.5}).distance, 1e9 - 1, 1e-6);
}

// A sliver of relative height 1e-10 and a flat tetrahedron among good ones.
TEST(TetLocator, SliversInvertedAndFlatTetsDoNotHideTheRest) {
    TetMesh mesh = support::cube_of_tets(2);
    const Eigen::Index n = mesh.tets.rows();
    const Eigen::Index v = mesh.points.rows();
    mesh.points.conservativeResize(v + 4, 3);
    mesh.points.row(v) << 0.1, 0.1, 0.3;
    mesh.points.row(v + 1) << 0.9, 0.1, 0.3;
    mesh.points.row(v + 2) << 0.1, 0.9, 0.3;
    mesh.points.row(v + 3) << 0.6, 0.6, 0.3 + 1e-10;
    Tets all(n + 3, 4);
    const auto b = static_cast<Index>(v);
    all << Eigen::Matrix<Index, 1, 4>(b, b + 1, b + 2, b + 3),  // sliver
        Eigen::Matrix<Index, 1, 4>(b, b + 2, b + 1, b + 3),     // the same, inverted
        Eigen::Matrix<Index, 1, 4>(b, b + 1, b + 2, b + 1),     // flat
        mesh.tets;
    mesh.tets = all;
    const TetLocator locator(mesh);
    Random random(Seed{9});
    for (int i = 0; i < 2000; ++i) {
        const double z = i % 2 == 0 ? 0.3 + random.uniform(-1e-10, 1e-10) : random.uniform();
        const Vec3 p(random.uniform(), random.uniform(), z);
        const TetLocation found = locator.find(p);
        ASSERT_GE(found.tet, 0);
        EXPECT_LT((at(mesh, found) - p).norm(), 1e-11);
    }
}

TEST(TetLocator, PositiveTetsAreNamedBeforeInvertedOnes) {
    TetMesh mesh = support::one_tet();
    mesh.tets.resize(3, 4);
    mesh.tets << 1, 0, 2, 3, 0, 2, 1, 3, 0, 1, 2, 3;
    ASSERT_LT(tet_volumes(mesh)[0], 0.0);
    ASSERT_GT(tet_volumes(mesh)[2], 0.0);
    EXPECT_EQ(TetLocator(mesh).find({0.2, 0.2, 0.2}).tet, 2);
}

TEST(TetLocator, WithinListsAllTetsInReach) {
    const TetMesh mesh = support::cube_of_tets(3);
    const TetLocator locator(mesh);
    EXPECT_EQ(locator.within({0.5, 0.5, 0.5}, 2.0).size(),
              static_cast<std::size_t>(mesh.tets.rows()));
    EXPECT_TRUE(locator.within({-1, 0.5, 0.5}, 0.99).empty());
    EXPECT_FALSE(locator.within({-1, 0.5, 0.5}, 1.01).empty());
}

TEST(TetLocator, WorksOnNothingAndRefusesNan) {
    const TetLocator none(TetMesh{});
    EXPECT_EQ(none.find(Vec3::Zero()).tet, -1);
    EXPECT_EQ(none.nearest(Vec3::Zero()).tet, -1);
    TetMesh mesh = support::one_tet();
    EXPECT_THROW(TetLocator(mesh).find({0, std::nan(""), 0}), InputError);
    mesh.points(2, 2) = INFINITY;
    EXPECT_THROW(TetLocator{mesh}, InputError);
    mesh = support::one_tet();
    mesh.tets(0, 0) = -1;
    EXPECT_THROW(TetLocator{mesh}, InputError);
}

TEST(TetLocator, GivesTheSameBytesOnOneAndTwoThreads) {
    const TetMesh mesh = support::ball_of_tets(12, 1.0);
    Points queries(4000, 3);
    Random random(Seed{11});
    for (Eigen::Index i = 0; i < queries.size(); ++i) {
        queries.data()[i] = random.uniform(-1, 1);
    }
    const auto ask = [&](int threads) {
        const ThreadLimit limit(threads);
        std::vector<double> all;
        for (const TetLocation& l : TetLocator(mesh).nearest_all(queries)) {
            all.insert(all.end(), {double(l.tet), l.distance, l.barycentric[0], l.barycentric[1],
                                   l.barycentric[2], l.barycentric[3]});
        }
        return all;
    };
    const std::vector<double> one = ask(1), two = ask(2);
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(double)), 0);
}

}  // namespace
}  // namespace sinew
