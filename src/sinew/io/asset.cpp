#include "sinew/io/asset.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/surface.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/body_volume.h"
#include "sinew/io/bvh.h"
#include "sinew/io/content_guess.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string ending_of(const fs::path& path) {
    return lower(path.extension().string());
}

std::vector<std::string> writable_endings() {
    std::vector<std::string> endings = writable_surface_endings();
    for (const std::string& ending : writable_tet_endings()) {
        if (!contains(endings, ending)) {
            endings.push_back(ending);
        }
    }
    endings.insert(endings.end(), {".bvh", ".sinew"});
    return endings;
}

[[noreturn]] void refuse_content(const fs::path& path, std::string found, std::string needs) {
    throw InputError({.where = path.string(),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "choose another ending for the file"});
}

void require_mesh_ending(const fs::path& path) {
    if (ending_of(path) == ".sinew") {
        refuse_content(path, "a mesh", "a body for this format");
    }
    if (ending_of(path) == ".bvh") {
        refuse_content(path, "a mesh or a body", "a motion for this format");
    }
}

std::string write(const fs::path& path, const std::vector<MeshPart>& parts) {
    require_mesh_ending(path);
    write_surface(path, parts);
    Eigen::Index vertices = 0;
    Eigen::Index triangles = 0;
    for (const MeshPart& part : parts) {
        vertices += part.mesh.points.rows();
        triangles += part.mesh.triangles.rows();
    }
    return fmt::format("{}{} vertices, {} triangles",
                       parts.size() > 1 ? fmt::format("{} parts, ", parts.size()) : "", vertices,
                       triangles);
}

std::string write(const fs::path& path, const TetMesh& mesh) {
    if (contains(writable_tet_endings(), ending_of(path))) {
        write_tets(path, mesh);
        return fmt::format("{} vertices, {} tetrahedra", mesh.points.rows(), mesh.tets.rows());
    }
    const Compacted surface = without_unused_points(mesh.points, boundary_triangles(mesh.tets));
    const MeshPart part{.name = path.stem().string(),
                        .mesh = {.points = surface.points, .triangles = surface.triangles}};
    return "the surface of the tetrahedra: " + write(path, std::vector<MeshPart>{part});
}

std::string write(const fs::path& path, const Body& body) {
    if (ending_of(path) == ".sinew") {
        write_archive(path, body);
        return fmt::format("a body of {} tetrahedra and {} muscles", body.tets.tets.rows(),
                           body.muscles.size());
    }
    const bool holds_tets = contains(writable_tet_endings(), ending_of(path));
    return holds_tets && body.tets.tets.rows() > 0 ? write_body_volume(path, body)
                                                   : write(path, parts_of(body));
}

std::string write(const fs::path& path, const MotionClip& clip) {
    if (ending_of(path) == ".bvh") {
        write_bvh(path, clip);
    } else if (ending_of(path) == ".glb") {
        GltfScene scene;
        add_motion(scene, clip);
        write_glb(path, scene);
    } else {
        refuse_content(path, "a motion", "a mesh or a body for this format (motions: .bvh .glb)");
    }
    return fmt::format("{} joints, {} frames", clip.joints.size(), clip.frame_count);
}

}  // namespace

void require_known_output(const fs::path& path) {
    const std::vector<std::string> endings = writable_endings();
    if (!contains(endings, ending_of(path))) {
        throw InputError({.where = path.string(),
                          .found = describe_ending(path, endings),
                          .needs = fmt::format("one that can be written: {}", join(endings, " ")),
                          .remedy = "choose one of these endings"});
    }
    require_writable_place(path);
}

Asset read_asset(const fs::path& path, const ReadOptions& options) {
    Asset asset;
    if (ending_of(path) == ".sinew") {
        asset.content = read_archive(path);
        return asset;
    }
    if (ending_of(path) == ".bvh") {
        asset.content = read_bvh(path, options);
        asset.note = conversion_note(options);
        return asset;
    }
    std::visit([&](auto&& mesh) { asset.content = std::forward<decltype(mesh)>(mesh); },
               read_mesh(path, options));
    asset.note = conversion_note(options);
    return asset;
}

std::string write_asset(const fs::path& path, const Asset& asset) {
    require_known_output(path);
    return std::visit([&](const auto& content) { return write(path, content); }, asset.content);
}

}  // namespace sinew
