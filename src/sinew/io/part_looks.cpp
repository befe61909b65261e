#include "sinew/io/part_looks.h"

#include "sinew/body/body_surfaces.h"

#include <map>

namespace sinew {

namespace {

// Tendons lie among the muscles, cartilages and discs among the bones.
std::string group_of_kind(const std::string& kind) {
    if (kind == "muscle" || kind == "tendon") {
        return "muscles";
    }
    if (kind == "bone" || kind == "cartilage" || kind == "disc") {
        return "bones";
    }
    return kind.empty() ? "" : kind + "s";
}

}  // namespace

std::vector<std::string> part_groups(std::span<const MeshPart> parts) {
    struct Run {
        std::size_t first = 0;
        std::size_t count = 0;
        bool is_scattered = false;
    };
    std::map<std::string, Run> runs;
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        groups.push_back(group_of_kind(parts[i].kind));
        Run& run = runs.try_emplace(groups[i], Run{.first = i}).first->second;
        run.is_scattered = run.is_scattered || i != run.first + run.count;
        ++run.count;
    }
    for (std::string& group : groups) {
        const Run& run = runs.at(group);
        if (run.count < 2 || run.is_scattered) {
            group.clear();
        }
    }
    return groups;
}

void colour_by_tendon(TriangleMesh& mesh) {
    const Attribute* tendon = find_attribute(mesh.point_data, "tendon");
    if (tendon == nullptr || tendon->components != 1 ||
        find_attribute(mesh.point_data, kColourAttribute) != nullptr) {
        return;
    }
    const auto belly = colour_of_kind("muscle");
    const auto pale = colour_of_kind("tendon");
    Attribute colour{.name = std::string(kColourAttribute), .components = 3, .values = {}};
    colour.values.reserve(3 * tendon->values.size());
    for (const double t : tendon->values) {
        for (std::size_t k = 0; k < 3; ++k) {
            colour.values.push_back(static_cast<double>(belly[k]) +
                                    t * static_cast<double>(pale[k] - belly[k]));
        }
    }
    mesh.point_data.push_back(std::move(colour));
}

}  // namespace sinew
