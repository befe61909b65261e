#include "studio/server/geometry_frames.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace sinew::studio {

static_assert(std::endian::native == std::endian::little, "frames are copied as they are");

namespace {

constexpr std::size_t kPiece = 8192;  // vertices per piece of parallel work

template <class T>
void put(std::string& bytes, std::size_t& at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    at += sizeof value;
}

struct Counts {
    std::uint32_t vertices = 0;
    std::uint32_t indices = 0;
    std::uint32_t parts = 0;
};

// The whole frame, with its header filled in.
std::string frame_of(const FrameHeader& header, FrameKind kind, const Counts& counts,
                     std::size_t payload) {
    std::string bytes(kFrameHeader + payload, '\0');
    std::size_t at = 0;
    put(bytes, at, kFrameMagic);
    put(bytes, at, static_cast<std::uint16_t>(kind));
    put(bytes, at, header.flags);
    put(bytes, at, header.mesh);
    put(bytes, at, header.revision);
    put(bytes, at, counts.vertices);
    put(bytes, at, counts.indices);
    put(bytes, at, counts.parts);
    put(bytes, at, header.time_ms);
    return bytes;
}

void write_positions(std::string& bytes, std::size_t at, const Points& points) {
    parallel_for(static_cast<std::size_t>(points.rows()), kPiece,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         const float xyz[3] = {static_cast<float>(points(row, 0)),
                                               static_cast<float>(points(row, 1)),
                                               static_cast<float>(points(row, 2))};
                         std::memcpy(bytes.data() + at + 12 * i, xyz, sizeof xyz);
                     }
                 });
}

void write_normals(std::string& bytes, std::size_t at, const Points& normals) {
    parallel_for(static_cast<std::size_t>(normals.rows()), kPiece,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         std::int8_t n[4] = {0, 0, 0, 0};
                         for (int k = 0; k < 3; ++k) {
                             n[k] = static_cast<std::int8_t>(std::lround(127.0 * normals(row, k)));
                         }
                         std::memcpy(bytes.data() + at + 4 * i, n, sizeof n);
                     }
                 });
}

}  // namespace

std::string mesh_frame(const FrameHeader& header, const Points& points, const Triangles& triangles,
                       std::span<const PartRange> parts) {
    const auto v = static_cast<std::size_t>(points.rows());
    const auto i = static_cast<std::size_t>(triangles.size());
    std::string bytes = frame_of(header, FrameKind::Mesh,
                                 {static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(i),
                                  static_cast<std::uint32_t>(parts.size())},
                                 16 * v + 4 * i + 12 * parts.size());
    write_positions(bytes, kFrameHeader, points);
    write_normals(bytes, kFrameHeader + 12 * v, vertex_normals(points, triangles));
    std::size_t at = kFrameHeader + 16 * v;
    std::memcpy(bytes.data() + at, triangles.data(), 4 * i);
    at += 4 * i;
    for (const PartRange& part : parts) {
        put(bytes, at, part.part);
        put(bytes, at, part.first);
        put(bytes, at, part.count);
    }
    return bytes;
}

std::string motion_frame(const FrameHeader& header, const Points& points,
                         const Triangles& triangles) {
    return motion_frame(header, points, vertex_normals(points, triangles));
}

std::string motion_frame(const FrameHeader& header, const Points& points, const Points& normals) {
    const auto v = static_cast<std::size_t>(points.rows());
    std::string bytes =
        frame_of(header, FrameKind::Motion, {static_cast<std::uint32_t>(v), 0, 0}, 16 * v);
    write_positions(bytes, kFrameHeader, points);
    write_normals(bytes, kFrameHeader + 12 * v, normals);
    return bytes;
}

std::string lines_frame(const FrameHeader& header, const Points& points,
                        std::span<const std::uint8_t> colours,
                        std::span<const std::uint32_t> pairs) {
    const auto v = static_cast<std::size_t>(points.rows());
    std::string bytes =
        frame_of(header, FrameKind::Lines,
                 {static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(pairs.size()), 0},
                 16 * v + 4 * pairs.size());
    write_positions(bytes, kFrameHeader, points);
    if (v > 0 && !pairs.empty()) {
        std::memcpy(bytes.data() + kFrameHeader + 12 * v, colours.data(), 4 * v);
        std::memcpy(bytes.data() + kFrameHeader + 16 * v, pairs.data(), 4 * pairs.size());
    }
    return bytes;
}

std::string scalars_frame(const FrameHeader& header, std::span<const double> values) {
    std::string bytes =
        frame_of(header, FrameKind::Scalars, {static_cast<std::uint32_t>(values.size()), 0, 0},
                 4 * values.size());
    std::size_t at = kFrameHeader;
    for (const double value : values) {
        put(bytes, at, static_cast<float>(value));
    }
    return bytes;
}

}  // namespace sinew::studio
