#pragma once

#include "sinew/render/image.h"

#include <Eigen/Core>

#include <cstdint>
#include <string_view>

namespace sinew {

/// Linear RGB, 0 = black, 1 = full.
using Colour = Eigen::Vector3f;

float linear_from_srgb(float encoded);  ///< IEC 61966-2-1, both in [0, 1]
float srgb_from_linear(float linear);
float linear_from_srgb8(std::uint8_t encoded);  ///< from a table
std::uint8_t srgb8_from_linear(float linear);   ///< clamped and rounded

/// 0xRRGGBB as written in a style sheet.
Colour colour_from_hex(std::uint32_t rgb);
Rgb8 rgb8_from_colour(const Colour& colour);

/// What a part is made of, as far as a picture is concerned.
enum class PartKind {
    Bone,
    Tooth,
    Cartilage,
    Tendon,
    Muscle,
    Fat,
    Skin,
    Organ,
    Vessel,
    Nerve,
    Other
};

/// "bone", "bones", "Muscle" ... -> PartKind; an empty or unknown kind is guessed from the name
/// ("teeth_upper", "disc_l4_l5", "fat") and else Other.
PartKind part_kind(std::string_view kind, std::string_view name);

/// Anatomical default: ivory bone, bluish cartilage, pale tendon, red muscle varied a little by
/// name, and so on. The two sides of a pair (`_l`, `_r`) get the same colour.
Colour anatomical_colour(PartKind kind, std::string_view name);

/// How a surface takes light.
struct Finish {
    float roughness = 0.5f;  ///< of the highlight, (0, 1]
    float gloss = 1.0f;      ///< scales the highlight, 0 = none
    Eigen::Vector3f falloff =
        Eigen::Vector3f::Ones();  ///< below 1: light bleeds past the terminator
};
Finish finish_of(PartKind kind);

}  // namespace sinew
