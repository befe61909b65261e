// The verbs of musculoskeletal models, as a user runs them, on a small arm written here.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/cli/run_sinew.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/words.h"

namespace sinew {

namespace {

using support::run_sinew;

// One link on a hinge at the origin; a flexor from (0.3, 0, 0) to 0.1 m down the link.
constexpr const char* kArm = R"(<?xml version="1.0"?>
<OpenSimDocument Version="40000"><Model name="arm"><BodySet><objects>
<Body name="link"><mass>2</mass><mass_center>0 -0.2 0</mass_center><inertia>0.03 0.003 0.03 0 0 0</inertia></Body>
</objects></BodySet><JointSet><objects>
<PinJoint name="hinge"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/link</socket_child_frame>
<coordinates><Coordinate name="angle"><range>-0.5 1.2</range><clamped>true</clamped></Coordinate></coordinates></PinJoint>
</objects></JointSet><ForceSet><objects><Thelen2003Muscle name="flexor"><GeometryPath><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0.3 0 0</location></PathPoint>
<PathPoint name="b"><socket_parent_frame>/bodyset/link</socket_parent_frame><location>0 -0.1 0</location></PathPoint>
</objects></PathPointSet></GeometryPath><max_isometric_force>500</max_isometric_force>
<optimal_fiber_length>0.15</optimal_fiber_length><tendon_slack_length>0.16</tendon_slack_length></Thelen2003Muscle>
</objects></ForceSet></Model></OpenSimDocument>
)";

struct CliModels : testing::Test {
    CliModels() {
        std::ofstream(folder.path() / "arm.osim") << kArm;
        std::ofstream motion(folder.path() / "lift.mot");
        motion << "lift\nversion=1\nnRows=41\nnColumns=2\ninDegrees=yes\nendheader\ntime\tangle\n";
        for (int i = 0; i <= 40; ++i) {
            motion << 0.025 * i << "\t" << 20.0 + 20.0 * std::sin(2.0 * i / 40.0) << "\n";
        }
    }
    const support::TemporaryFolder folder;
    const std::string arm = folder / "arm.osim";
    const std::string lift = folder / "lift.mot";
};

TEST_F(CliModels, MusclesListsLengthsAndMomentArmsAtAPose) {
    const support::Outcome outcome =
        run_sinew({"muscles", arm, "--coordinate", "angle=30", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json m = outcome.json()["muscles"]["flexor"];
    // The law of cosines: between 0.3 m along x and 0.1 m at 30 - 90 degrees.
    const double length = std::sqrt(0.09 + 0.01 - 0.06 * std::cos(M_PI / 3));
    EXPECT_NEAR(m["length_m"], length, 1e-12);
    EXPECT_NEAR(m["moment_arms"]["angle"], 0.03 * std::sin(M_PI / 3) / length, 1e-12);
    EXPECT_EQ(m["force_max_n"], 500.0);
    EXPECT_EQ(m["fibre_m"], 0.15);
    EXPECT_EQ(m["tendon_m"], 0.16);
    std::ofstream(folder.path() / "pose.json") << R"({"angle": 30})";
    const support::Outcome posed =
        run_sinew({"muscles", arm, "--pose", folder / "pose.json", "--json"});
    EXPECT_EQ(posed.json()["muscles"], outcome.json()["muscles"]);
    EXPECT_EQ(run_sinew({"muscles", arm, "--coordinate", "angel=30"}).code, 2);
    EXPECT_EQ(run_sinew({"muscles", arm, "--plot", folder / "p.png"}).code, 2);
}

TEST_F(CliModels, SweepsArePlottedAsPixelsAndAsVectors) {
    for (const std::string ending : {"png", "svg"}) {
        const std::string file = folder / ("arms." + ending);
        const support::Outcome outcome =
            run_sinew({"muscles", arm, "--sweep", "angle", "--plot", file, "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.json()["sweep"]["muscles"]["flexor"]["moment_arm_m"].size(), 91U);
    }
    EXPECT_EQ(support::bytes_of(folder / "arms.png").substr(1, 3), "PNG");
    const std::string svg = support::bytes_of(folder / "arms.svg");
    EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
    for (const char* label : {"angle (degrees)", "moment arm (mm)", ">flexor<", "</svg>"}) {
        EXPECT_NE(svg.find(label), std::string::npos) << label;
    }
}

TEST_F(CliModels, ActivationsAreWrittenAsTables) {
    const support::Outcome outcome =
        run_sinew({"activations", arm, "--motion", lift, "-o", folder / "a.sto", "--forces",
                   folder / "f.sto", "--moments", folder / "id.sto", "--filter", "6", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["frames"], 41);
    EXPECT_EQ(outcome.json()["unsolved_frames"], 0);
    const double peak = outcome.json()["peak_activation"]["flexor"];
    EXPECT_GT(peak, 0.05);
    EXPECT_LT(peak, 1.0);
    for (const char* file : {"a.sto", "f.sto", "id.sto"}) {
        EXPECT_NE(support::bytes_of(folder / file).find("endheader"), std::string::npos) << file;
    }
    EXPECT_EQ(
        run_sinew({"activations", arm, "--motion", folder / "none.mot", "-o", folder / "b.sto"})
            .code,
        2);
    EXPECT_FALSE(std::filesystem::exists(folder / "b.sto"));
    // Times that do not rise are those of a file, whatever its first line calls it.
    std::ofstream(folder.path() / "back.mot")
        << "lift\nversion=1\nnRows=2\nnColumns=2\nendheader\ntime\tangle\n1\t0\n0\t0\n";
    const support::Outcome back =
        run_sinew({"activations", arm, "--motion", folder / "back.mot", "-o", folder / "b.sto"});
    EXPECT_EQ(back.code, 2);
    EXPECT_NE(back.err.find("back.mot"), std::string::npos) << back.err;
}

TEST_F(CliModels, LoadsReachTheJointsAndUnitsAreNotGuessedInSilence) {
    // 10 N upwards, 0.1 m beside the hinge, lift with 1 N m.
    std::ofstream(folder.path() / "grf.sto")
        << "grf\nversion=1\nnRows=2\nnColumns=7\nendheader\n"
           "time\tf_vx\tf_vy\tf_vz\tf_px\tf_py\tf_pz\n0\t0\t10\t0\t0.1\t0\t0\n"
           "1\t0\t10\t0\t0.1\t0\t0\n";
    std::ofstream(folder.path() / "loads.json") << R"({"version": 1, "data": "grf.sto",
               "loads": [{"name": "push", "body": "link", "force": "f_v", "point": "f_p"}]})";
    const auto moment = [&](std::vector<std::string> more) {
        std::vector<std::string> call = {"activations", arm, "--motion", lift,
                                         "--filter",    "0", "--json"};
        call.insert(call.end(), more.begin(), more.end());
        const support::Outcome outcome = run_sinew(call);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json();
    };
    const nlohmann::json without = moment({});
    const nlohmann::json with = moment({"--loads-setup", folder / "loads.json"});
    EXPECT_EQ(without["loads"], 0);
    EXPECT_EQ(with["loads"], 1);
    EXPECT_NEAR(without["peak_moment"]["angle_moment"].get<double>() -
                    with["peak_moment"]["angle_moment"].get<double>(),
                1.0, 1e-9);
    EXPECT_EQ(run_sinew({"activations", arm, "--motion", lift, "--loads", folder / "grf.sto"}).code,
              2);
    // Radians of 20 to 40 are no motion of an arm; without a header they are degrees, and said so.
    std::string text = support::bytes_of(lift);
    text.replace(text.find("inDegrees=yes"), 13, "inDegrees=no");
    std::ofstream(folder.path() / "radians.mot") << text;
    EXPECT_EQ(run_sinew({"activations", arm, "--motion", folder / "radians.mot"}).code, 2);
    text.erase(text.find("inDegrees=no"), 13);
    std::ofstream(folder.path() / "unsaid.mot") << text;
    const support::Outcome unsaid =
        run_sinew({"activations", arm, "--motion", folder / "unsaid.mot", "--json"});
    EXPECT_EQ(unsaid.code, 0) << unsaid.err;
    EXPECT_NE(unsaid.json()["notes"].dump().find("taken as degrees"), std::string::npos);
}

TEST_F(CliModels, MusclesOverAMotionAreATable) {
    const support::Outcome outcome = run_sinew(
        {"muscles", arm, "--motion", lift, "-o", folder / "m.sto", "--reactions", folder / "r.sto",
         "--quantity", "length", "--quantity", "moment_arm", "--plot", folder / "m.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["columns"], 2);
    EXPECT_NE(support::bytes_of(folder / "m.sto").find("flexor_moment_arm_angle"),
              std::string::npos);
    EXPECT_NE(support::bytes_of(folder / "r.sto").find("hinge_fx"), std::string::npos);
    EXPECT_EQ(run_sinew({"muscles", arm, "--motion", lift, "--quantity", "lenght"}).code, 2);
    const support::Outcome info = run_sinew({"info", folder / "m.sto", "--json"});
    EXPECT_EQ(info.json()["kind"], "table");
    EXPECT_EQ(info.json()["frames"], 41);
}

TEST_F(CliModels, RangesOfMotionNameTheMuscleThatStops) {
    const support::Outcome outcome =
        run_sinew({"rom", arm, "--joint", "hinge", "--fibre-stretch", "1.1", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json range = outcome.json()["ranges"][0];
    EXPECT_EQ(range["low_muscle"], "flexor");
    EXPECT_GT(range["low"], -0.5 * 180.0 / M_PI);
    EXPECT_EQ(run_sinew({"rom", arm, "--joint", "knee"}).code, 2);
}

TEST_F(CliModels, ConvertsBackAndForthAndToAScenePlayingTheMotion) {
    ASSERT_EQ(run_sinew({"convert", arm, folder / "arm.xml"}).code, 0);
    ASSERT_EQ(run_sinew({"convert", folder / "arm.xml", folder / "again.osim"}).code, 0);
    const auto length = [&](const std::string& file) {
        return run_sinew({"muscles", file, "--coordinate", "angle=30", "--json"})
            .json()["muscles"]["flexor"]["length_m"]
            .get<double>();
    };
    EXPECT_NEAR(length(folder / "again.osim"), length(arm), 1e-12);
    ASSERT_EQ(run_sinew({"convert", arm, folder / "arm.glb"}).code, 0);
    ASSERT_EQ(run_sinew({"convert", arm, folder / "lift.glb", "--motion", lift}).code, 0);
    EXPECT_EQ(support::bytes_of(folder / "arm.glb").find("\"animations\""), std::string::npos);
    EXPECT_NE(support::bytes_of(folder / "lift.glb").find("\"animations\""), std::string::npos);
    EXPECT_EQ(run_sinew({"convert", arm, folder / "b.xml", "--motion", lift}).code, 2);
}

TEST_F(CliModels, CheckSaysWhatIsWrongAndFails) {
    EXPECT_EQ(run_sinew({"check", arm, "--json"}).code, 0);
    std::string broken = kArm;
    broken.replace(broken.find("0.15</opt"), 4, "1.10");
    std::ofstream(folder.path() / "long.osim") << broken;
    const support::Outcome outcome = run_sinew({"check", folder / "long.osim", "--json"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.json()["healthy"], false);
    EXPECT_NE(outcome.out.find("flexor"), std::string::npos);
}

}  // namespace

}  // namespace sinew
