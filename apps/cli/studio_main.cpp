#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/pipeline/body_cache.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "cli/command_line.h"
#include "cli/verbs/studio.h"
#include "studio/server/access.h"
#include "studio/server/app.h"

extern char** environ;

namespace sinew::cli {

namespace {

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

}  // namespace sinew::cli

// The program behind `sinew studio`: it is given the same words.
int main(int argc, char** argv) {
    return sinew::cli::run_command_line(argc, argv,
                                        {sinew::cli::studio_verb(sinew::cli::run_studio)});
}
