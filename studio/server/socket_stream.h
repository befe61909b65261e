#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/role.hpp>

#include <array>
#include <memory>
#include <utility>

namespace sinew::studio {

/// A TCP socket whose completion handlers are kept behind one base class. Beast's WebSocket passes
/// it dozens of types of handlers and buffers; Asio's templates below are made for one of each,
/// which halves the time that the server takes to compile.
class SocketStream {
public:
    using executor_type = boost::asio::io_context::executor_type;
    using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, executor_type>;
    using Error = boost::beast::error_code;

    /// What follows once bytes have come or gone.
    class Step {
    public:
        virtual ~Step() = default;
        virtual void take(Error error, std::size_t bytes) = 0;
    };

    explicit SocketStream(Socket socket) : socket_(std::move(socket)) {}

    executor_type get_executor() {
        return socket_.get_executor();
    }
    /// Fills the first buffer that is not empty.
    template <class Buffers, class Handler>
    void async_read_some(const Buffers& buffers, Handler&& handler) {
        boost::asio::mutable_buffer first;
        for (auto it = boost::asio::buffer_sequence_begin(buffers);
             it != boost::asio::buffer_sequence_end(buffers) && first.size() == 0; ++it) {
            first = *it;
        }
        read(first, step_of(std::forward<Handler>(handler)));
    }
    /// Sends some of the first buffers.
    template <class Buffers, class Handler>
    void async_write_some(const Buffers& buffers, Handler&& handler) {
        Gathered gathered;
        std::size_t count = 0;
        for (auto it = boost::asio::buffer_sequence_begin(buffers);
             it != boost::asio::buffer_sequence_end(buffers) && count < gathered.size(); ++it) {
            if (boost::asio::const_buffer(*it).size() > 0) {
                gathered[count++] = *it;
            }
        }
        write(gathered, step_of(std::forward<Handler>(handler)));
    }

    /// No more will be sent.
    void end_sending();
    /// Everything that waits is told so.
    void close();

    /// As Beast asks for: the WebSocket has said good-bye.
    template <class Handler>
    friend void async_teardown(boost::beast::role_type, SocketStream& stream, Handler&& handler) {
        stream.tear_down(
            step_of([then = std::forward<Handler>(handler)](Error, std::size_t) mutable {
                auto last = std::move(then);
                last(Error{});
            }));
    }
    friend void beast_close_socket(SocketStream& stream) {
        stream.close();
    }

private:
    using Gathered = std::array<boost::asio::const_buffer, 4>;

    template <class Handler>
    static std::unique_ptr<Step> step_of(Handler&& handler) {
        struct Held final : Step {
            std::decay_t<Handler> then;
            explicit Held(Handler&& h) : then(std::forward<Handler>(h)) {}
            void take(Error error, std::size_t bytes) override {
                auto last = std::move(then);
                last(error, bytes);
            }
        };
        return std::make_unique<Held>(std::forward<Handler>(handler));
    }
    void read(boost::asio::mutable_buffer buffer, std::unique_ptr<Step> then);
    void write(const Gathered& buffers, std::unique_ptr<Step> then);
    void tear_down(std::unique_ptr<Step> then);

    Socket socket_;
};

}  // namespace sinew::studio
