#pragma once

#include <functional>

namespace sinew {

/// Does two pieces of work that do not touch each other's data, at the same time where more than
/// one thread is allowed, else one after the other. Returns when both are done. An exception of
/// either reaches the caller; the first one's where both throw.
void run_both(const std::function<void()>& first, const std::function<void()>& second);

}  // namespace sinew
