#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

#include <map>

#include "studio/server/http_server.h"
#include "studio/server/send_queue.h"

// What the files that see Boost share. Split in several, for each takes long to compile.
namespace sinew::studio {

/// A WebSocket that is open.
class Client {
public:
    virtual ~Client() = default;
    virtual void send(Outgoing message) = 0;
    virtual void say_goodbye() = 0;
};

/// What all connections share.
struct Shared {
    HttpServerOptions options;
    HttpApplication& application;
    boost::asio::io_context context{1};
    boost::asio::ip::tcp::acceptor acceptor{context};
    boost::asio::steady_timer retry{context};
    boost::asio::steady_timer farewell{context};
    std::map<ClientId, std::shared_ptr<Client>> clients = {};
    ClientId last_client = 0;
    std::size_t connections = 0;
    bool is_stopping = false;

    Shared(const HttpServerOptions& o, HttpApplication& a) : options(o), application(a) {}
};

/// Counts an open socket.
class Connection {
public:
    explicit Connection(Shared& shared) : shared_(shared) {
        ++shared_.connections;
    }
    ~Connection() {
        --shared_.connections;
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

private:
    Shared& shared_;
};

using UpgradeRequest = boost::beast::http::request<boost::beast::http::empty_body>;

/// Reads requests from a new connection and answers them.
void start_conversation(Shared& shared, boost::asio::ip::tcp::socket socket);
/// Answers a WebSocket's handshake and serves it.
void start_client(Shared& shared, std::unique_ptr<Connection> connection,
                  boost::beast::tcp_stream stream, const UpgradeRequest& request);

}  // namespace sinew::studio
