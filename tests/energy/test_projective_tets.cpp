#include "sinew/base/error.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/material/corotated.h"

#include <gtest/gtest.h>

#include "tests/energy/term_support.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

using support::shaken;

std::vector<double> same(const TetMesh& mesh, double value) {
    return std::vector<double>(static_cast<std::size_t>(mesh.tets.rows()), value);
}

ProjectiveTets tets_of(const TetMesh& mesh, double w_rot, double w_vol) {
    return ProjectiveTets(mesh, same(mesh, w_rot), same(mesh, w_vol));
}

double volume(const TetMesh& mesh) {
    double sum = 0.0;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        Mat3 e;
        for (int k = 0; k < 3; ++k) {
            e.col(k) =
                point(mesh.points, mesh.tets(t, k + 1)) - point(mesh.points, mesh.tets(t, 0));
        }
        sum += e.determinant() / 6;
    }
    return sum;
}

std::vector<TetMesh> family() {
    TetMesh flat = support::cube_of_tets(3);
    flat.points.col(1) *= 1e-3;
    return {support::one_tet(), support::cube_of_tets(3), support::ball_of_tets(6, 0.1),
            support::box_of_tets({12, 12, 1}, {1, 1, 0.02}), flat};
}

TEST(ProjectiveTets, Saito2015Eq6RigidMotionsCostNothing) {
    for (const TetMesh& mesh : family()) {
        const double scale = 1e4 * volume(mesh);
        ProjectiveTets tets = tets_of(mesh, 1e4, 1e5);
        for (const support::Rigid& g : support::rigid_motions(4, Seed{7})) {
            EXPECT_LT(tets.value(support::moved(mesh.points, g)), 1e-12 * scale);
        }
    }
}

// One tetrahedron stretched by 2 along x: |F - R|^2 = 1. Swollen by 1.1: the nearest matrix of
// determinant 1 to 1.1 I is I, so |F - P|^2 = 3 * 0.01.
TEST(ProjectiveTets, StretchedTetrahedronByHand) {
    const TetMesh mesh = support::one_tet();
    Points x = mesh.points;
    x.col(0) *= 2.0;
    EXPECT_NEAR(tets_of(mesh, 3.0, 0.0).value(x), 0.5 * 3.0 * (1.0 / 6.0), 1e-15);
    const Points swollen = 1.1 * mesh.points;
    EXPECT_NEAR(tets_of(mesh, 0.0, 1.0).value(swollen), 0.5 * 0.03 / 6.0, 1e-15);
}

TEST(ProjectiveTets, FastForcesAgreeWithTheGradientInDoubleInAnyState) {
    for (const TetMesh& mesh : family()) {
        ProjectiveTets tets = tets_of(mesh, 1.0, 10.0);
        const double size = mesh.points.cwiseAbs().maxCoeff();
        Triplets triplets(static_cast<int>(mesh.points.rows()));
        tets.add_quadratic(triplets);
        const SparseSymmetric A = assemble(triplets);
        const double stiffness = Eigen::Map<const Eigen::VectorXd>(
                                     A.value.data(), static_cast<Eigen::Index>(A.value.size()))
                                     .norm();
        for (const double by : {0.0, 0.01, 0.3, 2.0}) {  // the last two invert many
            const Points x = shaken(mesh.points, by * size, Seed{3});
            Points fast = Points::Zero(x.rows(), 3);
            Points slow = fast;
            TermScratch scratch;
            const double e_fast = tets.add_force(x, fast, scratch);
            const double e_slow = tets.value(x);
            tets.add_gradient(x, slow);
            slow *= -1.0;
            // Single precision: positions are off by 1e-7 of the size, times the stiffness.
            EXPECT_LE((fast - slow).norm(), 1e-5 * slow.norm() + 3e-7 * stiffness * size)
                << "shaken by " << by;
            EXPECT_NEAR(e_fast, e_slow, 1e-4 * e_slow + 1e-9 * volume(mesh));
        }
    }
}

TEST(ProjectiveTets, FarFromTheOriginForcesStayAccurate) {
    const TetMesh mesh = support::cube_of_tets(4);
    ProjectiveTets tets = tets_of(mesh, 1.0, 10.0);
    const Points x = shaken(mesh.points, 0.02, Seed{4});
    const Points away = x.rowwise() + Eigen::RowVector3d(1000, -2000, 500);
    EXPECT_LE((support::force_of(tets, x) - support::force_of(tets, away)).norm(),
              1e-4 * support::force_of(tets, x).norm());
}

TEST(ProjectiveTets, ForcesAreMinusTheGradientOfTheEnergy) {
    const TetMesh mesh = support::cube_of_tets(2);
    for (const auto& [w_rot, w_vol] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {1.0, 10.0}}) {
        ProjectiveTets tets = tets_of(mesh, w_rot, w_vol);
        support::expect_force_is_minus_gradient(tets, shaken(mesh.points, 0.05, Seed{5}), 1.0,
                                                2e-4);
    }
}

TEST(ProjectiveTets, HessianIsTheDerivativeOfTheGradient) {
    for (const TetMesh& mesh : {support::one_tet(), support::cube_of_tets(2)}) {
        for (const auto& [w_rot, w_vol] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {1.0, 10.0}}) {
            ProjectiveTets tets = tets_of(mesh, w_rot, w_vol);
            for (const double by : {0.02, 0.15}) {
                const Points x = shaken(mesh.points, by, Seed{15});
                support::expect_hessian_is_derivative_of_gradient(tets, x, 1.0, 1e-5);
            }
            Mat3 growth;
            growth << 1.3, 0.1, 0, 0, 0.9, 0.05, 0, 0, 1.2;
            tets.set_growth(std::vector<Mat3>(static_cast<std::size_t>(mesh.tets.rows()), growth));
            tets.set_volume_ratio(same(mesh, 1.2));
            const Points x = shaken(mesh.points, 0.05, Seed{16});
            support::expect_hessian_is_derivative_of_gradient(tets, x, 1.0, 1e-5);
        }
    }
}

// Corotated elasticity without volume term is the strain of tetrahedra: one energy for Newton and
// local/global.
TEST(ProjectiveTets, WithoutVolumeWeightTheyAreCorotatedElasticity) {
    const TetMesh mesh = support::cube_of_tets(3);
    const ProjectiveTets tets = tets_of(mesh, 2.0 * 7.0, 0.0);
    const FemElastic law(mesh, std::make_shared<Corotated>(Lame{.mu = 7.0, .lambda = 0.0}));
    for (const double by : {0.02, 0.5}) {  // the last inverts many
        const Points x = shaken(mesh.points, by, Seed{17});
        EXPECT_NEAR(tets.value(x), law.value(x), 1e-12 * law.value(x));
        const Points g = support::gradient_of(law, x);
        EXPECT_LE((support::gradient_of(tets, x) - g).norm(), 1e-12 * g.norm());
        const Points d = shaken(Points::Zero(x.rows(), 3), 1.0, Seed{18});
        const Points Hd = support::hessian_of(law, x, Tangent::Exact).times(d);
        EXPECT_LE((support::hessian_of(tets, x, Tangent::Exact).times(d) - Hd).norm(),
                  1e-9 * Hd.norm());
    }
}

TEST(ProjectiveTets, MatrixBoundsTheEnergyFromAbove) {
    const TetMesh mesh = support::cube_of_tets(2);
    ProjectiveTets tets = tets_of(mesh, 1.0, 10.0);
    support::expect_quadratic_is_an_upper_bound(tets, shaken(mesh.points, 0.05, Seed{6}), 0.2);
}

TEST(ProjectiveTets, ForcesOfAFreeBodyAddUpToNothing) {
    const TetMesh mesh = support::cube_of_tets(5);
    ProjectiveTets tets = tets_of(mesh, 1.0, 10.0);
    const Points x = shaken(mesh.points, 0.05, Seed{7});
    const Points f = support::force_of(tets, x);
    EXPECT_LE(f.colwise().sum().norm(), 1e-5 * f.norm());
    Vec3 torque = Vec3::Zero();
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        torque += point(x, i).cross(point(f, i));
    }
    EXPECT_LE(torque.norm(), 1e-5 * f.norm());
}

// F_e = F F_g^-1: a shape grown as it wants to costs nothing, whatever the growth.
TEST(ProjectiveTets, Saito2015GrownShapesCostNothing) {
    const TetMesh mesh = support::cube_of_tets(3);
    ProjectiveTets tets = tets_of(mesh, 1.0, 10.0);
    Mat3 growth;
    growth << 1.3, 0.1, 0, 0, 0.9, 0.05, 0, 0, 1.2;
    tets.set_growth(std::vector<Mat3>(static_cast<std::size_t>(mesh.tets.rows()), growth));
    const Points grown = mesh.points * growth.transpose();
    EXPECT_LT(tets.value(grown), 1e-24);
    EXPECT_GT(tets.value(mesh.points), 1e-3);
    EXPECT_LE(support::force_of(tets, grown).norm(), 1e-5);
    EXPECT_LT(tets.volume_error(grown).largest, 1e-12);
    EXPECT_THROW(tets.set_growth(std::vector<Mat3>(mesh.tets.rows(), -growth)), InputError);
}

TEST(ProjectiveTets, VolumeErrorIsThatOfTheDeterminants) {
    const TetMesh mesh = support::cube_of_tets(2);
    ProjectiveTets tets = tets_of(mesh, 1.0, 1.0);
    EXPECT_NEAR(tets.volume_error(1.1 * mesh.points).total, 1.331 - 1.0, 1e-12);
    tets.set_volume_ratio(same(mesh, 1.331));
    EXPECT_LT(tets.volume_error(1.1 * mesh.points).largest, 1e-12);
}

TEST(ProjectiveTets, SameBytesOnOneAndTwoThreads) {
    const TetMesh mesh = support::cube_of_tets(12);
    ProjectiveTets tets = tets_of(mesh, 1.0, 10.0);
    support::expect_same_bytes_on_any_threads(tets, shaken(mesh.points, 0.03, Seed{8}));
}

TEST(ProjectiveTets, BadInputIsNamed) {
    TetMesh mesh = support::one_tet();
    EXPECT_THROW(tets_of(mesh, -1.0, 0.0), InputError);
    std::swap(mesh.tets(0, 0), mesh.tets(0, 1));
    EXPECT_THROW(tets_of(mesh, 1.0, 0.0), InputError);
}

}  // namespace
}  // namespace sinew
