// The server as clients meet it: right ones, wrong ones and hostile ones.

#include "sinew/io/archive.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/studio/raw_client.h"
#include "tests/studio/running_studio.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// A studio that shows a small body.
class Running {
public:
    explicit Running(const HttpServerOptions& http = {}, const std::string& token = {}) {
        write_archive(folder_.path() / "limb.sinew", support::limb_body({.along = 10}));
        AppOptions options;
        options.http = http;
        options.token = token;
        options.workspace = folder_.path() / "work";
        options.studio.body = folder_.path() / "limb.sinew";
        studio_ = std::make_unique<RunningStudio>(options);
    }

    int port() const {
        return studio_->port();
    }
    fs::path workspace() const {
        return folder_.path() / "work";
    }
    const fs::path folder() const {
        return folder_.path();
    }
    std::string get(const std::string& target, const std::string& headers = {}) const {
        return http(port(), fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: "
                                        "close\r\n{}\r\n",
                                        target, port(), headers));
    }
    bool is_healthy() const {
        return status_of(get("/api/health")) == "200";
    }

private:
    support::TemporaryFolder folder_;
    std::unique_ptr<RunningStudio> studio_;
};

/// Greets, and waits until the body is there.
Json greet(RawClient& client) {
    EXPECT_TRUE(client.upgrade());
    Json hello = client.ask({{"do", "hello"}, {"protocol", 1}});
    if (hello["state"]["mode"] == "loading") {
        hello["catalogue"] = client.wait_for("catalogue")["catalogue"];
        hello["state"] = client.wait_for("state");
    }
    return hello;
}

struct StudioServer : testing::Test {
    static void SetUpTestSuite() {
        server = std::make_unique<Running>();
    }
    static void TearDownTestSuite() {
        server.reset();
    }
    static std::unique_ptr<Running> server;
};
std::unique_ptr<Running> StudioServer::server;

TEST_F(StudioServer, TellsWhatABodyIsMadeOfAndSendsIt) {
    RawClient client(server->port());
    const Json hello = greet(client);
    const Json& catalogue = hello["catalogue"];
    ASSERT_EQ(catalogue["muscles"].size(), 2u);
    EXPECT_EQ(catalogue["muscles"][0]["name"], "biceps_brachii_l");
    EXPECT_EQ(catalogue["muscles"][0]["label"], "Biceps brachii, left");
    EXPECT_EQ(catalogue["muscles"][0]["side"], "left");
    EXPECT_GT(catalogue["muscles"][0]["volume_ml"].get<double>(), 10.0);
    EXPECT_FALSE(catalogue["parts"].empty());
    EXPECT_GT(hello["state"]["measures"]["mass_kg"].get<double>(), 0.1);
    while (client.mesh_frames < 2) {  // the skin, and the skin before any edit
        ASSERT_TRUE(client.receive());
    }
}

TEST_F(StudioServer, AnEditMovesTheSkinAndUndoPutsItBack) {
    RawClient client(server->port());
    greet(client);
    client.ask({{"do", "reset"}});
    const std::uint64_t before = client.motion_frames;
    const Json edited = client.ask({{"do", "edit"},
                                    {"changes", {{{"target", "muscle:biceps"}, {"value", 1.4}}}},
                                    {"dragging", false}});
    ASSERT_TRUE(edited["ok"]) << edited;
    const auto is_solved = [&](const Json& state) {
        return state["measures"]["muscles"]["biceps_brachii_l"].get<double>() >
               1.3 * state["before"]["muscles"]["biceps_brachii_l"].get<double>();
    };
    const Json grown = client.wait_for("state", is_solved);
    ASSERT_FALSE(grown.is_null());
    EXPECT_EQ(grown["edits"]["muscle:biceps"], 1.4);
    EXPECT_GE(grown["undo"], 1);
    // The way there is shown too, though newer positions may overtake older ones before they are
    // sent.
    EXPECT_GT(client.motion_frames, before);
    EXPECT_TRUE(client.ask({{"do", "undo"}})["changed"]);
    const Json back =
        client.wait_for("state", [&](const Json& state) { return !is_solved(state); });
    EXPECT_FALSE(back.is_null());
    EXPECT_TRUE(back["edits"].empty());
}

// The number in a frame's header, in 32-bit words.
std::uint32_t word_of(const RawClient::Message& message, std::size_t index) {
    std::uint32_t word = 0;
    std::memcpy(&word, message.payload.data() + 4 * index, 4);
    return word;
}

TEST_F(StudioServer, FibresFollowTheMuscleThatGrows) {
    RawClient client(server->port());
    greet(client);
    client.ask({{"do", "reset"}});
    client.ask({{"do", "view"}, {"layers", {"skin", "fibres"}}});
    const auto next_of_fibres = [&](std::uint32_t kind) {
        for (;;) {
            const auto message = client.receive();
            if (!message || (!message->is_text && (word_of(*message, 1) & 0xffffu) == kind &&
                             word_of(*message, 2) == 5)) {
                return message;
            }
        }
    };
    const auto lines = next_of_fibres(3);
    ASSERT_TRUE(lines);
    const std::uint32_t points = word_of(*lines, 4);
    ASSERT_GT(points, 10u);
    client.send_text(R"({"do":"edit","changes":[{"target":"muscle:biceps","value":1.5}]})");
    double furthest = 0.0;
    while (furthest <= 1e-4) {  // m; the first may show where they were
        const auto moved = next_of_fibres(2);
        ASSERT_TRUE(moved);
        ASSERT_EQ(word_of(*moved, 4), points);
        for (std::size_t k = 0; k < 3 * points; ++k) {
            float at_rest = 0.0f;
            float now = 0.0f;
            std::memcpy(&at_rest, lines->payload.data() + 32 + 4 * k, 4);
            std::memcpy(&now, moved->payload.data() + 32 + 4 * k, 4);
            furthest = std::max(furthest, std::abs(static_cast<double>(now) - at_rest));
        }
    }
    EXPECT_LT(furthest, 0.05);
}

TEST(StudioStart, WhatIsAskedBeforeTheBodyIsReadIsDoneThen) {
    const Running server;
    RawClient client(server.port());
    ASSERT_TRUE(client.upgrade());
    const Json hello = client.ask({{"do", "hello"}, {"protocol", 1}});
    EXPECT_FALSE(hello["state"]["session"].get<std::string>().empty());
    const Json edited =
        client.ask({{"do", "edit"}, {"changes", {{{"target", "muscle:biceps"}, {"value", 1.3}}}}});
    EXPECT_EQ(edited["ok"], true) << edited;
    const Json done = client.wait_for("progress", [](const Json& p) { return p["done"] == true; });
    EXPECT_FALSE(done["what"].get<std::string>().empty());
    const Json grown = client.wait_for("state", [](const Json& state) {
        return !state["measures"].is_null() &&
               state["measures"]["muscles"]["biceps_brachii_l"].get<double>() >
                   1.2 * state["before"]["muscles"]["biceps_brachii_l"].get<double>();
    });
    ASSERT_FALSE(grown.is_null());
    EXPECT_EQ(grown["session"], hello["state"]["session"]);
    EXPECT_TRUE(grown["joints"].is_object());
}

TEST_F(StudioServer, ANewValueOvertakesTheRunningSolve) {
    RawClient client(server->port());
    greet(client);
    int last = 0;
    for (int k = 0; k < 40; ++k) {
        const Json answer =
            client.ask({{"do", "edit"},
                        {"changes", {{{"target", "muscle:triceps"}, {"value", 1.0 + 0.01 * k}}}},
                        {"dragging", true}});
        ASSERT_TRUE(answer["ok"]);
        last = answer["revision"];
    }
    const Json done = client.wait_for("state", [&](const Json& state) {
        return state["revision"] == last &&
               state["measures"]["muscles"]["triceps_brachii_l"].get<double>() >
                   1.3 * state["before"]["muscles"]["triceps_brachii_l"].get<double>();
    });
    ASSERT_FALSE(done.is_null());
    // One drag: one step.
    client.ask({{"do", "edit"}, {"changes", Json::array()}, {"dragging", false}});
    EXPECT_TRUE(client.ask({{"do", "undo"}})["changed"]);
    const Json state = client.wait_for("state");
    EXPECT_FALSE(state["edits"].contains("muscle:triceps"));
}

TEST_F(StudioServer, WhatIsAskedWronglyIsAnsweredWithAReason) {
    RawClient client(server->port());
    greet(client);
    const std::vector<Json> wrong = {
        {{"do", "fly"}},
        {{"do", "edit"}},
        {{"do", "edit"}, {"changes", 7}},
        {{"do", "edit"}, {"changes", {7}}},
        {{"do", "edit"}, {"changes", {{{"target", "muscle:bicpes"}, {"value", 1}}}}},
        {{"do", "edit"}, {"changes", {{{"target", "muscle:biceps"}, {"value", "big"}}}}},
        {{"do", "edit"}, {"changes", {{{"target", "muscle:biceps"}, {"value", 1e9}}}}},
        {{"do", "edit"}, {"changes", Json::array()}, {"dragging", "yes"}},
        {{"do", "view"}, {"layers", "skin"}},
        {{"do", "view"}, {"layers", {"clothes"}}},
        {{"do", "paint"}, {"vertices", {1e9}}, {"values", {1}}},
        {{"do", "paint"}, {"vertices", {-1}}, {"values", {1}}},
        {{"do", "paint"}, {"vertices", {1, 2}}, {"values", {1}}},
        {{"do", "paint"}, {"vertices", {1}}, {"values", {1}}, {"count", 3}},
        {{"do", "recipe"}, {"name", "no such recipe"}},
        {{"do", "recipe"}, {"recipe", {{"version", 99}}}},
        {{"do", "pose"}, {"joints", {{"wing", {0, 0, 1}}}}},
        {{"do", "pose"}, {"joints", {{"elbow_l", 3}}}},
        {{"do", "edit"}, {"changes", {{{"target", "muscle:biceps"}, {"value", true}}}}},
        {{"do", "paint"}, {"vertices", {1}}, {"values", {1}}, {"amount", 1e9}},
        {{"do", "paint"}, {"vertices", {1}}, {"values", {1}}, {"amount", true}},
        {{"do", "paint"}, {"vertices", {1}}, {"values", {1.5}}},
        {{"do", "pose"}, {"joints", {{"elbow_l", {1e30, 0, 0}}}}},
        {{"do", "pose"}, {"joints", {{"elbow_l", {true, 0, 0}}}}},
        {{"do", "contract"}, {"activations", {{"biceps", 99}}}},
        {{"do", "contract"}, {"activations", {{"biceps", -0.1}}}},
        {{"do", "play"}, {"file", "../../etc/passwd"}},
        {{"do", "play"}, {"file", 5}},
        {{"do", "contract"}, {"activations", {{"nobody", 1}}}},
        {{"do", "open"}, {"file", "absent.sinew"}},
        {{"do", "open"}, {"file", "../limb.sinew"}},
        {{"do", "save"}, {"file", "/tmp/x.sinew"}},
        {{"do", "save"}, {"file", "x.obj"}},
        {{"do", "export"}, {"file", "x.unknown"}},
        {{"do", "hello"}, {"protocol", 2}}};
    for (const Json& command : wrong) {
        const Json answer = client.ask(command);
        ASSERT_TRUE(answer.is_object()) << command;
        EXPECT_EQ(answer["ok"], false) << command;
        for (const char* part : {"where", "found", "needs", "remedy"}) {
            EXPECT_FALSE(answer["error"].value(part, "").empty()) << command;
        }
    }
    client.send_text("this is not JSON");
    client.send_text("[1, 2, 3]");
    client.send_text(std::string(100000, '['));
    const std::string deep(1000000, '[');
    client.send_text(R"({"do":"stop","id":)" + deep + std::string(deep.size(), ']') + "}");
    EXPECT_EQ(client.ask({{"do", "stop"}})["ok"], true);  // still there
}

TEST_F(StudioServer, AVerbThatIsMisspeltIsSuggested) {
    RawClient client(server->port());
    greet(client);
    const Json answer = client.ask({{"do", "unod"}});
    EXPECT_EQ(answer["ok"], false);
    EXPECT_NE(answer["error"]["found"].get<std::string>().find("'undo'"), std::string::npos)
        << answer;
}

TEST_F(StudioServer, ErrorsNameFilesWithoutTheirFolders) {
    RawClient client(server->port());
    greet(client);
    for (const char* name : {"bad.sinew", "bad.obj", "bad.bvh", "bad.json"}) {
        std::ofstream(server->workspace() / name) << "neither this nor that";
        const Json answer = client.ask({{"do", "open"}, {"file", name}});
        ASSERT_EQ(answer["ok"], false) << name;
        const std::string error = answer["error"].dump();
        EXPECT_EQ(error.find(server->folder().string()), std::string::npos) << error;
        EXPECT_NE(error.find(name), std::string::npos) << error;
    }
}

// What needs a body is refused for want of one, and the server lives.
TEST(StudioStart, WithoutABodyWhatNeedsOneIsRefused) {
    const support::TemporaryFolder folder;
    AppOptions options;
    options.workspace = folder.path() / "work";
    options.studio.body = folder.path() / "absent.sinew";
    const RunningStudio studio(options);
    std::ofstream(options.workspace / "plain.json") << R"({"version": 1, "name": "plain"})";
    RawClient client(studio.port());
    ASSERT_TRUE(client.upgrade());
    client.ask({{"do", "hello"}, {"protocol", 1}});
    for (const Json& command :
         {Json{{"do", "save"}, {"file", "a.sinew"}}, Json{{"do", "export"}, {"file", "a.obj"}},
          Json{{"do", "open"}, {"file", "plain.json"}}, Json{{"do", "forces"}},
          Json{{"do", "undo"}}}) {
        const Json answer = client.ask(command);
        EXPECT_EQ(answer["ok"], false) << command;
        EXPECT_EQ(answer["error"]["found"], "no body") << answer;
    }
}

TEST_F(StudioServer, PaintsSavesExportsAndOpensAgain) {
    RawClient client(server->port());
    greet(client);
    client.ask({{"do", "reset"}});
    EXPECT_EQ(client.ask({{"do", "paint"},
                          {"vertices", {0, 1, 2, 3}},
                          {"values", {1, 1, 1, 1}},
                          {"amount", 1.5},
                          {"end", true}})["ok"],
              true);
    for (const char* name : {"a.sinew", "a.obj", "a.glb", "a.vtu", "a.usda", "a.json"}) {
        const Json answer =
            client.ask({{"do", name[2] == 's' ? "save" : "export"}, {"file", name}});
        EXPECT_EQ(answer["ok"], true) << answer;
        EXPECT_TRUE(fs::exists(server->workspace() / name)) << name;
        EXPECT_EQ(status_of(server->get(answer["url"])), "200") << name;
    }
    EXPECT_NE(server->get("/api/files").find("\"kind\":\"body\",\"name\":\"a.sinew\""),
              std::string::npos);
    EXPECT_EQ(client.ask({{"do", "open"}, {"file", "a.obj"}})["kind"], "mesh");
    EXPECT_EQ(client.ask({{"do", "open"}, {"file", "a.json"}})["kind"], "recipe");
    EXPECT_EQ(client.ask({{"do", "open"}, {"file", "a.sinew"}})["kind"], "body");
}

TEST_F(StudioServer, ExportsHoldWhatTheyAreNamedFor) {
    RawClient client(server->port());
    greet(client);
    for (const char* name : {"e.vtu", "e.obj"}) {
        const Json answer = client.ask({{"do", "export"}, {"file", name}});
        ASSERT_EQ(answer["ok"], true) << answer;
        const bool has_tets =
            answer["note"].get<std::string>().find("tetrahedra") != std::string::npos;
        EXPECT_EQ(has_tets, name == std::string("e.vtu")) << answer;
    }
    // Tissues are told per tetrahedron.
    const std::string volumes = server->get("/api/files/e.vtu");
    EXPECT_NE(volumes.find("Name=\"tissue\""), std::string::npos);
    const std::vector<MeshPart> skin = read_surface(server->workspace() / "e.obj");
    ASSERT_EQ(skin.size(), 1u);
    EXPECT_EQ(skin[0].name, "skin");
}

TEST_F(StudioServer, MusclesContractAndComeBack) {
    RawClient client(server->port());
    greet(client);
    client.ask({{"do", "reset"}});
    const Json answer = client.ask({{"do", "contract"}, {"activations", {{"biceps", 1.0}}}});
    EXPECT_EQ(answer["mode"], "contract") << answer;
    const std::uint64_t before = client.motion_frames;
    while (client.motion_frames == before) {  // of a body so small, some are overtaken by the next
        ASSERT_TRUE(client.receive());
    }
    EXPECT_EQ(client.ask({{"do", "stop"}})["mode"], "rest");
}

TEST_F(StudioServer, ReachesNothingOutsideItsWorkspace) {
    std::ofstream(server->folder() / "secret.txt") << "secret";
    std::error_code ignored;
    fs::create_symlink(server->folder() / "secret.txt", server->workspace() / "link.txt", ignored);
    for (const char* target :
         {"/api/files/../secret.txt", "/api/files/..%2fsecret.txt", "/api/files/%2e%2e/secret.txt",
          "/api/files/..%5csecret.txt", "/api/files//etc/passwd", "/api/files/%2fetc%2fpasswd",
          "/api/files/link.txt", "/api/files/.hidden", "/api/files/", "/api/files/a%00.txt",
          "/api/files/%252e%252e%252fsecret.txt", "/api/files/..%255csecret.txt",
          "/api/files/%2E%2E%2Fsecret.txt", "/api/files/..%c0%afsecret.txt", "/../../etc/passwd",
          "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../secret.txt",
          "/assets/%2e%2e%2f%2e%2e%2fsecret.txt"}) {
        const std::string answer = server->get(target);
        EXPECT_NE(status_of(answer), "200") << target;
        EXPECT_EQ(answer.find("secret\n"), std::string::npos) << target;
    }
    const auto put = [&](const std::string& name, const std::string& body, const char* extra = "") {
        return status_of(
            http(server->port(), fmt::format("PUT /api/files/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                                             "Connection: close\r\n{}Content-Length: {}\r\n\r\n{}",
                                             name, server->port(), extra, body.size(), body)));
    };
    EXPECT_EQ(put("note.txt", "hello"), "201");
    EXPECT_EQ(put("..%2fout.txt", "hello"), "400");
    EXPECT_EQ(put("%2e%2e%5cout.txt", "hello"), "400");
    put("%252e%252e%252fout.txt", "hello");  // a name with per cent signs, if anything
    EXPECT_EQ(put(".hidden", "hello"), "400");
    EXPECT_EQ(put("note2.txt", "hello", "Origin: http://evil.example\r\n"), "403");
    EXPECT_FALSE(fs::exists(server->folder() / "out.txt"));
    EXPECT_FALSE(fs::exists(server->workspace() / "note2.txt"));
    EXPECT_NE(server->get("/api/files/note.txt").find("hello"), std::string::npos);
}

TEST_F(StudioServer, AnUploadThatBreaksOffLeavesNothing) {
    {
        RawClient client(server->port());
        client.send(
            fmt::format("PUT /api/files/half.bin HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                        "Content-Length: 1000000\r\n\r\nonly this",
                        server->port()));
    }
    const std::string too_long = http(
        server->port(), fmt::format("PUT /api/files/long.bin HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                                    "Content-Length: 99999999999\r\n\r\n",
                                    server->port()));
    EXPECT_EQ(status_of(too_long), "413");
    ASSERT_TRUE(server->is_healthy());
    for (const fs::directory_entry& file : fs::directory_iterator(server->workspace())) {
        EXPECT_NE(file.path().filename().string().substr(0, 7), ".upload") << file;
    }
    EXPECT_FALSE(fs::exists(server->workspace() / "half.bin"));
}

TEST_F(StudioServer, RefusesStrangersAndBadHandshakes) {
    const int port = server->port();
    const auto upgrades = [&](const std::string& headers, const std::string& host = {}) {
        RawClient client(port);
        return client.upgrade(headers, host);
    };
    EXPECT_TRUE(upgrades(""));
    EXPECT_TRUE(upgrades(fmt::format("Origin: http://127.0.0.1:{}\r\n", port)));
    EXPECT_FALSE(upgrades("Origin: http://evil.example\r\n"));
    EXPECT_FALSE(upgrades("Origin: null\r\n"));
    EXPECT_FALSE(upgrades("", "rebound.example"));
    EXPECT_FALSE(upgrades("", fmt::format("rebound.example:{}", port)));
    for (const std::string& request :
         {std::string("\x16\x03\x01\x02 tls?"), std::string("GET\r\n\r\n"), std::string(70000, 'a'),
          fmt::format("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: "
                      "Upgrade\r\n\r\n",
                      port),
          fmt::format("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX: {}\r\n\r\n", port,
                      std::string(60000, 'x')),
          fmt::format("POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: "
                      "5\r\n\r\nhello",
                      port),
          fmt::format(
              "GET /ws2 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: "
              "Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
              "Sec-WebSocket-Version: 13\r\n\r\n",
              port)}) {
        const std::string status = status_of(http(port, request));
        EXPECT_TRUE(status.empty() || status[0] == '4') << status << request.substr(0, 60);
    }
    EXPECT_TRUE(server->is_healthy());
}

TEST_F(StudioServer, MalformedFramesCloseTheirConnectionOnly) {
    RawClient witness(server->port());
    greet(witness);
    const std::vector<std::function<void(RawClient&)>> attacks = {
        [](RawClient& c) { c.send_frame(0x81, "not masked", false); },
        [](RawClient& c) { c.send_frame(0xf1, "reserved bits"); },
        [](RawClient& c) { c.send_frame(0x83, "unknown opcode"); },
        [](RawClient& c) { c.send_frame(0x82, "binary is not spoken here"); },
        [](RawClient& c) { c.send_frame(0x81, "\xff\xfe not UTF-8"); },
        [](RawClient& c) { c.send_frame(0x80, "continues nothing"); },
        [](RawClient& c) { c.send_frame(0x09, std::string(20, 'p')); },   // ping in pieces
        [](RawClient& c) { c.send_frame(0x89, std::string(200, 'p')); },  // ping too long
        [](RawClient& c) {
            c.send(std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xffmask", 14));
        },
        [](RawClient& c) {
            c.send(std::string("\x81\xff\x00\x00\x00\x00\x40\x00\x00\x00mask", 14));
        },
        [](RawClient& c) {
            c.send(std::string("\x81\xff\x80\x00\x00\x00\x00\x00\x00\x01mask", 14));
        },
        [](RawClient& c) {  // pieces without end
            c.send_frame(0x01, "[");
            for (int k = 0; k < 90; ++k) {
                c.send_frame(0x00, std::string(100000, ' '));
            }
        },
        [](RawClient& c) { c.send_frame(0x88, "\x01"); },  // close without a whole code
        [](RawClient& c) { c.send_text(std::string(9u << 20, ' ')); }};  // a message too long
    for (std::size_t k = 0; k < attacks.size(); ++k) {
        RawClient attacker(server->port());
        ASSERT_TRUE(attacker.upgrade());
        attacks[k](attacker);
        EXPECT_TRUE(attacker.is_closed_within()) << "attack " << k;
    }
    EXPECT_EQ(witness.ask({{"do", "stop"}})["ok"], true);
}

TEST_F(StudioServer, TwentyClientsAreServedAndKilledOnesHarmNobody) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int k = 0; k < 20; ++k) {
        clients.push_back(std::make_unique<RawClient>(server->port()));
        greet(*clients.back());
    }
    clients[0]->ask({{"do", "reset"}});
    clients[0]->ask({{"do", "edit"},
                     {"changes", {{{"target", "muscle:biceps"}, {"value", 1.2}}}},
                     {"dragging", false}});
    clients[3]->kill();  // in mid-stream
    clients[7]->kill();
    for (std::size_t k = 0; k < clients.size(); ++k) {
        if (k != 3 && k != 7) {
            EXPECT_FALSE(clients[k]
                             ->wait_for("state",
                                        [](const Json& s) {
                                            return s["edits"].value("muscle:biceps", 0.0) == 1.2;
                                        })
                             .is_null())
                << k;
        }
    }
}

TEST_F(StudioServer, HealthIsAnsweredAndUnknownPagesAreNot) {
    const std::string answer = server->get("/api/health");
    EXPECT_EQ(status_of(answer), "200");
    EXPECT_NE(answer.find("\"ok\":true"), std::string::npos);
    EXPECT_NE(answer.find("nosniff"), std::string::npos);
    EXPECT_EQ(status_of(server->get("/")), "200");
    EXPECT_EQ(status_of(server->get("/nothing")), "404");
    const std::string head =
        http(server->port(), fmt::format("HEAD /api/health HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                                         "Connection: close\r\n\r\n",
                                         server->port()));
    EXPECT_EQ(status_of(head), "200");
    EXPECT_EQ(head.find("\"ok\""), std::string::npos);
}

TEST(StudioToken, IsNeededFromOtherMachinesAndBecomesACookie) {
    const Running server({}, "5ecret");
    EXPECT_EQ(status_of(server.get("/api/health")), "401");
    EXPECT_EQ(status_of(server.get("/api/health", "Authorization: Bearer wrong\r\n")), "401");
    EXPECT_EQ(status_of(server.get("/api/health", "Authorization: Bearer 5ecret\r\n")), "200");
    const std::string sent_on = server.get("/?token=5ecret");
    EXPECT_EQ(status_of(sent_on), "303");
    EXPECT_NE(sent_on.find("Set-Cookie: sinew_token=5ecret; HttpOnly; SameSite=Strict"),
              std::string::npos);
    EXPECT_EQ(status_of(server.get("/", "Cookie: sinew_token=5ecret\r\n")), "200");
    RawClient without(server.port());
    EXPECT_FALSE(without.upgrade());
    RawClient with(server.port());
    EXPECT_TRUE(with.upgrade("Cookie: sinew_token=5ecret\r\n"));
}

TEST(StudioLimits, SlowReadersMissMotionAndFloodsAreReadSlowly) {
    HttpServerOptions http;
    http.send_buffer = 4096;
    http.messages_per_second = 50.0;
    http.message_burst = 20.0;
    const Running server(http);
    RawClient quick(server.port());
    greet(quick);
    RawClient slow(server.port(), 4096);
    greet(slow);
    // A flood is read at its pace: within t seconds, no more than 20 + 50 t.
    const auto edit = [&](int k) {
        quick.ask({{"do", "edit"},
                   {"changes", {{{"target", "muscle:biceps"}, {"value", 1.0 + 0.005 * (k % 60)}}}},
                   {"dragging", true}});
    };
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 60; ++k) {
        edit(k);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_GT(seconds, 0.5);  // (60 - 20) / 50, less what greeting took
    // However fast the machine is: until the quick one has seen many positions.
    constexpr std::uint64_t kMany = 60;
    for (int k = 0; k < 20000 && quick.motion_frames < kMany; ++k) {
        edit(k);
    }
    ASSERT_GE(quick.motion_frames, kMany);
    // The slow one gets answers and what matters, and of the positions those that have waited.
    EXPECT_EQ(slow.ask({{"do", "stop"}})["ok"], true);
    while (slow.mesh_frames < 2) {
        ASSERT_TRUE(slow.receive());
    }
    EXPECT_LT(slow.motion_frames, kMany);
}

TEST(StudioLimits, WhoeverTakesTooLongOrTooMuchIsSentAway) {
    HttpServerOptions limits;
    limits.header_seconds = 1;
    limits.max_connections = 40;
    limits.max_upload = 100000;
    const Running server(limits);
    const std::string host = fmt::format("Host: 127.0.0.1:{}\r\n", server.port());
    // A head that comes letter by letter has as long as any other.
    RawClient dribble(server.port());
    dribble.send("GET / HTTP/1.1\r\nX: ");
    bool is_closed = false;
    for (int k = 0; k < 1000 && !is_closed; ++k) {
        dribble.send("a");
        is_closed = dribble.is_closed_within(0.1);
    }
    EXPECT_TRUE(is_closed);
    // Two hosts; a length and chunks; chunks without end.
    EXPECT_EQ(status_of(http(server.port(), "GET / HTTP/1.1\r\n" + host + host + "\r\n")), "400");
    const std::string put = "PUT /api/files/a.bin HTTP/1.1\r\n" + host;
    EXPECT_EQ(status_of(http(server.port(), put + "Content-Length: 5\r\nTransfer-Encoding: "
                                                  "chunked\r\n\r\nhello")),
              "400");
    std::string chunks;
    for (int k = 0; k < 200; ++k) {
        chunks += "400\r\n" + std::string(1024, 'c') + "\r\n";
    }
    EXPECT_EQ(status_of(http(server.port(), put + "Transfer-Encoding: chunked\r\n\r\n" + chunks)),
              "413");
    EXPECT_EQ(status_of(http(server.port(), put + "Transfer-Encoding: chunked\r\nConnection: "
                                                  "close\r\n\r\n3\r\nabc\r\n0\r\n\r\n")),
              "201");
    // More sockets than there is room for: the rest are closed, and later ones served again.
    std::vector<std::unique_ptr<RawClient>> crowd;
    for (int k = 0; k < 200; ++k) {
        crowd.push_back(std::make_unique<RawClient>(server.port()));
    }
    for (const auto& one : crowd) {
        EXPECT_TRUE(one->is_closed_within());
    }
    EXPECT_TRUE(server.is_healthy());
}

TEST(StudioLimits, MoreViewsThanAllowedAreTurnedAway) {
    HttpServerOptions http;
    http.max_clients = 2;
    const Running server(http);
    RawClient a(server.port());
    RawClient b(server.port());
    EXPECT_TRUE(a.upgrade());
    EXPECT_TRUE(b.upgrade());
    RawClient c(server.port());
    EXPECT_FALSE(c.upgrade());
    a.kill();
    ASSERT_EQ(b.ask({{"do", "hello"}, {"protocol", 1}})["ok"], true);
    // There is room again as soon as the server has seen the other one go.
    bool is_let_in = false;
    for (int k = 0; k < 1000 && !is_let_in; ++k) {
        RawClient d(server.port());
        is_let_in = d.upgrade();
    }
    EXPECT_TRUE(is_let_in);
}

}  // namespace
}  // namespace sinew::studio
