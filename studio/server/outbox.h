#pragma once

#include "studio/server/http_server.h"

namespace sinew::studio {

/// Where the studio puts what is meant for its views. Calls come from any thread.
class Outbox {
public:
    virtual ~Outbox() = default;
    virtual void send_text(ClientId client, std::string text) = 0;
    /// As HttpServer::send_frame.
    virtual void send_frame(ClientId client, SharedBytes frame, int motion_key) = 0;
};

}  // namespace sinew::studio
