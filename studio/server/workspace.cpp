#include "studio/server/workspace.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

namespace sinew::studio {

namespace fs = std::filesystem;

Workspace::Workspace(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    folder_ = fs::canonical(folder, error);
    if (error || !fs::is_directory(folder_)) {
        throw InputError({.where = folder.string(),
                          .found = "no folder, and none can be made",
                          .needs = "a folder for the files of the studio",
                          .remedy = "give another with --workspace"});
    }
}

std::string kind_of_file(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kKinds = {
        {{".sinew", "body"}, {".bvh", "motion"},  {".json", "recipe"}, {".osim", "model"},
         {".xml", "model"},  {".png", "picture"}, {".obj", "mesh"},    {".ply", "mesh"},
         {".stl", "mesh"},   {".off", "mesh"},    {".glb", "mesh"},    {".gltf", "mesh"},
         {".fbx", "mesh"},   {".vtu", "mesh"},    {".usda", "mesh"},   {".msh", "mesh"},
         {".mesh", "mesh"},  {".node", "mesh"},   {".ele", "mesh"},    {".mot", "motion"},
         {".sto", "motion"}}};
    const std::string ending = lower(fs::path(name).extension().string());
    for (const auto& [known, kind] : kKinds) {
        if (known == ending) {
            return std::string(kind);
        }
    }
    return "file";
}

std::vector<Workspace::Entry> Workspace::files() const {
    std::vector<Entry> entries;
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
        const std::string name = file.path().filename().string();
        if (name.front() == '.' || file.is_symlink(error) || !file.is_regular_file(error)) {
            continue;
        }
        entries.push_back({name, file.file_size(error), kind_of_file(name)});
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
}

fs::path Workspace::place_of(std::string_view name) const {
    const bool has_control = std::any_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (name.empty() || name.size() > 200 || name.front() == '.' || has_control ||
        name.find_first_of("/\\") != std::string_view::npos) {
        throw InputError({.where = "file name",
                          .found = has_control || name.size() > 200 ? "a name that cannot be used"
                                                                    : fmt::format("'{}'", name),
                          .needs = "a plain name like anna.sinew, without a folder",
                          .remedy = "choose another name"});
    }
    return folder_ / fs::path(name);
}

fs::path Workspace::existing(std::string_view name) const {
    fs::path path = place_of(name);
    std::error_code error;
    if (fs::is_symlink(path, error) || !fs::is_regular_file(path, error)) {
        throw InputError({.where = fmt::format("workspace, '{}'", name),
                          .found = "no such file",
                          .needs = "a file of the workspace",
                          .remedy = "drop it onto the page first"});
    }
    return path;
}

fs::path Workspace::temporary_for(std::string_view name) {
    place_of(name);
    return folder_ / fmt::format(".upload-{}-{}", ::getpid(), ++uploads_);
}

std::string Workspace::without_folders(std::string text) const {
    // The own folder first: it may have blanks in its name.
    const std::string own = folder_.string() + "/";
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own, at)) {
        text.erase(at, own.size());
    }
    // Any other absolute path: behind a blank, a quote or a bracket, with two slashes or more.
    for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at + 1)) {
        const char before = at == 0 ? ' ' : text[at - 1];
        if (std::string_view(" '\"([<=").find(before) == std::string_view::npos) {
            continue;
        }
        const bool is_quoted = before == '\'' || before == '"';
        const std::size_t stop =
            is_quoted ? text.find(before, at) : text.find_first_of(" ,;)]>", at);
        const std::size_t end = std::min(stop, text.size());
        const std::size_t last = text.rfind('/', end - 1);
        if (last > at) {
            text.erase(at, last + 1 - at);
        }
    }
    return text;
}

}  // namespace sinew::studio
