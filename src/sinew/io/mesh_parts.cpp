#include "sinew/io/mesh_parts.h"

#include "sinew/base/error.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace sinew {

namespace {

using Data = std::vector<Attribute> TriangleMesh::*;

// Data of the first part that all others have too, one part's values behind the other's.
std::vector<Attribute> merged_data(std::span<const MeshPart> parts, Data data) {
    std::vector<Attribute> result;
    for (const Attribute& first : parts.front().mesh.*data) {
        Attribute joined{
            .name = first.name, .components = first.components, .values = {}, .unit = first.unit};
        const bool all_have_it = std::all_of(parts.begin(), parts.end(), [&](const MeshPart& part) {
            const Attribute* other = find_attribute(part.mesh.*data, first.name);
            return other != nullptr && other->components == first.components;
        });
        if (!all_have_it) {
            continue;
        }
        for (const MeshPart& part : parts) {
            const Attribute* other = find_attribute(part.mesh.*data, first.name);
            joined.values.insert(joined.values.end(), other->values.begin(), other->values.end());
        }
        result.push_back(std::move(joined));
    }
    return result;
}

void require_finite(const std::vector<Attribute>& data, std::string_view where) {
    for (const Attribute& a : data) {
        const auto bad = std::find_if_not(a.values.begin(), a.values.end(),
                                          [](double v) { return std::isfinite(v); });
        if (bad != a.values.end()) {
            throw InputError(
                {.where = fmt::format("{}, data '{}', item {}", where, a.name,
                                      (bad - a.values.begin()) / a.components),
                 .found = fmt::format("{}", *bad),
                 .needs = "finite numbers",
                 .remedy = "mark missing values with a number, or leave this data out"});
        }
    }
}

std::string as_one_line(std::string_view name) {
    std::string text(name);
    for (char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        c = byte < 0x20 || c == '#' || c == '\\' ? '_' : c;
    }
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) {
        return "part";
    }
    return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

TriangleMesh merged(std::span<const MeshPart> parts) {
    TriangleMesh mesh;
    if (parts.empty()) {
        return mesh;
    }
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    for (const MeshPart& part : parts) {
        points += part.mesh.points.rows();
        triangles += part.mesh.triangles.rows();
    }
    mesh.points.resize(points, 3);
    mesh.triangles.resize(triangles, 3);
    points = 0;
    triangles = 0;
    for (const MeshPart& part : parts) {
        const Eigen::Index n = part.mesh.points.rows();
        const Eigen::Index m = part.mesh.triangles.rows();
        mesh.points.middleRows(points, n) = part.mesh.points;
        mesh.triangles.middleRows(triangles, m) =
            part.mesh.triangles.array() + static_cast<Index>(points);
        points += n;
        triangles += m;
    }
    mesh.point_data = merged_data(parts, &TriangleMesh::point_data);
    mesh.triangle_data = merged_data(parts, &TriangleMesh::triangle_data);
    return mesh;
}

void require_writable(std::span<const MeshPart> parts, std::string_view format) {
    Eigen::Index points = 0;
    for (const MeshPart& part : parts) {
        const std::string where = fmt::format("part '{}', to be written as {}", part.name, format);
        require_valid(part.mesh, where);
        require_finite(part.mesh.point_data, where);
        require_finite(part.mesh.triangle_data, where);
        points += part.mesh.points.rows();
    }
    if (points == 0) {
        throw InputError({.where = fmt::format("mesh to be written as {}", format),
                          .found = "no vertices",
                          .needs = "at least one",
                          .remedy = "check the step that made the mesh"});
    }
}

std::string part_name_from_file(std::string_view file) {
    file = file.substr(file.find_last_of('/') + 1);
    const std::size_t dot = file.find_last_of('.');
    const std::string_view stem = dot == 0 ? file : file.substr(0, dot);
    return stem.empty() ? "mesh" : std::string(stem);
}

std::vector<std::string> names_for_writing(std::span<const MeshPart> parts) {
    std::unordered_map<std::string, int> last_number;  // of every name in use
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const MeshPart& part : parts) {
        const std::string wanted = as_one_line(part.name);
        std::string name = wanted;
        while (!last_number.try_emplace(name, 1).second) {
            name = fmt::format("{}_{}", wanted, ++last_number[wanted]);
        }
        names.push_back(std::move(name));
    }
    return names;
}

std::vector<MeshPart> single_part(TriangleMesh mesh, std::string_view file) {
    std::vector<MeshPart> parts(1);
    parts[0].name = part_name_from_file(file);
    parts[0].mesh = std::move(mesh);
    return parts;
}

}  // namespace sinew
