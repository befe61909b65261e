#include "cli/verbs/part_files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/surface.h"
#include "sinew/io/asset.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

std::string kind_from_folder(const fs::path& file) {
    static const std::vector<std::string> kKinds = {"bone",   "muscle",    "skin",
                                                    "tendon", "cartilage", "fat"};
    std::string folder = lower(fs::absolute(file).parent_path().filename().string());
    if (folder.ends_with('s') && folder.size() > 1) {
        folder.pop_back();
    }
    const bool is_kind = std::find(kKinds.begin(), kKinds.end(), folder) != kKinds.end();
    return is_kind ? folder : lower(file.stem().string()) == "skin" ? "skin" : "";
}

std::vector<fs::path> surface_files_in(const fs::path& folder) {
    const std::vector<std::string> endings = readable_surface_endings();
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
        const std::string ending = lower(entry.path().extension().string());
        std::error_code is_broken_link;
        if (entry.is_regular_file(is_broken_link) &&
            std::find(endings.begin(), endings.end(), ending) != endings.end()) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    bool has_skin = false;
    std::erase_if(files, [&](const fs::path& file) {
        const bool is_skin = kind_from_folder(file) == "skin";
        const bool is_repeated = is_skin && has_skin;
        has_skin = has_skin || is_skin;
        return is_repeated;
    });
    if (files.empty()) {
        throw InputError({.where = folder.string(),
                          .found = "no mesh in this folder",
                          .needs = fmt::format("files that end in {}", join(endings, " ")),
                          .remedy = "name another folder or a file"});
    }
    return files;
}

std::optional<CutPlane> cut_of_tets(const RenderOptions& render) {
    if (render.cut == CutSide::None) {
        return std::nullopt;
    }
    const bool is_positive =
        render.cut == CutSide::Left || render.cut == CutSide::Front || render.cut == CutSide::Top;
    const bool is_x = render.cut == CutSide::Left || render.cut == CutSide::Right;
    const bool is_y = render.cut == CutSide::Top || render.cut == CutSide::Bottom;
    const Vec3 axis = is_x ? Vec3::UnitX() : is_y ? Vec3::UnitY() : Vec3::UnitZ();
    return is_positive ? CutPlane{.normal = axis, .offset = render.cut_at}
                       : CutPlane{.normal = -axis, .offset = -render.cut_at};
}

Scene scene_from_surfaces(std::vector<MeshPart> parts, const fs::path& file) {
    for (MeshPart& part : parts) {
        if (part.kind.empty()) {
            part.kind = kind_from_folder(file);
        }
    }
    return scene_from_parts(parts);
}

}  // namespace

Scene scene_from_file(const fs::path& path, const ReadOptions& options,
                      const RenderOptions& render) {
    if (fs::is_directory(path)) {
        Scene all;
        for (const fs::path& file : surface_files_in(path)) {
            Scene scene = scene_from_surfaces(read_surface(file, options), file);
            std::move(scene.surfaces.begin(), scene.surfaces.end(),
                      std::back_inserter(all.surfaces));
        }
        return all;
    }
    const Asset asset = read_asset(path, options);
    if (const auto* parts = std::get_if<std::vector<MeshPart>>(&asset.content)) {
        return scene_from_surfaces(*parts, path);
    }
    if (const auto* tets = std::get_if<TetMesh>(&asset.content)) {
        return scene_from_tets(*tets, {.cut = cut_of_tets(render)});
    }
    if (const auto* body = std::get_if<Body>(&asset.content)) {
        return scene_from_parts(parts_of(*body));
    }
    throw InputError({.where = path.string(),
                      .found = "a motion",
                      .needs = "something with a surface",
                      .remedy = "name a mesh, tetrahedra or a body"});
}

}  // namespace sinew::cli
