#include "sinew/io/tetgen_files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mixed_mesh.h"
#include "sinew/meshing/tetgen_format.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// The file beside `path` with another ending; `path` itself where it has that ending in any case.
fs::path sibling(const fs::path& path, const char* ending) {
    return lower(path.extension().string()) == ending ? path
                                                      : fs::path(path).replace_extension(ending);
}

fs::path without_ending(const fs::path& path) {
    return fs::path(path).replace_extension();
}

bool has_tets(const fs::path& path) {
    return lower(path.extension().string()) == ".ele" || fs::exists(sibling(path, ".ele"));
}

}  // namespace

TetMesh read_tetgen(const fs::path& path, const ReadOptions& options) {
    const std::string nodes = read_file_bytes(sibling(path, ".node"));
    const std::string elements = read_file_bytes(sibling(path, ".ele"));
    MixedMesh mesh;
    mesh.tets = parse_tetgen(nodes, elements, without_ending(path).string());
    convert_to_metres_y_up(mesh.tets.points, options);
    return tets_of(std::move(mesh), path.string());
}

std::vector<MeshPart> read_tetgen_surface(const fs::path& path, const ReadOptions& options) {
    MixedMesh mesh;
    if (has_tets(path)) {
        mesh.tets = read_tetgen(path, options);
        return surface_of(mesh, path.string());
    }
    const fs::path faces = sibling(path, ".face");
    NodeText nodes = parse_node(read_file_bytes(path), path.string());
    FaceText triangles =
        parse_face(read_file_bytes(faces), nodes.first, nodes.points.rows(), faces.string());
    mesh.tets.points = std::move(nodes.points);
    mesh.triangles = std::move(triangles.triangles);
    mesh.label = std::move(triangles.markers);
    mesh.label.resize(static_cast<std::size_t>(mesh.triangles.rows()), 0);
    convert_to_metres_y_up(mesh.tets.points, options);
    return surface_of(mesh, path.string());
}

AnyMesh read_tetgen_any(const fs::path& path, const ReadOptions& options) {
    if (has_tets(path)) {
        return read_tetgen(path, options);
    }
    return read_tetgen_surface(path, options);
}

void write_tetgen(const fs::path& path, const TetMesh& mesh) {
    require_writable(mesh, "TetGen's .node and .ele");
    write_file_bytes(sibling(path, ".node"), format_node(mesh.points));
    write_file_bytes(sibling(path, ".ele"), format_ele(mesh.tets, mesh.region));
}

}  // namespace sinew
