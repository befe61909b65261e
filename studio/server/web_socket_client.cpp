#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <chrono>

#include "studio/server/net_shared.h"

namespace sinew::studio {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = 20000;  // messages for one client

/// Admits so many messages per second on average.
class Pace {
public:
    Pace(double per_second, double burst) : per_second_(per_second), burst_(burst), left_(burst) {}
    /// How long to wait before the next message is read.
    Clock::duration take() {
        const Clock::time_point now = Clock::now();
        left_ += per_second_ * std::chrono::duration<double>(now - last_).count();
        left_ = std::min(left_, burst_) - 1.0;
        last_ = now;
        const double wait = left_ < 0.0 ? -left_ / per_second_ : 0.0;
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait));
    }

private:
    double per_second_;
    double burst_;
    double left_;
    Clock::time_point last_ = Clock::now();
};

/// One WebSocket.
class WebSocketClient final : public Client, public std::enable_shared_from_this<WebSocketClient> {
public:
    WebSocketClient(Shared& shared, std::unique_ptr<Connection> connection, SocketStream stream)
        : shared_(shared),
          connection_(std::move(connection)),
          socket_(std::move(stream)),
          timer_(shared.context),
          pace_(shared.options.messages_per_second, shared.options.message_burst) {}

    void start(const RequestReader& request) {
        http::request<http::empty_body> handshake(http::verb::get, "/ws", 11);
        for (const auto& [name, value] : request.fields()) {
            handshake.insert(name, value);
        }
        websocket::stream_base::timeout timeout{};
        timeout.handshake_timeout = std::chrono::seconds(10);
        timeout.idle_timeout = std::chrono::seconds(shared_.options.idle_seconds);
        timeout.keep_alive_pings = true;
        socket_.set_option(timeout);
        socket_.read_message_max(shared_.options.max_message);
        socket_.auto_fragment(false);
        socket_.write_buffer_bytes(65536);
        socket_.async_accept(handshake, [self = shared_from_this()](NetError error) {
            if (error) {
                return;
            }
            self->id_ = ++self->shared_.last_client;
            self->shared_.clients[self->id_] = self;
            self->is_open_ = true;
            self->shared_.application.on_open(self->id_);
            self->read();
        });
    }

    void send(Outgoing message) override {
        if (!is_open_) {
            return;
        }
        queue_.push(std::move(message));
        if (queue_.bytes() > shared_.options.max_queued || queue_.size() > kMostWaiting) {
            finish();  // it does not read at all
            return;
        }
        write();
    }

    void say_goodbye() override {
        if (is_open_ && !is_writing_) {
            is_writing_ = true;
            socket_.async_close(websocket::close_code::going_away,
                                [self = shared_from_this()](NetError) {});
        }
    }

private:
    void read() {
        socket_.async_read(buffer_, [self = shared_from_this()](NetError error, std::size_t) {
            self->on_read(error);
        });
    }

    void on_read(NetError error) {
        if (error || !socket_.got_text()) {
            finish();
            return;
        }
        std::string text = beast::buffers_to_string(buffer_.data());
        buffer_.consume(buffer_.size());
        shared_.application.on_text(id_, std::move(text));
        const Clock::duration wait = pace_.take();
        if (wait <= Clock::duration::zero()) {
            read();
            return;
        }
        timer_.expires_after(wait);
        timer_.async_wait([self = shared_from_this()](NetError cancelled) {
            if (!cancelled && self->is_open_) {
                self->read();
            }
        });
    }

    void write() {
        if (is_writing_ || queue_.is_empty() || !is_open_) {
            return;
        }
        is_writing_ = true;
        writing_ = queue_.pop();
        socket_.text(writing_.is_text);
        socket_.async_write(net::buffer(*writing_.bytes),
                            [self = shared_from_this()](NetError error, std::size_t) {
                                self->is_writing_ = false;
                                self->writing_ = {};
                                if (error) {
                                    self->finish();
                                } else {
                                    self->write();
                                }
                            });
    }

    void finish() {
        if (!is_open_) {
            return;
        }
        is_open_ = false;
        timer_.cancel();
        socket_.next_layer().close();
        shared_.application.on_close(id_);
        shared_.clients.erase(id_);
    }

    Shared& shared_;
    std::unique_ptr<Connection> connection_;
    websocket::stream<SocketStream, false> socket_;
    Alarm timer_;
    beast::flat_buffer buffer_ = {};
    SendQueue queue_ = {};
    Outgoing writing_ = {};
    Pace pace_;
    ClientId id_ = 0;
    bool is_open_ = false;
    bool is_writing_ = false;
};

}  // namespace

void start_client(Shared& shared, std::unique_ptr<Connection> connection, SocketStream stream,
                  const RequestReader& request) {
    std::make_shared<WebSocketClient>(shared, std::move(connection), std::move(stream))
        ->start(request);
}

}  // namespace sinew::studio
