#include "sinew/base/error.h"
#include "sinew/io/medit.h"

#include <gtest/gtest.h>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"

namespace sinew {

using support::input_error_of;
using support::part_of;

namespace {

constexpr std::string_view kFour = "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 7\n";

std::string file_with(std::string_view sections) {
    return fmt::format("MeshVersionFormatted 2\nDimension 3\n{}{}End\n", kFour, sections);
}

}  // namespace

TEST(Medit, TetrahedraAndRegionsComeBackBitByBit) {
    TetMesh mesh = support::ball_of_tets(3, 1.0 / 3.0);
    support::expect_same_mesh(parse_medit(format_medit(mesh), "x.mesh").tets, mesh);
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        mesh.region.push_back(static_cast<int>(t % 5) - 2);
    }
    support::expect_same_mesh(parse_medit(format_medit(mesh), "x.mesh").tets, mesh);
}

TEST(Medit, SurfacesComeBackBitByBitWithTheirPartsAsLabels) {
    const MeshPart part = part_of("a", support::awkward_numbers());
    const auto one = surface_of(parse_medit(format_medit(std::vector{part}), "x.mesh"), "x.mesh");
    support::expect_same_mesh(one[0].mesh, part.mesh);
    const auto two =
        surface_of(parse_medit(format_medit(std::vector{part, part}), "x.mesh"), "x.mesh");
    ASSERT_EQ(two[0].mesh.triangle_data.size(), 1u);
    EXPECT_EQ(two[0].mesh.triangle_data[0].values.back(), 2.0);
}

TEST(Medit, FilesOfOtherProgramsAreRead) {
    const std::string text =
        "MeshVersionFormatted\n1\n\nDimension\n3\n# comment\nVertices 5\n0 0 0 1\n1 0 0 1\n1 1 0 "
        "1\n"
        "0 1 0 1\n0 0 1. 1\nEdges\n1\n1 2 3\nCorners 2\n1 2\nQuadrilaterals\n1\n1 2 3 4 9\n"
        "Triangles\n1\n1 2 5 8\nRequiredVertices\n1\n1\nTetrahedra\n1\n1 3 2 5 4\nEnd\nrubbish";
    const MixedMesh mesh = parse_medit(text, "x.mesh");
    EXPECT_EQ(mesh.triangles.rows(), 3);
    EXPECT_EQ(mesh.label, (std::vector<int>{8, 9, 9}));
    // This file counts the other side as positive.
    EXPECT_EQ(mesh.tets.tets.row(0), (Eigen::RowVector4i(0, 2, 4, 1)));
    EXPECT_EQ(mesh.tets.region, std::vector<int>{4});
}

TEST(Medit, TheBoundaryStandsForMissingTriangles) {
    const auto parts =
        surface_of(parse_medit(format_medit(support::cube_of_tets(2)), "x.mesh"), "x.mesh");
    EXPECT_EQ(parts[0].mesh.triangles.rows(), 48);
    EXPECT_EQ(parts[0].mesh.points.rows(), 26);
}

TEST(Medit, MistakesAreNamedWithTheirLine) {
    const auto error = [](std::string_view sections) {
        return input_error_of([&] { parse_medit(file_with(sections), "arm.mesh"); });
    };
    EXPECT_NE(error("Tetrahedra\n1\n1 2 3 5 0\n").find("arm.mesh, line 11: vertex 5 of 4"),
              std::string::npos);
    EXPECT_NE(error("Triangles\n1\n0 1 2 0\n").find("vertex 0"), std::string::npos);
    EXPECT_NE(error("Tetrahedra\n1000000000000\n1 2 3 4 0\n").find("1000000000000"),
              std::string::npos);
    EXPECT_NE(error("Tetrahedra\n2\n1 2 3 4 0\n").find("'End'"), std::string::npos);
    EXPECT_NE(error("Hexahedra\n1\n1 2 3 4 1 2 3 4 0\n").find("Hexahedra"), std::string::npos);
    EXPECT_NE(error("Tetrahedra\n-1\n").find("-1"), std::string::npos);
    EXPECT_THROW(parse_medit("MeshVersionFormatted 1\nDimension 2\n", "x.mesh"), InputError);
    EXPECT_THROW(parse_medit("MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 nan 0 0\n", "x"),
                 InputError);
    EXPECT_THROW(parse_medit("", "x.mesh"), InputError);
    EXPECT_THROW(tets_of(parse_medit(file_with(""), "x.mesh"), "x.mesh"), InputError);
    EXPECT_THROW(surface_of(parse_medit(file_with(""), "x.mesh"), "x.mesh"), InputError);
    EXPECT_THROW(format_medit(TetMesh{}), InputError);
}

TEST(Medit, DamagedFilesAreReadOrRefused) {
    const std::string sample = file_with("Triangles\n1\n1 2 3 4\nTetrahedra\n1\n1 2 3 4 5\n");
    support::expect_damage_is_survived(
        sample,
        [](std::string_view bytes) {
            const MixedMesh mesh = parse_medit(bytes, "x.mesh");
            require_valid(mesh.tets, "tets");
            support::require_valid_parts(surface_of(mesh, "x.mesh"));
        },
        1000);
}

}  // namespace sinew
