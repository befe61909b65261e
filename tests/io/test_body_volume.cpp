#include "sinew/base/error.h"
#include "sinew/body/tissue_cells.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/body_volume.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

std::size_t times_in(std::string_view text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

// Number of the physical group of that name, or 0.
int group_named(const std::string& msh, const std::string& name) {
    const std::size_t at = msh.find(fmt::format(" \"{}\"\n", name));
    if (at == std::string::npos) {
        return 0;
    }
    const std::size_t line = msh.rfind('\n', at) + 1;
    std::istringstream words(msh.substr(line, at - line));
    int dimension = 0;
    int number = 0;
    words >> dimension >> number;
    return dimension == 3 ? number : 0;
}

}  // namespace

// Volumes of the groups, read back, are those of the body's own tissues and muscles.
TEST(BodyVolume, GmshGroupsAreNamedAfterMusclesAndTissues) {
    const support::TemporaryFolder folder;
    const Body limb = support::limb_body();
    write_body_volume(folder / "limb.msh", limb);
    const std::string bytes = read_file_bytes(folder / "limb.msh");
    const TetMesh back = read_tets(folder / "limb.msh");
    ASSERT_EQ(back.tets.rows(), limb.tets.tets.rows());
    ASSERT_EQ(back.region.size(), static_cast<std::size_t>(back.tets.rows()));
    const std::vector<Attribute> cells = tissue_cells(limb);
    const Eigen::VectorXd rest = tet_volumes(limb.tets);
    const Eigen::VectorXd written = tet_volumes(back);
    for (std::size_t m = 0; m < limb.muscles.size(); ++m) {
        const int group = group_named(bytes, limb.muscles[m].name);
        ASSERT_GT(group, 0) << limb.muscles[m].name;
        double of_group = 0.0;
        double of_body = 0.0;
        for (Eigen::Index t = 0; t < rest.size(); ++t) {
            const auto i = static_cast<std::size_t>(t);
            of_group += back.region[i] == group ? written[t] : 0.0;
            const bool is_belly = cells[0].values[i] == static_cast<double>(Tissue::Muscle) &&
                                  cells[1].values[i] == static_cast<double>(m);
            of_body += is_belly ? rest[t] : 0.0;
        }
        EXPECT_GT(of_body, 0.0);
        EXPECT_NEAR(of_group, of_body, 1e-12 + 1e-9 * of_body);
    }
    EXPECT_GT(group_named(bytes, limb.muscles[0].name + " tendon"), 0);
    EXPECT_GT(group_named(bytes, "fat"), 0);
    EXPECT_GT(group_named(bytes, "bone"), 0);
    EXPECT_EQ(group_named(bytes, "region_1"), 0);
    for (const char* name : {"tissue", "muscle", "muscle_fraction", "bone_fraction", "fibre"}) {
        EXPECT_NE(bytes.find(fmt::format("$ElementData\n1\n\"{}\"\n", name)), std::string::npos);
    }
    EXPECT_EQ(times_in(bytes, "$EndElementData"), times_in(bytes, "$ElementData"));
}

TEST(BodyVolume, VtuNamesMusclesAndTissues) {
    const support::TemporaryFolder folder;
    const Body limb = support::limb_body();
    write_body_volume(folder / "limb.vtu", limb);
    const std::string bytes = read_file_bytes(folder / "limb.vtu");
    const std::size_t begin = bytes.find("Name=\"muscle_names\" NumberOfTuples=\"2\"");
    ASSERT_NE(begin, std::string::npos);
    std::istringstream codes(bytes.substr(bytes.find('>', begin) + 1));
    std::vector<std::string> names(1);
    for (int code = 0; codes >> code;) {
        if (code == 0) {
            names.emplace_back();
        } else {
            names.back() += static_cast<char>(code);
        }
    }
    EXPECT_EQ(names, (std::vector<std::string>{limb.muscles[0].name, limb.muscles[1].name, ""}));
    EXPECT_NE(bytes.find("Name=\"tissue_names\" NumberOfTuples=\"5\""), std::string::npos);
    // Other formats still hold the tetrahedra, and a body without any is refused.
    write_body_volume(folder / "limb.mesh", limb);
    EXPECT_EQ(read_tets(folder / "limb.mesh").tets.rows(), limb.tets.tets.rows());
    EXPECT_THROW(write_body_volume(folder / "none.vtu", Body{}), InputError);
}

}  // namespace sinew
