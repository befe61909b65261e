#include "sinew/base/error.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/planes.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/energy/projective_contacts.h"
#include "sinew/energy/projective_line.h"
#include "sinew/energy/projective_prisms.h"
#include "sinew/energy/projective_spring.h"
#include "sinew/energy/projective_triangles.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "tests/energy/term_support.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

using support::force_of;
using support::shaken;

std::vector<double> same(Eigen::Index count, double value) {
    return std::vector<double>(static_cast<std::size_t>(count), value);
}

// Force, matrix and threads of any term; `size` is the distance in which it changes.
void expect_sound(const EnergyTerm& term, const Points& x, double size, double tolerance = 1e-6) {
    support::expect_force_is_minus_gradient(term, x, size, tolerance);
    support::expect_quadratic_is_an_upper_bound(term, x, 0.3 * size);
    support::expect_same_bytes_on_any_threads(term, x);
    if (term.offers().hessian) {
        support::expect_hessian_is_derivative_of_gradient(term, x, size, 1e-6);
    }
}

void expect_rigid_motions_cost_nothing(const EnergyTerm& term, const Points& rest) {
    for (const support::Rigid& g : support::rigid_motions(5, Seed{1})) {
        EXPECT_LT(term.value(support::moved(rest, g)), 1e-12);
    }
}

TEST(Pins, PullInProportionToTheDistance) {
    const Index vertices[2] = {0, 2};
    Points targets(2, 3);
    targets << 0, 0, 0, 1, 1, 1;
    const double weights[2] = {2.0, 4.0};
    Pins anchor(vertices, targets, weights);
    Points x = Points::Zero(3, 3);
    x(0, 0) = 3;
    Points expected = Points::Zero(3, 3);
    expected(0, 0) = -6;
    expected.row(2).setConstant(4);
    EXPECT_LE((force_of(anchor, x) - expected).norm(), 1e-14);
    EXPECT_NEAR(anchor.value(x), 0.5 * 2 * 9 + 0.5 * 4 * 3, 1e-13);
    expect_sound(anchor, shaken(x, 1.0, Seed{2}), 1.0);
    const double bad[2] = {2.0, -1.0};
    EXPECT_THROW(Pins(vertices, targets, bad), InputError);
}

TEST(Pins, Saito2015Eq5ShareThePullByBarycentricCoordinates) {
    Tets corners(1, 4);
    corners << 0, 1, 2, 3;
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> b(1, 4);
    b << 0.1, 0.2, 0.3, 0.4;
    const Points target = Points::Zero(1, 3);
    Pins bone(corners, b, target, same(1, 2.0));
    Points x = Points::Zero(4, 3);
    x.col(1).setConstant(5.0);  // the point is at y = 5
    const Points f = force_of(bone, x);
    for (int k = 0; k < 4; ++k) {
        EXPECT_NEAR(f(k, 1), -2.0 * 5.0 * b(0, k), 1e-14);
    }
    expect_sound(bone, shaken(x, 1.0, Seed{3}), 1.0);
}

TEST(ProjectiveSpring, KeepsItsLengthAndCostsNothingToMove) {
    Edges edges(2, 2);
    edges << 0, 1, 1, 2;
    const double lengths[2] = {1.0, 2.0};
    const double weights[2] = {3.0, 5.0};
    ProjectiveSpring springs(edges, lengths, weights);
    Points x(3, 3);
    x << 0, 0, 0, 1.5, 0, 0, 1.5, 2, 0;
    EXPECT_NEAR(springs.value(x), 0.5 * 3 * 0.25, 1e-14);
    EXPECT_NEAR(force_of(springs, x)(0, 0), 3 * 0.5, 1e-14);
    expect_sound(springs, shaken(x, 0.2, Seed{4}), 1.0);
    x(1, 0) = 1.0;
    x.row(2) << 1, 2, 0;
    expect_rigid_motions_cost_nothing(springs, x);
    EXPECT_TRUE(force_of(springs, Points::Zero(3, 3)).allFinite());
}

TEST(ProjectiveTriangleStrain, StretchCostsBendingDoesNot) {
    const TriangleMesh mesh = support::open_square(4);
    ProjectiveTriangleStrain strain(mesh.points, mesh.triangles, same(mesh.triangles.rows(), 2.0));
    expect_rigid_motions_cost_nothing(strain, mesh.points);
    Points x = mesh.points;
    x.col(0) *= 1.5;
    EXPECT_NEAR(strain.value(x), 0.5 * 2.0 * 0.25, 1e-12);  // unit area
    // Folded along the middle by a right angle: isometric.
    Points folded = mesh.points;
    for (Eigen::Index i = 0; i < folded.rows(); ++i) {
        if (folded(i, 0) > 0.5) {
            folded(i, 2) = folded(i, 0) - 0.5;
            folded(i, 0) = 0.5;
        }
    }
    EXPECT_LT(strain.value(folded), 1e-12);
    expect_sound(strain, shaken(mesh.points, 0.02, Seed{6}), 0.1, 1e-5);
    EXPECT_TRUE(force_of(strain, Points::Zero(x.rows(), 3)).allFinite());
}

TEST(ProjectiveBending, Komaritzan217RigidMotionsCostNothingCreasesDo) {
    const TriangleMesh mesh = support::sphere(1, 1.0);
    ProjectiveBending bending(mesh.points, mesh.triangles, same(mesh.points.rows(), 1.0));
    expect_rigid_motions_cost_nothing(bending, mesh.points);
    Points x = mesh.points;
    x.row(0) *= 1.2;
    EXPECT_GT(bending.value(x), 1e-3);
    expect_sound(bending, shaken(mesh.points, 0.02, Seed{8}), 0.3, 1e-5);
    // A sphere of radius r has |Lap x| = 2 / r; blown up k-fold it is the same operator times k.
    // E = sum A_i / 2 (k - 1)^2 |Lap|^2.
    const double one = bending.value(1.1 * mesh.points);
    const double two = bending.value(1.2 * mesh.points);
    EXPECT_NEAR(two / one, 4.0, 1e-9);
}

TEST(ProjectiveBending, FlatOpenSheetsStayFlat) {
    const TriangleMesh mesh = support::open_square(5);
    ProjectiveBending bending(mesh.points, mesh.triangles, same(mesh.points.rows(), 1.0));
    EXPECT_LT(bending.value(mesh.points), 1e-20);
    Points x = mesh.points;
    x(14, 2) += 0.1;
    EXPECT_GT(bending.value(x), 1e-3);
}

TEST(Planes, PullAlongTheNormalOnly) {
    const std::vector<Planes::Plane> plane = {{.normal = Vec3(0, 2, 0), .stiffness = 3.0}};
    Points x(1, 3);
    x << 5, -0.5, 7;
    const Planes both(plane);
    EXPECT_LE((force_of(both, x) - Points(Eigen::RowVector3d(0, 1.5, 0))).norm(), 1e-14);
    expect_sound(both, x, 1.0);
    std::vector<Planes::Plane> floor = plane;
    floor[0].is_one_sided = true;
    Planes one(floor);
    EXPECT_NEAR(one.value(x), 0.5 * 3 * 0.25, 1e-14);
    x(0, 1) = 0.5;
    EXPECT_EQ(one.value(x), 0.0);
    EXPECT_GT(both.value(x), 0.0);
    one.set_planes({});
    EXPECT_EQ(one.size(), 0u);
    EXPECT_EQ(force_of(one, x).norm(), 0.0);
    floor[0].normal.setZero();
    EXPECT_THROW(Planes{floor}, InputError);
}

TEST(ProjectiveLine, PullsAcrossTheLineOnly) {
    const Index vertices[1] = {0};
    Points origin(1, 3);
    origin << 1, 0, 0;
    Points direction(1, 3);
    direction << 0, 0, 5;
    ProjectiveLine line(vertices, origin, direction, same(1, 2.0));
    Points x(1, 3);
    x << 2, 1, 9;
    EXPECT_LE((force_of(line, x) - Points(Eigen::RowVector3d(-2, -2, 0))).norm(), 1e-14);
    expect_sound(line, x, 1.0);
}

// Prisms along y: stretch by any factor within the range, and rigid motions, cost nothing; across
// it they do, and the force is the derivative of the energy.
TEST(ProjectivePrisms, Komaritzan48OnlyStretchAcrossTheSkinIsFree) {
    Points rest(6, 3);
    rest << 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0;
    const ProjectivePrisms::Prism prism{.corners = {0, 1, 2, 3, 4, 5}, .weight = 3.0};
    const ProjectivePrisms term(rest, {&prism, 1}, {.least = 0.2, .most = 5.0});
    ASSERT_EQ(term.size(), 1u);
    const Mat3 R = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    for (const double factor : {0.2, 1.0, 4.9}) {
        Points x = rest;
        x.col(1) *= factor;
        EXPECT_LT(term.value(x * R.transpose()), 1e-18) << factor;
    }
    Points x = rest;
    x.col(1) *= 6.0;  // one more than free: 3 / 2 * 1^2
    EXPECT_NEAR(term.value(x), 1.5, 1e-9);
    x = rest;
    x.col(0) *= 2.0;
    EXPECT_NEAR(term.value(x), 1.5, 1e-9);
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
        const Points y = support::shaken(rest, 0.3, Seed{seed});
        support::expect_force_is_minus_gradient(term, y, 1.0, 1e-5);
        support::expect_quadratic_is_an_upper_bound(term, y, 1.0);
    }
}

TEST(ProjectiveContacts, KomaritzanCommonMotionsCostNothing) {
    ProjectiveContacts contacts(1.0, 0.0);
    const PointTriangleContact contact[1] = {{3, {0, 1, 2}}};
    contacts.set_contacts(contact);
    Points x(4, 3);
    x << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -0.1;  // a tenth behind
    const double behind = contacts.value(x);
    EXPECT_NEAR(behind, 3 * 0.5 * 0.01, 1e-14);
    const Points f = force_of(contacts, x);
    EXPECT_GT(f(3, 2), 0.0);
    EXPECT_LE(f.colwise().sum().norm(), 1e-14);
    for (const support::Rigid& g : support::rigid_motions(5, Seed{9})) {
        EXPECT_NEAR(contacts.value(support::moved(x, g)), behind, 1e-12);
    }
    x(3, 2) = 0.1;
    EXPECT_EQ(contacts.value(x), 0.0);
    support::expect_same_bytes_on_any_threads(contacts, x);
}

TEST(ConstantForces, ArePushedWhateverTheState) {
    Points f(2, 3);
    f << 1, 2, 3, -1, 0, 1;
    const ConstantForces load(f);
    const Points x = shaken(f, 1.0, Seed{10});
    EXPECT_EQ(force_of(load, x), f);
    EXPECT_NEAR(load.value(x), -f.cwiseProduct(x).sum(), 1e-14);
}

// E = k/2 min(0, h)^2: derivative, and no net force between a vertex and what supports its plane.
TEST(Planes, PushVertexAndSupportApartWithTheDerivativeOfTheEnergy) {
    Points x(4, 3);
    x << 0.1, -0.2, 0.1, 0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 0.0, -0.1, 1.0;
    const Vec3 n = Vec3(0.1, 1.0, -0.2).normalized();
    for (const bool is_coupled : {true, false}) {
        const Planes term({{.vertex = 0,
                            .origin = 0.05 * n,
                            .normal = n,
                            .stiffness = 70.0,
                            .is_one_sided = true,
                            .support = {1, 2, 3},
                            .weight = Vec3(0.5, 0.2, 0.3),
                            .is_coupled = is_coupled}});
        Points gradient = Points::Zero(4, 3);
        term.add_gradient(x, gradient);
        EXPECT_GT(gradient.norm(), 1.0);
        EXPECT_LT(gradient.colwise().sum().norm(), 1e-12);
        BlockPattern pattern(4);
        term.add_pattern(pattern);
        BlockHessian H(pattern);
        term.add_hessian(x, Tangent::PositiveSemidefinite, H);
        constexpr double kStep = 1e-6;
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            Points there = x;
            there.data()[i] += kStep;
            const double above = term.value(there);
            there.data()[i] -= 2.0 * kStep;
            EXPECT_NEAR((above - term.value(there)) / (2.0 * kStep), gradient.data()[i], 1e-6);
        }
        // E is quadratic here: the Hessian tells what E does along any direction, its bound that
        // it does no more.
        for (int round = 0; round < 20; ++round) {
            const Points d =
                support::jittered(Points::Zero(4, 3), 0.01, Seed{std::uint64_t(round)});
            const double second = term.value(x + d) + term.value(x - d) - 2.0 * term.value(x);
            const double told = d.cwiseProduct(H.times(d)).sum();
            EXPECT_LE(second, told + 1e-12);
            if (is_coupled) {
                EXPECT_NEAR(second, told, 1e-12);
            }
        }
    }
}

}  // namespace
}  // namespace sinew
