#include "bench/studio_bench.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>

#include "studio/server/geometry_frames.h"
#include "tests/studio/raw_client.h"
#include "tests/studio/running_studio.h"
#include "tests/support/temporary_folder.h"

namespace sinew::bench {

namespace {

using Json = nlohmann::json;
using studio::RawClient;

constexpr int kSkinTriangles = 50000;  // 25k vertices

/// Resident memory of this process, MB.
double resident_mb() {
    std::ifstream file("/proc/self/statm");
    long size = 0;
    long resident = 0;
    file >> size >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

Json change(const std::string& target, double value, bool is_dragging) {
    return {{"do", "edit"},
            {"changes", {{{"target", target}, {"value", value}}}},
            {"dragging", is_dragging}};
}

studio::AppOptions options_for(const std::filesystem::path& body,
                               const std::filesystem::path& workspace) {
    studio::AppOptions options;
    options.workspace = workspace;
    options.studio.body = body;
    options.studio.skin_triangles = kSkinTriangles;
    options.http.messages_per_second = 1e5;
    options.http.message_burst = 1e5;
    return options;
}

void require_up(bool is_up, const char* what) {
    if (!is_up) {
        throw InputError({.where = "bench studio",
                          .found = fmt::format("no answer: {}", what),
                          .needs = "a server that answers",
                          .remedy = "try with --body and a preview body"});
    }
}

void greet(RawClient& client) {
    require_up(client.upgrade(), "handshake");
    const Json hello = client.ask({{"do", "hello"}, {"protocol", 1}});
    if (hello["state"]["mode"] == "loading") {
        require_up(!client.wait_for("catalogue", {}, 300.0).is_null(), "body");
    }
    while (client.mesh_frames < 2) {
        require_up(client.receive(60.0).has_value(), "skin");
    }
}

/// Until the solve has ended.
void settle(RawClient& client) {
    client.wait_for(
        "progress", [](const Json& event) { return event["done"] == true; }, 60.0);
}

// Waits for the next frame of motion; ms.
double until_motion(RawClient& client) {
    const Timer timer;
    const std::uint64_t before = client.motion_frames;
    while (client.motion_frames == before) {
        require_up(client.receive(30.0).has_value(), "motion");
    }
    return 1e3 * timer.seconds();
}

// Process time of all threads, ms.
double cpu_ms() {
    return 1e3 * static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// Frames per second while a slider goes to and fro, a new value every 16 ms.
double drag(RawClient& client, const std::string& target, double low, double high, double seconds,
            double& cpu_per_frame) {
    const std::uint64_t before = client.motion_frames;
    const double cpu_before = cpu_ms();
    const Timer timer;
    int step = 0;
    double next = 0.0;
    while (timer.seconds() < seconds) {
        if (timer.seconds() >= next) {
            const double t = 0.5 + 0.5 * std::sin(0.1 * step++);
            client.send_text(change(target, low + t * (high - low), true).dump());
            next += 0.016;
        }
        client.receive(0.004);
    }
    const auto frames = static_cast<double>(client.motion_frames - before);
    const double rate = frames / timer.seconds();
    cpu_per_frame = (cpu_ms() - cpu_before) / std::max(1.0, frames);
    client.ask(change(target, 1.0, false));
    settle(client);
    return rate;
}

void bench_sliders(RawClient& client, StudioBench& b) {
    std::vector<double> times;
    for (int k = 0; k < 11; ++k) {
        client.send_text(change("muscle:biceps", 1.1 + 0.02 * k, false).dump());
        times.push_back(until_motion(client));
        settle(client);
    }
    b.first_change_ms = median(times);
    b.worst_change_ms = *std::max_element(times.begin(), times.end());
    b.updates_per_s = drag(client, "muscle:quadriceps", 0.8, 1.4, 4.0, b.update_cpu_ms);
    b.fat_updates_per_s = drag(client, "fat:belly", 0.8, 1.8, 3.0, b.fat_update_cpu_ms);
    b.bone_updates_per_s = drag(client, "bone:legs", 0.95, 1.1, 3.0, b.bone_update_cpu_ms);
    client.ask({{"do", "reset"}});
    settle(client);
}

void bench_motion(RawClient& client, StudioBench& b) {
    client.ask({{"do", "play"}, {"file", "walk"}, {"loop", true}});
    until_motion(client);
    until_motion(client);
    const std::uint64_t before = client.motion_frames;
    const Timer timer;
    const double cpu_before = cpu_ms();
    std::size_t bytes = 0;
    while (timer.seconds() < 5.0) {
        if (const auto message = client.receive(1.0)) {
            bytes += message->payload.size();
            if (!message->is_text && message->payload.size() > studio::kFrameHeader) {
                std::uint32_t vertices = 0;
                std::memcpy(&vertices, message->payload.data() + 16, 4);
                b.skin_vertices = vertices;
            }
        }
    }
    const auto frames = static_cast<double>(client.motion_frames - before);
    b.motion_frames_per_s = frames / timer.seconds();
    b.motion_cpu_ms = (cpu_ms() - cpu_before) / std::max(1.0, frames);
    b.motion_mb_per_s = static_cast<double>(bytes) / timer.seconds() / 1e6;
    client.ask({{"do", "stop"}});
}

void bench_memory(RawClient& client, StudioBench& b) {
    const auto edits = [&](int count) {
        for (int k = 0; k < count; ++k) {
            client.ask(change("muscle:chest", 1.0 + 0.3 * (k % 20) / 20.0, k % 10 != 9));
        }
        client.ask({{"do", "reset"}});
        settle(client);
    };
    edits(200);
    b.memory_mb = resident_mb();
    edits(1000);
    b.memory_growth_mb = resident_mb() - b.memory_mb;
}

void bench_crowd(int port, StudioBench& b) {
    std::vector<std::unique_ptr<RawClient>> crowd;
    for (int k = 0; k < 20; ++k) {
        crowd.push_back(std::make_unique<RawClient>(port));
        greet(*crowd.back());
    }
    crowd[0]->send_text(change("muscle:calves", 1.3, false).dump());
    until_motion(*crowd[1]);
    crowd[2]->kill();
    const auto has_result = [](const Json& state) {
        return state["edits"].value("muscle:calves", 0.0) == 1.3;
    };
    b.killed_client_is_harmless = true;
    for (std::size_t k = 0; k < crowd.size(); ++k) {
        if (k == 2) {
            continue;
        }
        bool is_served = !crowd[k]->wait_for("state", has_result, 60.0).is_null();
        while (is_served && crowd[k]->motion_frames == 0) {  // frames follow the state
            is_served = crowd[k]->receive(30.0).has_value();
        }
        b.clients_served += is_served ? 1 : 0;
        b.killed_client_is_harmless = b.killed_client_is_harmless && is_served;
    }
    b.clients_served += 1;  // the one that was killed had been served before
}

}  // namespace

StudioBench run_studio_bench(const std::filesystem::path& body, const Progress& progress) {
    StudioBench b;
    b.threads = thread_count();
    auto stage = progress.stage("studio", 5);
    const support::TemporaryFolder folder;
    const studio::RunningStudio server(options_for(body, folder.path()));
    RawClient client(server.port());
    greet(client);
    settle(client);  // the sliders are ready
    stage.advance();
    {
        const Timer timer;
        RawClient second(server.port());
        greet(second);
        b.first_picture_ms = 1e3 * timer.seconds();
    }
    bench_sliders(client, b);
    stage.advance();
    bench_motion(client, b);
    stage.advance();
    bench_memory(client, b);
    stage.advance();
    client.kill();
    bench_crowd(server.port(), b);
    const Timer timer;
    int requests = 0;
    for (; timer.seconds() < 1.0; ++requests) {
        studio::http(server.port(),
                     fmt::format("GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: "
                                 "close\r\n\r\n",
                                 server.port()));
    }
    b.http_requests_per_s = requests / timer.seconds();
    stage.advance();
    return b;
}

}  // namespace sinew::bench
