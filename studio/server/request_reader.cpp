#include "studio/server/request_reader.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>

namespace sinew::studio {

namespace http = boost::beast::http;

RequestReader::RequestReader(std::uint32_t max_head, std::uint64_t max_body) {
    header_limit(max_head);
    body_limit(max_body);
}

void RequestReader::on_request_impl(http::verb, StringView method, StringView target, int, Error&) {
    method_ = std::string(method);
    target_ = std::string(target);
}

void RequestReader::on_field_impl(http::field name, StringView, StringView value, Error& error) {
    if (name == http::field::host && !field(name).empty()) {
        error = http::error::bad_field;  // two hosts: which one was checked?
        return;
    }
    if (name != http::field::unknown) {
        fields_.emplace_back(name, std::string(value));
    }
}

std::size_t RequestReader::on_body_impl(StringView body, Error& error) {
    if (file_ && std::fwrite(body.data(), 1, body.size(), file_.get()) != body.size()) {
        error = boost::system::errc::make_error_code(boost::system::errc::io_error);
    }
    return body.size();
}

std::size_t RequestReader::on_chunk_body_impl(std::uint64_t, StringView body, Error& error) {
    return on_body_impl(body, error);
}

std::string_view RequestReader::field(http::field name) const {
    for (const auto& [known, value] : fields_) {
        if (known == name) {
            return value;
        }
    }
    return {};
}

HttpRequest RequestReader::request() const {
    const auto text = [&](http::field name) { return std::string(field(name)); };
    return {.method = method_,
            .target = target_,
            .host = text(http::field::host),
            .origin = text(http::field::origin),
            .cookie = text(http::field::cookie),
            .authorization = text(http::field::authorization),
            .length = content_length().value_or(0)};
}

bool RequestReader::has_body() const {
    return chunked() || content_length().value_or(0) > 0;
}

bool RequestReader::is_web_socket() const {
    const std::string_view upgrade_to = field(http::field::upgrade);
    return method_ == "GET" && upgrade() &&
           http::token_list(StringView(upgrade_to.data(), upgrade_to.size())).exists("websocket");
}

bool RequestReader::write_body_to(const std::filesystem::path& file) {
    file_.reset(std::fopen(file.c_str(), "wb"));
    return file_ != nullptr;
}

bool RequestReader::close_body() {
    return file_ && std::fclose(file_.release()) == 0;
}

}  // namespace sinew::studio
