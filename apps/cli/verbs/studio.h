#pragma once

#include <functional>
#include <string>

#include "cli/verb.h"

namespace sinew::cli {

struct StudioSettings {
    std::string body;
    std::string host;
    std::string workspace = "sinew-studio";
    std::string cache;
    int port = 0;
    bool no_browser = false;
    bool only_preview = false;
};

using RunStudio = std::function<int(const StudioSettings&, const Context&)>;

/// The verb as two programs know it: `sinew` describes it and hands over, `sinew-studio` runs it.
Verb studio_verb(RunStudio run);

}  // namespace sinew::cli
