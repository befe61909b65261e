#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sinew::studio {

/// How long an answer may take before a test gives up, s: on a busy machine it takes as long as it
/// takes.
constexpr double kPatience = 120.0;

/// A client that says exactly what it is told, right or wrong.
class RawClient {
public:
    /// Connects to this machine. @param receive_buffer  of the socket, bytes; 0: the system's
    explicit RawClient(int port, int receive_buffer = 0);
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    void send(std::string_view bytes);
    /// Whatever comes until the other side closes or nothing comes for so long.
    std::string read_all(double seconds);
    /// The head of an answer and as much after it as the head announces; all that comes where it
    /// announces nothing.
    std::string read_answer(bool has_body);
    /// True when the other side has closed, within so many seconds.
    bool is_closed_within(double seconds = kPatience);
    /// Ends without a word.
    void kill();

    // Of the protocol:

    /// Sends a handshake; true when it is accepted.
    bool upgrade(const std::string& extra_headers = {}, const std::string& host = {});
    void send_text(std::string_view text);
    void send_frame(unsigned char first, std::string_view payload, bool is_masked = true);
    struct Message {
        bool is_text = false;
        std::string payload;
    };
    /// The next message, or nothing when the other side closes or is silent for so long. Pings are
    /// answered.
    std::optional<Message> receive(double seconds = kPatience);
    /// Sends a command and waits for its answer; geometry and events in between go to `other`.
    nlohmann::json ask(nlohmann::json command,
                       const std::function<void(const Message&)>& other = {});
    /// Waits for an event of this kind that `is_it` accepts; null where none comes.
    nlohmann::json wait_for(const std::string& event,
                            const std::function<bool(const nlohmann::json&)>& is_it = {},
                            double seconds = kPatience);
    std::uint64_t frames = 0;         ///< binary messages seen so far
    std::uint64_t motion_frames = 0;  ///< of kind 2 among them
    std::uint64_t mesh_frames = 0;    ///< of kind 1

private:
    bool fill(std::size_t bytes, double seconds);
    int socket_ = -1;
    int port_ = 0;
    int last_id_ = 0;
    std::string buffer_;
};

/// One request, and all of its answer.
std::string http(int port, const std::string& request);
/// "200" of "HTTP/1.1 200 OK".
std::string status_of(const std::string& answer);

}  // namespace sinew::studio
