#include "sinew/base/error.h"
#include "sinew/energy/projective_anchor.h"
#include "sinew/energy/projective_attachment.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/energy/projective_collision.h"
#include "sinew/energy/projective_forces.h"
#include "sinew/energy/projective_line_plane.h"
#include "sinew/energy/projective_polyhedron.h"
#include "sinew/energy/projective_spring.h"
#include "sinew/energy/projective_triangles.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "tests/energy/projective_support.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

using support::force_of;
using support::shaken;

std::vector<double> same(Eigen::Index count, double value) {
    return std::vector<double>(static_cast<std::size_t>(count), value);
}

// Force, matrix and threads of any term; `size` is the distance in which it changes.
void expect_sound(ProjectiveTerm& term, const Points& x, double size, double tolerance = 1e-6) {
    support::expect_force_is_minus_gradient(term, x, size, tolerance);
    support::expect_quadratic_is_an_upper_bound(term, x, 0.3 * size);
    support::expect_same_bytes_on_any_threads(term, x);
}

void expect_rigid_motions_cost_nothing(const ProjectiveTerm& term, const Points& rest) {
    for (const support::Rigid& g : support::rigid_motions(5, Seed{1})) {
        EXPECT_LT(term.energy(support::moved(rest, g)), 1e-12);
    }
}

TEST(ProjectiveAnchor, PullsInProportionToTheDistance) {
    const Index vertices[2] = {0, 2};
    Points targets(2, 3);
    targets << 0, 0, 0, 1, 1, 1;
    const double weights[2] = {2.0, 4.0};
    ProjectiveAnchor anchor(vertices, targets, weights);
    Points x = Points::Zero(3, 3);
    x(0, 0) = 3;
    Points expected = Points::Zero(3, 3);
    expected(0, 0) = -6;
    expected.row(2).setConstant(4);
    EXPECT_LE((force_of(anchor, x) - expected).norm(), 1e-14);
    EXPECT_NEAR(anchor.energy(x), 0.5 * 2 * 9 + 0.5 * 4 * 3, 1e-13);
    expect_sound(anchor, shaken(x, 1.0, Seed{2}), 1.0);
    const double bad[2] = {2.0, -1.0};
    EXPECT_THROW(ProjectiveAnchor(vertices, targets, bad), InputError);
}

TEST(ProjectiveAttachment, Saito2015Eq5SharesThePullByBarycentricCoordinates) {
    Tets corners(1, 4);
    corners << 0, 1, 2, 3;
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> b(1, 4);
    b << 0.1, 0.2, 0.3, 0.4;
    const Points target = Points::Zero(1, 3);
    ProjectiveAttachment bone(corners, b, target, same(1, 2.0));
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
    EXPECT_NEAR(springs.energy(x), 0.5 * 3 * 0.25, 1e-14);
    EXPECT_NEAR(force_of(springs, x)(0, 0), 3 * 0.5, 1e-14);
    expect_sound(springs, shaken(x, 0.2, Seed{4}), 1.0);
    x(1, 0) = 1.0;
    x.row(2) << 1, 2, 0;
    expect_rigid_motions_cost_nothing(springs, x);
    EXPECT_TRUE(force_of(springs, Points::Zero(3, 3)).allFinite());
}

Lists one_prism() {
    Lists corners;
    corners.start = {0, 6};
    corners.items = {0, 1, 2, 3, 4, 5};
    return corners;
}

Points prism_points() {
    Points x(6, 3);
    x << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1;
    return x;
}

TEST(ProjectivePolyhedron, Komaritzan48StretchAlongTheFreeDirectionIsFreeWithinLimits) {
    const Points rest = prism_points();
    Points direction(1, 3);
    direction << 0, 0, 2;
    ProjectivePolyhedron prism(rest, one_prism(), direction, same(1, 1.0), {0.2, 5.0});
    expect_rigid_motions_cost_nothing(prism, rest);
    Points x = rest;
    for (const double stretch : {0.25, 1.0, 4.9}) {
        x.col(2) = stretch * rest.col(2);
        EXPECT_LT(prism.energy(x), 1e-12) << stretch;
    }
    x.col(2) = 6.0 * rest.col(2);
    EXPECT_NEAR(prism.energy(x), 0.5, 1e-12);  // one beyond the limit
    x.col(2) = rest.col(2);
    x.col(0) = 2.0 * rest.col(0);
    EXPECT_NEAR(prism.energy(x), 0.5, 1e-12);  // no freedom across
    expect_sound(prism, shaken(rest, 0.1, Seed{5}), 1.0, 1e-5);
}

TEST(ProjectivePolyhedron, FlatOnesAreRefused) {
    Points rest = prism_points();
    rest.col(2).setZero();
    Points direction(1, 3);
    direction << 0, 0, 1;
    EXPECT_THROW(ProjectivePolyhedron(rest, one_prism(), direction, same(1, 1.0), {1, 1}),
                 InputError);
}

TEST(ProjectiveTriangleStrain, StretchCostsBendingDoesNot) {
    const TriangleMesh mesh = support::open_square(4);
    ProjectiveTriangleStrain strain(mesh.points, mesh.triangles, same(mesh.triangles.rows(), 2.0));
    expect_rigid_motions_cost_nothing(strain, mesh.points);
    Points x = mesh.points;
    x.col(0) *= 1.5;
    EXPECT_NEAR(strain.energy(x), 0.5 * 2.0 * 0.25, 1e-12);  // unit area
    // Folded along the middle by a right angle: isometric.
    Points folded = mesh.points;
    for (Eigen::Index i = 0; i < folded.rows(); ++i) {
        if (folded(i, 0) > 0.5) {
            folded(i, 2) = folded(i, 0) - 0.5;
            folded(i, 0) = 0.5;
        }
    }
    EXPECT_LT(strain.energy(folded), 1e-12);
    expect_sound(strain, shaken(mesh.points, 0.02, Seed{6}), 0.1, 1e-5);
    EXPECT_TRUE(force_of(strain, Points::Zero(x.rows(), 3)).allFinite());
}

TEST(ProjectiveTriangleArea, OnlyAreasBeyondTheLimitsCost) {
    const TriangleMesh mesh = support::open_square(3);
    const auto weights = same(mesh.triangles.rows(), 1.0);
    ProjectiveTriangleArea area(mesh.points, mesh.triangles, weights, 0.8, 1.2);
    expect_rigid_motions_cost_nothing(area, mesh.points);
    Points x = mesh.points;
    x.col(0) *= 1.19;
    EXPECT_EQ(area.energy(x), 0.0);
    // Stretched evenly to 1.5 x 1.5: the nearest of area 1.2 is even, sqrt(1.2) each way.
    EXPECT_NEAR(area.energy(1.5 * mesh.points), std::pow(1.5 - std::sqrt(1.2), 2), 1e-10);
    expect_sound(area, shaken(1.4 * mesh.points, 0.02, Seed{7}), 0.1, 1e-5);
    EXPECT_TRUE(force_of(area, Points::Zero(x.rows(), 3)).allFinite());
}

TEST(ProjectiveBending, Komaritzan217RigidMotionsCostNothingCreasesDo) {
    const TriangleMesh mesh = support::sphere(1, 1.0);
    ProjectiveBending bending(mesh.points, mesh.triangles, same(mesh.points.rows(), 1.0));
    expect_rigid_motions_cost_nothing(bending, mesh.points);
    Points x = mesh.points;
    x.row(0) *= 1.2;
    EXPECT_GT(bending.energy(x), 1e-3);
    expect_sound(bending, shaken(mesh.points, 0.02, Seed{8}), 0.3, 1e-5);
    // A sphere of radius r has |Lap x| = 2 / r; blown up k-fold it is the same operator times k.
    // E = sum A_i / 2 (k - 1)^2 |Lap|^2.
    const double one = bending.energy(1.1 * mesh.points);
    const double two = bending.energy(1.2 * mesh.points);
    EXPECT_NEAR(two / one, 4.0, 1e-9);
}

TEST(ProjectiveBending, FlatOpenSheetsStayFlat) {
    const TriangleMesh mesh = support::open_square(5);
    ProjectiveBending bending(mesh.points, mesh.triangles, same(mesh.points.rows(), 1.0));
    EXPECT_LT(bending.energy(mesh.points), 1e-20);
    Points x = mesh.points;
    x(14, 2) += 0.1;
    EXPECT_GT(bending.energy(x), 1e-3);
}

TEST(ProjectivePlane, PullsAlongTheNormalOnly) {
    const Index vertices[1] = {0};
    Points origin = Points::Zero(1, 3);
    Points normal(1, 3);
    normal << 0, 2, 0;
    ProjectivePlane plane(vertices, origin, normal, same(1, 3.0));
    Points x(1, 3);
    x << 5, -0.5, 7;
    EXPECT_LE((force_of(plane, x) - Points(Eigen::RowVector3d(0, 1.5, 0))).norm(), 1e-14);
    expect_sound(plane, x, 1.0);
    ProjectivePlane floor(vertices, origin, normal, same(1, 3.0), true);
    EXPECT_NEAR(floor.energy(x), 0.5 * 3 * 0.25, 1e-14);
    x(0, 1) = 0.5;
    EXPECT_EQ(floor.energy(x), 0.0);
    EXPECT_THROW(ProjectivePlane(vertices, origin, origin, same(1, 1.0)), InputError);
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

TEST(ProjectiveCollisionPairs, KomaritzanBothGoToThePlaneBetween) {
    ProjectiveCollisionPairs pairs(4.0);
    const CollisionPair pair[1] = {{0, 1, Vec3(0, 3, 0)}};
    pairs.set_pairs(pair);
    Points x(2, 3);
    x << 0, 1, 0, 0.3, 0, 0;  // the first is above the second: passed by 1
    const Points f = force_of(pairs, x);
    EXPECT_NEAR(f(0, 1), -2.0, 1e-14);
    EXPECT_NEAR(f(1, 1), 2.0, 1e-14);
    EXPECT_EQ(f.col(0).norm(), 0.0);
    EXPECT_NEAR(pairs.energy(x), 2 * 0.5 * 4 * 0.25, 1e-14);
    expect_sound(pairs, x, 1.0);
    x(0, 1) = -1;
    EXPECT_EQ(pairs.energy(x), 0.0);
    pairs.set_pairs({});
    EXPECT_EQ(pairs.size(), 0u);
    EXPECT_EQ(force_of(pairs, x).norm(), 0.0);
}

TEST(ProjectiveContacts, KomaritzanCommonMotionsCostNothing) {
    ProjectiveContacts contacts(1.0, 0.0);
    const PointTriangleContact contact[1] = {{3, {0, 1, 2}}};
    contacts.set_contacts(contact);
    Points x(4, 3);
    x << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -0.1;  // a tenth behind
    const double behind = contacts.energy(x);
    EXPECT_NEAR(behind, 3 * 0.5 * 0.01, 1e-14);
    const Points f = force_of(contacts, x);
    EXPECT_GT(f(3, 2), 0.0);
    EXPECT_LE(f.colwise().sum().norm(), 1e-14);
    for (const support::Rigid& g : support::rigid_motions(5, Seed{9})) {
        EXPECT_NEAR(contacts.energy(support::moved(x, g)), behind, 1e-12);
    }
    x(3, 2) = 0.1;
    EXPECT_EQ(contacts.energy(x), 0.0);
    support::expect_same_bytes_on_any_threads(contacts, x);
}

TEST(ProjectivePressure, ForcesAreThoseOfTheEnclosedVolume) {
    const TriangleMesh mesh = support::sphere(1, 0.5);
    ProjectivePressure pressure(mesh.triangles, 100.0);
    support::expect_force_is_minus_gradient(pressure, mesh.points, 1.0, 1e-6);
    const Points f = force_of(pressure, mesh.points);
    EXPECT_LE(f.colwise().sum().norm(), 1e-10);         // closed: no net force
    EXPECT_GT(f.cwiseProduct(mesh.points).sum(), 0.0);  // outward
    // By hand, a box: p times face area, and E = -p V.
    const TriangleMesh box = support::box(Vec3::Zero(), Vec3(1, 2, 3));
    ProjectivePressure in_box(box.triangles, 7.0);
    EXPECT_NEAR(in_box.energy(box.points), -7.0 * 6.0, 1e-12);
    double up = 0.0;
    const Points fb = force_of(in_box, box.points);
    for (Eigen::Index i = 0; i < 8; ++i) {
        up += box.points(i, 2) > 0 ? fb(i, 2) : 0.0;
    }
    EXPECT_NEAR(up, 7.0 * 2.0, 1e-12);
}

TEST(ProjectiveLoad, IsConstant) {
    Points f(2, 3);
    f << 1, 2, 3, -1, 0, 1;
    ProjectiveLoad load(f);
    const Points x = shaken(f, 1.0, Seed{10});
    EXPECT_EQ(force_of(load, x), f);
    EXPECT_NEAR(load.energy(x), -f.cwiseProduct(x).sum(), 1e-14);
}

}  // namespace
}  // namespace sinew
