#include "sinew/io/mixed_mesh.h"

#include "sinew/base/error.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

double six_volumes(const TetMesh& mesh, Eigen::Index t) {
    const Vec3 a = point(mesh.points, mesh.tets(t, 0));
    const Vec3 b = point(mesh.points, mesh.tets(t, 1)) - a;
    const Vec3 c = point(mesh.points, mesh.tets(t, 2)) - a;
    const Vec3 d = point(mesh.points, mesh.tets(t, 3)) - a;
    return b.cross(c).dot(d);
}

// Cuts parts out of a mesh, each in time proportional to its own size.
class PartCutter {
public:
    explicit PartCutter(const TetMesh& mesh)
        : mesh_(mesh), place_(static_cast<std::size_t>(mesh.points.rows()), -1) {}

    // Some triangles with the points that they use, in the order of the mesh, and the data of
    // these.
    MeshPart cut(Triangles triangles, std::string name) {
        std::vector<Index> used;
        for (Index& corner : triangles.reshaped()) {
            if (place_[at(corner)] < 0) {
                place_[at(corner)] = 0;
                used.push_back(corner);
            }
        }
        std::sort(used.begin(), used.end());
        MeshPart part;
        part.name = std::move(name);
        part.mesh.points.resize(static_cast<Eigen::Index>(used.size()), 3);
        for (std::size_t i = 0; i < used.size(); ++i) {
            place_[at(used[i])] = static_cast<Index>(i);
            part.mesh.points.row(static_cast<Eigen::Index>(i)) = mesh_.points.row(used[i]);
        }
        for (Index& corner : triangles.reshaped()) {
            corner = place_[at(corner)];
        }
        for (const Index old : used) {
            place_[at(old)] = -1;
        }
        part.mesh.triangles = std::move(triangles);
        add_data(used, part.mesh);
        return part;
    }

private:
    void add_data(const std::vector<Index>& used, TriangleMesh& part) const {
        for (const Attribute& all : mesh_.point_data) {
            Attribute some{
                .name = all.name, .components = all.components, .values = {}, .unit = all.unit};
            for (const Index old : used) {
                const auto first =
                    all.values.begin() + static_cast<std::ptrdiff_t>(old) * all.components;
                some.values.insert(some.values.end(), first, first + all.components);
            }
            part.point_data.push_back(std::move(some));
        }
    }

    const TetMesh& mesh_;
    std::vector<Index> place_;  // of a point in the part at hand, -1 between parts
};

std::vector<MeshPart> parts_by_label(const MixedMesh& mesh, const std::string& stem) {
    std::map<int, std::vector<Eigen::Index>> rows;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        rows[mesh.label[at(t)]].push_back(t);
    }
    std::vector<MeshPart> parts;
    PartCutter cutter(mesh.tets);
    for (const auto& [label, which] : rows) {
        const auto named = mesh.label_names.find(label);
        parts.push_back(cutter.cut(
            mesh.triangles(which, Eigen::all),
            named != mesh.label_names.end() ? named->second : fmt::format("{}_{}", stem, label)));
    }
    return parts;
}

MeshPart one_part(const MixedMesh& mesh, std::string name) {
    MeshPart part;
    if (mesh.tets.tets.rows() > 0) {
        part = PartCutter(mesh.tets).cut(mesh.triangles, std::move(name));
    } else {
        part.name = std::move(name);
        part.mesh.points = mesh.tets.points;
        part.mesh.triangles = mesh.triangles;
        part.mesh.point_data = mesh.tets.point_data;
    }
    const bool has_labels = std::any_of(mesh.label.begin(), mesh.label.end(),
                                        [&](int label) { return label != mesh.label.front(); });
    if (has_labels) {
        part.mesh.triangle_data.push_back(
            {.name = "label", .components = 1, .values = {mesh.label.begin(), mesh.label.end()}});
    }
    return part;
}

}  // namespace

void use_positive_orientation(TetMesh& mesh) {
    Eigen::Index positive = 0;
    Eigen::Index negative = 0;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        const double volume = six_volumes(mesh, t);
        positive += volume > 0;
        negative += volume < 0;
    }
    if (negative > positive) {
        mesh.tets.col(2).swap(mesh.tets.col(3));
    }
}

std::vector<MeshPart> surface_of(const MixedMesh& mesh, std::string_view file) {
    const std::string stem = part_name_from_file(file);
    if (mesh.triangles.rows() == 0 && mesh.tets.tets.rows() > 0) {
        return {PartCutter(mesh.tets).cut(boundary_triangles(mesh.tets.tets), stem)};
    }
    if (mesh.triangles.rows() == 0) {
        throw InputError({.where = std::string(file),
                          .found = "neither triangles nor tetrahedra",
                          .needs = "a mesh",
                          .remedy = "write the file again with its elements"});
    }
    const bool is_named = std::any_of(mesh.label.begin(), mesh.label.end(),
                                      [&](int label) { return mesh.label_names.contains(label); });
    const bool is_uniform = std::all_of(mesh.label.begin(), mesh.label.end(),
                                        [&](int label) { return label == mesh.label.front(); });
    if (is_named && !is_uniform) {
        return parts_by_label(mesh, stem);
    }
    return {one_part(mesh, is_named ? mesh.label_names.at(mesh.label.front()) : stem)};
}

TetMesh tets_of(MixedMesh mesh, std::string_view file) {
    if (mesh.tets.tets.rows() == 0) {
        throw InputError({.where = std::string(file),
                          .found = "no tetrahedra",
                          .needs = "a mesh of tetrahedra",
                          .remedy = "fill the surface with tetrahedra first"});
    }
    return std::move(mesh.tets);
}

void require_writable(const TetMesh& mesh, std::string_view format) {
    const std::string where = fmt::format("mesh to be written as {}", format);
    require_valid(mesh, where);
    if (mesh.tets.rows() == 0) {
        throw InputError({.where = where,
                          .found = "no tetrahedra",
                          .needs = "at least one",
                          .remedy = "check the step that made the mesh"});
    }
}

}  // namespace sinew
