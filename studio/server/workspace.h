#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::studio {

/// The one folder whose files the studio reads and writes. Files are named without folders; hidden
/// files and links are not served.
class Workspace {
public:
    /// Made where it does not exist. @throws InputError
    explicit Workspace(const std::filesystem::path& folder);

    struct Entry {
        std::string name;
        std::uint64_t bytes = 0;
        std::string kind;  ///< "body", "mesh", "motion", "recipe", "model", "picture", "file"
    };
    /// By name.
    std::vector<Entry> files() const;

    /// Where a file of this name is or would be.
    /// @throws InputError  for names with a folder, a leading dot, control characters, or too long
    std::filesystem::path place_of(std::string_view name) const;
    /// The same for a file that is there. @throws InputError  also where there is none
    std::filesystem::path existing(std::string_view name) const;
    /// A hidden file beside it, for uploads that are not whole yet; each call another.
    std::filesystem::path temporary_for(std::string_view name);

    /// A text for pages: files of this machine by their names, without the folders they are in.
    std::string without_folders(std::string text) const;

    const std::filesystem::path& folder() const {
        return folder_;
    }

private:
    std::filesystem::path folder_;
    int uploads_ = 0;
};

/// "body" for "anna.sinew".
std::string kind_of_file(std::string_view name);

}  // namespace sinew::studio
