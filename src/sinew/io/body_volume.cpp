#include "sinew/io/body_volume.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/tissue_cells.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/msh.h"
#include "sinew/io/vtu.h"

#include <fmt/format.h>

#include <map>

namespace sinew {

namespace {

std::vector<std::string> tissue_names() {
    std::vector<std::string> names;
    for (int t = 0; t < kTissueCount; ++t) {
        names.emplace_back(name_of(static_cast<Tissue>(t)));
    }
    return names;
}

std::vector<std::string> muscle_names(const Body& body) {
    std::vector<std::string> names;
    for (const Muscle& muscle : body.muscles) {
        names.push_back(muscle.name);
    }
    return names;
}

// Regions by what a tetrahedron mostly is; numbers from 1, in the order of the names.
MshOptions groups_by_name(TetMesh& mesh, const Body& body) {
    const Attribute& tissue = *find_attribute(mesh.tet_data, "tissue");
    const Attribute& muscle = *find_attribute(mesh.tet_data, "muscle");
    std::vector<std::string> name_of_tet;
    std::map<std::string, int> numbers;
    for (std::size_t t = 0; t < tissue.values.size(); ++t) {
        const auto kind = static_cast<Tissue>(static_cast<int>(tissue.values[t]));
        std::string name(name_of(kind));
        if (muscle.values[t] >= 0.0 && (kind == Tissue::Muscle || kind == Tissue::Tendon)) {
            name = body.muscles[static_cast<std::size_t>(muscle.values[t])].name +
                   (kind == Tissue::Tendon ? " tendon" : "");
        }
        numbers.emplace(name, 0);
        name_of_tet.push_back(std::move(name));
    }
    MshOptions options;
    for (auto& [name, number] : numbers) {
        number = static_cast<int>(options.region_names.size()) + 1;
        options.region_names.push_back(name);
    }
    mesh.region.clear();
    for (const std::string& name : name_of_tet) {
        mesh.region.push_back(numbers.at(name));
    }
    return options;
}

}  // namespace

std::string write_body_volume(const std::filesystem::path& path, const Body& body) {
    if (body.tets.tets.rows() == 0) {
        throw InputError({.where = path.string(),
                          .found = "a body without tetrahedra",
                          .needs = "tetrahedra to write",
                          .remedy = "build one with 'sinew build', or write its surfaces"});
    }
    TetMesh mesh = body.tets;
    const std::vector<Attribute> cells = tissue_cells(body);
    mesh.tet_data.insert(mesh.tet_data.end(), cells.begin(), cells.end());
    const std::string ending = lower(path.extension().string());
    if (ending == ".vtu") {
        write_vtu(path, mesh,
                  {.names = {{.data = "tissue_names", .names = tissue_names()},
                             {.data = "muscle_names", .names = muscle_names(body)}}});
    } else if (ending == ".msh") {
        const MshOptions options = groups_by_name(mesh, body);
        write_file_bytes(path, format_msh(mesh, options));
    } else {
        write_tets(path, mesh);
    }
    return fmt::format("{} vertices, {} tetrahedra", mesh.points.rows(), mesh.tets.rows());
}

}  // namespace sinew
