#include "sinew/io/data_folder.h"

#include "sinew/base/error.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace sinew {

namespace {

// The folder that the library was installed to, which is known only then: cmake/name_data_folder.py
// writes it over the mark in the installed library. Volatile, so that the compiler does not read it
// before.
constexpr std::size_t kLongestPath = 1024;
const volatile char installed_data[kLongestPath] = "SINEW-DATA-FOLDER-GOES-HERE";

// Empty where the library was not installed.
std::filesystem::path installed_data_folder() {
    std::string path;
    for (std::size_t i = 0; i < kLongestPath && installed_data[i] != '\0'; ++i) {
        path += installed_data[i];
    }
    return path.starts_with('/') ? path : std::string();
}

}  // namespace

std::filesystem::path data_folder() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (const char* named = std::getenv("SINEW_DATA"); named != nullptr && *named != '\0') {
        if (!fs::is_directory(named, ignored)) {
            throw InputError({.where = "environment variable SINEW_DATA",
                              .found = "'" + std::string(named) + "', which is no folder",
                              .needs = "Sinew's data folder, with 'figure' inside",
                              .remedy = "set it to the installed share/sinew or unset it"});
        }
        return named;
    }
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    if (!program.empty()) {
        fs::path installed = program.parent_path().parent_path() / "share" / "sinew";
        if (fs::is_directory(installed / "figure", ignored)) {
            return installed;
        }
    }
    for (const fs::path& known : {installed_data_folder(), fs::path(SINEW_SOURCE_DATA)}) {
        if (!known.empty() && fs::is_directory(known / "figure", ignored)) {
            return known;
        }
    }
    throw InputError({.where = "Sinew's data folder",
                      .found = "neither an installed one nor the source tree's",
                      .needs = "a folder with 'figure' inside",
                      .remedy = "install Sinew again or set SINEW_DATA"});
}

}  // namespace sinew
