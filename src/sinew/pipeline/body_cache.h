#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

/// Results of long stages, kept in a folder under names made of what they depend on. Files are
/// whole archives with a checksum: one that is damaged is dropped and made again. They appear under
/// their name only when complete, so several programs may share the folder. When it grows beyond
/// its limit, what was used longest ago goes.
class BodyCache {
public:
    /// @param folder  empty: nothing is kept or found. Made when first needed.
    explicit BodyCache(std::filesystem::path folder, double max_bytes = 4e9);

    /// $XDG_CACHE_HOME/sinew, else $HOME/.cache/sinew; empty where neither is set.
    static std::filesystem::path default_folder();

    std::optional<Body> find(std::string_view stage, const std::string& key,
                             const Progress& progress) const;
    /// A folder that cannot be written to is a warning, not an error.
    void keep(std::string_view stage, const std::string& key, const Body& body,
              const Progress& progress) const;
    /// The same for a body whose bytes are there already (archive_bytes).
    void keep_archive(std::string_view stage, const std::string& key, std::string_view bytes,
                      const Progress& progress) const;

    /// The same for results that are not bodies.
    std::optional<std::string> find_bytes(std::string_view stage, const std::string& key,
                                          const Progress& progress) const;
    void keep_bytes(std::string_view stage, const std::string& key, std::string_view bytes,
                    const Progress& progress) const;

private:
    std::filesystem::path file_of(std::string_view stage, const std::string& key,
                                  std::string_view ending = ".sinew") const;
    void try_to_keep(const std::function<void()>& write, const Progress& progress) const;
    void drop_oldest() const;

    std::filesystem::path folder_;
    double max_bytes_;
};

/// Tells builds of this program apart: version, and the content of the running program.
std::string program_key();

}  // namespace sinew
