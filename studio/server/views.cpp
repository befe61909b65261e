#include "studio/server/views.h"

#include <algorithm>
#include <iterator>

namespace sinew::studio {

namespace {

constexpr std::chrono::milliseconds kStateInterval{100};  // while a slider moves

std::string text_of(const Json& message) {
    return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void Views::open(ClientId client) {
    const Lock lock = monitor_.lock();
    views_[client] = {};
}

void Views::close(ClientId client) {
    const Lock lock = monitor_.lock();
    views_.erase(client);
    monitor_.notify();  // nobody waits for its picture any more
}

std::set<int> Views::greet(const Lock&, ClientId client, bool draws) {
    View& view = views_[client];
    view.is_greeted = true;
    view.is_drawing = draws;
    return view.layers;
}

std::set<int> Views::want(const Lock&, ClientId client, std::set<int> layers) {
    View& view = views_[client];
    std::set<int> added;
    std::set_difference(layers.begin(), layers.end(), view.layers.begin(), view.layers.end(),
                        std::inserter(added, added.end()));
    view.layers = std::move(layers);
    return view.is_greeted ? added : std::set<int>{};
}

void Views::has_drawn(const Lock&, ClientId client) {
    views_[client].is_drawing = false;
    monitor_.notify();
}

bool Views::is_drawing(const Lock&) const {
    return std::any_of(views_.begin(), views_.end(),
                       [](const auto& entry) { return entry.second.is_drawing; });
}

bool Views::is_open(const Lock&, ClientId client) const {
    return views_.contains(client);
}

std::vector<std::pair<ClientId, std::set<int>>> Views::greeted(const Lock&) const {
    std::vector<std::pair<ClientId, std::set<int>>> pages;
    for (const auto& [client, view] : views_) {
        if (view.is_greeted) {
            pages.emplace_back(client, view.layers);
        }
    }
    return pages;
}

std::set<int> Views::layers_wanted(const Lock& lock) const {
    std::set<int> layers;
    for (const auto& [client, wanted] : greeted(lock)) {
        layers.insert(wanted.begin(), wanted.end());
    }
    return layers;
}

void Views::send(ClientId client, const Json& message) {
    outbox_.send_text(client, text_of(message));
}

void Views::send_frame(ClientId client, const SharedBytes& frame) {
    outbox_.send_frame(client, frame, -1);
}

void Views::broadcast(const Lock&, const Json& message) {
    const std::string text = text_of(message);
    for (const auto& [client, view] : views_) {
        if (view.is_greeted) {
            outbox_.send_text(client, text);
        }
    }
}

void Views::broadcast_frame(const Lock&, int mesh, const SharedBytes& frame, bool is_motion) {
    const int layer = mesh % kBeforeMesh;
    for (const auto& [client, view] : views_) {
        if (view.is_greeted && (layer >= kFirstBesideMesh || view.layers.contains(layer))) {
            outbox_.send_frame(client, frame, is_motion ? mesh : -1);
        }
    }
}

void Views::broadcast_progress(const Lock& lock, int job, const std::string& what,
                               const Json& fraction, const Json& seconds_left, bool is_done) {
    broadcast(lock, {{"event", "progress"},
                     {"job", job},
                     {"what", what},
                     {"fraction", fraction},
                     {"seconds_left", seconds_left},
                     {"done", is_done}});
}

void Views::broadcast_message(const char* level, const std::string& text) {
    const Lock lock = monitor_.lock();
    broadcast(lock, {{"event", "message"}, {"level", level}, {"text", told(text)}});
}

Json Views::state(const Lock& lock) const {
    Json state = {{"event", "state"}};
    for (const Reporter& report : reporters_) {
        report(lock, state);
    }
    return state;
}

void Views::broadcast_state(const Lock& lock) {
    last_state_ = Clock::now();
    broadcast(lock, state(lock));
}

void Views::broadcast_state_now_and_then(const Lock& lock) {
    if (Clock::now() - last_state_ > kStateInterval) {
        broadcast_state(lock);
    }
}

}  // namespace sinew::studio
