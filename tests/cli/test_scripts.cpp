// What scripts rely on: exit codes, one JSON object, the same keys, schemas (docs/jobs.md).

#include "sinew/build/segment_masses.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/motion_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "tests/cli/run_sinew.h"
#include "tests/support/limb_body.h"
#include "tests/support/schema_check.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

using Json = nlohmann::ordered_json;
using support::Outcome;
using support::run_sinew;
using support::run_sinew_into;

std::string ball_in(const support::TemporaryFolder& folder) {
    const MeshPart part{.name = "ball", .mesh = support::sphere(2, 0.1)};
    write_surface(folder / "ball.ply", {&part, 1});
    return folder / "ball.ply";
}

std::string limb_in(const support::TemporaryFolder& folder) {
    Body limb = support::limb_body({.along = 6, .across = 10});
    for (Muscle& muscle : limb.muscles) {
        muscle.origin = 0;
        muscle.insertion = 1;
        muscle.volume = enclosed_volume(muscle.mesh);
    }
    limb.skeleton.joints.back().axes[0] = Vec3::UnitZ();
    limb.skeleton.joints.back().limits[0] = {-0.2, 2.0};
    limb.skeleton.segments = weigh_segments(limb);
    write_archive(folder / "limb.sinew", limb);
    return folder / "limb.sinew";
}

Json schema_of(const std::string& verb) {
    const Outcome outcome = run_sinew({"schema", verb});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
}

/// What is wrong with a value by one of the schema's definitions.
std::string complaint_by(const Json& schema, const std::string& definition, const Json& value) {
    return support::schema_complaint({{"$ref", "#/$defs/" + definition}}, value, schema,
                                     definition);
}

}  // namespace

TEST(Scripts, OptionsOfEveryVerbMayStandBeforeIt) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    const Outcome before = run_sinew({"--json", "--threads", "1", "info", ball});
    ASSERT_EQ(before.code, 0) << before.err;
    EXPECT_EQ(before.json(), run_sinew({"info", ball, "--json", "--threads", "1"}).json());
    const Outcome error = run_sinew({"-q", "--json", "info", "absent.ply"});
    EXPECT_EQ(error.code, 2);
    EXPECT_EQ(error.json()["exit"], 2);
}

// A limit on the size of files is a disk that fills up: nothing half-written stays.
TEST(Scripts, ADiskThatFillsUpLeavesNothingHalfWritten) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    const std::string output = folder / "copy.obj";
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 1024;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Outcome done = run_sinew({"convert", ball, output, "--json"});
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(done.code, 2) << done.out << done.err;
    EXPECT_FALSE(std::filesystem::exists(output));
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(ball).parent_path())) {
        files += entry.is_regular_file() ? 1 : 0;
    }
    EXPECT_EQ(files, 1u);  // the ball
}

// A scene of load steps as a time series: what .pvd names is there, and plays the steps.
TEST(Scripts, SolveWritesATimeSeries) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "scene.json",
                     R"({"version": 1, "mesh": ")" + std::string(SINEW_EXAMPLES) + R"(/beam.mesh",
        "materials": [{"law": "stable_neo_hookean", "young_modulus": 60e3, "poisson_ratio": 0.3}],
        "gravity": [0, -9.81, 0], "steps": 2,
        "fixed": [{"box": [[-0.001, -1, -1], [0.001, 1, 1]]}]})");
    const Outcome done =
        run_sinew({"solve", folder / "scene.json", "-o", folder / "beam.pvd", "--json"});
    ASSERT_EQ(done.code, 0) << done.err << done.out;
    EXPECT_EQ(done.json()["frames"], 3);
    EXPECT_EQ(done.json()["steps"], 2);
    for (const char* name : {"beam.pvd", "beam_0000.vtu", "beam_0001.vtu", "beam_0002.vtu"}) {
        EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    }
}

TEST(Scripts, AResultThatCannotBePrintedIsExitCodeOne) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    const int full = ::open("/dev/full", O_WRONLY);
    ASSERT_GE(full, 0);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"info", ball, "--json"},
          {"info", ball},
          {"--help"},
          {"schema", "grow"}}) {
        const Outcome on_full_disk = run_sinew_into(full, arguments);
        EXPECT_EQ(on_full_disk.code, 1) << arguments[0];
        EXPECT_NE(on_full_disk.err.find("standard output"), std::string::npos) << on_full_disk.err;
        const Outcome on_closed = run_sinew_into(-1, arguments);
        EXPECT_EQ(on_closed.code, 1) << arguments[0];
        EXPECT_NE(on_closed.err.find("standard output"), std::string::npos) << on_closed.err;
    }
    ::close(full);
    // Files that are written do not suffer, nor do they get what was meant for the screen.
    EXPECT_EQ(run_sinew_into(-1, {"convert", ball, folder / "closed.ply", "-q"}).code, 0);
    EXPECT_EQ(run_sinew({"convert", ball, folder / "open.ply"}).code, 0);
    EXPECT_EQ(read_file_bytes(folder / "closed.ply", 1 << 20),
              read_file_bytes(folder / "open.ply", 1 << 20));
}

TEST(Scripts, AReaderThatGoesAwayIsNoInternalError) {
    const support::TemporaryFolder folder;
    std::array<int, 2> ends = {};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ::close(ends[0]);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"info", ball_in(folder)}, {"schema", "contract"}, {"--help"}}) {
        const Outcome outcome = run_sinew_into(ends[1], arguments);
        EXPECT_EQ(outcome.code, 141) << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments[0];
    }
    ::close(ends[1]);
}

TEST(Scripts, WithJsonErrorsAreJsonToo) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    write_file_bytes(folder / "bad.json", R"({"version": 1, "name": "x", "muscels": {}})");
    write_file_bytes(folder / "bad.ply", "no mesh");
    const std::string limb = limb_in(folder);
    struct Case {
        std::vector<std::string> arguments;
        std::string file;  ///< that is named; empty: null
        std::string word;
    };
    const std::vector<Case> cases = {
        {{"info", folder / "bad.ply"}, folder / "bad.ply", "bad.ply"},
        {{"info", folder / "absent.ply"}, folder / "absent.ply", "absent.ply"},
        {{"grow", limb, "--recipe", folder / "bad.json", "-o", folder / "o.sinew"},
         folder / "bad.json",
         "did you mean 'muscles'"},
        {{"grow", limb, "--muscle", "bicpes=1.2", "-o", folder / "o.sinew"}, limb, "biceps"},
        {{"grow", limb, "--muscle", "biceps=9", "-o", folder / "o.sinew"}, "", "at most 5"},
        {{"info", ball, "--no-such-flag"}, "", "--no-such-flag"},
        {{"info"}, "", "file is required"},
        {{"inof", ball}, "", "did you mean 'info'"},
        {{"info", ball, "--threads", "-3"}, "", "--threads"},
    };
    const Json schema = schema_of("info");
    for (Case c : cases) {
        c.arguments.emplace_back("--json");
        const Outcome outcome = run_sinew(c.arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
        EXPECT_NE(outcome.err.find("sinew: "), std::string::npos) << "people are told too";
        const Json json = Json::parse(outcome.out);
        EXPECT_EQ(complaint_by(schema, "error", json), "") << outcome.out;
        EXPECT_EQ(json["exit"], 2);
        EXPECT_EQ(json["error"]["file"], c.file.empty() ? Json() : Json(c.file)) << outcome.out;
        EXPECT_NE(json["error"].dump().find(c.word), std::string::npos) << outcome.out;
    }
}

TEST(Scripts, UnknownOptionsGetASuggestion) {
    const auto expect = [](const std::vector<std::string>& arguments, const std::string& word) {
        const Outcome outcome = run_sinew(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find("did you mean '" + word + "'"), std::string::npos)
            << outcome.err;
    };
    expect({"info", "x.ply", "--jsn"}, "--json");
    expect({"grow", "x.sinew", "--musle", "biceps=1.1", "-o", "y.sinew"}, "--muscle");
    expect({"render", "x.ply", "-o", "x.png", "--veiw=front"}, "--view");
    expect({"schema", "gorw"}, "grow");
}

// Models and bodies say their own units and axes; a rig is moved by its weights.
TEST(Scripts, OptionsThatDoNothingAreRefused) {
    const support::TemporaryFolder folder;
    const std::string limb = limb_in(folder);
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"info", "no.osim", "--unit", "mm"}, "--unit"},
        {{"info", limb, "--up", "z"}, "--up"},
        {{"convert", "no.osim", folder / "a.xml", "--unit", "mm"}, "--unit"},
        {{"convert", "no.osim", folder / "a.osim", "--up", "z"}, "--up"},
        {{"skin", limb, "--rig", "--collisions", "global", "-o", folder / "a.glb"}, "--rig"},
    };
    for (const auto& [arguments, option] : cases) {
        const Outcome outcome = run_sinew(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments[0] << ": " << outcome.out << outcome.err;
        EXPECT_NE(outcome.err.find(option), std::string::npos) << outcome.err;
    }
}

TEST(Scripts, NonsenseIsRefusedBeforeTheWork) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    const std::string out = folder / "out";
    const std::string limb = limb_in(folder);
    // The models and motions are not there: that is found out later.
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"muscles", "no.osim", "--activation", "nan"}, "--activation"},
        {{"muscles", "no.osim", "--activation", "1.5"}, "--activation"},
        {{"muscles", "no.osim", "--sweep", "a", "--plot", folder / "a.jpg"}, ".png or .svg"},
        {{"rom", "no.osim", "--joint", "a", "--fibre-stretch", "-1"}, "--fibre-stretch"},
        {{"rom", "no.osim", "--joint", "a", "--width", "0.8"}, "--output"},
        {{"rom", "no.osim", "--joint", "a", "--width", "0", "-o", "a.osim"}, "--width"},
        {{"rom", "no.osim", "--joint", "a", "--tendon-stretch", "0"}, "--tendon-stretch"},
        {{"rom", "no.osim", "--joint", "a", "--fibre-stretch", "nan"}, "--fibre-stretch"},
        {{"activations", "no.osim", "--motion", "no.mot", "--low", "0.9", "--high", "0.1"},
         "--low"},
        {{"activations", "no.osim", "--motion", "no.mot", "-o", folder / "a.csv"}, ".sto"},
        {{"activations", "no.osim", "--motion", "no.mot", "-o", folder / "a.sto", "--forces",
          folder / "a.sto"},
         "two results"},
        {{"ik", "no.osim", "--markers", "no.trc", "-o", folder / "a.csv"}, ".mot"},
        {{"ik", "no.osim"}, "--markers"},
        {{"scale", "no.osim", "--markers", "no.trc", "--mass", "-3"}, "--mass"},
        {{"retarget", "no.osim", "-o", "out.osim"}, "--to"},
        {{"retarget", "no.osim", "--to", "alien", "-o", "out.txt"}, "--output"},
        {{"retarget", "no.osim", "--to", "alien", "--plot", "out.png"}, "--plot"},
        {{"retarget", "no.osim", "--to", "alien", "--mass", "70"}, "--mass"},
        {{"retarget", "no.osim", "--to", "alien", "--exam-tolerance", "2"}, "--exam-tolerance"},
        {{"retarget", "no.osim", "--to", "alien", "--pose-step", "2"}, "--pose-step"},
        {{"retarget", "no.osim", "--to", "alien", "--skills-plot", "s.png"}, "--skills-plot"},
        {{"retarget", "no.osim", "--to", "alien", "-o", "out.sinew"}, "--output"},
        {{"retarget", "no.osim", "--to", "alien", "--lines", "out.osim"}, "--lines"},
        {{"retarget", "no.osim", "--to", "alien", "--report", "out.pdf"}, "--report"},
        {{"contract", limb, "--muscles", "biceps", "--duration", "-1", "-o", out}, "--duration"},
        {{"contract", limb, "--muscles", "biceps", "--duration", "nan", "-o", out}, "--duration"},
        {{"contract", limb, "--muscles", "biceps", "--rate", "-1", "-o", out}, "--rate"},
        {{"contract", limb, "--muscles", "biceps", "--tets", "-1", "-o", out}, "--tets"},
        {{"contract", limb, "-o", out}, "no muscles"},
        {{"grow", limb, "--stature", "nan", "-o", folder / "x.sinew"}, "--stature"},
        {{"grow", limb, "--weight", "70", "--body-fat", "20", "-o", folder / "x.sinew"}, "both"},
        {{"grow", limb, "--jump", folder / "j.obj", "-o", folder / "x.sinew"}, ".glb"},
        {{"grow", limb, "--jump", folder / "no" / "j.glb", "-o", folder / "x.sinew"}, "j.glb"},
        {{"build", "--from", folder.path(), "--sex", "female", "-o", folder / "x.sinew"}, "--sex"},
        {{"build", "--stature", "9", "-o", folder / "x.sinew"}, "--stature"},
        {{"figure", "-o", "/proc/figure"}, "/proc/figure"},
        {{"people", "-o", "/proc/people"}, "/proc/people"},
        {{"info", ball, "--muscles", "no.xml"}, "--muscles"},
        {{"info", ball, "--seed", "3"}, "--seed"},
    };
    for (const auto& [arguments, word] : cases) {
        const Outcome outcome = run_sinew(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments[0] << ": " << outcome.out << outcome.err;
        EXPECT_NE(outcome.err.find(word), std::string::npos)
            << arguments[0] << " " << word << ": " << outcome.err;
        EXPECT_EQ(outcome.err.find("no.osim"), std::string::npos) << outcome.err;
    }
    EXPECT_FALSE(std::filesystem::exists(out) || std::filesystem::exists(folder / "x.sinew"));
}

// What a verb wrote is `output`, what it read is `input`, and both are paths.
TEST(Scripts, OutputIsAPathInEveryVerb) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    const std::string limb = limb_in(folder);
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"convert", ball}, folder / "a.obj"},
        {{"repair", ball, "-o"}, folder / "b.ply"},
        {{"remesh", ball, "--edge", "0.05", "-o"}, folder / "c.ply"},
        {{"render", ball, "--size", "20x20", "-o"}, folder / "d.png"},
        {{"export", limb, "-o"}, folder / "e.vtu"},
        {{"export", limb, "--parts", "bones", "-o"}, folder / "parts"},
        {{"convert", limb}, folder / "f.osim"},
        {{"grow", limb, "--muscle", "biceps=1.05", "-o"}, folder / "g.sinew"},
    };
    for (auto [arguments, output] : cases) {
        arguments.push_back(output);
        arguments.emplace_back("--json");
        const Outcome outcome = run_sinew(arguments);
        ASSERT_EQ(outcome.code, 0) << arguments[0] << outcome.err;
        EXPECT_EQ(outcome.json()["output"], output) << outcome.out;
        EXPECT_TRUE(std::filesystem::exists(output)) << output;
    }
    EXPECT_EQ(run_sinew({"info", ball, "--json"}).json()["input"], ball);
    EXPECT_EQ(run_sinew({"check", ball, "--json"}).json()["input"], ball);
    EXPECT_EQ(run_sinew({"convert", ball, folder / "h.stl", "--json"}).json()["input"], ball);
}

TEST(Scripts, QuietPrintsNothingButErrors) {
    const support::TemporaryFolder folder;
    const std::string ball = ball_in(folder);
    const std::string limb = limb_in(folder);
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"info", ball},
                                                      {"check", ball},
                                                      {"repair", ball, "-o", folder / "a.ply"},
                                                      {"convert", ball, folder / "b.ply"},
                                                      {"muscles", limb},
                                                      {"schema", "info"}}) {
        std::vector<std::string> quiet = arguments;
        quiet.emplace_back("-q");
        const Outcome outcome = run_sinew(quiet);
        EXPECT_LE(outcome.code, 1) << outcome.err;
        EXPECT_EQ(outcome.out, "") << arguments[0];
        EXPECT_NE(run_sinew(arguments).out, "") << arguments[0];
    }
    EXPECT_NE(run_sinew({"info", folder / "no.ply", "-q"}).err, "");
}

// Schemas are JSON Schema, and what the repository offers as job files keeps them.
TEST(Schema, JobFilesOfTheRepositoryKeepTheirs) {
    const auto check = [](const char* verb, const std::filesystem::path& file) {
        const Json schema = schema_of(verb);
        EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        const Json job = Json::parse(read_file_bytes(file, 1 << 20));
        EXPECT_EQ(support::schema_complaint(schema, job), "") << file;
        Json wrong = job;
        wrong["no_such_key"] = 1;
        EXPECT_NE(support::schema_complaint(schema, wrong), "") << file;
    };
    const std::filesystem::path examples = SINEW_EXAMPLES;
    check("solve", examples / "solve_beam.json");
    for (const char* name : {"arm", "bench", "curves", "torus"}) {
        check("contract", examples / (std::string("contract_") + name + ".json"));
    }
    int recipes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SINEW_RECIPES)) {
        if (entry.path().extension() == ".json") {
            check("grow", entry.path());
            ++recipes;
        }
    }
    EXPECT_GT(recipes, 3);
}

TEST(Schema, EveryVerbHasOneOfItsOptions) {
    const std::string help = run_sinew({"--help"}).out;
    for (const char* verb : {"figure", "build",   "export",         "info",    "check", "convert",
                             "repair", "remesh",  "tetrahedralise", "render",  "fit",   "grow",
                             "solve",  "muscles", "activations",    "rom",     "skin",  "contract",
                             "studio", "ik",      "scale",          "retarget"}) {
        const Json schema = schema_of(verb);
        ASSERT_TRUE(schema["$defs"].contains("options")) << verb;
        EXPECT_FALSE(schema["$defs"]["options"]["properties"].empty()) << verb;
        EXPECT_NE(help.find(verb), std::string::npos);
    }
    for (const char* verb : {"build", "grow", "solve", "contract", "skin", "ik", "scale", "people",
                             "muscles", "activations", "retarget"}) {
        EXPECT_TRUE(schema_of(verb)["$defs"].contains("job")) << verb;
    }
}

// A result that is described nowhere is one that scripts cannot rely on.
TEST(Schema, EveryVerbHasOneOfItsResult) {
    for (const char* verb :
         {"figure",      "build",    "export", "info", "check",   "convert",
          "repair",      "remesh",   "render", "fit",  "grow",    "tetrahedralise",
          "solve",       "muscles",  "rom",    "skin", "people",  "scale",
          "activations", "contract", "studio", "ik",   "retarget"}) {
        const Json result = schema_of(verb)["$defs"]["result"];
        EXPECT_TRUE(result.contains("properties")) << verb;
        EXPECT_EQ(result["additionalProperties"], false) << verb;
    }
}

TEST(Schema, ResultsKeepTheirs) {
    const support::TemporaryFolder folder;
    const std::string limb = limb_in(folder);
    write_file_bytes(folder / "bench.json",
                     R"({"version": 1, "activation": 0.5, "statics": true, "frames": 2,
                         "tets": 400, "measures_only": true})");
    const std::filesystem::path examples = SINEW_EXAMPLES;
    const std::vector<std::vector<std::string>> runs = {
        {"grow", limb, "--muscle", "biceps=1.1", "--fat", "arms=1.2", "-o", folder / "g.sinew"},
        {"solve", examples / "solve_beam.json", "-o", folder / "s.vtu"},
        {"contract", folder / "bench.json", "-o", folder / "c"},
        {"info", ball_in(folder)},
        {"info", limb},
        {"info", folder / "model.osim"},
        {"info", folder / "move.mot"},
        {"check", ball_in(folder)},
        {"check", limb},
        {"convert", ball_in(folder), folder / "b.ply"},
        {"convert", folder / "model.osim", folder / "m.xml"},
        {"repair", ball_in(folder), "-o", folder / "r.ply"},
        {"remesh", ball_in(folder), "--edge", "0.05", "-o", folder / "m.ply"},
        {"render", ball_in(folder), "--size", "64x64", "-o", folder / "p.png"},
        {"export", limb, "-o", folder / "e.vtu"},
        {"export", limb, "--parts", "muscles", "-o", folder / "parts"},
        {"tetrahedralise", ball_in(folder), "-o", folder / "t.msh"},
        {"muscles", folder / "model.osim"},
        {"muscles", folder / "model.osim", "--sweep", "elbow_l_0"},
        {"muscles", folder / "model.osim", "--motion", folder / "move.mot"},
        {"activations", folder / "model.osim", "--motion", folder / "move.mot"},
        {"rom", folder / "model.osim", "--joint", "elbow_l"}};
    ASSERT_EQ(run_sinew({"convert", limb, folder / "model.osim"}).code, 0);
    write_motion_table(folder / "move.mot", {.columns = {"elbow_l_0"},
                                             .times = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5},
                                             .values = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}});
    for (std::vector<std::string> arguments : runs) {
        arguments.emplace_back("--json");
        const Outcome outcome = run_sinew(arguments);
        ASSERT_LE(outcome.code, 1) << arguments[0] << ": " << outcome.err;
        const Json schema = schema_of(arguments[0]);
        EXPECT_EQ(complaint_by(schema, "result", Json::parse(outcome.out)), "")
            << arguments[0] << outcome.out;
    }
}

// A job from a file, a flag over it, and both as flags give the same bytes.
TEST(Jobs, FlagsOverrideTheFile) {
    const support::TemporaryFolder folder;
    const std::string limb = limb_in(folder);
    write_file_bytes(folder / "r.json",
                     R"({"version": 1, "name": "r", "muscles": {"biceps": 1.2, "all": 0.95},
                         "fat": {"arms": 1.5}, "iterations": 5})");
    const auto points = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"grow", limb, "-o", folder / "o.sinew"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run_sinew(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return read_archive(folder / "o.sinew").tets.points;
    };
    const Points by_flags = points({"--muscle", "all=0.95", "--muscle", "biceps=1.2", "--fat",
                                    "arms=1.1", "--iterations", "5"});
    EXPECT_EQ(points({"--recipe", folder / "r.json", "--fat", "arms=1.1"}), by_flags);
    EXPECT_EQ(points({"--fat", "arms=1.1", "--muscle", "biceps=1.2", "--muscle", "all=0.95",
                      "--iterations", "5"}),
              by_flags);
    EXPECT_NE(points({"--recipe", folder / "r.json"}), by_flags);
}

}  // namespace sinew
