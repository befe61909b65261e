#include "sinew/io/byte_reader.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/msh.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>

namespace sinew {

namespace {

// A surface or volume of the file: its elements are rows of one array.
struct Entity {
    int tag = 1;
    int group = 0;  // physical group, 0: none
    std::string name = {};
    std::vector<Eigen::Index> elements = {};
};

class MshWriter {
public:
    explicit MshWriter(const MshOptions& options) : is_ascii_(options.is_ascii) {}

    template <class Cells>
    std::string write(const Points& points, const Cells& cells, int dimension,
                      const std::vector<Entity>& entities, std::span<const Attribute> data) && {
        out_ = fmt::format("$MeshFormat\n4.1 {} 8\n", is_ascii_ ? 0 : 1);
        if (!is_ascii_) {
            append_bytes(out_, std::int32_t{1});
            out_ += '\n';
        }
        out_ += "$EndMeshFormat\n";
        add_names(dimension, entities);
        add_entities(points, dimension, entities);
        add_nodes(points, dimension, entities.front().tag);
        add_elements(cells, dimension, entities);
        for (const Attribute& a : data) {
            if (a.components == 1 || a.components == 3 || a.components == 9) {
                add_element_data(a);
            }
        }
        return std::move(out_);
    }

private:
    void tag(std::int32_t value) {
        add(value);
    }
    void size(std::uint64_t value) {
        add(value);
    }
    void real(double value) {
        add(value);
    }
    template <class Number>
    void add(Number value) {
        if (!is_ascii_) {
            append_bytes(out_, value);
            return;
        }
        if constexpr (std::is_same_v<Number, double>) {
            append_number(out_, value);
        } else {
            append_integer(out_, static_cast<std::int64_t>(value));
        }
        out_ += ' ';
    }
    void end_line() {
        if (is_ascii_) {
            out_.back() = '\n';
        }
    }
    void begin(std::string_view section) {
        out_ += fmt::format("${}\n", section);
    }
    void end(std::string_view section) {
        out_ += fmt::format("{}$End{}\n", is_ascii_ ? "" : "\n", section);
    }

    void add_names(int dimension, const std::vector<Entity>& entities) {
        const auto named = std::count_if(entities.begin(), entities.end(),
                                         [](const Entity& e) { return e.group > 0; });
        if (named == 0) {
            return;
        }
        out_ += fmt::format("$PhysicalNames\n{}\n", named);
        for (const Entity& entity : entities) {
            if (entity.group > 0) {
                out_ += fmt::format("{} {} \"{}\"\n", dimension, entity.group, entity.name);
            }
        }
        out_ += "$EndPhysicalNames\n";
    }

    void add_entities(const Points& points, int dimension, const std::vector<Entity>& entities) {
        const Eigen::RowVector3d low = points.colwise().minCoeff();
        const Eigen::RowVector3d high = points.colwise().maxCoeff();
        begin("Entities");
        for (int d = 0; d < 4; ++d) {
            size(d == dimension ? entities.size() : 0);
        }
        end_line();
        for (const Entity& entity : entities) {
            tag(entity.tag);
            for (const auto& corner : {low, high}) {
                for (int k = 0; k < 3; ++k) {
                    real(corner[k]);
                }
            }
            size(entity.group > 0 ? 1 : 0);
            if (entity.group > 0) {
                tag(entity.group);
            }
            size(0);
            end_line();
        }
        end("Entities");
    }

    void add_nodes(const Points& points, int dimension, int entity) {
        const auto count = static_cast<std::uint64_t>(points.rows());
        begin("Nodes");
        for (const std::uint64_t value : {std::uint64_t{1}, count, std::uint64_t{1}, count}) {
            size(value);
        }
        end_line();
        tag(dimension);
        tag(entity);
        tag(0);
        size(count);
        end_line();
        for (std::uint64_t i = 1; i <= count; ++i) {
            size(i);
            end_line();
        }
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            for (int k = 0; k < 3; ++k) {
                real(points(i, k));
            }
            end_line();
        }
        end("Nodes");
    }

    template <class Cells>
    void add_elements(const Cells& cells, int dimension, const std::vector<Entity>& entities) {
        const auto count = static_cast<std::uint64_t>(cells.rows());
        begin("Elements");
        for (const std::uint64_t value : {entities.size(), count, std::uint64_t{1}, count}) {
            size(value);
        }
        end_line();
        for (const Entity& entity : entities) {
            tag(dimension);
            tag(entity.tag);
            tag(dimension == 3 ? 4 : 2);
            size(entity.elements.size());
            end_line();
            for (const Eigen::Index e : entity.elements) {
                size(static_cast<std::uint64_t>(e) + 1);
                for (Eigen::Index k = 0; k < cells.cols(); ++k) {
                    size(static_cast<std::uint64_t>(cells(e, k)) + 1);
                }
                end_line();
            }
        }
        end("Elements");
    }

    // Elements are numbered by their rows, from 1.
    void add_element_data(const Attribute& data) {
        std::string name = data.name;
        std::replace(name.begin(), name.end(), '"', '\'');
        out_ += fmt::format("$ElementData\n1\n\"{}\"\n1\n0\n3\n0\n{}\n{}\n", name, data.components,
                            data.count());
        const auto width = static_cast<std::size_t>(data.components);
        for (std::size_t e = 0; e < data.count(); ++e) {
            tag(static_cast<std::int32_t>(e + 1));
            for (std::size_t k = 0; k < width; ++k) {
                real(data.values[e * width + k]);
            }
            end_line();
        }
        end("ElementData");
    }

    bool is_ascii_;
    std::string out_;
};

// One volume per region. The file lists tetrahedra by volume; their numbers keep the order.
std::vector<Entity> volumes_of(const TetMesh& mesh, const std::vector<std::string>& region_names) {
    std::vector<Entity> volumes;
    if (mesh.region.empty()) {
        volumes.resize(1);
        volumes[0].elements.resize(static_cast<std::size_t>(mesh.tets.rows()));
        for (std::size_t t = 0; t < volumes[0].elements.size(); ++t) {
            volumes[0].elements[t] = static_cast<Eigen::Index>(t);
        }
        return volumes;
    }
    const bool are_groups = *std::min_element(mesh.region.begin(), mesh.region.end()) > 0;
    std::map<int, std::size_t> volume_of_region;
    for (std::size_t t = 0; t < mesh.region.size(); ++t) {
        const int region = mesh.region[t];
        const auto [it, is_new] = volume_of_region.try_emplace(region, volumes.size());
        if (is_new) {
            const int number = are_groups ? region : static_cast<int>(volumes.size()) + 1;
            const bool is_named =
                region > 0 && static_cast<std::size_t>(region) <= region_names.size();
            volumes.push_back({number,
                               number,
                               is_named ? region_names[static_cast<std::size_t>(region) - 1]
                                        : fmt::format("region_{}", region),
                               {}});
        }
        volumes[it->second].elements.push_back(static_cast<Eigen::Index>(t));
    }
    return volumes;
}

}  // namespace

std::string format_msh(const TetMesh& mesh, const MshOptions& options) {
    require_writable(mesh, "Gmsh");
    return MshWriter(options).write(mesh.points, mesh.tets, 3,
                                    volumes_of(mesh, options.region_names), mesh.tet_data);
}

std::string format_msh(std::span<const MeshPart> parts, const MshOptions& options) {
    require_writable(parts, "Gmsh");
    const TriangleMesh mesh = merged(parts);
    std::vector<std::string> names = names_for_writing(parts);
    std::vector<Entity> surfaces;
    Eigen::Index row = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        std::replace(names[p].begin(), names[p].end(), '"', '\'');
        const int number = static_cast<int>(p) + 1;
        surfaces.push_back({number, number, names[p], {}});
        for (Eigen::Index t = 0; t < parts[p].mesh.triangles.rows(); ++t) {
            surfaces.back().elements.push_back(row++);
        }
    }
    return MshWriter(options).write(mesh.points, mesh.triangles, 2, surfaces, {});
}

}  // namespace sinew
