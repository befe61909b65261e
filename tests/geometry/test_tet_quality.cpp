#include "sinew/geometry/tet_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

using std::numbers::pi;

TetMesh regular_tet() {
    TetMesh mesh = support::one_tet();
    mesh.points << 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1;
    return mesh;
}

TEST(TetDihedralAngles, OfTheRegularTetAreArccosOneThird) {
    const TetMesh mesh = regular_tet();
    const DihedralAngles angles = tet_dihedral_angles(mesh.points, mesh.tets);
    for (int e = 0; e < 6; ++e) {
        EXPECT_NEAR(angles(0, e), std::acos(1.0 / 3.0), 1e-14);
    }
}

// The corner of a cube: right angles at the three axes, arccos(1/sqrt 3) around the slanted face.
TEST(TetDihedralAngles, OfTheCornerOfACubeComeInTheOrderOfTheEdges) {
    const TetMesh mesh = support::one_tet();
    const DihedralAngles angles = tet_dihedral_angles(mesh.points, mesh.tets);
    const double slanted = std::acos(1.0 / std::sqrt(3.0));
    const double expected[6] = {pi / 2, pi / 2, pi / 2, slanted, slanted, slanted};
    for (int e = 0; e < 6; ++e) {
        EXPECT_NEAR(angles(0, e), expected[e], 1e-14) << "edge " << e;
    }
}

TEST(TetRadiusEdgeRatio, OfTheRegularTetIsTheSmallestPossible) {
    const TetMesh mesh = regular_tet();
    EXPECT_NEAR(tet_radius_edge_ratios(mesh.points, mesh.tets)[0], std::sqrt(6.0) / 4.0, 1e-15);
    const TetMesh corner = support::one_tet();
    EXPECT_NEAR(tet_radius_edge_ratios(corner.points, corner.tets)[0], std::sqrt(3.0) / 2, 1e-15);
}

TEST(TetQuality, SeesFlatAndInvertedTets) {
    TetMesh mesh = support::cube_of_tets(2);
    TetQuality q = tet_quality(mesh);
    EXPECT_EQ(q.tets, 48);
    EXPECT_EQ(q.inverted, 0);
    EXPECT_NEAR(q.smallest_volume, 1.0 / 48.0, 1e-15);
    EXPECT_NEAR(q.smallest_dihedral, pi / 4, 1e-14);
    EXPECT_NEAR(q.mean_smallest_dihedral, pi / 4, 1e-14);
    EXPECT_NEAR(q.largest_dihedral, pi / 2, 1e-14);
    // Kuhn's tetrahedron: half the diagonal of the cell over its side.
    EXPECT_NEAR(q.largest_radius_edge, std::sqrt(3.0) / 2, 1e-14);
    EXPECT_NEAR(q.mean_radius_edge, std::sqrt(3.0) / 2, 1e-14);

    std::swap(mesh.tets(7, 0), mesh.tets(7, 1));
    EXPECT_EQ(tet_quality(mesh).inverted, 1);
    mesh.tets.row(9) << 0, 1, 2, 1;  // a repeated corner
    q = tet_quality(mesh);
    EXPECT_EQ(q.inverted, 2);
    EXPECT_EQ(q.worst_tet, 9);
    EXPECT_EQ(q.smallest_dihedral, 0.0);
    EXPECT_TRUE(std::isinf(q.largest_radius_edge));
    EXPECT_TRUE(std::isfinite(q.mean_radius_edge));
}

TEST(TetQuality, OfNothingIsZero) {
    const TetQuality q = tet_quality(TetMesh{});
    EXPECT_EQ(q.tets, 0);
    EXPECT_EQ(q.smallest_dihedral, 0.0);
    EXPECT_EQ(q.worst_tet, -1);
}

}  // namespace
}  // namespace sinew
