#include "sinew/io/point_cache.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace sinew {
namespace {

constexpr std::string_view kPc2Mark = "POINTCACHE2";  // and a zero byte
constexpr std::size_t kPc2Header = 32;
constexpr double kEven = 1e-3;  // of a frame

[[noreturn]] void refuse_cache(const std::filesystem::path& path, std::string found,
                               std::string needs) {
    throw InputError({.where = path.filename().string(),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "write the cache again"});
}

template <class T>
void append(std::string& out, T value, std::endian order) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (order != std::endian::native) {
        std::reverse(bytes.begin(), bytes.end());
    }
    out.append(bytes.data(), bytes.size());
}

template <class T>
T take(std::string_view bytes, std::size_t& at, std::endian order,
       const std::filesystem::path& path) {
    if (bytes.size() - at < sizeof(T)) {
        refuse_cache(path, "the end of the file", "all frames");
    }
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes.data() + at, sizeof(T));
    if (order != std::endian::native) {
        std::reverse(raw.begin(), raw.end());
    }
    at += sizeof(T);
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
}

void append_points(std::string& out, const Points& points, std::endian order) {
    for (Eigen::Index i = 0; i < points.size(); ++i) {
        append(out, static_cast<float>(points.data()[i]), order);
    }
}

void take_frames(PointCache& cache, std::int64_t points, std::int64_t frames,
                 std::string_view bytes, std::size_t& at, std::endian order,
                 const std::filesystem::path& path) {
    if (points < 1 || frames < 1 ||
        frames > static_cast<std::int64_t>(bytes.size()) / (12 * points)) {
        refuse_cache(path, fmt::format("{} frames of {} points", frames, points),
                     "at least one of each, and as many as the file holds");
    }
    for (std::int64_t f = 0; f < frames; ++f) {
        Points p(points, 3);
        for (Eigen::Index i = 0; i < p.size(); ++i) {
            p.data()[i] = static_cast<double>(take<float>(bytes, at, order, path));
        }
        if (!p.allFinite()) {
            refuse_cache(path, fmt::format("a number that is not finite in frame {}", f),
                         "finite places");
        }
        cache.frames.push_back(std::move(p));
    }
}

}  // namespace

void require_frame_times(const std::filesystem::path& path, std::span<const double> times) {
    if (times.empty()) {
        refuse_cache(path, "no frame", "at least one frame, and a time for each");
    }
    for (std::size_t f = 1; f < times.size(); ++f) {
        if (!(times[f] > times[f - 1])) {
            refuse_cache(path, fmt::format("time {} after {}", times[f], times[f - 1]),
                         "ascending times");
        }
    }
}

void require_frame(const std::filesystem::path& path, const Points& frame, Eigen::Index points,
                   std::size_t left) {
    if (frame.rows() != points || left == 0) {
        refuse_cache(path, fmt::format("a frame of {} points, {} to come", frame.rows(), left),
                     fmt::format("{} points in every frame, and a time for each", points));
    }
}

void require_no_frames_left(const std::filesystem::path& path, std::size_t left) {
    if (left > 0) {
        refuse_cache(path, fmt::format("{} frames missing", left), "all frames");
    }
}

struct PointCacheWriter::Data {
    Data(const std::filesystem::path& path_in, std::endian order_in, Eigen::Index points_in,
         std::size_t frames)
        : path(path_in), file(path_in), order(order_in), points(points_in), left(frames) {}

    std::filesystem::path path;
    AtomicStream file;
    std::endian order;
    Eigen::Index points;
    std::size_t left;  // frames
    std::string bytes;
};

PointCacheWriter::PointCacheWriter(const std::filesystem::path& path, std::span<const double> times,
                                   Eigen::Index points) {
    const bool is_mdd = lower(path.extension().string()) == ".mdd";
    require_frame_times(path, times);
    std::string head;
    if (is_mdd) {
        append(head, static_cast<std::int32_t>(times.size()), std::endian::big);
        append(head, static_cast<std::int32_t>(points), std::endian::big);
        for (const double time : times) {
            append(head, static_cast<float>(time), std::endian::big);
        }
    } else {
        const double rate = times.size() > 1 ? static_cast<double>(times.size() - 1) /
                                                   (times.back() - times.front())
                                             : 24.0;
        for (std::size_t f = 0; f < times.size(); ++f) {
            if (std::abs((times[f] - times[0]) * rate - static_cast<double>(f)) > kEven) {
                refuse_cache(path, fmt::format("frame {} at {} s", f, times[f]),
                             "frames at an even rate");
            }
        }
        constexpr std::endian kOrder = std::endian::little;
        head = std::string(kPc2Mark) + '\0';
        append(head, std::int32_t{1}, kOrder);
        append(head, static_cast<std::int32_t>(points), kOrder);
        append(head, static_cast<float>(times[0] * rate), kOrder);
        append(head, 1.0f, kOrder);
        append(head, static_cast<std::int32_t>(times.size()), kOrder);
    }
    data_ = std::make_unique<Data>(path, is_mdd ? std::endian::big : std::endian::little, points,
                                   times.size());
    data_->file.write(head);
}
PointCacheWriter::~PointCacheWriter() = default;

void PointCacheWriter::add(const Points& frame) {
    Data& d = *data_;
    require_frame(d.path, frame, d.points, d.left);
    d.bytes.clear();
    append_points(d.bytes, frame, d.order);
    d.file.write(d.bytes);
    --d.left;
}

void PointCacheWriter::commit() {
    require_no_frames_left(data_->path, data_->left);
    data_->file.commit();
}

namespace {

void write_cache(const std::filesystem::path& path, std::span<const double> times,
                 std::span<const Points> frames) {
    PointCacheWriter writer(path, times, frames.empty() ? 0 : frames[0].rows());
    for (const Points& frame : frames) {
        writer.add(frame);
    }
    writer.commit();
}

}  // namespace

void write_pc2(const std::filesystem::path& path, std::span<const double> times,
               std::span<const Points> frames) {
    write_cache(path, times, frames);
}

void write_mdd(const std::filesystem::path& path, std::span<const double> times,
               std::span<const Points> frames) {
    write_cache(path, times, frames);
}

PointCache parse_pc2(std::string_view bytes, const std::string& where) {
    const std::filesystem::path path = where;
    if (bytes.size() < kPc2Header || bytes.compare(0, kPc2Mark.size(), kPc2Mark) != 0) {
        refuse_cache(path, "another beginning", "POINTCACHE2");
    }
    constexpr std::endian kOrder = std::endian::little;
    std::size_t at = kPc2Mark.size() + 1;
    take<std::int32_t>(bytes, at, kOrder, path);
    const auto points = take<std::int32_t>(bytes, at, kOrder, path);
    const auto start = take<float>(bytes, at, kOrder, path);
    const auto step = take<float>(bytes, at, kOrder, path);
    const auto frames = take<std::int32_t>(bytes, at, kOrder, path);
    PointCache cache;
    take_frames(cache, points, frames, bytes, at, kOrder, path);
    for (std::int32_t f = 0; f < frames; ++f) {
        cache.times.push_back(static_cast<double>(start) +
                              static_cast<double>(step) * static_cast<double>(f));
    }
    return cache;
}

PointCache parse_mdd(std::string_view bytes, const std::string& where) {
    const std::filesystem::path path = where;
    constexpr std::endian kOrder = std::endian::big;
    std::size_t at = 0;
    const auto frames = take<std::int32_t>(bytes, at, kOrder, path);
    const auto points = take<std::int32_t>(bytes, at, kOrder, path);
    PointCache cache;
    if (frames < 0 || static_cast<std::size_t>(frames) > bytes.size() / 4) {
        refuse_cache(path, fmt::format("{} frames", frames), "as many as the file holds");
    }
    for (std::int32_t f = 0; f < frames; ++f) {
        cache.times.push_back(static_cast<double>(take<float>(bytes, at, kOrder, path)));
    }
    take_frames(cache, points, frames, bytes, at, kOrder, path);
    return cache;
}

PointCache read_pc2(const std::filesystem::path& path) {
    return parse_pc2(read_file_bytes(path), path.filename().string());
}

PointCache read_mdd(const std::filesystem::path& path) {
    return parse_mdd(read_file_bytes(path), path.filename().string());
}

}  // namespace sinew
