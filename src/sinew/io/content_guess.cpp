#include "sinew/io/content_guess.h"

#include "sinew/base/text.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace sinew {

std::string_view guess_ending(std::string_view first_bytes) {
    using namespace std::string_view_literals;
    constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"ply\n"sv, ".ply"},
        {"ply\r"sv, ".ply"},
        {"solid "sv, ".stl"},
        {"solid\n"sv, ".stl"},
        {"OFF"sv, ".off"},
        {"COFF"sv, ".off"},
        {"NOFF"sv, ".off"},
        {"CNOFF"sv, ".off"},
        {"STOFF"sv, ".off"},
        {"glTF"sv, ".glb"},
        {"Kaydara FBX Binary"sv, ".fbx"},
        {"; FBX"sv, ".fbx"},
        {"$MeshFormat"sv, ".msh"},
        {"MeshVersionFormatted"sv, ".mesh"},
        {"HIERARCHY"sv, ".bvh"},
        {"#usda"sv, ".usda"},
        {"\x89HDF\r\n\x1a\n"sv, ".sinew"},
        {"\x89PNG"sv, ".png"},
    };
    for (const auto& [sign, ending] : kSigns) {
        if (first_bytes.starts_with(sign)) {
            return ending;
        }
    }
    if (first_bytes.find("<VTKFile") != std::string_view::npos) {
        return first_bytes.find("\"PolyData\"") != std::string_view::npos ? ".vtp" : ".vtu";
    }
    if (first_bytes.starts_with("v ") || first_bytes.find("\nv ") != std::string_view::npos) {
        return ".obj";
    }
    return {};
}

std::string_view guess_ending(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return {};
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    char first[1024];
    const std::size_t size = file ? std::fread(first, 1, sizeof first, file.get()) : 0;
    return guess_ending(std::string_view(first, size));
}

std::string describe_ending(const std::filesystem::path& path, std::span<const std::string> known) {
    struct Other {
        std::string_view endings;
        std::string_view what;
    };
    static constexpr std::array<Other, 4> kOthers = {{
        {" .mot .sto ", "a table of motion: give it to 'sinew convert MODEL --motion'"},
        {" .osim .xml .skel ",
         "a musculoskeletal model: 'sinew convert', 'muscles' and 'rom' take it"},
        {" .dae .blend .usd .usdc .usdz .3ds .abc ",
         "a scene: export it as .glb or .obj where it comes from"},
        {" .pc2 .mdd ", "points of frames: 'sinew skin' writes them"},
    }};
    std::error_code ignored;
    const std::string ending = lower(path.extension().string());
    if (std::filesystem::is_directory(path, ignored)) {
        return "a folder";
    }
    if (ending.empty()) {
        return "no file ending";
    }
    for (const Other& other : kOthers) {
        if (other.endings.find(" " + ending + " ") != std::string_view::npos) {
            return fmt::format("the ending '{}' ({})", ending, other.what);
        }
    }
    return fmt::format("the ending '{}'{}", ending, did_you_mean(ending, known));
}

}  // namespace sinew
