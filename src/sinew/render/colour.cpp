#include "sinew/render/colour.h"

#include "sinew/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace sinew {

namespace {

/// FNV-1a: the same number on every machine.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t h = 1469598103934665603ull;
    for (const char c : text) {
        h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    }
    return h ^ (h >> 29);
}

/// The name without `_l` or `_r` at its end.
std::string_view without_side(std::string_view name) {
    const bool has_side = name.size() > 2 && (name.ends_with("_l") || name.ends_with("_r"));
    return has_side ? name.substr(0, name.size() - 2) : name;
}

bool contains(std::string_view text, std::string_view piece) {
    return text.find(piece) != std::string_view::npos;
}

PartKind kind_from_name(std::string_view name) {
    static constexpr std::pair<std::string_view, PartKind> kHints[] = {
        {"skin", PartKind::Skin},           {"fat", PartKind::Fat},
        {"cartilage", PartKind::Cartilage}, {"disc_", PartKind::Cartilage},
        {"tendon", PartKind::Tendon},       {"ligament", PartKind::Tendon},
        {"aponeurosis", PartKind::Tendon},  {"muscle", PartKind::Muscle},
        {"bone", PartKind::Bone},           {"femur", PartKind::Bone},
        {"vertebra", PartKind::Bone},       {"rib_", PartKind::Bone}};
    for (const auto& [piece, kind] : kHints) {
        if (contains(name, piece)) {
            return kind;
        }
    }
    return PartKind::Other;
}

std::array<float, 256> decode_table() {
    std::array<float, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = linear_from_srgb(static_cast<float>(i) / 255.0f);
    }
    return table;
}

}  // namespace

float linear_from_srgb(float s) {
    return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f);
}

float srgb_from_linear(float x) {
    return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1.0f / 2.4f) - 0.055f;
}

float linear_from_srgb8(std::uint8_t encoded) {
    static const std::array<float, 256> table = decode_table();
    return table[encoded];
}

std::uint8_t srgb8_from_linear(float linear) {
    const float s = srgb_from_linear(std::clamp(linear, 0.0f, 1.0f));
    return static_cast<std::uint8_t>(255.0f * s + 0.5f);
}

Colour colour_from_hex(std::uint32_t rgb) {
    return {linear_from_srgb8(static_cast<std::uint8_t>(rgb >> 16)),
            linear_from_srgb8(static_cast<std::uint8_t>(rgb >> 8)),
            linear_from_srgb8(static_cast<std::uint8_t>(rgb))};
}

Rgb8 rgb8_from_colour(const Colour& c) {
    return {srgb8_from_linear(c[0]), srgb8_from_linear(c[1]), srgb8_from_linear(c[2])};
}

PartKind part_kind(std::string_view kind_text, std::string_view name_text) {
    const std::string kind = lower(kind_text);
    const std::string name = lower(name_text);
    static constexpr std::pair<std::string_view, PartKind> kKinds[] = {
        {"bone", PartKind::Bone},     {"tooth", PartKind::Tooth},
        {"teeth", PartKind::Tooth},   {"cartilage", PartKind::Cartilage},
        {"tendon", PartKind::Tendon}, {"ligament", PartKind::Tendon},
        {"muscle", PartKind::Muscle}, {"fat", PartKind::Fat},
        {"skin", PartKind::Skin},     {"organ", PartKind::Organ},
        {"vessel", PartKind::Vessel}, {"nerve", PartKind::Nerve}};
    for (const auto& [word, value] : kKinds) {
        if (kind == word || kind == std::string(word) + "s") {
            const bool is_tooth =
                value == PartKind::Bone && (contains(name, "teeth") || contains(name, "tooth"));
            return is_tooth ? PartKind::Tooth : value;
        }
    }
    if (contains(name, "teeth") || contains(name, "tooth")) {
        return PartKind::Tooth;
    }
    return kind_from_name(name);
}

Colour anatomical_colour(PartKind kind, std::string_view name) {
    const std::uint64_t h = hash_of(without_side(name));
    // Three independent numbers in [-1, 1) that belong to the name.
    const auto vary = [&](int byte) {
        return static_cast<float>((h >> (8 * byte)) & 0xff) / 128.0f - 1.0f;
    };
    switch (kind) {
        case PartKind::Bone:
            return colour_from_hex(0xe8ddc3) * (1.0f + 0.03f * vary(0));
        case PartKind::Tooth:
            return colour_from_hex(0xf3efe4);
        case PartKind::Cartilage:
            return colour_from_hex(0xb4cfdb) * (1.0f + 0.03f * vary(0));
        case PartKind::Tendon:
            return colour_from_hex(0xeee4cf) * (1.0f + 0.03f * vary(0));
        case PartKind::Muscle: {
            // From a brighter brick red to a deeper crimson.
            const float t = 0.5f + 0.5f * vary(0);
            const Colour red =
                (1.0f - t) * colour_from_hex(0xad4d40) + t * colour_from_hex(0x8f3733);
            return red * (1.0f + 0.10f * vary(1));
        }
        case PartKind::Fat:
            return colour_from_hex(0xecd38c);
        case PartKind::Skin:
            return colour_from_hex(0xdcab92);
        case PartKind::Organ: {
            const float t = 0.5f + 0.5f * vary(0);
            return (1.0f - t) * colour_from_hex(0xb0705f) + t * colour_from_hex(0x9b6a7a);
        }
        case PartKind::Vessel:
            return contains(name, "vein") ? colour_from_hex(0x4b62a5) : colour_from_hex(0xb8322f);
        case PartKind::Nerve:
            return colour_from_hex(0xe6cf6a);
        case PartKind::Other:
            break;
    }
    return colour_from_hex(0xc3c8cd);
}

Finish finish_of(PartKind kind) {
    switch (kind) {
        case PartKind::Bone:
            return {.roughness = 0.50f, .gloss = 0.7f, .falloff = {0.92f, 0.96f, 1.0f}};
        case PartKind::Tooth:
            return {.roughness = 0.25f, .gloss = 1.4f, .falloff = {0.92f, 0.96f, 1.0f}};
        case PartKind::Cartilage:
            return {.roughness = 0.35f, .gloss = 1.0f};
        case PartKind::Tendon:
            return {.roughness = 0.35f, .gloss = 1.1f};
        case PartKind::Muscle:
        case PartKind::Organ:
            return {.roughness = 0.42f, .gloss = 0.85f, .falloff = {0.85f, 1.0f, 1.0f}};
        case PartKind::Fat:
            return {.roughness = 0.45f, .gloss = 0.8f, .falloff = {0.85f, 0.9f, 1.0f}};
        case PartKind::Skin:
            return {.roughness = 0.48f, .gloss = 0.8f, .falloff = {0.80f, 0.97f, 1.05f}};
        case PartKind::Vessel:
        case PartKind::Nerve:
            return {.roughness = 0.35f, .gloss = 1.0f};
        case PartKind::Other:
            break;
    }
    return {.roughness = 0.5f, .gloss = 0.8f};
}

}  // namespace sinew
