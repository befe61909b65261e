#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "studio/server/http_server.h"

namespace sinew::studio {

/// Who may talk to the server.
struct AccessPolicy {
    std::string host = "127.0.0.1";  ///< address it listens at
    int port = 0;
    std::string token = {};  ///< empty: none is needed (loopback only)
};

/// A token of 128 random bits, from the system.
std::string random_token();

/// Whether an address can be reached from this machine only: 127.x.x.x or ::1.
bool is_loopback(std::string_view address);

/// Against pages of other sites, also those whose name was made to point here (DNS rebinding):
/// `Host` must be an address or the name that the server was given, with its port; a browser's
/// `Origin` must be the same. Nothing where the request may pass.
std::optional<HttpResponse> refuse_stranger(const AccessPolicy& policy, const HttpRequest& request);

/// Where a token is needed: it may come as ?token=, as a cookie, or as Authorization: Bearer. A
/// request with the right one in its query is sent on to the same page without it, with a cookie.
std::optional<HttpResponse> refuse_without_token(const AccessPolicy& policy,
                                                 const HttpRequest& request);

/// "/a%20b?x=1" -> "/a b"; nothing for escapes that are none, and for control characters.
std::optional<std::string> decoded_path(std::string_view target);
/// Value of a key of the query, as sent; empty where there is none.
std::string query_value(std::string_view target, std::string_view key);
std::string cookie_value(std::string_view cookies, std::string_view name);

}  // namespace sinew::studio
