#include "studio/server/http_server.h"

#include "sinew/base/error.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <chrono>

#include "studio/server/net_shared.h"

namespace sinew::studio {

using tcp = net::ip::tcp;

namespace {

void accept(Shared& shared) {
    shared.acceptor.async_accept([&shared](NetError error, SocketStream::Socket socket) {
        if (shared.is_stopping) {
            return;
        }
        if (!error) {
            if (shared.connections < shared.options.max_connections) {
                NetError ignored;
                socket.set_option(tcp::no_delay(true), ignored);
                if (shared.options.send_buffer > 0) {
                    socket.set_option(net::socket_base::send_buffer_size(
                                          static_cast<int>(shared.options.send_buffer)),
                                      ignored);
                }
                start_conversation(shared, std::move(socket));
            }
            accept(shared);
            return;
        }
        // Out of descriptors, most likely: some will be given back.
        shared.retry.expires_after(std::chrono::milliseconds(100));
        shared.retry.async_wait([&shared](NetError cancelled) {
            if (!cancelled) {
                accept(shared);
            }
        });
    });
}

void listen(Shared& shared) {
    const HttpServerOptions& o = shared.options;
    try {
        const net::ip::address address = net::ip::make_address(o.host);
        const tcp::endpoint endpoint(address, static_cast<unsigned short>(o.port));
        shared.acceptor.open(endpoint.protocol());
        shared.acceptor.set_option(net::socket_base::reuse_address(true));
        shared.acceptor.bind(endpoint);
        shared.acceptor.listen(net::socket_base::max_listen_connections);
    } catch (const boost::system::system_error& e) {
        throw InputError({.where = fmt::format("address {}, port {}", o.host, o.port),
                          .found = e.code().message(),
                          .needs = "an address of this machine and a port that is free",
                          .remedy = "choose another --port, or 0 for any"});
    }
}

}  // namespace

struct HttpServer::Data {
    Shared shared;
    int port = 0;

    Data(const HttpServerOptions& options, HttpApplication& application)
        : shared(options, application) {}
};

HttpServer::HttpServer(const HttpServerOptions& options, HttpApplication& application)
    : data_(std::make_unique<Data>(options, application)) {
    listen(data_->shared);
    data_->port = data_->shared.acceptor.local_endpoint().port();
    accept(data_->shared);
}

HttpServer::~HttpServer() {
    data_->shared.is_stopping = true;
    data_->shared.clients.clear();
}

int HttpServer::port() const {
    return data_->port;
}

void HttpServer::run() {
    data_->shared.context.run();
}

void HttpServer::stop() {
    net::post(data_->shared.context, [&shared = data_->shared] {
        shared.is_stopping = true;
        NetError ignored;
        shared.acceptor.close(ignored);
        for (const auto& [id, client] : shared.clients) {
            client->say_goodbye();
        }
        shared.farewell.expires_after(std::chrono::milliseconds(shared.clients.empty() ? 0 : 200));
        shared.farewell.async_wait([&shared](NetError) { shared.context.stop(); });
    });
}

void HttpServer::send_text(ClientId client, std::string text) {
    net::post(data_->shared.context,
              [&shared = data_->shared, client,
               bytes = std::make_shared<const std::string>(std::move(text))] {
                  if (const auto it = shared.clients.find(client); it != shared.clients.end()) {
                      const auto target = it->second;
                      target->send({.bytes = bytes, .is_text = true});
                  }
              });
}

void HttpServer::send_frame(ClientId client, SharedBytes frame, int motion_key) {
    net::post(data_->shared.context,
              [&shared = data_->shared, client, frame = std::move(frame), motion_key] {
                  if (const auto it = shared.clients.find(client); it != shared.clients.end()) {
                      const auto target = it->second;
                      target->send({.bytes = frame, .is_text = false, .motion_key = motion_key});
                  }
              });
}

}  // namespace sinew::studio
