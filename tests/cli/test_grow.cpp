#include "sinew/build/segment_masses.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/archive.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/osim.h"
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

// The volumetric body and the line muscles are one thing: a thicker muscle pulls in proportion to
// its cross-section, a longer bone has longer muscles and more inertia beyond its joint.
TEST(Cli, AGrownBodyBecomesAModelWithNewStrengthsLengthsAndInertias) {
    const support::TemporaryFolder folder;
    Body limb = support::limb_body();
    for (Muscle& muscle : limb.muscles) {
        muscle.origin = 0;
        muscle.insertion = 1;
        muscle.volume = enclosed_volume(muscle.mesh);
    }
    limb.skeleton.joints.back().axes[0] = Vec3::UnitZ();
    limb.skeleton.joints.back().limits[0] = {-0.2, 2.0};
    limb.skeleton.segments = weigh_segments(limb);
    write_archive(folder / "limb.sinew", limb);
    ASSERT_EQ(run_sinew({"grow", folder / "limb.sinew", "--muscle", "biceps=1.5", "-o",
                         folder / "strong.sinew"})
                  .code,
              0);
    ASSERT_EQ(run_sinew({"grow", folder / "limb.sinew", "--bone", "forearm=1.1", "-o",
                         folder / "long.sinew"})
                  .code,
              0);
    const auto model_of = [&](const std::string& name) {
        EXPECT_EQ(
            run_sinew({"convert", folder / (name + ".sinew"), folder / (name + ".osim")}).code, 0);
        EXPECT_EQ(run_sinew({"convert", folder / (name + ".sinew"), folder / (name + ".xml")}).code,
                  0);
        const MusculoskeletalModel model = read_osim(folder / (name + ".osim"));
        // MuJoCo's file says the same; its muscles have no pennation, so their force is along the
        // tendon.
        const MusculoskeletalModel other = read_mjcf(folder / (name + ".xml"));
        EXPECT_EQ(other.muscles.size(), 2U);
        for (std::size_t m = 0; m < other.muscles.size(); ++m) {
            const double along = model.muscles[m].fmax * std::cos(model.muscles[m].pennation);
            EXPECT_NEAR(other.muscles[m].fmax, along, 1e-6 * along);
        }
        EXPECT_NEAR(other.bodies[1].mass, model.bodies[1].mass, 1e-9);
        return model;
    };
    const MusculoskeletalModel before = model_of("limb");
    const MusculoskeletalModel strong = model_of("strong");
    const MusculoskeletalModel longer = model_of("long");
    const auto length = [](const MuscleUnit& unit) {
        return unit.tendon + unit.fibre * std::cos(unit.pennation);
    };
    ASSERT_EQ(before.muscles.size(), 2U);
    const MuscleUnit& biceps = before.muscles[0];
    const MuscleUnit& grown = strong.muscles[0];
    const double volume = read_archive(folder / "strong.sinew").muscles[0].volume /
                          read_archive(folder / "limb.sinew").muscles[0].volume;
    EXPECT_GT(volume, 1.6);
    EXPECT_NEAR(grown.fibre, biceps.fibre, 0.03 * biceps.fibre);
    // Contractile tissue grows by alpha^2, tendons stay.
    EXPECT_NEAR(grown.fmax / biceps.fmax, 1.5 * 1.5 * biceps.fibre / grown.fibre, 0.02);
    EXPECT_NEAR(strong.muscles[1].fmax, before.muscles[1].fmax, 0.05 * before.muscles[1].fmax);
    double heavier = 0.0;
    for (std::size_t b = 0; b < 2; ++b) {
        heavier += strong.bodies[b].mass - before.bodies[b].mass;
    }
    const double more = (volume - 1.0) * limb.muscles[0].volume * 1060.0;
    EXPECT_NEAR(heavier, more, 0.25 * more);
    // The forearm's half of 40 cm grows by 2 cm, and both muscles with it.
    for (std::size_t m = 0; m < 2; ++m) {
        const double grew = length(longer.muscles[m]) - length(before.muscles[m]);
        EXPECT_GT(grew, 0.012) << before.muscles[m].name;
        EXPECT_LT(grew, 0.028) << before.muscles[m].name;
    }
    // A rod: mass with its length, inertia across with the cube of it.
    EXPECT_NEAR(longer.bodies[1].mass / before.bodies[1].mass, 1.1, 0.04);
    EXPECT_NEAR(longer.bodies[1].inertia(0, 0) / before.bodies[1].inertia(0, 0), 1.331, 0.12);
    EXPECT_NEAR(longer.bodies[1].com.y() / before.bodies[1].com.y(), 1.1, 0.04);
}

// Neither the name of the output nor the number of threads is part of a body.
TEST(Cli, AGrownBodyHasTheSameBytesForAnyThreadsAndName) {
    const support::TemporaryFolder folder;
    write_archive(folder / "limb.sinew", support::limb_body());
    const std::vector<std::string> grow = {"grow", folder / "limb.sinew", "--muscle", "biceps=1.1"};
    const auto bytes_with = [&](std::vector<std::string> more, const std::string& name) {
        std::vector<std::string> arguments = grow;
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run_sinew(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return read_file_bytes(folder / name);
    };
    const std::string one =
        bytes_with({"--threads", "1", "-o", folder / "a.sinew", "--json"}, "a.sinew");
    const std::string two =
        bytes_with({"--threads=2", "-q", "--output", folder / "b.sinew"}, "b.sinew");
    EXPECT_TRUE(one == two);
    const std::string command = read_archive(folder / "a.sinew").provenance.command;
    EXPECT_TRUE(command.ends_with("--muscle biceps=1.1")) << command;
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
