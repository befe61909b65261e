#include "sinew/pipeline/layers_cache.h"

#include "sinew/base/error.h"
#include "sinew/io/content_hash.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/packed_lists.h"

namespace sinew {
namespace {

constexpr const char* kLayersStage = "layers";

std::vector<double> numbers_of(const Points& points) {
    return {points.data(), points.data() + points.size()};
}

Points points_from(const std::vector<double>& numbers) {
    return Eigen::Map<const Points>(numbers.data(), static_cast<Eigen::Index>(numbers.size() / 3),
                                    3);
}

// Skin, muscle surface and triangles are the body's own.
std::string packed_layers(const LayeredTemplate& layers) {
    std::string out;
    append_list(out, numbers_of(layers.bone));
    append_list(out, layers.is_kept);
    append_list(out, layers.muscle_thickness);
    append_list(out, layers.group);
    append_list(out, layers.bone_depth);
    append_list(out, layers.alignment_error);
    append_list(out, numbers_of(layers.wrap.points));
    const Triangles& triangles = layers.wrap.triangles;
    append_list(out, std::vector<Index>(triangles.data(), triangles.data() + triangles.size()));
    return out;
}

LayeredTemplate unpacked_layers(std::string_view bytes, const Body& body) {
    ByteReader from(bytes, kLayersStage);
    LayeredTemplate layers;
    layers.triangles = body.skin.mesh.triangles;
    layers.skin = body.skin.mesh.points;
    layers.muscle = body.envelope.mesh.points;
    layers.bone = points_from(take_list<double>(from));
    layers.is_kept = take_list<char>(from);
    layers.muscle_thickness = take_list<double>(from);
    layers.group = take_list<Index>(from);
    layers.bone_depth = take_list<double>(from);
    layers.alignment_error = take_list<double>(from);
    layers.wrap.points = points_from(take_list<double>(from));
    const std::vector<Index> corners = take_list<Index>(from);
    layers.wrap.triangles = Eigen::Map<const Triangles>(
        corners.data(), static_cast<Eigen::Index>(corners.size() / 3), 3);
    const std::size_t count = at(layers.skin.rows());
    for (const std::size_t size :
         {at(layers.bone.rows()), layers.is_kept.size(), layers.muscle_thickness.size(),
          layers.group.size(), layers.bone_depth.size(), layers.alignment_error.size()}) {
        if (size != count) {
            from.fail("layers of another skin");
        }
    }
    return layers;
}

}  // namespace

LayeredTemplate cached_layers(const Body& body, const std::filesystem::path& cache_folder,
                              const Progress& progress) {
    if (cache_folder.empty()) {
        return build_layers(body, {}, progress);
    }
    const BodyCache cache(cache_folder);
    std::string content = program_key();
    content += content_hash_text(bytes_of(body.tets.points));
    content += content_hash_text(bytes_of(body.tets.tets));
    content += content_hash_text(bytes_of(body.skin.tet_vertex));
    for (const Bone& bone : body.bones) {
        content += bone.name + content_hash_text(bytes_of(bone.mesh.points));
    }
    for (const Muscle& muscle : body.muscles) {
        content += muscle.name + muscle.group + content_hash_text(bytes_of(muscle.mesh.points));
    }
    const std::string key = content_hash_text(content);
    if (const std::optional<std::string> kept = cache.find_bytes(kLayersStage, key, progress)) {
        try {
            return unpacked_layers(*kept, body);
        } catch (const InputError& e) {
            progress.warn(e.what());
        }
    }
    LayeredTemplate layers = build_layers(body, {}, progress);
    cache.keep_bytes(kLayersStage, key, packed_layers(layers), progress);
    return layers;
}

}  // namespace sinew
