#include "sinew/io/archive.h"
#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/run_sinew.h"
#include "tests/support/small_body.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/words.h"

namespace sinew {

namespace {}  // namespace

TEST(CliExport, TetrahedraCarryTheirTissues) {
    const support::TemporaryFolder folder;
    write_archive(folder / "b.sinew", support::small_body(2));
    const support::Outcome outcome =
        support::run_sinew({"export", folder / "b.sinew", "-o", folder / "b.vtu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["tets"], support::small_body(2).tets.tets.rows());
    const std::string vtu = support::bytes_of(folder / "b.vtu");
    for (const char* name : {"tissue", "muscle", "muscle_fraction", "bone_fraction", "fibre"}) {
        EXPECT_NE(vtu.find(std::string("Name=\"") + name + "\""), std::string::npos) << name;
    }
}

TEST(CliExport, PartsAreWrittenOneFileEach) {
    const support::TemporaryFolder folder;
    const Body body = support::small_body(2);
    write_archive(folder / "b.sinew", body);
    for (const char* parts : {"muscles", "bones", "skin", "envelope"}) {
        const support::Outcome outcome = support::run_sinew(
            {"export", folder / "b.sinew", "--parts", parts, "-o", folder / parts});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    const std::vector<MeshPart> psoas =
        read_surface(std::filesystem::path(folder / "muscles") / "psoas_major_l.ply");
    EXPECT_EQ(psoas.front().mesh.triangles, body.muscles.front().mesh.triangles);
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder / "bones") / "sacrum.ply"));
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder / "skin") / "skin.ply"));
}

TEST(CliExport, ABodyOnASheetShowsItsLayers) {
    const support::TemporaryFolder folder;
    write_archive(folder / "b.sinew", support::small_body(2));
    const support::Outcome outcome =
        support::run_sinew({"render", folder / "b.sinew", "--sheet", "--size", "60x80", "-o",
                            folder / "b.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(outcome.json()["width"], 180);  // three pictures side by side
}

TEST(CliBuild, RefusesNonsense) {
    const support::TemporaryFolder folder;
    const std::string out = folder / "b.sinew";
    EXPECT_EQ(support::run_sinew({"build"}).code, 2);
    EXPECT_EQ(support::run_sinew({"build", "--resolution", "huge", "-o", out}).code, 2);
    EXPECT_EQ(support::run_sinew({"build", "--from", folder / "none", "-o", out}).code, 2);
    EXPECT_EQ(support::run_sinew({"build", "--stature", "9", "-o", out}).code, 2);
    EXPECT_EQ(support::run_sinew({"build", "-o", folder / "no" / "b.sinew"}).code, 2);
    EXPECT_EQ(support::run_sinew({"export", folder / "absent.sinew", "-o", out}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace sinew
