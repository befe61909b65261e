#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "studio/server/http_server.h"

namespace sinew::studio {

/// One request as its bytes come: first its head, then, where it has one, its body into a file.
class RequestReader final : public boost::beast::http::basic_parser<true> {
public:
    using Error = boost::beast::error_code;
    using Fields = std::vector<std::pair<boost::beast::http::field, std::string>>;

    /// @param max_head, max_body  bytes
    RequestReader(std::uint32_t max_head, std::uint64_t max_body);

    /// Once the head is there.
    HttpRequest request() const;
    /// First value of a field, or nothing.
    std::string_view field(boost::beast::http::field name) const;
    const Fields& fields() const {
        return fields_;
    }
    bool has_body() const;
    bool is_web_socket() const;

    /// Where the body goes from now on; false where the file cannot be written.
    bool write_body_to(const std::filesystem::path& file);
    /// True when everything that came is in the file.
    bool close_body();

private:
    using StringView = boost::beast::string_view;
    using Length = boost::optional<std::uint64_t>;
    void on_request_impl(boost::beast::http::verb, StringView method, StringView target, int,
                         Error&) override;
    void on_response_impl(int, StringView, int, Error&) override {}
    void on_field_impl(boost::beast::http::field name, StringView, StringView value,
                       Error& error) override;
    void on_header_impl(Error&) override {}
    void on_body_init_impl(const Length&, Error&) override {}
    std::size_t on_body_impl(StringView body, Error& error) override;
    void on_chunk_header_impl(std::uint64_t, StringView, Error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, StringView body, Error& error) override;
    void on_finish_impl(Error&) override {}

    struct CloseFile {
        void operator()(std::FILE* file) const {
            std::fclose(file);
        }
    };
    std::string method_;
    std::string target_;
    Fields fields_;
    std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace sinew::studio
