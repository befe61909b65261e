#pragma once

#include <filesystem>
#include <optional>

namespace sinew::support {

/// A file or folder of the data made by others (SINEW_SHARED, default ../shared beside the
/// checkout), or nothing where it is absent: such a test then skips and says so.
std::optional<std::filesystem::path> shared_data(const std::filesystem::path& relative);

}  // namespace sinew::support

/// SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply"): declares `path`, or skips the test.
#define SINEW_NEEDS_SHARED(variable, relative)                                               \
    const auto variable##_found = ::sinew::support::shared_data(relative);                   \
    if (!variable##_found) {                                                                 \
        GTEST_SKIP() << "needs " << (relative) << " below SINEW_SHARED (default ../shared)"; \
    }                                                                                        \
    const std::filesystem::path variable = *variable##_found
