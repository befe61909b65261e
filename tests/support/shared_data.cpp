#include "tests/support/shared_data.h"

#include <cstdlib>

namespace sinew::support {

std::optional<std::filesystem::path> shared_data(const std::filesystem::path& relative) {
    const char* set = std::getenv("SINEW_SHARED");
    const std::filesystem::path root = set ? set : SINEW_DEFAULT_SHARED;
    const std::filesystem::path path = root / relative;
    if (!std::filesystem::exists(path)) {
        return std::nullopt;
    }
    return path;
}

}  // namespace sinew::support
