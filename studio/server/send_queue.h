#pragma once

#include <deque>

#include "studio/server/http_server.h"

namespace sinew::studio {

/// One message on its way to a client.
struct Outgoing {
    SharedBytes bytes;
    bool is_text = false;
    int motion_key = -1;  ///< >= 0: may be replaced by a later one of the same key
};

/// What waits for a client. A client that reads slowly is sent fewer frames of motion and
/// everything else: a frame of motion replaces the waiting one of its key, unless something that is
/// never left out has been put behind that one.
class SendQueue {
public:
    void push(Outgoing message);
    Outgoing pop();
    bool is_empty() const {
        return waiting_.empty();
    }
    std::size_t bytes() const {
        return bytes_;
    }
    std::size_t size() const {
        return waiting_.size();
    }
    std::uint64_t skipped() const {
        return skipped_;
    }

private:
    std::deque<Outgoing> waiting_ = {};
    std::size_t bytes_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace sinew::studio
