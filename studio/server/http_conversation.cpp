#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include <fstream>

#include "studio/server/net_shared.h"

namespace sinew::studio {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::uint32_t kMostHead = 16384;   // bytes of a request's head
constexpr std::size_t kPieceIn = 65536;      // bytes that are read at once
constexpr std::size_t kPieceOut = 1u << 18;  // bytes of a file that are sent at once
constexpr std::size_t kMostIgnored = 1u << 22;
constexpr std::chrono::seconds kLinger{2};  // for a client to read why it was refused
constexpr std::chrono::minutes kTransfer{10};

std::string head_of(const HttpResponse& response, std::uint64_t length, bool closes) {
    const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
    std::string head = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n",
        response.status, std::string_view(reason.data(), reason.size()), response.type, length);
    for (const auto& [name, value] : response.headers) {
        head += fmt::format("{}: {}\r\n", name, value);
    }
    return head + (closes ? "Connection: close\r\n\r\n" : "\r\n");
}

/// One connection that speaks HTTP, request after request.
class Conversation : public std::enable_shared_from_this<Conversation> {
public:
    Conversation(Shared& shared, SocketStream::Socket socket)
        : shared_(shared),
          connection_(std::make_unique<Connection>(shared)),
          stream_(std::move(socket)),
          alarm_(shared.context) {}

    void read() {
        reader_.emplace(kMostHead, shared_.options.max_upload);
        set_alarm(std::chrono::seconds(shared_.options.header_seconds));
        parse_head();
    }

private:
    /// Closes the connection unless it is set again before.
    void set_alarm(Alarm::duration after) {
        alarm_.expires_after(after);
        alarm_.async_wait([weak = weak_from_this()](NetError cancelled) {
            if (const auto self = weak.lock(); self && !cancelled) {
                self->stream_.close();
            }
        });
    }

    template <class Then>
    void read_more(Then then) {
        stream_.async_read_some(buffer_.prepare(kPieceIn), [self = shared_from_this(), then](
                                                               NetError error, std::size_t bytes) {
            self->buffer_.commit(bytes);
            then(*self, error);
        });
    }

    NetError parse() {
        NetError error;
        buffer_.consume(reader_->put(buffer_.data(), error));
        return error;
    }

    void parse_head() {
        const NetError error = buffer_.size() > 0 ? parse() : http::error::need_more;
        if (error == http::error::body_limit) {
            refuse_size();
        } else if (error && error != http::error::need_more) {
            send({.status = 400, .body = "not HTTP\n"}, true);
        } else if (!error && reader_->is_header_done()) {
            on_head();
        } else {
            read_more([](Conversation& self, NetError failed) {
                if (!failed) {
                    self.parse_head();
                }
            });
        }
    }

    void on_head() {
        request_ = reader_->request();
        if (const std::optional<HttpResponse> refusal = shared_.application.refuse(request_)) {
            send(*refusal, true);
        } else if (reader_->is_web_socket()) {
            upgrade();
        } else if (request_.method == "PUT") {
            upload();
        } else {
            send(shared_.application.answer(request_),
                 reader_->has_body() || !reader_->keep_alive());
        }
    }

    void upgrade() {
        const std::string path = request_.target.substr(0, request_.target.find('?'));
        if (path != "/ws") {
            send({.status = 404, .body = "WebSockets are at /ws\n"}, true);
            return;
        }
        if (shared_.clients.size() >= shared_.options.max_clients) {
            send({.status = 503, .body = "too many views are open\n"}, true);
            return;
        }
        alarm_.cancel();
        start_client(shared_, std::move(connection_), std::move(stream_), *reader_);
    }

    void refuse_size() {
        send({.status = 413,
              .body = fmt::format("at most {} MB\n", shared_.options.max_upload >> 20)},
             true);
    }

    void upload() {
        const auto place = shared_.application.begin_upload(request_);
        if (const HttpResponse* refusal = std::get_if<HttpResponse>(&place)) {
            send(*refusal, true);
            return;
        }
        upload_path_ = std::get<std::filesystem::path>(place);
        if (!reader_->write_body_to(upload_path_)) {
            send({.status = 500, .body = "the workspace cannot be written to\n"}, true);
            return;
        }
        reader_->eager(true);
        set_alarm(kTransfer);
        const std::string_view expected = reader_->field(http::field::expect);
        if (!beast::iequals({expected.data(), expected.size()}, "100-continue")) {
            read_upload();
            return;
        }
        text_ = "HTTP/1.1 100 Continue\r\n\r\n";
        net::async_write(stream_, net::buffer(text_),
                         [self = shared_from_this()](NetError failed, std::size_t) {
                             failed ? self->end_upload(failed) : self->read_upload();
                         });
    }

    void read_upload() {
        const NetError error = buffer_.size() > 0 ? parse() : NetError{};
        if ((error && error != http::error::need_more) || reader_->is_done()) {
            end_upload(reader_->is_done() ? NetError{} : error);
            return;
        }
        read_more([](Conversation& self, NetError failed) {
            failed ? self.end_upload(failed) : self.read_upload();
        });
    }

    void end_upload(NetError error) {
        const bool is_whole = reader_->close_body() && !error;
        const HttpResponse response =
            shared_.application.end_upload(request_, upload_path_, is_whole);
        if (error == http::error::body_limit) {
            refuse_size();
        } else if (!error) {
            send(response, !reader_->keep_alive());
        }
    }

    void send(const HttpResponse& response, bool closes) {
        closes_ = closes;
        std::uint64_t length = response.body.size();
        file_ = {};
        if (!response.file.empty()) {
            std::error_code error;
            length = std::filesystem::file_size(response.file, error);
            file_.open(response.file, std::ios::binary);
            if (error || !file_) {
                send({.status = 404, .body = "there is no such file\n"}, closes);
                return;
            }
        }
        set_alarm(kTransfer);
        const bool has_body = request_.method != "HEAD";
        file_left_ = has_body && !response.file.empty() ? length : 0;
        text_ = head_of(response, length, closes);
        if (has_body) {
            text_ += response.body;
        }
        write();
    }

    // The text, and then the file piece by piece.
    void write() {
        net::async_write(
            stream_, net::buffer(text_), [self = shared_from_this()](NetError error, std::size_t) {
                if (error) {
                    self->stream_.close();
                } else if (self->file_left_ > 0) {
                    self->text_.resize(std::min<std::uint64_t>(self->file_left_, kPieceOut));
                    self->file_.read(self->text_.data(),
                                     static_cast<std::streamsize>(self->text_.size()));
                    self->file_left_ -= self->text_.size();
                    // A file that has become shorter cannot be sent whole.
                    self->file_ ? self->write() : self->stream_.close();
                } else if (!self->closes_) {
                    self->read();
                } else {
                    self->stream_.end_sending();
                    self->set_alarm(kLinger);
                    self->ignore_rest();
                }
            });
    }

    // To close while bytes are unread would take the answer away from the client.
    void ignore_rest() {
        ignored_ += buffer_.size();
        buffer_.consume(buffer_.size());
        read_more([](Conversation& self, NetError error) {
            if (!error && self.ignored_ < kMostIgnored) {
                self.ignore_rest();
            }
        });
    }

    Shared& shared_;
    std::unique_ptr<Connection> connection_;
    SocketStream stream_;
    Alarm alarm_;
    beast::flat_buffer buffer_ = {};
    std::optional<RequestReader> reader_ = {};
    HttpRequest request_ = {};
    std::filesystem::path upload_path_ = {};
    std::string text_ = {};
    std::ifstream file_ = {};
    std::uint64_t file_left_ = 0;
    std::size_t ignored_ = 0;
    bool closes_ = false;
};

}  // namespace

void start_conversation(Shared& shared, SocketStream::Socket socket) {
    std::make_shared<Conversation>(shared, std::move(socket))->read();
}

}  // namespace sinew::studio
