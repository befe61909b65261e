#include "sinew/pipeline/upsampling_cache.h"

#include "sinew/base/error.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/content_hash.h"
#include "sinew/pipeline/body_cache.h"

#include <type_traits>

namespace sinew {
namespace {

constexpr const char* kStage = "upsampling";

std::string_view bytes_of(const auto& matrix) {
    return {reinterpret_cast<const char*>(matrix.data()),
            static_cast<std::size_t>(matrix.size()) * sizeof(*matrix.data())};
}

template <class Item>
void append(std::string& out, const std::vector<Item>& items) {
    static_assert(std::is_trivially_copyable_v<Item>);
    append_bytes(out, static_cast<std::uint64_t>(items.size()));
    out.append(bytes_of(items));
}

template <class Item>
std::vector<Item> take(ByteReader& from) {
    const auto count = from.get<std::uint64_t>("count");
    from.need_items(count, sizeof(Item), "weights");
    std::vector<Item> items(count);
    std::memcpy(items.data(), from.here(), count * sizeof(Item));
    from.skip(count * sizeof(Item), "weights");
    return items;
}

// Offsets as plain numbers: one vertex and three coordinates.
std::string pack(const UpsamplingWeights& weights) {
    std::string out;
    append_bytes(out, static_cast<std::int32_t>(weights.neighbours));
    append(out, weights.nearest_triangle);
    append(out, weights.index);
    append(out, weights.weight);
    append(out, weights.normal_weight);
    std::vector<Index> vertices;
    std::vector<double> offsets;
    for (const UpsamplingWeights::Left& left : weights.left) {
        vertices.push_back(left.vertex);
        offsets.insert(offsets.end(), left.offset.data(), left.offset.data() + 3);
    }
    append(out, vertices);
    append(out, offsets);
    return out;
}

UpsamplingWeights unpack(std::string_view bytes) {
    ByteReader from(bytes, kStage);
    UpsamplingWeights weights{.neighbours = from.get<std::int32_t>("neighbours")};
    weights.nearest_triangle = take<Index>(from);
    weights.index = take<Index>(from);
    weights.weight = take<float>(from);
    weights.normal_weight = take<float>(from);
    const std::vector<Index> vertices = take<Index>(from);
    const std::vector<double> offsets = take<double>(from);
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
