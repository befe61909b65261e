#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/names.h"
#include "sinew/build/muscle_field.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace sinew {

namespace {

/// Whether b is a in the mirror, bit for bit, with ends that the meshes tell.
bool is_mirror_image(const Muscle& a, const Muscle& b) {
    const Attribute* share = find_attribute(a.mesh.point_data, "share");
    if (share == nullptr || a.mesh.points.rows() != b.mesh.points.rows() ||
        a.mesh.triangles.rows() != b.mesh.triangles.rows() || a.belly_begin != b.belly_begin ||
        a.belly_end != b.belly_end || a.is_passive != b.is_passive ||
        a.mesh.points.col(0) != -b.mesh.points.col(0) ||
        a.mesh.points.rightCols(2) != b.mesh.points.rightCols(2) ||
        a.mesh.triangles.col(0) != b.mesh.triangles.col(0) ||
        a.mesh.triangles.col(1) != b.mesh.triangles.col(2) ||
        a.mesh.triangles.col(2) != b.mesh.triangles.col(1)) {
        return false;
    }
    for (const char* name : {"share", "tendon", "fibre"}) {
        const Attribute* of_a = find_attribute(a.mesh.point_data, name);
        const Attribute* of_b = find_attribute(b.mesh.point_data, name);
        if ((of_a == nullptr) != (of_b == nullptr)) {
            return false;
        }
        if (of_a == nullptr) {
            continue;
        }
        if (of_a->components != of_b->components || of_a->values.size() != of_b->values.size()) {
            return false;
        }
        for (std::size_t i = 0; i < of_a->values.size(); ++i) {
            const bool is_across = of_a->components == 3 && i % 3 == 0;
            if (of_a->values[i] != (is_across ? -of_b->values[i] : of_b->values[i])) {
                return false;
            }
        }
    }
    return true;
}

/// For each muscle the earlier one that it mirrors, or itself.
std::vector<std::size_t> find_models(const std::vector<Muscle>& muscles) {
    std::map<std::string, std::size_t> index;
    std::vector<std::size_t> model(muscles.size());
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        model[i] = i;
        index.emplace(muscles[i].name, i);
        const auto other = index.find(mirrored_name(muscles[i].name));
        if (other != index.end() && other->second < i &&
            is_mirror_image(muscles[other->second], muscles[i])) {
            model[i] = other->second;
        }
    }
    return model;
}

MuscleField field_of(const Muscle& muscle, const std::vector<Bone>& bones,
                     const MuscleFieldOptions& options) {
    try {
        const std::vector<double> shares = muscle_shares(muscle, bones);
        const Attribute* along = find_attribute(muscle.mesh.point_data, "fibre");
        const bool is_known = along != nullptr && along->components == 3;
        return {muscle.mesh, find_muscle_ends(muscle.mesh, shares), muscle_tendon(muscle, shares),
                is_known ? std::span<const double>(along->values) : std::span<const double>(),
                options};
    } catch (const InputError& error) {
        throw error.within(fmt::format("muscle '{}'", muscle.name));
    }
}

}  // namespace

std::vector<MuscleField> compute_muscle_fields(const std::vector<Muscle>& muscles,
                                               const std::vector<Bone>& bones,
                                               const MuscleFieldOptions& options,
                                               const Progress& progress) {
    const std::vector<std::size_t> model = find_models(muscles);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        if (model[i] == i) {
            order.push_back(i);
        }
    }
    std::vector<MuscleField> fields(muscles.size());
    auto stage = progress.stage("fibres", order.size());
    constexpr std::size_t kBatch = 32;  // muscles between two reports
    for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, order.size() - begin);
        parallel_for(count, 1, [&](std::size_t from, std::size_t to) {
            for (std::size_t k = begin + from; k < begin + to; ++k) {
                fields[order[k]] = field_of(muscles[order[k]], bones, options);
            }
        });
        stage.advance(count);
    }
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        if (model[i] != i) {
            fields[i] = fields[model[i]].reflected();
        }
    }
    return fields;
}

}  // namespace sinew
