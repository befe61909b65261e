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

std::optional<CutPlane> cut_of(const RenderOptions& render) {
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

// Of a part: nothing but points, transparent, cut away, or shown.
enum class Visibility { NoFaces, Transparent, CutAway, Shown };

Visibility visibility_of(const SceneSurface& surface, const RenderOptions& render,
                         const std::optional<CutPlane>& cut) {
    if (surface.mesh.triangles.rows() == 0) {
        return Visibility::NoFaces;
    }
    const bool is_skin = part_kind(surface.kind, surface.name) == PartKind::Skin;
    if (!(surface.opacity * (is_skin ? render.skin_opacity : 1.0) > 0.0)) {
        return Visibility::Transparent;
    }
    const bool is_cut = cut && is_in_layers(surface.kind, surface.name, render.cut_layers);
    const bool is_gone = is_cut && (surface.mesh.points * cut->normal).minCoeff() > cut->offset;
    return is_gone ? Visibility::CutAway : Visibility::Shown;
}

// Layers that would show something of the scene.
std::vector<std::string> layers_in(const Scene& scene) {
    std::vector<std::string> layers;
    for (const char* layer : {"skin", "fat", "muscles", "tendons", "bones", "teeth", "cartilage",
                              "organs", "vessels", "nerves", "other"}) {
        const bool has_any = std::any_of(scene.surfaces.begin(), scene.surfaces.end(),
                                         [&](const SceneSurface& surface) {
                                             return surface.mesh.triangles.rows() > 0 &&
                                                    is_in_layers(surface.kind, surface.name, layer);
                                         });
        if (has_any) {
            layers.emplace_back(layer);
        }
    }
    return layers;
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

void require_visible(const Scene& scene, const RenderOptions& render, const std::string& where) {
    const std::optional<CutPlane> cut = cut_of(render);
    std::size_t drawn = 0;
    Visibility most = Visibility::NoFaces;
    for (const SceneSurface& surface : scene.surfaces) {
        if (is_in_layers(surface.kind, surface.name, render.layers)) {
            ++drawn;
            most = std::max(most, visibility_of(surface, render, cut));
        }
    }
    if (most == Visibility::Shown) {
        return;
    }
    const std::vector<std::string> layers = layers_in(scene);
    if (layers.empty()) {
        throw InputError({.where = where,
                          .found = "no triangles",
                          .needs = "a surface to draw",
                          .remedy = "name a mesh with faces"});
    }
    const std::string known = fmt::format("it has {}", join(layers, ", "));
    if (drawn == 0 || most == Visibility::NoFaces) {
        throw InputError({.where = where,
                          .found = fmt::format("nothing in the layers '{}'", render.layers),
                          .needs = "a layer of it: " + known,
                          .remedy = fmt::format("draw --layers {}", layers.front())});
    }
    if (most == Visibility::Transparent) {
        throw InputError({.where = where,
                          .found = "nothing that is not fully transparent",
                          .needs = "a part with an opacity above 0: " + known,
                          .remedy = "raise --skin-opacity or draw other --layers"});
    }
    throw InputError({.where = where,
                      .found = "nothing on the side that the cut leaves",
                      .needs = "a cut through what is drawn",
                      .remedy = "move it with --cut-at, or cut from the other side"});
}

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
        return scene_from_tets(*tets, {.cut = cut_of(render)});
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
