#include "sinew/io/archive.h"
#include "sinew/pipeline/growth_recipe.h"

#include <gtest/gtest.h>

#include "tests/cli/run_sinew.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

using support::Outcome;
using support::run_sinew;

TEST(Cli, GrowKeepsItsContract) {
    const support::TemporaryFolder folder;
    write_archive(folder / "limb.sinew", support::limb_body());
    const Outcome grown =
        run_sinew({"grow", folder / "limb.sinew", "--muscle", "biceps=1.3", "--fat", "arms=1.4",
                   "--bone", "forearm=1.1", "--gravity", "-o", folder / "grown.sinew", "--json"});
    ASSERT_EQ(grown.code, 0) << grown.err;
    const nlohmann::json j = grown.json();
    for (const char* key : {"iterations", "converged", "seconds", "volume_error", "inverted_tets",
                            "refactorisations", "mass_kg", "body_fat", "muscles"}) {
        EXPECT_TRUE(j.contains(key)) << key;
    }
    EXPECT_EQ(j["refactorisations"], 0);
    EXPECT_LT(j["volume_error"].get<double>(), 0.01);
    ASSERT_EQ(j["muscles"].size(), 1u);
    EXPECT_EQ(j["muscles"][0]["name"], "biceps_brachii_l");
    EXPECT_GT(j["muscles"][0]["volume_ml_after"], j["muscles"][0]["volume_ml_before"]);
    // Healthy: no tetrahedron is inverted or flat, skin and envelope do not meet themselves.
    const Outcome check = run_sinew({"check", folder / "grown.sinew"});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
    // Rest without gravity, and beside it how far the skin hangs.
    const Body stored = read_archive(folder / "grown.sinew");
    const Attribute* sag = find_attribute(stored.maps, kSagMap);
    ASSERT_NE(sag, nullptr);
    EXPECT_EQ(sag->count(), stored.skin.tet_vertex.size());
    for (const char* name : {"grown.glb", "grown.obj", "grown.vtu", "grown.usda"}) {
        EXPECT_EQ(run_sinew({"grow", folder / "limb.sinew", "--muscle", "biceps=1.1", "-o",
                             folder / name})
                      .code,
                  0)
            << name;
    }
}

TEST(Cli, GrowRefusesNonsense) {
    const support::TemporaryFolder folder;
    write_archive(folder / "limb.sinew", support::limb_body({.along = 6, .across = 10}));
    const auto refused = [&](const std::string& flag, const std::string& value,
                             const std::string& word) {
        const Outcome o =
            run_sinew({"grow", folder / "limb.sinew", flag, value, "-o", folder / "out.sinew"});
        EXPECT_EQ(o.code, 2) << value;
        EXPECT_NE(o.err.find(word), std::string::npos) << o.err;
        EXPECT_FALSE(std::filesystem::exists(folder / "out.sinew"));
    };
    refused("--muscle", "bicpes=1.2", "did you mean 'biceps");
    refused("--muscle", "biceps=0", "0.1");
    refused("--muscle", "biceps", "NAME=VALUE");
    refused("--fat", "bely=2", "belly");
    refused("--bone", "forarm=1.1", "forearm");
    refused("--recipe", "no_such.json", "no_such.json");
}

}  // namespace sinew
