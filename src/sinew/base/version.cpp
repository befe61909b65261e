#include "sinew/base/version.h"

#include <fmt/format.h>

namespace sinew {

std::string version() {
    return SINEW_VERSION;
}

std::string build_description() {
#if defined(__clang__)
    constexpr const char* kCompiler = "clang " __clang_version__;
#else
    constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
    return fmt::format("{}, {}, {}", SINEW_BUILD_TYPE, SINEW_ARCH_NAME, kCompiler);
}

}  // namespace sinew
