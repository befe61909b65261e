#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/json_schema.h"
#include "sinew/pipeline/body_cache.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"
#include "studio/server/access.h"
#include "studio/server/app.h"

extern char** environ;

namespace sinew::cli {

namespace {

struct StudioSettings {
    std::string body;
    std::string host;
    std::string workspace = "sinew-studio";
    std::string cache;
    int port = 0;
    bool no_browser = false;
    bool only_preview = false;
};

void open_browser(const std::string& address) {
    const std::string program = "xdg-open";
    const char* arguments[] = {program.c_str(), address.c_str(), nullptr};
    pid_t child = 0;
    ::posix_spawnp(&child, program.c_str(), nullptr, nullptr, const_cast<char* const*>(arguments),
                   environ);
}

int run_studio(const StudioSettings& s, const Context& context) {
    if (s.port < 0 || s.port > 65535) {
        throw InputError({.where = "--port",
                          .found = fmt::format("{}", s.port),
                          .needs = "a port from 0 to 65535",
                          .remedy = "0 takes any that is free"});
    }
    std::error_code ignored;
    if (!s.body.empty() && !std::filesystem::is_regular_file(s.body, ignored)) {
        throw bad_value("studio", "body", s.body, "a file that exists");
    }
    if (!s.body.empty() && lower(std::filesystem::path(s.body).extension().string()) != ".sinew") {
        throw bad_value("studio", "body", s.body, "a body made by 'sinew build' (.sinew)");
    }
    studio::AppOptions options;
    options.http.port = s.port;
    if (!s.host.empty()) {
        options.http.host = s.host == "localhost" ? "127.0.0.1" : s.host;
        options.token = studio::random_token();
    }
    options.workspace = s.workspace;
    options.studio.body = s.body;
    options.studio.cache =
        s.cache.empty() ? BodyCache::default_folder() : std::filesystem::path(s.cache);
    options.studio.only_preview = s.only_preview;
    studio::App app(options);
    // The address comes first, for scripts that wait for it.
    if (context.wants_json) {
        fmt::print("{}\n", nlohmann::ordered_json({{"address", app.address()}}).dump());
    } else {
        fmt::print("{}\n", app.address());
    }
    std::fflush(stdout);
    if (!context.is_quiet) {
        fmt::print(stderr, "Sinew studio: open the address above; Ctrl-C ends it. Files: {}\n",
                   s.workspace);
    }
    if (!s.no_browser) {
        open_browser(app.address());
    }
    std::jthread watch([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && !context.progress.is_cancelled()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        app.stop();
    });
    app.run();
    return kOk;
}

}  // namespace

Verb studio_verb() {
    auto settings = std::make_shared<StudioSettings>();
    return {
        .name = "studio",
        .summary = "Shape a body in the browser: muscles, fat, bones, pose and motion",
        .examples =
            "  sinew studio\n"
            "  sinew studio anna.sinew --port 8080 --no-browser\n"
            "  sinew studio --host 0.0.0.0 --port 8080     (others need the token)\n"
            "The address is the first line on stdout; Ctrl-C ends it. See "
            "docs/studio.md.",
        .options = {{.name = "body",
                     .help = "a body made by 'sinew build'; without one the built-in figure",
                     .target = &settings->body,
                     .metavar = "BODY.sinew"},
                    {.name = "--port",
                     .help = "to listen at; 0 takes any that is free",
                     .target = &settings->port,
                     .metavar = "N"},
                    {.name = "--host",
                     .help = "address to listen at; then a printed token is needed. Without: this "
                             "machine only",
                     .target = &settings->host,
                     .metavar = "ADDRESS"},
                    {.name = "--no-browser",
                     .help = "do not open the page",
                     .target = &settings->no_browser},
                    {.name = "--workspace",
                     .help =
                         "folder of files that are opened and saved, made where absent; no other "
                         "can be reached",
                     .target = &settings->workspace,
                     .metavar = "DIR"},
                    {.name = "--cache",
                     .help = "folder of bodies made before",
                     .target = &settings->cache,
                     .metavar = "DIR"},
                    {.name = "--only-preview",
                     .help = "never solve at standard resolution",
                     .target = &settings->only_preview}},
        .run = [settings](const Context& context,
                          nlohmann::ordered_json&) { return run_studio(*settings, context); },
        .describe =
            [](nlohmann::ordered_json& definitions) {
                add_schema("result", StudioResult{}, SchemaOf::Result, definitions);
            }};
}

}  // namespace sinew::cli
