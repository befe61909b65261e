#include "studio/server/send_queue.h"

namespace sinew::studio {

void SendQueue::push(Outgoing message) {
    if (message.motion_key >= 0) {
        for (auto it = waiting_.rbegin(); it != waiting_.rend(); ++it) {
            if (!it->is_text && it->motion_key < 0) {
                break;  // a mesh: what stands before it belongs to another one
            }
            if (it->motion_key == message.motion_key) {
                bytes_ += message.bytes->size();
                bytes_ -= it->bytes->size();
                *it = std::move(message);
                ++skipped_;
                return;
            }
        }
    }
    bytes_ += message.bytes->size();
    waiting_.push_back(std::move(message));
}

Outgoing SendQueue::pop() {
    Outgoing first = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= first.bytes->size();
    return first;
}

}  // namespace sinew::studio
