#include "studio/server/app.h"

#include "sinew/base/error.h"
#include "sinew/base/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <system_error>

#include "studio/server/access.h"

namespace sinew::studio {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFiles = "/api/files/";
constexpr std::string_view kNoPage =
    "<!doctype html><meta charset=utf-8><title>Sinew studio</title><p>This build of Sinew holds no "
    "page: build studio/ui first (it needs Node.js), then Sinew again. The server itself runs; "
    "scripts can use it.";
constexpr const char* kPolicy =
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "worker-src 'self' blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'";

std::string type_of(const fs::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".json"  ? "application/json"
           : ending == ".glb" ? "model/gltf-binary"
           : ending == ".png" ? "image/png"
                              : "application/octet-stream";
}

HttpResponse json_response(const nlohmann::json& content, int status = 200) {
    return {.status = status,
            .type = "application/json",
            .body = content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            .headers = {{"Cache-Control", "no-store"}}};
}

HttpResponse refusal(int status, const std::string& text) {
    return {.status = status, .body = text + "\n"};
}

}  // namespace

struct App::Data final : HttpApplication, Outbox {
    AppOptions options;
    AccessPolicy policy;
    Workspace workspace;
    HttpServer server;
    std::unique_ptr<Studio> studio = {};

    explicit Data(const AppOptions& o) : options(o), workspace(o.workspace), server(o.http, *this) {
        policy = {.host = o.http.host, .port = server.port(), .token = o.token};
        studio = std::make_unique<Studio>(o.studio, workspace, *this);
    }

    std::optional<HttpResponse> refuse(const HttpRequest& request) override {
        if (auto stranger = refuse_stranger(policy, request)) {
            return stranger;
        }
        return refuse_without_token(policy, request);
    }

    HttpResponse answer(const HttpRequest& request) override {
        const std::optional<std::string> path = decoded_path(request.target);
        if (!path) {
            return refusal(400, "a path that cannot be read");
        }
        if (request.method != "GET" && request.method != "HEAD") {
            return {
                .status = 405, .body = "GET or PUT\n", .headers = {{"Allow", "GET, HEAD, PUT"}}};
        }
        if (*path == "/api/health") {
            return json_response({{"ok", true}, {"version", std::string(version())}});
        }
        if (*path == "/api/files") {
            nlohmann::json list = nlohmann::json::array();
            for (const Workspace::Entry& entry : workspace.files()) {
                list.push_back({{"name", entry.name}, {"size", entry.bytes}, {"kind", entry.kind}});
            }
            return json_response(list);
        }
        if (path->starts_with(kFiles)) {
            return download(path->substr(kFiles.size()));
        }
        return page(*path);
    }

    HttpResponse download(const std::string& name) const {
        try {
            const fs::path file = workspace.existing(name);
            return {
                .type = type_of(file),
                .file = file,
                .headers = {{"Cache-Control", "no-store"}, {"Content-Disposition", "attachment"}}};
        } catch (const InputError& e) {
            return refusal(404, e.what());
        }
    }

    static HttpResponse page(const std::string& path) {
        const PageFile* file = find_page_file(path == "/" ? "/index.html" : path);
        if (file == nullptr && path == "/") {
            return {.type = "text/html; charset=utf-8", .body = std::string(kNoPage)};
        }
        if (file == nullptr) {
            return refusal(404, "there is no such page");
        }
        // Names of assets change with their content.
        const bool is_asset = path.starts_with("/assets/");
        return {.type = std::string(file->type),
                .body = std::string(reinterpret_cast<const char*>(file->bytes), file->size),
                .headers = {{"Content-Security-Policy", kPolicy},
                            {"Cache-Control",
                             is_asset ? "public, max-age=31536000, immutable" : "no-cache"}}};
    }

    std::variant<fs::path, HttpResponse> begin_upload(const HttpRequest& request) override {
        const std::optional<std::string> path = decoded_path(request.target);
        if (!path || !path->starts_with(kFiles)) {
            return refusal(404, "files are put to /api/files/NAME");
        }
        try {
            return workspace.temporary_for(path->substr(kFiles.size()));
        } catch (const InputError& e) {
            return refusal(400, e.what());
        }
    }

    HttpResponse end_upload(const HttpRequest& request, const fs::path& file,
                            bool is_whole) override {
        std::error_code error;
        if (is_whole) {
            const std::string name = decoded_path(request.target)->substr(kFiles.size());
            fs::rename(file, workspace.place_of(name), error);
            if (!error) {
                return json_response({{"name", name}}, 201);
            }
        }
        fs::remove(file, error);
        return refusal(500, "the file could not be kept");
    }

    void on_open(ClientId client) override {
        studio->on_open(client);
    }
    void on_text(ClientId client, std::string text) override {
        studio->on_text(client, text);
    }
    void on_close(ClientId client) override {
        studio->on_close(client);
    }
    void send_text(ClientId client, std::string text) override {
        server.send_text(client, std::move(text));
    }
    void send_frame(ClientId client, SharedBytes frame, int motion_key) override {
        server.send_frame(client, std::move(frame), motion_key);
    }
};

App::App(const AppOptions& options) : data_(std::make_unique<Data>(options)) {}

App::~App() = default;

int App::port() const {
    return data_->server.port();
}

std::string App::address() const {
    const std::string& host = data_->options.http.host;
    const std::string shown = host.find(':') != std::string::npos ? "[" + host + "]" : host;
    const std::string base = fmt::format("http://{}:{}/", shown, port());
    return data_->options.token.empty() ? base : base + "?token=" + data_->options.token;
}

void App::run() {
    data_->server.run();
}

void App::stop() {
    data_->server.stop();
}

}  // namespace sinew::studio
