#include "sinew/io/format_table.h"

#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/bind_pose.h"
#include "sinew/io/fbx.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/gltf.h"
#include "sinew/io/medit.h"
#include "sinew/io/msh.h"
#include "sinew/io/obj.h"
#include "sinew/io/off.h"
#include "sinew/io/ply.h"
#include "sinew/io/stl.h"
#include "sinew/io/tetgen_files.h"
#include "sinew/io/usda.h"
#include "sinew/io/vtu.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// The functions of the formats work on memory; these take care of the file and the conventions.
template <auto parse>
std::vector<MeshPart> surface_from_bytes(const fs::path& path, const ReadOptions& options) {
    const std::string bytes = read_file_bytes(path);
    std::vector<MeshPart> parts = parse(bytes, path.string());
    for (MeshPart& part : parts) {
        convert_to_metres_y_up(part.mesh.points, options);
    }
    return parts;
}

template <auto format>
void surface_to_bytes(const fs::path& path, std::span<const MeshPart> parts) {
    write_file_bytes(path, format(parts));
}

template <auto parse>
AnyMesh any_from_bytes(const fs::path& path, const ReadOptions& options) {
    const std::string bytes = read_file_bytes(path);
    MixedMesh mesh = parse(bytes, path.string());
    convert_to_metres_y_up(mesh.tets.points, options);
    if (mesh.tets.tets.rows() > 0) {
        return std::move(mesh.tets);
    }
    return surface_of(mesh, path.string());
}

template <auto parse>
std::vector<MeshPart> surface_from_mixed(const fs::path& path, const ReadOptions& options) {
    const std::string bytes = read_file_bytes(path);
    MixedMesh mesh = parse(bytes, path.string());
    convert_to_metres_y_up(mesh.tets.points, options);
    return surface_of(mesh, path.string());
}

template <auto parse>
TetMesh tets_from_mixed(const fs::path& path, const ReadOptions& options) {
    const std::string bytes = read_file_bytes(path);
    TetMesh mesh = tets_of(parse(bytes, path.string()), path.string());
    convert_to_metres_y_up(mesh.points, options);
    return mesh;
}

std::string default_ply(std::span<const MeshPart> parts) {
    return format_ply(parts);
}

// glTF says its unit and axes.
std::vector<MeshPart> read_gltf_parts(const fs::path& path, const ReadOptions& options) {
    return options.as_bound ? bound_parts(read_gltf(path), path.string())
                            : rest_parts(read_gltf(path), path.string());
}

// So does FBX. What is moved as it was bound keeps the file's points, so that caches fit its mesh.
std::vector<MeshPart> read_fbx_parts(const fs::path& path, const ReadOptions& options) {
    return options.as_bound ? bound_parts(read_fbx(path, FbxPoints::OfFile), path.string())
                            : rest_parts(read_fbx(path), path.string());
}

void write_glb_parts(const fs::path& path, std::span<const MeshPart> parts) {
    write_glb(path, parts);
}

std::string default_stl(std::span<const MeshPart> parts) {
    return format_stl(parts);
}

void write_medit_surface(const fs::path& path, std::span<const MeshPart> parts) {
    write_file_bytes(path, format_medit(parts));
}

void write_medit_tets(const fs::path& path, const TetMesh& mesh) {
    write_file_bytes(path, format_medit(mesh));
}

void write_msh_surface(const fs::path& path, std::span<const MeshPart> parts) {
    write_file_bytes(path, format_msh(parts));
}

void write_msh_tets(const fs::path& path, const TetMesh& mesh) {
    write_file_bytes(path, format_msh(mesh));
}

void write_vtu_surface(const fs::path& path, std::span<const MeshPart> parts) {
    write_vtu(path, parts);
}

void write_vtu_tets(const fs::path& path, const TetMesh& mesh) {
    write_vtu(path, mesh);
}

constexpr MeshFormat kFormats[] = {
    {.ending = ".fbx", .title = "Autodesk FBX", .read_surface = read_fbx_parts},
    {.ending = ".glb",
     .title = "glTF 2.0, one file",
     .read_surface = read_gltf_parts,
     .write_surface = write_glb_parts},
    {.ending = ".gltf", .title = "glTF 2.0", .read_surface = read_gltf_parts},
    {.ending = ".obj",
     .title = "Wavefront OBJ",
     .read_surface = surface_from_bytes<parse_obj>,
     .write_surface = surface_to_bytes<format_obj>},
    {.ending = ".ply",
     .title = "Stanford PLY",
     .read_surface = surface_from_bytes<parse_ply>,
     .write_surface = surface_to_bytes<default_ply>},
    {.ending = ".stl",
     .title = "STL",
     .read_surface = surface_from_bytes<parse_stl>,
     .write_surface = surface_to_bytes<default_stl>},
    {.ending = ".off",
     .title = "Object File Format",
     .read_surface = surface_from_bytes<parse_off>,
     .write_surface = surface_to_bytes<format_off>},
    {.ending = ".mesh",
     .title = "MEDIT",
     .read_surface = surface_from_mixed<parse_medit>,
     .read_tets = tets_from_mixed<parse_medit>,
     .write_surface = write_medit_surface,
     .write_tets = write_medit_tets,
     .read_any = any_from_bytes<parse_medit>},
    {.ending = ".msh",
     .title = "Gmsh",
     .read_surface = surface_from_mixed<parse_msh>,
     .read_tets = tets_from_mixed<parse_msh>,
     .write_surface = write_msh_surface,
     .write_tets = write_msh_tets,
     .read_any = any_from_bytes<parse_msh>},
    {.ending = ".node",
     .title = "TetGen",
     .read_surface = read_tetgen_surface,
     .read_tets = read_tetgen,
     .write_tets = write_tetgen,
     .read_any = read_tetgen_any},
    {.ending = ".ele",
     .title = "TetGen",
     .read_surface = read_tetgen_surface,
     .read_tets = read_tetgen,
     .write_tets = write_tetgen,
     .read_any = read_tetgen_any},
    {.ending = ".usda", .title = "Universal Scene Description", .write_surface = write_usda},
    {.ending = ".vtp", .title = "VTK surface", .read_surface = surface_from_mixed<parse_vtu>},
    {.ending = ".vtu",
     .title = "VTK unstructured grid",
     .read_surface = surface_from_mixed<parse_vtu>,
     .read_tets = tets_from_mixed<parse_vtu>,
     .write_surface = write_vtu_surface,
     .write_tets = write_vtu_tets,
     .read_any = any_from_bytes<parse_vtu>},
};

}  // namespace

std::span<const MeshFormat> mesh_formats() {
    return kFormats;
}

const MeshFormat* find_mesh_format(const fs::path& path) {
    const std::string ending = lower(path.extension().string());
    for (const MeshFormat& format : kFormats) {
        if (format.ending == ending) {
            return &format;
        }
    }
    return nullptr;
}

}  // namespace sinew
