#include "studio/server/socket_stream.h"

#include <boost/asio/post.hpp>

namespace sinew::studio {

namespace net = boost::asio;

void SocketStream::read(net::mutable_buffer buffer, std::unique_ptr<Step> then) {
    socket_.async_read_some(buffer, [then = std::move(then)](Error error, std::size_t bytes) {
        then->take(error, bytes);
    });
}

void SocketStream::write(const Gathered& buffers, std::unique_ptr<Step> then) {
    socket_.async_write_some(buffers, [then = std::move(then)](Error error, std::size_t bytes) {
        then->take(error, bytes);
    });
}

void SocketStream::tear_down(std::unique_ptr<Step> then) {
    end_sending();
    net::post(socket_.get_executor(), [then = std::move(then)] { then->take({}, 0); });
}

void SocketStream::end_sending() {
    Error ignored;
    socket_.shutdown(net::ip::tcp::socket::shutdown_send, ignored);
}

void SocketStream::close() {
    Error ignored;
    socket_.close(ignored);
}

}  // namespace sinew::studio
