#include "tests/studio/raw_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace sinew::studio {

using Clock = std::chrono::steady_clock;

RawClient::RawClient(int port, int receive_buffer) : port_(port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    if (receive_buffer > 0) {
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error("no connection");
    }
}

RawClient::~RawClient() {
    kill();
}

void RawClient::kill() {
    if (socket_ >= 0) {
        ::close(socket_);
        socket_ = -1;
    }
}

void RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

bool RawClient::fill(std::size_t bytes, double seconds) {
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
    while (buffer_.size() < bytes) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{socket_, POLLIN, 0};
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) {
            return false;
        }
        char piece[65536];
        const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
        if (got <= 0) {
            return false;
        }
        buffer_.append(piece, static_cast<std::size_t>(got));
    }
    return true;
}

std::string RawClient::read_all(double seconds) {
    while (fill(buffer_.size() + 1, seconds)) {
    }
    return std::move(buffer_);
}

std::string RawClient::read_answer(bool has_body) {
    std::size_t head = std::string::npos;
    while ((head = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill(buffer_.size() + 1, kPatience)) {
            return std::move(buffer_);
        }
    }
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    const std::size_t length = buffer_.find(kLength);
    if (!has_body) {
        return buffer_.substr(0, head + 4);
    }
    if (length > head) {
        return read_all(kPatience);
    }
    const std::size_t body = std::stoul(buffer_.substr(length + kLength.size(), 20));
    fill(head + 4 + body, kPatience);
    return std::move(buffer_);
}

bool RawClient::is_closed_within(double seconds) {
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{socket_, POLLIN, 0};
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) {
            return false;
        }
        char piece[65536];
        if (::recv(socket_, piece, sizeof piece, 0) <= 0) {
            return true;
        }
    }
}

bool RawClient::upgrade(const std::string& extra_headers, const std::string& host) {
    send(
        fmt::format("GET /ws HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                    "{}\r\n",
                    host.empty() ? fmt::format("127.0.0.1:{}", port_) : host, extra_headers));
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill(buffer_.size() + 1, kPatience)) {
            return false;
        }
    }
    // The answer to the sample key of RFC 6455, section 1.3.
    const bool is_accepted = buffer_.substr(0, 12) == "HTTP/1.1 101" &&
                             buffer_.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") < end;
    buffer_.erase(0, end + 4);
    return is_accepted;
}

void RawClient::send_frame(unsigned char first, std::string_view payload, bool is_masked) {
    std::string frame(1, static_cast<char>(first));
    const unsigned char mask_bit = is_masked ? 0x80 : 0;
    const std::size_t n = payload.size();
    if (n < 126) {
        frame += static_cast<char>(mask_bit | n);
    } else if (n < 65536) {
        frame += static_cast<char>(mask_bit | 126);
        frame += static_cast<char>(n >> 8);
        frame += static_cast<char>(n & 255);
    } else {
        frame += static_cast<char>(mask_bit | 127);
        for (int shift = 56; shift >= 0; shift -= 8) {
            frame += static_cast<char>((n >> shift) & 255);
        }
    }
    if (is_masked) {
        const char mask[4] = {0x12, 0x34, 0x56, 0x78};
        frame.append(mask, 4);
        for (std::size_t i = 0; i < n; ++i) {
            frame += static_cast<char>(payload[i] ^ mask[i % 4]);
        }
    } else {
        frame += payload;
    }
    send(frame);
}

void RawClient::send_text(std::string_view text) {
    send_frame(0x81, text);
}

std::optional<RawClient::Message> RawClient::receive(double seconds) {
    for (;;) {
        if (!fill(2, seconds)) {
            return std::nullopt;
        }
        const auto byte = [&](std::size_t i) {
            return static_cast<std::uint64_t>(static_cast<unsigned char>(buffer_[i]));
        };
        std::size_t header = 2;
        std::uint64_t length = byte(1) & 127;
        if (length >= 126) {
            const std::size_t extra = length == 126 ? 2 : 8;
            header += extra;
            if (!fill(header, seconds)) {
                return std::nullopt;
            }
            length = 0;
            for (std::size_t i = 0; i < extra; ++i) {
                length = (length << 8) | byte(2 + i);
            }
        }
        if (!fill(header + length, seconds)) {
            return std::nullopt;
        }
        const unsigned opcode = static_cast<unsigned>(byte(0)) & 15u;
        Message message{opcode == 1, buffer_.substr(header, length)};
        buffer_.erase(0, header + length);
        if (opcode == 8) {
            return std::nullopt;
        }
        if (opcode == 9) {  // a ping: whoever waits in silence is still there
            send_frame(0x8a, message.payload);
        }
        if (opcode == 2) {
            ++frames;
            motion_frames += message.payload.size() > 5 && message.payload[4] == 2 ? 1 : 0;
            mesh_frames += message.payload.size() > 5 && message.payload[4] == 1 ? 1 : 0;
        }
        if (opcode == 1 || opcode == 2) {
            return message;
        }
    }
}

nlohmann::json RawClient::ask(nlohmann::json command,
                              const std::function<void(const Message&)>& other) {
    command["id"] = ++last_id_;
    send_text(command.dump());
    while (const std::optional<Message> message = receive()) {
        if (message->is_text) {
            nlohmann::json answer = nlohmann::json::parse(message->payload);
            if (answer.value("re", -1) == last_id_) {
                return answer;
            }
        }
        if (other) {
            other(*message);
        }
    }
    return nullptr;
}

nlohmann::json RawClient::wait_for(const std::string& event,
                                   const std::function<bool(const nlohmann::json&)>& is_it,
                                   double seconds) {
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
    while (Clock::now() < end) {
        const std::optional<Message> message = receive(seconds);
        if (!message) {
            return nullptr;
        }
        if (message->is_text) {
            nlohmann::json json = nlohmann::json::parse(message->payload);
            if (json.value("event", "") == event && (!is_it || is_it(json))) {
                return json;
            }
        }
    }
    return nullptr;
}

std::string http(int port, const std::string& request) {
    constexpr double kNothing = 2.0;  // s, where a request without an end waits for more
    RawClient client(port);
    client.send(request);
    return request.find("\r\n\r\n") == std::string::npos
               ? client.read_all(kNothing)
               : client.read_answer(request.rfind("HEAD", 0) != 0);
}

std::string status_of(const std::string& answer) {
    return answer.size() > 12 ? answer.substr(9, 3) : "";
}

}  // namespace sinew::studio
