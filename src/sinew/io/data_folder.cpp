#include "sinew/io/data_folder.h"

#include "sinew/base/error.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace sinew {

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
        const fs::path installed = program.parent_path().parent_path() / "share" / "sinew";
        if (fs::is_directory(installed / "figure", ignored)) {
            return installed;
        }
    }
    const fs::path source = SINEW_SOURCE_DATA;
    if (fs::is_directory(source / "figure", ignored)) {
        return source;
    }
    throw InputError({.where = "Sinew's data folder",
                      .found = "neither an installed one nor the source tree's",
                      .needs = "a folder with 'figure' inside",
                      .remedy = "install Sinew again or set SINEW_DATA"});
}

}  // namespace sinew
