#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <chrono>

#include "studio/server/net_shared.h"

namespace sinew::studio {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using Error = beast::error_code;

namespace {

constexpr std::uint32_t kMostHeader = 16384;  // bytes of a request's head

bool is_upgrade(const UpgradeRequest& head) {
    return head.method() == http::verb::get &&
           http::token_list(head[http::field::connection]).exists("upgrade") &&
           http::token_list(head[http::field::upgrade]).exists("websocket");
}

/// One connection that speaks HTTP, request after request.
class Conversation : public std::enable_shared_from_this<Conversation> {
public:
    Conversation(Shared& shared, tcp::socket socket)
        : shared_(shared),
          connection_(std::make_unique<Connection>(shared)),
          stream_(std::move(socket)) {}

    void read() {
        parser_.emplace();
        parser_->header_limit(kMostHeader);
        parser_->body_limit(shared_.options.max_upload);
        stream_.expires_after(std::chrono::seconds(shared_.options.header_seconds));
        http::async_read_header(
            stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
                if (!error) {
                    self->on_head();
                } else if (error == http::error::body_limit) {
                    self->refuse_size();
                } else if (error != http::error::end_of_stream &&
                           error.category() ==
                               http::make_error_code(http::error::bad_method).category()) {
                    self->send({.status = 400, .body = "not HTTP\n"}, true);
                }
            });
    }

private:
    HttpRequest request_from_head() const {
        const auto& head = parser_->get();
        const auto text = [&](http::field field) { return std::string(head[field]); };
        return {.method = std::string(head.method_string()),
                .target = std::string(head.target()),
                .host = text(http::field::host),
                .origin = text(http::field::origin),
                .cookie = text(http::field::cookie),
                .authorization = text(http::field::authorization),
                .length = parser_->content_length().value_or(0)};
    }

    void on_head() {
        const auto& head = parser_->get();
        request_ = request_from_head();
        const bool has_body = request_.length > 0 || parser_->chunked();
        if (const std::optional<HttpResponse> refusal = shared_.application.refuse(request_)) {
            send(*refusal, true);
        } else if (is_upgrade(head)) {
            upgrade();
        } else if (head.method() == http::verb::put) {
            upload();
        } else {
            send(shared_.application.answer(request_), has_body || !head.keep_alive());
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
        stream_.expires_never();
        start_client(shared_, std::move(connection_), std::move(stream_), parser_->get());
    }

    void refuse_size() {
        send({.status = 413,
              .body = fmt::format("at most {} MB\n", shared_.options.max_upload >> 20)},
             true);
    }

    void upload() {
        if (request_.length > shared_.options.max_upload) {
            refuse_size();
            return;
        }
        const auto place = shared_.application.begin_upload(request_);
        if (const HttpResponse* refusal = std::get_if<HttpResponse>(&place)) {
            send(*refusal, true);
            return;
        }
        upload_path_ = std::get<std::filesystem::path>(place);
        const bool wants_go_ahead =
            beast::iequals(parser_->get()[http::field::expect], "100-continue");
        upload_.emplace(std::move(*parser_));
        upload_->body_limit(shared_.options.max_upload);
        Error error;
        upload_->get().body().open(upload_path_.c_str(), beast::file_mode::write, error);
        if (error) {
            send({.status = 500, .body = "the workspace cannot be written to\n"}, true);
            return;
        }
        stream_.expires_after(std::chrono::minutes(10));
        if (!wants_go_ahead) {
            read_upload();
            return;
        }
        const auto go_ahead =
            std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
        http::async_write(stream_, *go_ahead,
                          [self = shared_from_this(), go_ahead](Error failed, std::size_t) {
                              if (!failed) {
                                  self->read_upload();
                              }
                          });
    }

    void read_upload() {
        http::async_read(stream_, buffer_, *upload_,
                         [self = shared_from_this()](Error error, std::size_t) {
                             const bool keeps = self->upload_->keep_alive();
                             self->upload_->get().body().close();
                             const HttpResponse response = self->shared_.application.end_upload(
                                 self->request_, self->upload_path_, !error);
                             if (error == http::error::body_limit) {
                                 self->refuse_size();
                             } else if (!error) {
                                 self->send(response, !keeps);
                             }
                         });
    }

    template <class Body>
    void send_message(std::shared_ptr<http::response<Body>> message, const HttpResponse& response,
                      bool closes) {
        message->result(static_cast<unsigned>(response.status));
        message->set(http::field::content_type, response.type);
        message->set("X-Content-Type-Options", "nosniff");
        message->set("Referrer-Policy", "no-referrer");
        message->set("X-Frame-Options", "DENY");
        message->set("Cross-Origin-Resource-Policy", "same-origin");
        for (const auto& [name, value] : response.headers) {
            message->set(name, value);
        }
        message->keep_alive(!closes);
        message->prepare_payload();
        stream_.expires_after(std::chrono::minutes(10));
        // HEAD is answered without a body.
        auto serializer = std::make_shared<http::response_serializer<Body>>(*message);
        auto done = [self = shared_from_this(), message, serializer, closes](Error error,
                                                                             std::size_t) {
            if (closes || error) {
                Error ignored;
                self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            } else {
                self->read();
            }
        };
        if (request_.method == "HEAD") {
            http::async_write_header(stream_, *serializer, std::move(done));
        } else {
            http::async_write(stream_, *serializer, std::move(done));
        }
    }

    void send(const HttpResponse& response, bool closes) {
        if (response.file.empty()) {
            const auto message = std::make_shared<http::response<http::string_body>>();
            message->body() = response.body;
            send_message(message, response, closes);
            return;
        }
        const auto message = std::make_shared<http::response<http::file_body>>();
        Error error;
        message->body().open(response.file.c_str(), beast::file_mode::scan, error);
        if (error) {
            send({.status = 404, .body = "there is no such file\n"}, closes);
            return;
        }
        send_message(message, response, closes);
    }

    Shared& shared_;
    std::unique_ptr<Connection> connection_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_ = {};
    std::optional<http::request_parser<http::empty_body>> parser_ = {};
    std::optional<http::request_parser<http::file_body>> upload_ = {};
    std::filesystem::path upload_path_ = {};
    HttpRequest request_ = {};
};

}  // namespace

void start_conversation(Shared& shared, tcp::socket socket) {
    std::make_shared<Conversation>(shared, std::move(socket))->read();
}

}  // namespace sinew::studio
