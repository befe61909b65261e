#pragma once

#include "sinew/pipeline/body_in_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "studio/server/studio.h"
#include "tests/studio/raw_client.h"

namespace sinew::studio {

inline std::uint32_t word(const std::string& payload, std::size_t index) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.data() + 4 * index, 4);
    return value;
}

inline std::string single_precision(const Points& points) {
    const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> single = points.cast<float>();
    return {reinterpret_cast<const char*>(single.data()),
            static_cast<std::size_t>(single.size()) * sizeof(float)};
}

/// Plays a motion in the studio and compares all frames that come with those of the library, byte
/// by byte. Newer frames may overtake older ones before they are sent; what comes is whole.
/// @param least  frames of each layer that are to come
inline void expect_played_alike(RawClient& client, const nlohmann::json& play, const BodyRun& run,
                                std::size_t least) {
    using Json = nlohmann::json;
    const Json answer = client.ask(play);
    ASSERT_EQ(answer.value("mode", ""), "play") << answer;
    std::map<std::uint32_t, std::set<std::size_t>> compared;  // frames of each layer
    for (bool is_over = false; !is_over;) {
        const auto message = client.receive();
        ASSERT_TRUE(message);
        if (message->is_text) {
            const Json event = Json::parse(message->payload);
            is_over =
                event.value("event", "") == "state" && event["mode"] == "rest" && !compared.empty();
            continue;
        }
        const std::uint32_t mesh = word(message->payload, 2);
        const std::uint32_t time_ms = word(message->payload, 7);
        if ((word(message->payload, 1) & 0xffffu) != 2 || time_ms == 0) {
            continue;  // a mesh, or the body at rest
        }
        const auto frame =
            static_cast<std::size_t>(std::lround(1e-3 * time_ms * kStudioMotion.rate));
        ASSERT_LT(frame, run.frames.size());
        const std::string expected =
            single_precision(run.frames[frame].points.at(static_cast<DisplayLayer>(mesh)));
        ASSERT_EQ(expected.size(), 12u * word(message->payload, 4));
        EXPECT_EQ(message->payload.compare(32, expected.size(), expected), 0)
            << play << ", mesh " << mesh << ", frame " << frame;
        compared[mesh].insert(frame);
    }
    for (const std::uint32_t mesh : {0u, 1u, 2u}) {
        EXPECT_GE(compared[mesh].size(), least) << play << ", mesh " << mesh;
    }
}

}  // namespace sinew::studio
