#include "sinew/io/model_files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/osim.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

namespace sinew {

namespace {

std::string model_ending(const std::filesystem::path& path) {
    return lower(path.extension().string());
}

std::filesystem::path muscles_beside(const std::filesystem::path& skeleton) {
    std::vector<std::filesystem::path> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(
             skeleton.has_parent_path() ? skeleton.parent_path() : ".", ignored)) {
        const std::string name = lower(entry.path().filename().string());
        if (name.starts_with("muscle") && name.ends_with(".xml")) {
            found.push_back(entry.path());
        }
    }
    if (found.size() != 1) {
        throw InputError({.where = skeleton.string(),
                          .found = fmt::format("{} files 'muscle*.xml' beside it", found.size()),
                          .needs = "the muscles of this skeleton",
                          .remedy = "name them with --muscles FILE"});
    }
    return found[0];
}

// Empty for pipes and devices, which would wait for somebody to write.
std::string head_of(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return {};
    }
    std::ifstream file(path, std::ios::binary);
    std::array<char, 2000> head{};
    file.read(head.data(), head.size());
    return {head.data(), static_cast<std::size_t>(file.gcount())};
}

}  // namespace

bool is_model_file(const std::filesystem::path& path) {
    const std::string ending = model_ending(path);
    if (ending == ".osim") {
        return true;
    }
    if (ending != ".xml") {
        return false;
    }
    const std::string head = head_of(path);
    return head.find("<Skeleton") != std::string::npos || head.find("<mujoco") != std::string::npos;
}

MusculoskeletalModel read_model(const std::filesystem::path& path,
                                const std::filesystem::path& muscles) {
    const std::string ending = model_ending(path);
    const bool is_mjcf = ending == ".xml" && head_of(path).find("<mujoco") != std::string::npos;
    if ((ending == ".osim" || is_mjcf) && !muscles.empty()) {
        throw InputError({.where = path.string(),
                          .found = fmt::format("muscles of another file, '{}'", muscles.string()),
                          .needs = "none: such a model has its own",
                          .remedy = "leave out --muscles"});
    }
    if (ending == ".osim") {
        return read_osim(path);
    }
    if (is_mjcf) {
        return read_mjcf(path);
    }
    if (ending == ".xml") {
        return read_mass(path, muscles.empty() ? muscles_beside(path) : muscles);
    }
    throw InputError({.where = path.string(),
                      .found = fmt::format("the ending '{}'", ending),
                      .needs = "an OpenSim model (.osim), a MuJoCo model or a MASS skeleton (.xml)",
                      .remedy = "choose such a file"});
}

std::vector<std::string> write_model(const std::filesystem::path& path,
                                     const MusculoskeletalModel& model) {
    const std::string ending = model_ending(path);
    if (ending == ".osim") {
        return write_osim(path, model);
    }
    if (ending == ".xml") {
        return write_mjcf(path, model);
    }
    throw InputError({.where = path.string(),
                      .found = fmt::format("the ending '{}'", ending),
                      .needs = ".osim (OpenSim) or .xml (MuJoCo)",
                      .remedy = "choose one of these endings"});
}

}  // namespace sinew
