#include "sinew/io/model_meshes.h"

#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/stl.h"
#include "sinew/mesh/triangle_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace sinew {

namespace {

namespace fs = std::filesystem;

fs::path find_mesh_file(const std::string& name, std::span<const fs::path> folders) {
    std::error_code ignored;
    const fs::path file(name);
    if (file.is_absolute()) {
        return fs::is_regular_file(file, ignored) ? file : fs::path();
    }
    for (const fs::path& folder : folders) {
        for (const fs::path& place :
             {folder / file, folder / "Geometry" / file, folder / "geometry" / file}) {
            if (fs::is_regular_file(place, ignored)) {
                return place;
            }
        }
    }
    return {};
}

// All parts of a file as one surface.
std::shared_ptr<const TriangleMesh> read_one_mesh(const fs::path& file) {
    auto mesh = std::make_shared<TriangleMesh>();
    for (const MeshPart& part : read_surface(file)) {
        const auto first = static_cast<Index>(mesh->points.rows());
        const Eigen::Index triangles = mesh->triangles.rows();
        mesh->points.conservativeResize(first + part.mesh.points.rows(), 3);
        mesh->points.bottomRows(part.mesh.points.rows()) = part.mesh.points;
        mesh->triangles.conservativeResize(triangles + part.mesh.triangles.rows(), 3);
        mesh->triangles.bottomRows(part.mesh.triangles.rows()) =
            part.mesh.triangles.array() + first;
    }
    return mesh;
}

// A name that every file system takes.
std::string plain_name(const std::string& name) {
    std::string out;
    for (const char c : name) {
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
    }
    return out.empty() ? "shape" : out;
}

}  // namespace

std::vector<std::string> load_shapes(MusculoskeletalModel& model,
                                     std::span<const fs::path> folders) {
    std::vector<std::string> notes;
    std::map<std::string, std::shared_ptr<const TriangleMesh>> known;
    std::vector<std::string> missing;
    for (BodyShape& shape : model.shapes) {
        if (shape.mesh || shape.file.empty()) {
            continue;
        }
        if (const auto it = known.find(shape.file); it != known.end()) {
            shape.mesh = it->second;
            continue;
        }
        const fs::path file = find_mesh_file(shape.file, folders);
        if (file.empty()) {
            missing.push_back(shape.file);
        } else {
            try {
                shape.mesh = read_one_mesh(file);
            } catch (const InputError& e) {
                notes.push_back(fmt::format("mesh left out: {}", e.what()));
            }
        }
        known[shape.file] = shape.mesh;
    }
    if (!missing.empty()) {
        notes.push_back(fmt::format(
            "{} of {} meshes were not found, such as '{}'; they are looked for beside the model "
            "and in its folder Geometry",
            missing.size(), model.shapes.size(), missing.front()));
    }
    return notes;
}

void write_shapes(const fs::path& folder, MusculoskeletalModel& model) {
    std::erase_if(model.shapes,
                  [](const BodyShape& s) { return !s.mesh || s.mesh->triangles.rows() == 0; });
    if (model.shapes.empty()) {
        return;
    }
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw InputError({.where = folder.string(),
                          .found = error.message(),
                          .needs = "a folder for the meshes",
                          .remedy = "choose another place"});
    }
    std::set<std::string> taken;
    for (BodyShape& shape : model.shapes) {
        const std::string stem =
            plain_name(shape.file.empty() ? (shape.name.empty() ? "bone" : shape.name)
                                          : fs::path(shape.file).stem().string());
        std::string name = stem + ".stl";
        for (int k = 2; !taken.insert(name).second; ++k) {
            name = fmt::format("{}_{}.stl", stem, k);
        }
        MeshPart part{.name = stem, .mesh = *shape.mesh};
        part.mesh.points = part.mesh.points * shape.scale.asDiagonal();
        if (shape.scale.prod() < 0.0) {
            part.mesh.triangles.col(1).swap(part.mesh.triangles.col(2));
        }
        shape.scale = Vec3::Ones();
        shape.file = name;
        write_file_bytes(folder / name, format_stl(std::span(&part, 1)));
    }
}

}  // namespace sinew
