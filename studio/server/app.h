#pragma once

#include "sinew/base/progress.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "studio/server/http_server.h"
#include "studio/server/studio.h"

namespace sinew::studio {

struct AppOptions {
    HttpServerOptions http = {};
    StudioOptions studio = {};
    std::filesystem::path workspace = {};
    std::string token = {};  ///< needed by all requests where not empty
};

/// The studio behind its server: pages, files of the workspace, and the WebSocket.
class App {
public:
    /// @throws InputError  when address or workspace cannot be used
    explicit App(const AppOptions& options);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    int port() const;
    /// "http://127.0.0.1:8080/", with the token where one is needed.
    std::string address() const;
    /// Serves until stop().
    void run();
    void stop();  ///< from any thread

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// A file of the page, embedded in the program; nothing where there is none of this path.
struct PageFile {
    std::string_view path;  ///< "/index.html"
    std::string_view type;  ///< of its content
    const unsigned char* bytes;
    std::size_t size;
};
const PageFile* find_page_file(std::string_view path);

}  // namespace sinew::studio
