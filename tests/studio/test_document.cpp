#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/pipeline/growth_recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "studio/server/access.h"
#include "studio/server/document.h"
#include "studio/server/geometry_frames.h"
#include "studio/server/send_queue.h"
#include "studio/server/workspace.h"
#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

TEST(StudioDocument, ADragIsOneStepHoweverManyValuesItPassesThrough) {
    Document document;
    document.edit({{"muscle:biceps", 1.1}}, true);
    document.edit({{"muscle:biceps", 1.2}}, true);
    document.edit({{"muscle:biceps", 1.3}}, false);
    document.edit({{"stature", 1.8}}, false);
    EXPECT_EQ(document.undo_count(), 2u);
    EXPECT_TRUE(document.undo());
    EXPECT_EQ(document.now().values, (std::map<std::string, double>{{"muscle:biceps", 1.3}}));
    EXPECT_TRUE(document.undo());
    EXPECT_TRUE(document.now().values.empty());
    EXPECT_FALSE(document.undo());
    EXPECT_TRUE(document.redo());
    EXPECT_TRUE(document.redo());
    EXPECT_FALSE(document.redo());
    EXPECT_EQ(document.now().values.at("stature"), 1.8);
}

TEST(StudioDocument, ANewEditEndsWhatCouldBeRedone) {
    Document document;
    document.edit({{"stature", 1.8}}, false);
    document.undo();
    document.edit({{"stature", 1.7}}, false);
    EXPECT_EQ(document.redo_count(), 0u);
    EXPECT_EQ(document.undo_count(), 1u);
}

TEST(StudioDocument, AnEditThatChangesNothingIsNoStep) {
    Document document;
    document.edit({{"stature", std::nullopt}}, false);
    EXPECT_EQ(document.undo_count(), 0u);
    document.reset();
    EXPECT_EQ(document.undo_count(), 0u);
}

TEST(StudioDocument, WeightAndBodyFatExcludeEachOther) {
    Document document;
    document.edit({{"weight", 80.0}}, false);
    document.edit({{"body_fat", 0.2}}, false);
    EXPECT_EQ(document.now().values, (std::map<std::string, double>{{"body_fat", 0.2}}));
    document.undo();
    EXPECT_EQ(document.now().values, (std::map<std::string, double>{{"weight", 80.0}}));
}

TEST(StudioDocument, PaintingIsOneStepPerStrokeAndABlankMapIsNone) {
    Document document;
    document.paint({0, 1}, {0.5, 1.0}, 4, 2.0, false);
    document.paint({2}, {7.0}, 4, 2.0, true);
    ASSERT_NE(document.now().painted, nullptr);
    EXPECT_EQ(*document.now().painted, (std::vector<double>{0.5, 1.0, 1.0, 0.0}));
    EXPECT_EQ(document.undo_count(), 1u);
    document.paint({0, 1, 2}, {0.0, 0.0, 0.0}, 4, 2.0, true);
    EXPECT_EQ(document.now().painted, nullptr);
    document.undo();
    EXPECT_NE(document.now().painted, nullptr);
}

TEST(StudioDocument, TheHistoryIsBounded) {
    Document document;
    for (int i = 0; i < 2000; ++i) {
        document.edit({{"stature", 1.5 + 1e-4 * i}}, false);
    }
    EXPECT_LE(document.undo_count(), 500u);
}

TEST(StudioDocument, AFinerWishWinsOverAWiderOne) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    Edits edits;
    edits.values = {{"muscle:all", 1.4}, {"muscle:biceps_l", 0.8}};
    const std::vector<double> alpha = muscle_alphas(body, plan_of(edits, body).muscles);
    EXPECT_EQ(alpha, (std::vector<double>{0.8, 1.4}));
    EXPECT_EQ(edits_of(plan_of(edits, body)).values, edits.values);
}

// The command carries out a recipe, the studio the edits that it becomes there.
TEST(StudioDocument, ARecipeGivesTheSamePlanAndBodyInBothDoors) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    // The bone and its limb, both words of one part, and a group with its muscle: in every order.
    const std::array<const char*, 2> recipes = {
        R"({"version": 1, "name": "a", "muscles": {"biceps": 1.3, "all": 0.9},
            "bones": {"forearm_l": 1.1, "arms": 1.02}, "fat": {"uniform": 1.2, "arms": 1.3},
            "fat_model": "volume"})",
        R"({"version": 1, "name": "b", "muscles": {"all": 0.9, "biceps": 1.3},
            "bones": {"arms": 1.02, "forearm_l": 1.1}, "fat": {"arms": 1.3, "uniform": 1.2},
            "fat_model": "volume"})"};
    const GrowthPlan first = ordered_plan(parse_growth_recipe(recipes[0], "a").plan, body);
    for (const char* text : recipes) {
        const GrowthRecipe recipe = parse_growth_recipe(text, "recipe");
        EXPECT_EQ(ordered_plan(recipe.plan, body), first);
        EXPECT_EQ(plan_of(edits_of(recipe.plan), body), first);
    }
    const std::vector<BodyPart> parts = body_parts(body);
    const std::vector<double> scale = bone_scales(body, parts, first.bones);
    for (const std::size_t p : find_body_parts(body, parts, "forearm_l", "test")) {
        EXPECT_EQ(scale[p], 1.1);
    }
    EXPECT_NE(std::find(scale.begin(), scale.end(), 1.02), scale.end());
    // The same bytes from the command's call and from the studio's.
    const GrowthRecipe other = parse_growth_recipe(recipes[1], "b");
    const Body by_command = grow(body, parse_growth_recipe(recipes[0], "a").plan).body;
    const Body by_studio = grow(body, plan_of(edits_of(other.plan), body)).body;
    EXPECT_EQ(by_command.tets.points, by_studio.tets.points);
    EXPECT_NE(by_command.tets.points, body.tets.points);
}

TEST(StudioDocument, SlidersHaveTheSoftRangesOfTheFieldsAndChecksTheHardOnes) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    EXPECT_EQ(range_of("muscle").high, field_named<GrowthPlan>("muscles").soft_max);
    EXPECT_EQ(range_of("weight").low, 30.0);
    EXPECT_NO_THROW(require_known({"muscle:biceps", 5.0}, body));
    EXPECT_THROW(require_known({"muscle:biceps", 5.1}, body), InputError);
    EXPECT_THROW(require_known({"gravity", 2.0}, body), InputError);
}

TEST(StudioDocument, UnknownTargetsAndValuesOutOfRangeAreRefused) {
    const Body body = support::limb_body({.along = 6, .across = 10});
    for (const Change& bad :
         {Change{"muscle:bicpes", 1.0}, Change{"muscle:", 1.0}, Change{"magic", 1.0},
          Change{"fat:ears", 1.0}, Change{"bone:wing", 1.0}, Change{"muscle:biceps", 99.0},
          Change{"stature", -1.0}, Change{"stature:x", 1.7}}) {
        EXPECT_THROW(require_known(bad, body), InputError) << bad.target;
    }
    EXPECT_NO_THROW(require_known({"muscle:biceps", 1.5}, body));
    EXPECT_NO_THROW(require_known({"stature", std::nullopt}, body));
}

HttpRequest get(const std::string& target) {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    return request;
}

TEST(StudioAccess, OnlyTheServersOwnAddressMayBeNamed) {
    const AccessPolicy local{.host = "127.0.0.1", .port = 8080};
    const auto passes = [&](const AccessPolicy& policy, const char* host, const char* origin = "") {
        HttpRequest request = get("/");
        request.host = host;
        request.origin = origin;
        return !refuse_stranger(policy, request);
    };
    EXPECT_TRUE(passes(local, "127.0.0.1:8080"));
    EXPECT_TRUE(passes(local, "localhost:8080", "http://localhost:8080"));
    EXPECT_TRUE(passes(local, "[::1]:8080"));
    EXPECT_FALSE(passes(local, "evil.example:8080"));
    EXPECT_FALSE(passes(local, "127.0.0.1:8081"));
    EXPECT_FALSE(passes(local, "127.0.0.1"));
    EXPECT_FALSE(passes(local, "127.0.0.1.evil.example:8080"));
    EXPECT_FALSE(passes(local, "192.168.1.7:8080"));
    EXPECT_FALSE(passes(local, ""));
    EXPECT_FALSE(passes(local, "127.0.0.1:8080", "http://evil.example"));
    EXPECT_FALSE(passes(local, "127.0.0.1:8080", "https://127.0.0.1:8080"));
    EXPECT_FALSE(passes(local, "127.0.0.1:8080", "null"));
    const AccessPolicy open{.host = "0.0.0.0", .port = 8080, .token = "secret"};
    EXPECT_TRUE(passes(open, "192.168.1.7:8080"));
    EXPECT_FALSE(passes(open, "rebound.example:8080"));
}

TEST(StudioAccess, WhereATokenIsNeededNothingElseWillDo) {
    const AccessPolicy policy{.host = "0.0.0.0", .port = 80, .token = "0123abcd"};
    const auto status = [&](const HttpRequest& request) {
        const auto refusal = refuse_without_token(policy, request);
        return refusal ? refusal->status : 0;
    };
    const auto with_cookie = [](const char* cookie) {
        HttpRequest request = get("/");
        request.cookie = cookie;
        return request;
    };
    const auto with_authorization = [](const char* text) {
        HttpRequest request = get("/");
        request.authorization = text;
        return request;
    };
    EXPECT_EQ(status(get("/")), 401);
    EXPECT_EQ(status(get("/?token=0123abc")), 401);
    EXPECT_EQ(status(get("/?xtoken=0123abcd")), 401);
    EXPECT_EQ(status(get("/?token=0123abcd")), 303);
    EXPECT_EQ(status(with_cookie("a=b; sinew_token=0123abcd")), 0);
    EXPECT_EQ(status(with_cookie("sinew_token=wrong")), 401);
    EXPECT_EQ(status(with_authorization("Bearer 0123abcd")), 0);
    EXPECT_EQ(status(with_authorization("Basic 0123abcd")), 401);
    const auto sent_on = refuse_without_token(policy, get("/?token=0123abcd"));
    EXPECT_EQ(sent_on->headers[0].second, "/");
    EXPECT_NE(random_token(), random_token());
    EXPECT_EQ(random_token().size(), 32u);
}

TEST(StudioAccess, PathsAreDecodedOnceAndStrictly) {
    EXPECT_EQ(decoded_path("/a%20b?x=%zz"), "/a b");
    EXPECT_EQ(decoded_path("/%2e%2e%2fetc"), "/../etc");
    EXPECT_EQ(decoded_path("/%252e"), "/%2e");
    EXPECT_EQ(decoded_path("/%"), std::nullopt);
    EXPECT_EQ(decoded_path("/%0"), std::nullopt);
    EXPECT_EQ(decoded_path("/%0g"), std::nullopt);
    EXPECT_EQ(decoded_path("/%00"), std::nullopt);
    EXPECT_EQ(decoded_path("/a%41"), "/aA");
}

TEST(StudioWorkspace, TextsForPagesNameFilesWithoutFolders) {
    const support::TemporaryFolder folder;
    const Workspace workspace(folder.path() / "my work");
    const std::string own = workspace.folder().string();
    EXPECT_EQ(workspace.without_folders(own + "/a.bvh: no joints"), "a.bvh: no joints");
    EXPECT_EQ(workspace.without_folders("cannot read '/home/an na/x y.sinew'"),
              "cannot read 'x y.sinew'");
    EXPECT_EQ(workspace.without_folders("/usr/share/sinew/a.json, line 3"), "a.json, line 3");
    for (const char* kept : {"3 m/s at 1 / 2", "and/or", "see docs/studio-protocol.md", "/", ""}) {
        EXPECT_EQ(workspace.without_folders(kept), kept);
    }
}

TEST(StudioCommands, FieldsAreCheckedByKindAndRange) {
    const auto passes = [](const CommandField& field, const char* value) {
        try {
            check_fields({field}, {{"f", Json::parse(value)}});
            return true;
        } catch (const InputError& e) {
            EXPECT_NE(e.parts().where.find("'f'"), std::string::npos) << e.what();
            return false;
        }
    };
    const CommandField number{.name = "f", .kind = FieldKind::Number, .low = 0.0, .high = 2.0};
    EXPECT_TRUE(passes(number, "0"));
    EXPECT_TRUE(passes(number, "2.0"));
    EXPECT_TRUE(passes(number, "null"));  // as if it were not there
    for (const char* bad : {"2.01", "-1e-9", "1e30", "true", "\"1\"", "[1]"}) {
        EXPECT_FALSE(passes(number, bad)) << bad;
    }
    const CommandField named{
        .name = "f", .kind = FieldKind::NamedNumbers, .is_needed = true, .high = 1.0};
    EXPECT_TRUE(passes(named, R"({"a": 1, "b": -3})"));
    EXPECT_FALSE(passes(named, R"({"a": 1, "b": 3})"));
    EXPECT_FALSE(passes(named, R"({"a": true})"));
    EXPECT_FALSE(passes(named, "null"));
    EXPECT_TRUE(passes({.name = "f", .kind = FieldKind::Indices}, "[0, 7]"));
    EXPECT_FALSE(passes({.name = "f", .kind = FieldKind::Indices}, "[0, -7]"));
    EXPECT_FALSE(passes({.name = "f", .kind = FieldKind::Indices}, "[0.5]"));
    EXPECT_TRUE(passes({.name = "f", .kind = FieldKind::Layers}, R"(["skin", "tets"])"));
    EXPECT_FALSE(passes({.name = "f", .kind = FieldKind::Layers}, R"(["hat"])"));
    EXPECT_THROW(check_fields({{.name = "f", .is_needed = true}}, Json::object()), InputError);
}

TEST(StudioFrames, AreLaidOutAsTheProtocolSays) {
    const TriangleMesh sphere = support::sphere(1, 0.5);
    const std::vector<PartRange> parts = {{7, 0, 30}, {9, 30, 210}};
    const std::string frame = mesh_frame({.mesh = 3, .revision = 11, .flags = 1, .time_ms = 40},
                                         sphere.points, sphere.triangles, parts);
    const auto v = static_cast<std::size_t>(sphere.points.rows());
    const auto i = static_cast<std::size_t>(sphere.triangles.size());
    ASSERT_EQ(frame.size(), 32 + 16 * v + 4 * i + 12 * 2);
    std::uint32_t words[8];
    std::memcpy(words, frame.data(), 32);
    EXPECT_EQ(words[0], 0x31574e53u);
    EXPECT_EQ(words[1], 1u | (1u << 16));
    EXPECT_EQ(words[2], 3u);
    EXPECT_EQ(words[3], 11u);
    EXPECT_EQ(words[4], v);
    EXPECT_EQ(words[5], i);
    EXPECT_EQ(words[6], 2u);
    EXPECT_EQ(words[7], 40u);
    for (std::size_t k = 0; k < v; ++k) {
        float p[3];
        std::memcpy(p, frame.data() + 32 + 12 * k, 12);
        std::int8_t n[4];
        std::memcpy(n, frame.data() + 32 + 12 * v + 4 * k, 4);
        for (int c = 0; c < 3; ++c) {
            EXPECT_NEAR(p[c], sphere.points(static_cast<Eigen::Index>(k), c), 1e-7);
            EXPECT_NEAR(n[c] / 127.0, p[c] / 0.5, 0.02);  // normals of a sphere
        }
        EXPECT_EQ(n[3], 0);
    }
    std::uint32_t last[3];
    std::memcpy(last, frame.data() + frame.size() - 12, 12);
    EXPECT_EQ(last[0], 9u);
    EXPECT_EQ(last[1], 30u);
    EXPECT_EQ(last[2], 210u);
    const std::string motion = motion_frame({.mesh = 3}, sphere.points, sphere.triangles);
    EXPECT_EQ(motion.size(), 32 + 16 * v);
    EXPECT_EQ(motion.compare(32, 16 * v, frame, 32, 16 * v), 0);
}

TEST(StudioSendQueue, OnlyMotionIsLeftOutAndNeverAcrossAMesh) {
    SendQueue queue;
    const auto bytes = [](const char* text) { return std::make_shared<const std::string>(text); };
    queue.push({bytes("m0"), false, 0});
    queue.push({bytes("state"), true, -1});
    queue.push({bytes("m0 newer"), false, 0});  // replaces the first
    queue.push({bytes("m1"), false, 1});
    queue.push({bytes("mesh"), false, -1});
    queue.push({bytes("m0 after"), false, 0});  // of the new mesh
    EXPECT_EQ(queue.size(), 5u);
    EXPECT_EQ(queue.skipped(), 1u);
    std::vector<std::string> order;
    while (!queue.is_empty()) {
        order.push_back(*queue.pop().bytes);
    }
    EXPECT_EQ(order, (std::vector<std::string>{"m0 newer", "state", "m1", "mesh", "m0 after"}));
    EXPECT_EQ(queue.bytes(), 0u);
}

}  // namespace
}  // namespace sinew::studio
