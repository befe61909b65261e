#pragma once

#include "sinew/base/progress.h"
#include "sinew/pipeline/body_in_motion.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "studio/server/outbox.h"
#include "studio/server/workspace.h"

namespace sinew::studio {

struct StudioOptions {
    std::filesystem::path body = {};   ///< a .sinew file; empty: the built-in figure
    std::filesystem::path cache = {};  ///< of bodies that are made
    bool only_preview = false;         ///< never solve at standard resolution
    int skin_triangles = 140000;       ///< of the skin that is shown, at most, > 0
};

/// How the studio moves bodies. Every frame is simulated and shown, so that a motion looks as the
/// command writes it with these options; where a machine is too slow for that, it plays slowly.
inline constexpr BodyMotionOptions kStudioMotion = {.iterations = 5, .rate = 60.0, .settle = 10};

/// One document that several views show: commands in, frames out (docs/studio-protocol.md). Work
/// runs on threads of its own; a new wish overtakes the work for the old one.
class Studio {
public:
    /// Begins to read or make the body, and returns.
    /// @param outbox  outlives the studio
    Studio(const StudioOptions& options, Workspace& workspace, Outbox& outbox);
    /// Stops what runs.
    ~Studio();
    Studio(const Studio&) = delete;
    Studio& operator=(const Studio&) = delete;

    // From one thread:
    void on_open(ClientId client);
    void on_text(ClientId client, std::string_view text);
    void on_close(ClientId client);

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew::studio
