#include "sinew/io/gltf_looks.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::detail {
namespace {

using nlohmann::json;

bool is_kept_extension(const std::string& name) {
    return name.starts_with("KHR_materials_") || name == "KHR_texture_transform";
}

// Takes out what other programs might not know, and finds out whether textures exist. Documents are
// nested 200 levels at most, so this may call itself.
bool clean(json& value, std::size_t textures) {
    if (value.is_array()) {
        return std::all_of(value.begin(), value.end(),
                           [&](json& item) { return clean(item, textures); });
    }
    if (!value.is_object()) {
        return true;
    }
    value.erase("extras");
    if (const auto extensions = value.find("extensions"); extensions != value.end()) {
        if (!extensions->is_object()) {
            return false;
        }
        for (auto item = extensions->begin(); item != extensions->end();) {
            item = is_kept_extension(item.key()) ? std::next(item) : extensions->erase(item);
        }
        if (extensions->empty()) {
            value.erase("extensions");
        }
    }
    for (auto& [key, item] : value.items()) {
        if (key.ends_with("Texture")) {
            const auto index = item.is_object() ? item.find("index") : item.end();
            if (!item.is_object() || index == item.end() || !index->is_number_unsigned() ||
                index->get<std::uint64_t>() >= textures) {
                return false;
            }
        }
        if (!clean(item, textures)) {
            return false;
        }
    }
    return true;
}

const char* mime_of(std::string_view bytes) {
    return bytes.starts_with("\x89PNG")        ? "image/png"
           : bytes.starts_with("\xff\xd8\xff") ? "image/jpeg"
                                               : nullptr;
}

// Images that are there, and the new number of each; -1 for those that are not.
std::vector<int> read_images(const GltfDocument& doc, GltfLooks& looks, json& images,
                             std::vector<std::string>& notes) {
    std::vector<int> number;
    for (std::size_t i = 0; i < doc.list("images").size(); ++i) {
        number.push_back(-1);
        try {
            std::string bytes = doc.image(i);
            if (const char* mime = mime_of(bytes)) {
                number.back() = static_cast<int>(images.size());
                json entry = {{"mimeType", mime}};
                if (const std::string name = doc.text(doc.item("images", i), "name");
                    !name.empty()) {
                    entry["name"] = name;
                }
                images.push_back(std::move(entry));
                looks.images.push_back(std::move(bytes));
            } else {
                notes.push_back(fmt::format("images[{}]: neither PNG nor JPEG, left out", i));
            }
        } catch (const InputError& error) {
            notes.push_back(fmt::format("images[{}]: {}, left out", i, error.parts().found));
        }
    }
    return number;
}

// Textures, each with its image where that is known and with its sampler.
json read_textures(const GltfDocument& doc, const std::vector<int>& image) {
    json textures = json::array();
    for (std::size_t i = 0; i < doc.list("textures").size(); ++i) {
        const json& texture = doc.item("textures", i);
        const std::string place = fmt::format("textures[{}]", i);
        json kept = json::object();
        if (texture.contains("source")) {
            const int source = image[doc.whole(texture, "source", image.size(), place)];
            if (source >= 0) {
                kept["source"] = source;
            }
        }
        if (texture.contains("sampler")) {
            kept["sampler"] = doc.whole(texture, "sampler", doc.list("samplers").size(), place);
        }
        textures.push_back(std::move(kept));
    }
    return textures;
}

json read_samplers(const GltfDocument& doc) {
    json samplers = json::array();
    for (std::size_t i = 0; i < doc.list("samplers").size(); ++i) {
        json kept = json::object();
        for (const char* key : {"magFilter", "minFilter", "wrapS", "wrapT"}) {
            const json& sampler = doc.item("samplers", i);
            if (const auto found = sampler.find(key);
                found != sampler.end() && found->is_number_unsigned()) {
                kept[key] = *found;
            }
        }
        samplers.push_back(std::move(kept));
    }
    return samplers;
}

}  // namespace

GltfLooks looks_of(const GltfDocument& doc, std::vector<std::string>& notes) {
    GltfLooks looks;
    json materials = doc.list("materials");
    if (materials.empty()) {
        return looks;
    }
    const bool are_objects = std::all_of(materials.begin(), materials.end(),
                                         [](const json& m) { return m.is_object(); });
    if (!are_objects || !clean(materials, doc.list("textures").size())) {
        notes.emplace_back("materials: a texture that does not exist; only colours were kept");
        return looks;
    }
    json images = json::array();
    json all;
    all["textures"] = read_textures(doc, read_images(doc, looks, images, notes));
    all["samplers"] = read_samplers(doc);
    all["images"] = std::move(images);
    all["extensionsUsed"] = json::array();
    const std::string text = materials.dump(-1, ' ', true, json::error_handler_t::replace);
    for (const json& name : doc.list("extensionsUsed")) {
        if (name.is_string() && is_kept_extension(name.get<std::string>()) &&
            text.find('"' + name.get<std::string>() + '"') != std::string::npos) {
            all["extensionsUsed"].push_back(name);
        }
    }
    all["materials"] = std::move(materials);
    looks.json = all.dump(-1, ' ', true, json::error_handler_t::replace);
    return looks;
}

}  // namespace sinew::detail
