#pragma once

#include "sinew/mesh/arrays.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinew::studio {

// Binary frames, see docs/studio-protocol.md.

inline constexpr std::uint32_t kFrameMagic = 0x31574e53;  // "SNW1"
inline constexpr std::size_t kFrameHeader = 32;           // bytes

enum class FrameKind : std::uint16_t { Mesh = 1, Motion = 2, Lines = 3, Scalars = 4 };

/// Triangles of one named part.
struct PartRange {
    std::uint32_t part = 0;  ///< of the catalogue
    std::uint32_t first = 0;
    std::uint32_t count = 0;  ///< indices
};

struct FrameHeader {
    std::uint32_t mesh = 0;
    std::uint32_t revision = 0;
    std::uint16_t flags = 0;
    std::uint32_t time_ms = 0;
};

std::string mesh_frame(const FrameHeader& header, const Points& points, const Triangles& triangles,
                       std::span<const PartRange> parts);
std::string motion_frame(const FrameHeader& header, const Points& points,
                         const Triangles& triangles);
/// The same with normals that are known.
std::string motion_frame(const FrameHeader& header, const Points& points, const Points& normals);
/// @param colours  four bytes per point
/// @param pairs    two indices per line
std::string lines_frame(const FrameHeader& header, const Points& points,
                        std::span<const std::uint8_t> colours,
                        std::span<const std::uint32_t> pairs);
std::string scalars_frame(const FrameHeader& header, std::span<const double> values);

}  // namespace sinew::studio
