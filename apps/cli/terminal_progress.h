#pragma once

#include "sinew/base/progress.h"

#include <memory>

namespace sinew::cli {

/// Writes to stderr: a bar with rate and time left where that is a terminal, a line every few
/// seconds where it is a log. Stages that take under half a second leave no trace. `is_quiet`
/// leaves warnings.
std::shared_ptr<ProgressSink> make_terminal_progress(bool is_quiet);

}  // namespace sinew::cli
