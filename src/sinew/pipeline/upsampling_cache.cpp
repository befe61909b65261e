#include "sinew/pipeline/upsampling_cache.h"

#include "sinew/base/error.h"
#include "sinew/io/content_hash.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/packed_lists.h"

namespace sinew {
namespace {

constexpr const char* kStage = "upsampling";

// Offsets as plain numbers: one vertex and three coordinates.
std::string pack(const UpsamplingWeights& weights) {
    std::string out;
    append_bytes(out, static_cast<std::int32_t>(weights.neighbours));
    append_list(out, weights.nearest_triangle);
    append_list(out, weights.index);
    append_list(out, weights.weight);
    append_list(out, weights.normal_weight);
    std::vector<Index> vertices;
    std::vector<double> offsets;
    for (const UpsamplingWeights::Left& left : weights.left) {
        vertices.push_back(left.vertex);
        offsets.insert(offsets.end(), left.offset.data(), left.offset.data() + 3);
    }
    append_list(out, vertices);
    append_list(out, offsets);
    return out;
}

UpsamplingWeights unpack(std::string_view bytes) {
    ByteReader from(bytes, kStage);
    UpsamplingWeights weights{.neighbours = from.get<std::int32_t>("neighbours")};
    weights.nearest_triangle = take_list<Index>(from);
    weights.index = take_list<Index>(from);
    weights.weight = take_list<float>(from);
    weights.normal_weight = take_list<float>(from);
    const std::vector<Index> vertices = take_list<Index>(from);
    const std::vector<double> offsets = take_list<double>(from);
    if (offsets.size() != 3 * vertices.size()) {
        from.fail("vertices and offsets of different number");
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        weights.left.push_back({vertices[i], Vec3(&offsets[3 * i])});
    }
    return weights;
}

}  // namespace

SkinUpsampling cached_upsampling(const TriangleMesh& coarse, const TriangleMesh& fine,
                                 const std::filesystem::path& cache_folder,
                                 const Progress& progress) {
    if (cache_folder.empty()) {
        return {coarse, fine, {}, progress};
    }
    const BodyCache cache(cache_folder);
    std::string content = program_key();
    for (const TriangleMesh* mesh : {&coarse, &fine}) {
        content += content_hash_text(bytes_of(mesh->points));
        content += content_hash_text(bytes_of(mesh->triangles));
    }
    const std::string key = content_hash_text(content);
    if (const std::optional<std::string> kept = cache.find_bytes(kStage, key, progress)) {
        try {
            SkinUpsampling upsampling(coarse, unpack(*kept));
            if (upsampling.fine_vertices() == fine.points.rows()) {
                return upsampling;
            }
        } catch (const InputError& e) {
            progress.warn(e.what());
        }
    }
    SkinUpsampling upsampling(coarse, fine, {}, progress);
    cache.keep_bytes(kStage, key, pack(upsampling.weights()), progress);
    return upsampling;
}

}  // namespace sinew
