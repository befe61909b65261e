#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>

#include <chrono>
#include <map>

#include "studio/server/http_server.h"
#include "studio/server/request_reader.h"
#include "studio/server/send_queue.h"
#include "studio/server/socket_stream.h"

// What the files that see Boost share. Split in several, for each takes long to compile.
namespace sinew::studio {

namespace net = boost::asio;
using NetError = SocketStream::Error;
using Acceptor = net::basic_socket_acceptor<net::ip::tcp, SocketStream::executor_type>;
using Alarm = net::basic_waitable_timer<std::chrono::steady_clock,
                                        net::wait_traits<std::chrono::steady_clock>,
                                        SocketStream::executor_type>;

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
    net::io_context context{1};
    Acceptor acceptor{context};
    Alarm retry{context};
    Alarm farewell{context};
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

/// Reads requests from a new connection and answers them.
void start_conversation(Shared& shared, SocketStream::Socket socket);
/// Answers a WebSocket's handshake and serves it.
void start_client(Shared& shared, std::unique_ptr<Connection> connection, SocketStream stream,
                  const RequestReader& request);

}  // namespace sinew::studio
