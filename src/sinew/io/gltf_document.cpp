#include "sinew/io/gltf_document.h"

#include "sinew/base/error.h"
#include "sinew/base/nesting.h"
#include "sinew/io/base64.h"
#include "sinew/io/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace sinew::detail {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxJsonBytes = std::size_t{256} << 20;
constexpr std::uint32_t kGlbMagic = 0x46546C67;
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinChunk = 0x004E4942;

std::uint32_t little_endian_32(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
    }
    return value;
}

/// "%20" -> " ".
std::string decode_percent(std::string_view text) {
    std::string out;
    const auto hex = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 &&
            hex(text[i + 2]) >= 0) {
            out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// Whether a relative reference stays in its folder: no root, no "..", no scheme, no backslash.
bool is_confined(const std::string& uri) {
    if (uri.empty() || uri.front() == '/' || uri.find('\\') != std::string::npos ||
        uri.find(':') != std::string::npos || uri.find('\0') != std::string::npos) {
        return false;
    }
    const std::filesystem::path path(uri);
    return std::none_of(path.begin(), path.end(),
                        [](const std::filesystem::path& step) { return step == ".."; });
}

std::size_t component_bytes(std::size_t type) {
    switch (type) {
        case 5120:
        case 5121:
            return 1;
        case 5122:
        case 5123:
            return 2;
        case 5125:
        case 5126:
            return 4;
        default:
            return 0;
    }
}

template <class T>
double load(const char* at, double scale) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return std::max(static_cast<double>(value) * scale, scale == 1.0 ? -HUGE_VAL : -1.0);
}

/// One stored component as a number; little endian, as the format and this machine are.
double component(const char* at, std::size_t type, bool is_normalised) {
    const auto scale = [&](double largest) { return is_normalised ? 1.0 / largest : 1.0; };
    switch (type) {
        case 5120:
            return load<std::int8_t>(at, scale(127.0));
        case 5121:
            return load<std::uint8_t>(at, scale(255.0));
        case 5122:
            return load<std::int16_t>(at, scale(32767.0));
        case 5123:
            return load<std::uint16_t>(at, scale(65535.0));
        case 5125:
            return load<std::uint32_t>(at, 1.0);
        default:
            return load<float>(at, 1.0);
    }
}

}  // namespace

std::string shown(const json& value) {
    return value.is_structured() ? value.type_name() : value.dump().substr(0, 40);
}

/// How an accessor's numbers lie in its buffer.
struct GltfDocument::Layout {
    std::size_t count = 0;
    std::size_t components = 0;
    std::size_t type = 0;
    std::size_t stride = 0;
    bool is_normalised = false;
    std::string_view bytes = {};  // empty where the accessor has no buffer view
    std::string place = {};
};

GltfDocument::GltfDocument(std::string_view bytes, std::string where,
                           const std::filesystem::path& folder)
    : where_(std::move(where)), folder_(folder) {
    std::string_view text = bytes;
    std::string_view chunk;
    bool has_chunk = false;
    if (bytes.size() >= 12 && little_endian_32(bytes, 0) == kGlbMagic) {
        if (little_endian_32(bytes, 4) != 2) {
            refuse("header", fmt::format("glTF version {}", little_endian_32(bytes, 4)), "2");
        }
        if (little_endian_32(bytes, 8) > bytes.size() || bytes.size() < 20) {
            refuse("header", fmt::format("{} bytes", bytes.size()),
                   fmt::format("{} as the header says", little_endian_32(bytes, 8)));
        }
        const std::size_t json_bytes = little_endian_32(bytes, 12);
        if (little_endian_32(bytes, 16) != kJsonChunk || json_bytes > bytes.size() - 20) {
            refuse("first chunk", "no whole JSON chunk", "a JSON chunk inside the file");
        }
        text = bytes.substr(20, json_bytes);
        const std::size_t second = 20 + json_bytes;
        if (second + 8 <= bytes.size() && little_endian_32(bytes, second + 4) == kBinChunk) {
            const std::size_t size = little_endian_32(bytes, second);
            if (size > bytes.size() - second - 8) {
                refuse("second chunk", "a chunk that ends beyond the file", "the whole chunk");
            }
            chunk = bytes.substr(second + 8, size);
            has_chunk = true;
        }
    }
    if (text.size() > kMaxJsonBytes) {
        refuse("JSON", fmt::format("{} MB", text.size() >> 20), "at most 256 MB; use .glb");
    }
    if (is_json_nested_deeper(text)) {
        refuse("JSON", fmt::format("brackets nested deeper than {} levels", kMaxNesting),
               "fewer levels");
    }
    root_ = json::parse(text, nullptr, false);
    if (root_.is_discarded() || !root_.is_object()) {
        refuse("JSON", "text that is not JSON", "a glTF 2.0 document");
    }
    const auto asset = root_.find("asset");
    if (asset == root_.end() || !asset->is_object() ||
        !this->text(*asset, "version").starts_with("2")) {
        refuse("asset", "no version 2", "glTF 2.0");
    }
    for (const json& extension : list("extensionsRequired")) {
        const std::string name = extension.is_string() ? extension.get<std::string>() : "?";
        if (name != "KHR_mesh_quantization" && !name.starts_with("KHR_materials_") &&
            !name.starts_with("KHR_texture_") && name != "KHR_lights_punctual") {
            refuse("extensionsRequired", fmt::format("'{}'", name.substr(0, 80)),
                   "a file without that extension (export without compression)");
        }
    }
    read_buffers(chunk, has_chunk);
}

void GltfDocument::refuse(const std::string& place, const std::string& found,
                          const std::string& needs) const {
    throw InputError({.where = fmt::format("{}, {}", where_, place),
                      .found = found,
                      .needs = needs,
                      .remedy = "export the file again as glTF 2.0 (.glb)"});
}

const json& GltfDocument::list(const char* name) const {
    static const json kNothing = json::array();
    const auto found = root_.find(name);
    if (found == root_.end()) {
        return kNothing;
    }
    if (!found->is_array()) {
        refuse(name, "something that is not a list", "a list");
    }
    return *found;
}

const json& GltfDocument::item(const char* list_name, std::size_t i) const {
    const json& items = list(list_name);
    if (i >= items.size() || !items[i].is_object()) {
        refuse(fmt::format("{}[{}]", list_name, i), fmt::format("a list of {}", items.size()),
               "an object at that place");
    }
    return items[i];
}

std::size_t GltfDocument::whole(const json& object, const char* key, std::size_t fallback,
                                std::size_t limit, const std::string& place) const {
    const auto found = object.find(key);
    return found == object.end() ? fallback : whole(object, key, limit, place);
}

std::size_t GltfDocument::whole(const json& object, const char* key, std::size_t limit,
                                const std::string& place) const {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_unsigned() ||
        found->get<std::uint64_t>() >= limit) {
        refuse(fmt::format("{}, {}", place, key), found == object.end() ? "nothing" : shown(*found),
               fmt::format("a whole number below {}", limit));
    }
    return found->get<std::size_t>();
}

double GltfDocument::number(const json& object, const char* key, double fallback,
                            const std::string& place) const {
    const auto found = object.find(key);
    if (found == object.end()) {
        return fallback;
    }
    if (!found->is_number() || !std::isfinite(found->get<double>())) {
        refuse(fmt::format("{}, {}", place, key), "no finite number", "a finite number");
    }
    return found->get<double>();
}

std::vector<double> GltfDocument::vector(const json& object, const char* key, std::size_t count,
                                         const std::string& place) const {
    const auto found = object.find(key);
    if (found == object.end()) {
        return {};
    }
    std::vector<double> values;
    if (found->is_array() && found->size() == count) {
        for (const json& value : *found) {
            if (value.is_number() && std::isfinite(value.get<double>())) {
                values.push_back(value.get<double>());
            }
        }
    }
    if (values.size() != count) {
        refuse(fmt::format("{}, {}", place, key), "something else",
               fmt::format("{} finite numbers", count));
    }
    return values;
}

std::string GltfDocument::text(const json& object, const char* key) const {
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
               ? found->get_ref<const std::string&>().substr(0, 255)
               : "";
}

// Base64, or a file in the folder of the document or below it.
std::string GltfDocument::content_of(const std::string& uri, const std::string& place) const {
    if (uri.starts_with("data:")) {
        const std::size_t comma = std::min(uri.find(";base64,"), uri.size());
        const std::string_view text = std::string_view(uri).substr(comma);
        std::size_t used = 0;
        std::string content = text.empty() ? "" : decode_base64(text.substr(8), used);
        if (text.empty() || used + 8 != text.size()) {
            refuse(place, "data that is not base64", "data:...;base64,...");
        }
        return content;
    }
    const std::string file = decode_percent(uri);
    if (!is_confined(file) || folder_.empty()) {
        refuse(place, fmt::format("the file '{}'", file.substr(0, 80)),
               "a file in the folder of the .gltf file or below it");
    }
    const auto inside = std::filesystem::weakly_canonical(folder_ / file);
    const auto root = std::filesystem::weakly_canonical(folder_);
    if (std::mismatch(root.begin(), root.end(), inside.begin(), inside.end()).first != root.end()) {
        refuse(place, fmt::format("the file '{}', a link to elsewhere", file),
               "a file in the folder of the .gltf file or below it");
    }
    return read_file_bytes(inside);
}

void GltfDocument::read_buffers(std::string_view glb_chunk, bool has_chunk) {
    const json& list_of_buffers = list("buffers");
    for (std::size_t i = 0; i < list_of_buffers.size(); ++i) {
        const json& buffer = item("buffers", i);
        const std::string place = fmt::format("buffers[{}]", i);
        const std::size_t length = whole(buffer, "byteLength", kMaxFileBytes, place);
        const auto uri = buffer.find("uri");
        std::string content;
        if (uri == buffer.end()) {
            if (i != 0 || !has_chunk) {
                refuse(place, "no data", "a uri, or the binary chunk for the first buffer");
            }
            content = std::string(glb_chunk);
        } else if (!uri->is_string()) {
            refuse(place, "a uri that is not text", "text");
        } else {
            content = content_of(uri->get_ref<const std::string&>(), place);
        }
        if (content.size() < length) {
            refuse(place, fmt::format("{} bytes", content.size()),
                   fmt::format("{}, as byteLength says", length));
        }
        buffers_.push_back(std::move(content));
    }
}

std::string GltfDocument::image(std::size_t i) const {
    const json& entry = item("images", i);
    const std::string place = fmt::format("images[{}]", i);
    if (entry.contains("bufferView")) {
        std::size_t stride = 0;
        return std::string(
            view(whole(entry, "bufferView", list("bufferViews").size(), place), stride));
    }
    const auto uri = entry.find("uri");
    if (uri == entry.end() || !uri->is_string()) {
        refuse(place, "no data", "a uri or a bufferView");
    }
    return content_of(uri->get_ref<const std::string&>(), place);
}

std::string_view GltfDocument::view(std::size_t buffer_view, std::size_t& stride) const {
    const std::string place = fmt::format("bufferViews[{}]", buffer_view);
    const json& entry = item("bufferViews", buffer_view);
    const std::string& buffer = buffers_[whole(entry, "buffer", buffers_.size(), place)];
    const std::size_t offset = whole(entry, "byteOffset", 0, buffer.size() + 1, place);
    const std::size_t length = whole(entry, "byteLength", buffer.size() - offset + 1, place);
    stride = whole(entry, "byteStride", 0, 253, place);
    return std::string_view(buffer).substr(offset, length);
}

GltfDocument::Layout GltfDocument::layout_of(std::size_t accessor) const {
    const json& entry = item("accessors", accessor);
    Layout layout;
    layout.place = fmt::format("accessors[{}]", accessor);
    layout.count = whole(entry, "count", kMaxGltfElements + 1, layout.place);
    layout.type = whole(entry, "componentType", 5127, layout.place);
    const std::size_t size = component_bytes(layout.type);
    static constexpr std::array<std::pair<std::string_view, std::size_t>, 5> kTypes = {
        {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}}};
    for (const auto& [name, components] : kTypes) {
        if (text(entry, "type") == name) {
            layout.components = components;
        }
    }
    if (size == 0 || layout.components == 0) {
        refuse(layout.place, "an unknown type", "numbers of 8 to 32 bits, VEC3 and the like");
    }
    const auto normalised = entry.find("normalized");
    layout.is_normalised = normalised != entry.end() && normalised->is_boolean() &&
                           normalised->get<bool>() && layout.type < 5125;
    const std::size_t row = size * layout.components;
    layout.stride = row;
    if (entry.contains("bufferView")) {
        std::size_t stride = 0;
        layout.bytes =
            view(whole(entry, "bufferView", list("bufferViews").size(), layout.place), stride);
        if (stride != 0 && stride < row) {
            refuse(layout.place, fmt::format("a stride of {} bytes", stride),
                   fmt::format("at least {}", row));
        }
        layout.stride = stride == 0 ? row : stride;
        const std::size_t offset =
            whole(entry, "byteOffset", 0, layout.bytes.size() + 1, layout.place);
        layout.bytes.remove_prefix(offset);
        const std::size_t needed = layout.count == 0 ? 0 : (layout.count - 1) * layout.stride + row;
        if (needed > layout.bytes.size()) {
            refuse(layout.place,
                   fmt::format("{} elements in {} bytes", layout.count, layout.bytes.size()),
                   fmt::format("{} bytes", needed));
        }
    } else if (layout.count > kMaxGltfUnbacked) {
        refuse(layout.place, fmt::format("{} elements without data", layout.count),
               fmt::format("at most {}", kMaxGltfUnbacked));
    }
    return layout;
}

GltfNumbers GltfDocument::numbers(std::size_t accessor) const {
    const Layout layout = layout_of(accessor);
    GltfNumbers result;
    result.components = layout.components;
    result.values.assign(layout.count * layout.components, 0.0);
    if (!layout.bytes.empty()) {
        const std::size_t size = component_bytes(layout.type);
        for (std::size_t i = 0; i < layout.count; ++i) {
            for (std::size_t k = 0; k < layout.components; ++k) {
                result.values[i * layout.components + k] =
                    component(layout.bytes.data() + i * layout.stride + k * size, layout.type,
                              layout.is_normalised);
            }
        }
    }
    const json& entry = item("accessors", accessor);
    if (entry.contains("sparse")) {
        add_sparse(entry["sparse"], layout, result);
    }
    for (const double value : result.values) {
        if (!std::isfinite(value)) {
            refuse(layout.place, "a number that is not finite", "finite numbers");
        }
    }
    return result;
}

void GltfDocument::add_sparse(const json& sparse, const Layout& layout, GltfNumbers& result) const {
    const std::string place = layout.place + ", sparse";
    if (!sparse.is_object() || !sparse.contains("indices") || !sparse.contains("values") ||
        !sparse["indices"].is_object() || !sparse["values"].is_object()) {
        refuse(place, "something else", "count, indices and values");
    }
    const std::size_t count = whole(sparse, "count", layout.count + 1, place);
    const auto open = [&](const json& entry, std::size_t row) {
        std::size_t stride = 0;
        std::string_view bytes =
            view(whole(entry, "bufferView", list("bufferViews").size(), place), stride);
        bytes.remove_prefix(whole(entry, "byteOffset", 0, bytes.size() + 1, place));
        if (row == 0 || bytes.size() / row < count) {
            refuse(place, fmt::format("{} bytes", bytes.size()),
                   fmt::format("{} rows of {} bytes", count, row));
        }
        return bytes;
    };
    const std::size_t index_type = whole(sparse["indices"], "componentType", 5126, place);
    const std::size_t index_bytes = component_bytes(index_type);
    const std::size_t size = component_bytes(layout.type);
    const std::string_view index = open(sparse["indices"], index_bytes);
    const std::string_view values = open(sparse["values"], size * layout.components);
    for (std::size_t i = 0; i < count; ++i) {
        const double row = component(index.data() + i * index_bytes, index_type, false);
        if (!(row >= 0 && row < static_cast<double>(layout.count))) {
            refuse(place, fmt::format("index {}", row), fmt::format("below {}", layout.count));
        }
        for (std::size_t k = 0; k < layout.components; ++k) {
            result.values[static_cast<std::size_t>(row) * layout.components + k] =
                component(values.data() + (i * layout.components + k) * size, layout.type,
                          layout.is_normalised);
        }
    }
}

std::vector<std::uint32_t> GltfDocument::indices(std::size_t accessor) const {
    const GltfNumbers numbers_read = numbers(accessor);
    const std::size_t type =
        whole(item("accessors", accessor), "componentType", 5127, "accessor of indices");
    if (numbers_read.components != 1 || (type != 5121 && type != 5123 && type != 5125)) {
        refuse(fmt::format("accessors[{}]", accessor), "something that cannot be indices",
               "unsigned scalars");
    }
    return {numbers_read.values.begin(), numbers_read.values.end()};
}

}  // namespace sinew::detail
