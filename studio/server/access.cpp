#include "studio/server/access.h"

#include "sinew/base/text.h"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace sinew::studio {

namespace {

constexpr std::string_view kCookie = "sinew_token";

// Takes as long for a wrong token as for the right one.
bool are_same(std::string_view a, std::string_view b) {
    unsigned difference = a.size() == b.size() ? 0u : 1u;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    }
    return difference == 0u;
}

bool is_ipv4(std::string_view text) {
    const std::vector<std::string> words = split(text, '.');
    if (words.size() != 4) {
        return false;
    }
    for (const std::string& word : words) {
        if (word.empty() || word.size() > 3 ||
            word.find_first_not_of("0123456789") != std::string::npos || std::stoi(word) > 255) {
            return false;
        }
    }
    return true;
}

bool is_bracketed_ipv6(std::string_view text) {
    return text.size() > 4 && text.front() == '[' && text.back() == ']' &&
           text.find_first_not_of("0123456789abcdefABCDEF:.", 1) == text.size() - 1;
}

struct HostPort {
    std::string host;
    std::string port;
};

HostPort split_host(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::size_t bracket = text.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
        return {lower(text), ""};
    }
    return {lower(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

bool is_known_host(const AccessPolicy& policy, const HttpRequest& request) {
    const HostPort at = split_host(request.host);
    const std::string port = fmt::format("{}", policy.port);
    if (at.port != port && !(at.port.empty() && policy.port == 80)) {
        return false;
    }
    if (at.host == "localhost" || at.host == lower(policy.host)) {
        return true;
    }
    if (is_loopback(policy.host)) {
        return at.host == "127.0.0.1" || at.host == "[::1]";
    }
    return is_ipv4(at.host) || is_bracketed_ipv6(at.host);
}

bool has_token(const AccessPolicy& policy, const HttpRequest& request) {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string_view given = request.authorization;
    return are_same(cookie_value(request.cookie, kCookie), policy.token) ||
           (given.substr(0, kBearer.size()) == kBearer &&
            are_same(given.substr(kBearer.size()), policy.token));
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string random_token() {
    std::random_device device;
    std::string token;
    for (int i = 0; i < 4; ++i) {
        token += fmt::format("{:08x}", device() & 0xffffffffu);
    }
    return token;
}

bool is_loopback(std::string_view address) {
    return address == "::1" || address == "localhost" ||
           (is_ipv4(address) && address.substr(0, 4) == "127.");
}

std::optional<HttpResponse> refuse_stranger(const AccessPolicy& policy,
                                            const HttpRequest& request) {
    if (!is_known_host(policy, request)) {
        return HttpResponse{
            .status = 403, .body = "This server is reached by its address: see what it printed.\n"};
    }
    if (!request.origin.empty() && lower(request.origin) != "http://" + lower(request.host)) {
        return HttpResponse{.status = 403, .body = "Pages of other sites may not talk to it.\n"};
    }
    return std::nullopt;
}

std::optional<HttpResponse> refuse_without_token(const AccessPolicy& policy,
                                                 const HttpRequest& request) {
    if (policy.token.empty()) {
        return std::nullopt;
    }
    if (const std::string given = query_value(request.target, "token");
        !given.empty() && are_same(given, policy.token)) {
        if (request.method != "GET" || request.target.substr(0, 3) == "/ws") {
            return std::nullopt;
        }
        return HttpResponse{
            .status = 303,
            .body = "",
            .headers = {{"Location", request.target.substr(0, request.target.find('?'))},
                        {"Cache-Control", "no-store"},
                        {"Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                   kCookie, policy.token)}}};
    }
    if (has_token(policy, request)) {
        return std::nullopt;
    }
    return HttpResponse{.status = 401,
                        .body = "Open the address with the token that the program printed.\n",
                        .headers = {{"WWW-Authenticate", "Bearer"}}};
}

std::optional<std::string> decoded_path(std::string_view target) {
    const std::string_view path = target.substr(0, target.find('?'));
    std::string decoded;
    for (std::size_t i = 0; i < path.size(); ++i) {
        char c = path[i];
        if (c == '%') {
            const int high = i + 2 < path.size() ? hex_digit(path[i + 1]) : -1;
            const int low = i + 2 < path.size() ? hex_digit(path[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return std::nullopt;
            }
            c = static_cast<char>(16 * high + low);
            i += 2;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            return std::nullopt;
        }
        decoded += c;
    }
    return decoded;
}

std::string query_value(std::string_view target, std::string_view key) {
    const std::size_t mark = target.find('?');
    if (mark == std::string_view::npos) {
        return "";
    }
    for (const std::string& entry : split(target.substr(mark + 1), '&')) {
        if (entry.size() > key.size() && entry[key.size()] == '=' &&
            std::string_view(entry).substr(0, key.size()) == key) {
            return entry.substr(key.size() + 1);
        }
    }
    return "";
}

std::string cookie_value(std::string_view cookies, std::string_view name) {
    for (const std::string& entry : split(cookies, ';')) {
        const std::size_t begin = entry.find_first_not_of(' ');
        if (begin == std::string::npos) {
            continue;
        }
        const std::string_view text = std::string_view(entry).substr(begin);
        if (text.size() > name.size() && text[name.size()] == '=' &&
            text.substr(0, name.size()) == name) {
            return std::string(text.substr(name.size() + 1));
        }
    }
    return "";
}

}  // namespace sinew::studio
