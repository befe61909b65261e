#include "sinew/base/error.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/fem_viscosity.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/energy/masses.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/material/laws.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

const Lame kGel = lame_from_young(1.0e3, 0.4);

/// Finite elements, from the shape functions: gradient_a = V P grad N_a with grad N = D_m^-T.
Points fem_gradient(const TetMesh& rest, const Material& law, const Points& x) {
    Points g = Points::Zero(x.rows(), 3);
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const Mat3 D_m = edge_matrix(rest.points, rest.tets, t);
        const Mat3 inverse = D_m.inverse();
        const Mat3 P = law.stress(edge_matrix(x, rest.tets, t) * inverse);
        const Mat3 G = D_m.determinant() / 6.0 * P * inverse.transpose();
        g.row(rest.tets(t, 0)) -= G.rowwise().sum().transpose();
        for (int c = 0; c < 3; ++c) {
            g.row(rest.tets(t, c + 1)) += G.col(c).transpose();
        }
    }
    return g;
}

/// Finite volumes in the present: sigma times the deformed area-weighted normals, a third of every
/// face to each of its corners.
Points present_forces(const TetMesh& rest, const Material& law, const Points& x) {
    Points f = Points::Zero(x.rows(), 3);
    const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const Mat3 F =
            edge_matrix(x, rest.tets, t) * edge_matrix(rest.points, rest.tets, t).inverse();
        const Mat3 sigma = law.stress(F) * F.transpose() / F.determinant();
        for (const auto& face : faces) {
            const Vec3 p = point(x, rest.tets(t, face[0]));
            const Vec3 normal =
                0.5 *
                (point(x, rest.tets(t, face[1])) - p).cross(point(x, rest.tets(t, face[2])) - p);
            for (const int corner : face) {
                f.row(rest.tets(t, corner)) -= (sigma * normal / 3.0).transpose();
            }
        }
    }
    return f;
}

TEST(FiniteVolume, Teran2003Section42ForcesEqualFiniteElements) {
    for (const TetMesh& rest :
         {support::one_tet(), support::cube_of_tets(3),
          support::box_of_tets({3, 3, 1}, {1.0, 1.0, 0.05}), support::ball_of_tets(4, 0.3)}) {
        const Points x = support::jittered(rest.points, 0.01, Seed{1});
        for (const auto& [name, law, free] : support::all_laws(kGel)) {
            Points g = Points::Zero(x.rows(), 3);
            FemElastic(rest, law).add_gradient(x, g);
            const Points fem = fem_gradient(rest, *law, x);
            EXPECT_LT((g - fem).norm(), 1e-12 * fem.norm()) << name;
        }
    }
}

TEST(FiniteVolume, Teran2003Section41CauchyAndPiolaStressGiveTheSameForces) {
    const TetMesh rest = support::cube_of_tets(3);
    const Points x = support::jittered(rest.points, 0.03, Seed{2});
    for (const auto& [name, law, free] : support::all_laws(kGel)) {
        Points g = Points::Zero(x.rows(), 3);
        FemElastic(rest, law).add_gradient(x, g);
        EXPECT_LT((g + present_forces(rest, *law, x)).norm(), 1e-12 * g.norm()) << name;
    }
}

// b_1 of the unit corner tetrahedron: faces x=0 (normal -x, area 1/2) is opposite corner 1; the
// others sum to +x/2, a third of which is 1/6.
TEST(FiniteVolume, NormalsOfTheUnitTetrahedronByHand) {
    const FiniteVolumeTets elements(support::one_tet());
    EXPECT_NEAR(elements.volume(0), 1.0 / 6.0, 1e-16);
    EXPECT_LT((elements.normals(0) - Mat3::Identity() / 6.0).norm(), 1e-16);
}

TEST(FiniteVolume, DeformationGradientOfALinearMapIsItsMatrix) {
    const TetMesh rest = support::ball_of_tets(3, 0.2);
    const FiniteVolumeTets elements(rest);
    Random random(Seed{3});
    const Mat3 A = support::random_matrix(random, 2.0);
    const Points x = rest.points * A.transpose();
    for (Eigen::Index t = 0; t < elements.count(); ++t) {
        EXPECT_LT((elements.deformation_gradient(x, t) - A).norm(), 1e-12);
    }
}

TEST(FiniteVolume, InvertedTetrahedraAreCounted) {
    TetMesh rest = support::cube_of_tets(1);
    EXPECT_EQ(count_inverted(rest.points, rest.tets), 0);
    EXPECT_EQ(count_inverted(-rest.points, rest.tets), 6);
    EXPECT_EQ(count_inverted(0.0 * rest.points, rest.tets), 6);
}

TEST(Viscosity, DampsStrainButNoRigidMotion) {
    const TetMesh rest = support::box_of_tets({2, 1, 2}, {1.0, 0.5, 0.7});
    const FemViscosity viscosity(rest, 3.0, 2.0);
    const Points x = support::jittered(rest.points, 0.1, Seed{4});
    const Vec3 spin(0.3, -1.0, 2.0);
    Points v(x.rows(), 3);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        v.row(i) = (spin.cross(point(x, i)) + Vec3(1, 2, 3)).transpose();
    }
    Points c = Points::Zero(x.rows(), 3);
    viscosity.add_damping(x, v, c);
    EXPECT_LT(c.norm(), 1e-12 * v.norm());
}

TEST(Viscosity, IsSymmetricTakesEnergyAndKeepsMomentum) {
    const TetMesh rest = support::box_of_tets({2, 1, 2}, {1.0, 0.5, 0.7});
    const FemViscosity viscosity(rest, 3.0, 2.0);
    const Points x = support::jittered(rest.points, 0.1, Seed{5});
    const Points v = support::jittered(0.0 * x, 1.0, Seed{6});
    const Points w = support::jittered(0.0 * x, 1.0, Seed{7});
    Points Cv = Points::Zero(x.rows(), 3);
    Points Cw = Points::Zero(x.rows(), 3);
    viscosity.add_damping(x, v, Cv);
    viscosity.add_damping(x, w, Cw);
    EXPECT_NEAR(w.cwiseProduct(Cv).sum(), v.cwiseProduct(Cw).sum(), 1e-12 * Cv.norm());
    EXPECT_GT(v.cwiseProduct(Cv).sum(), 0.0);
    EXPECT_LT(Cv.colwise().sum().norm(), 1e-12 * Cv.norm());
    Vec3 torque = Vec3::Zero();
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        torque += point(x, i).cross(point(Cv, i));
    }
    EXPECT_LT(torque.norm(), 1e-12 * Cv.norm());
    EXPECT_THROW(FemViscosity(rest, -1.0, 0.0), InputError);
}

// dx/dt = s x at rest: dF/dt = s I, S = (2 eta + 3 zeta) s I, power = V S : D.
TEST(Viscosity, UniformSwellingCostsThePowerByHand) {
    const TetMesh rest = support::cube_of_tets(2);
    const FemViscosity viscosity(rest, 3.0, 2.0);
    const Points v = 0.5 * rest.points;
    Points c = Points::Zero(v.rows(), 3);
    viscosity.add_damping(rest.points, v, c);
    EXPECT_NEAR(v.cwiseProduct(c).sum(), (2.0 * 3.0 + 3.0 * 2.0) * 0.25 * 3.0, 1e-12);
}

TEST(Masses, SumToDensityTimesVolume) {
    const TetMesh rest = support::box_of_tets({3, 2, 2}, {1.0, 0.5, 0.4});
    const std::vector<double> density(static_cast<std::size_t>(rest.tets.rows()), 1100.0);
    const std::vector<double> masses = lumped_masses(rest, density);
    double sum = 0.0;
    for (const double m : masses) {
        sum += m;
    }
    EXPECT_NEAR(sum, 220.0, 1e-10);
    const Points weight = gravity_forces(masses, {0, -10, 0});
    EXPECT_NEAR(weight.col(1).sum(), -2200.0, 1e-9);
    const Points density_of_force =
        Points::Zero(rest.tets.rows(), 3).rowwise() + Eigen::RowVector3d(0, -11000.0, 0);
    EXPECT_LT((body_forces(rest, density_of_force) - weight).norm(), 1e-9);
}

}  // namespace
}  // namespace sinew
