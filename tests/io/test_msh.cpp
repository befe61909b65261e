#include "sinew/base/error.h"
#include "sinew/io/msh.h"

#include <gtest/gtest.h>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"

namespace sinew {

using support::input_error_of;
using support::part_of;

namespace {

// As Gmsh writes it: sparse node numbers in blocks, a point and a line, a named group.
constexpr std::string_view kText =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"the skin\"\n3 9 \"flesh\"\n"
    "$EndPhysicalNames\n$Entities\n1 0 1 1\n1 0 0 0 0\n5 0 0 0 1 1 1 1 7 0\n"
    "6 0 0 0 1 1 1 1 9 1 5\n$EndEntities\n$Nodes\n2 4 1 40\n0 1 0 1\n1\n0 0 0\n2 5 1 "
    "3\n20\n30\n40\n"
    "1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n$EndNodes\n$Elements\n3 3 1 3\n0 1 15 1\n1 1\n2 5 2 1\n"
    "2 1 20 30\n3 6 4 1\n3 1 20 30 40\n$EndElements\n$Comment\nanything\n$EndComment\n";

constexpr std::string_view kOldText =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n5 0 0 "
    "1\n$EndNodes\n"
    "$Elements\n3\n1 15 2 0 1 1\n2 2 2 3 1 1 2 3\n3 4 2 8 1 1 2 3 5\n$EndElements\n";

}  // namespace

TEST(Msh, TetrahedraAndRegionsComeBackBitByBitInTheirOrder) {
    for (const bool is_ascii : {false, true}) {
        TetMesh mesh = support::ball_of_tets(3, 1.0 / 3.0);
        mesh.points *= 1e-3;
        const auto back = [&] {
            return parse_msh(format_msh(mesh, {.is_ascii = is_ascii}), "x.msh").tets;
        };
        support::expect_same_mesh(back(), mesh);
        for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
            mesh.region.push_back(static_cast<int>(t % 3) + 4);
        }
        support::expect_same_mesh(back(), mesh);
        for (int& region : mesh.region) {
            region -= 5;  // -1, 0, 1: not allowed as groups
        }
        support::expect_same_mesh(back(), mesh);
    }
}

TEST(Msh, PartsComeBackBitByBitUnderTheirNames) {
    const std::vector<MeshPart> parts = {part_of("left arm", support::awkward_numbers()),
                                         part_of("box", support::box({0, 0, 0}, {1, 1, 1}))};
    for (const bool is_ascii : {false, true}) {
        const MixedMesh mesh = parse_msh(format_msh(parts, {.is_ascii = is_ascii}), "x.msh");
        const auto back = surface_of(mesh, "x.msh");
        ASSERT_EQ(back.size(), 2u);
        for (std::size_t p = 0; p < 2; ++p) {
            EXPECT_EQ(back[p].name, parts[p].name);
            support::expect_same_mesh(back[p].mesh, parts[p].mesh);
        }
    }
}

TEST(Msh, FilesOfGmshAreRead) {
    const MixedMesh mesh = parse_msh(kText, "x.msh");
    EXPECT_EQ(mesh.tets.tets, Tets(Eigen::RowVector4i(0, 1, 2, 3)));
    EXPECT_EQ(mesh.tets.region, std::vector<int>{9});
    EXPECT_EQ(mesh.triangles, Triangles(Eigen::RowVector3i(0, 1, 2)));
    EXPECT_EQ(surface_of(mesh, "x.msh")[0].name, "the skin");
    EXPECT_EQ(mesh.tets.points(3, 2), 1.0);
}

TEST(Msh, TheOlderTextFormatIsRead) {
    const MixedMesh mesh = parse_msh(kOldText, "x.msh");
    EXPECT_EQ(mesh.tets.tets, Tets(Eigen::RowVector4i(0, 1, 2, 3)));
    EXPECT_EQ(mesh.tets.region, std::vector<int>{8});
    EXPECT_EQ(mesh.label, std::vector<int>{3});
}

TEST(Msh, MistakesAreNamedWithTheirPlace) {
    const auto error = [](std::string text, std::string_view from, std::string_view to) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        return input_error_of([&] { parse_msh(text, "arm.msh"); });
    };
    const std::string text(kText);
    EXPECT_NE(error(text, "1 20 30 40", "1 20 30 41").find("node 41"), std::string::npos);
    EXPECT_NE(error(text, "1 0 0 0 0\n0 1", "1 nan 0 0 0\n0 1").find("arm.msh, line 24"),
              std::string::npos);
    EXPECT_NE(error(text, "3 6 4 1", "3 6 11 1").find("type 11"), std::string::npos);
    EXPECT_NE(error(text, "2 4 1 40", "2 5 1 40").find("4 nodes"), std::string::npos);
    EXPECT_NE(error(text, "2 4 1 40", "2 4000000000000 1 40").find("4000000000000"),
              std::string::npos);
    EXPECT_NE(error(text, "20\n30\n40", "20\n30\n30").find("two nodes"), std::string::npos);
    EXPECT_NE(error(text, "4.1 0 8", "4.0 0 8").find("version 4"), std::string::npos);
    EXPECT_NE(error(text, "$EndNodes", "$EndNode").find("'$EndNodes'"), std::string::npos);
    EXPECT_NE(error(text, "$EndComment", "$End").find("does not end"), std::string::npos);
    EXPECT_THROW(parse_msh("", "x.msh"), InputError);
    EXPECT_THROW(parse_msh("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "x.msh"), InputError);
    std::string binary = format_msh(support::one_tet());
    const std::size_t nodes = binary.find("$Nodes\n") + 7;
    binary.replace(nodes + 8, 8, "\xff\xff\xff\xff\xff\xff\xff\x0f");
    EXPECT_NE(input_error_of([&] { parse_msh(binary, "x.msh"); }).find("byte"), std::string::npos);
}

TEST(Msh, DamagedFilesAreReadOrRefused) {
    TetMesh tets = support::one_tet();
    tets.region = {3};
    const std::vector<MeshPart> parts = {part_of("a", support::open_square(1)),
                                         part_of("b", support::open_square(1))};
    for (const std::string& sample :
         {std::string(kText), std::string(kOldText), format_msh(tets), format_msh(parts)}) {
        support::expect_damage_is_survived(sample, [](std::string_view bytes) {
            const MixedMesh mesh = parse_msh(bytes, "x.msh");
            require_valid(mesh.tets, "tets");
            support::require_valid_parts(surface_of(mesh, "x.msh"));
        });
    }
}

}  // namespace sinew
