#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sinew::studio {

/// What a request says, as far as the studio cares.
struct HttpRequest {
    std::string method;  ///< "GET"
    std::string target;  ///< as sent: path and query
    std::string host;
    std::string origin;  ///< empty: none
    std::string cookie;
    std::string authorization;
    std::uint64_t length = 0;  ///< of the body as announced, bytes
};

struct HttpResponse {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body = {};
    std::filesystem::path file = {};  ///< sent instead of the body where not empty
    std::vector<std::pair<std::string, std::string>> headers = {};
};

using ClientId = std::uint64_t;
/// Bytes that several clients share.
using SharedBytes = std::shared_ptr<const std::string>;

/// What the server calls, always on its own thread, one call at a time. Calls must be short.
class HttpApplication {
public:
    virtual ~HttpApplication() = default;
    /// Asked first, for everything: nothing where the request may pass.
    virtual std::optional<HttpResponse> refuse(const HttpRequest& request) = 0;
    virtual HttpResponse answer(const HttpRequest& request) = 0;
    /// Where the body of a PUT is to be written, or why not.
    virtual std::variant<std::filesystem::path, HttpResponse> begin_upload(
        const HttpRequest& request) = 0;
    /// The body is there, or (not `is_whole`) the sender broke off.
    virtual HttpResponse end_upload(const HttpRequest& request, const std::filesystem::path& file,
                                    bool is_whole) = 0;
    /// A WebSocket at /ws, from its handshake to its end.
    virtual void on_open(ClientId client) = 0;
    virtual void on_text(ClientId client, std::string text) = 0;
    virtual void on_close(ClientId client) = 0;
};

struct HttpServerOptions {
    std::string host = "127.0.0.1";  ///< address to listen at
    int port = 0;                    ///< 0: any that is free
    std::size_t max_connections = 256;
    std::size_t max_clients = 64;           ///< WebSockets among them
    std::size_t max_message = 8u << 20;     ///< bytes of one text from a client
    std::uint64_t max_upload = 256u << 20;  ///< bytes
    std::size_t max_queued = 512u << 20;    ///< bytes waiting for one client
    double messages_per_second = 400.0;     ///< a client that sends more is read slower
    double message_burst = 800.0;           ///< before that
    int idle_seconds = 60;                  ///< until a silent client is asked, then closed
    int header_seconds = 15;                ///< for a request's head
    std::size_t send_buffer = 0;            ///< of sockets, bytes; 0: the system's
};

/// HTTP and WebSockets on one thread. Everything a client does wrong ends that client only.
class HttpServer {
public:
    /// Listens from here on. @throws InputError  when the address cannot be had
    HttpServer(const HttpServerOptions& options, HttpApplication& application);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    int port() const;
    /// Serves until stop().
    void run();

    // From any thread:

    /// Says good-bye to all clients and makes run() return.
    void stop();
    void send_text(ClientId client, std::string text);
    /// A binary frame. With `motion_key` >= 0 it may be left out: where the client is behind, it
    /// replaces the frame of the same key that waits.
    void send_frame(ClientId client, SharedBytes frame, int motion_key = -1);

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew::studio
