#pragma once

#include "sinew/io/frame_writer.h"
#include "sinew/mesh/arrays.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// Caches of moving points that animation programs lay over a mesh of the same number of points.
// `times` (s, ascending) has one entry per frame.

/// .pc2: little-endian floats; frames are evenly spaced, so the times must be.
/// @throws InputError when frames differ in size or times are not even
void write_pc2(const std::filesystem::path& path, std::span<const double> times,
               std::span<const Points> frames);
/// .mdd: big-endian floats with the time of each frame.
void write_mdd(const std::filesystem::path& path, std::span<const double> times,
               std::span<const Points> frames);

/// Writes a cache frame by frame: .mdd by the ending of the name, else .pc2.
class PointCacheWriter final : public FrameWriter {
public:
    /// @throws InputError as above
    PointCacheWriter(const std::filesystem::path& path, std::span<const double> times,
                     Eigen::Index points);
    ~PointCacheWriter() override;
    void add(const Points& frame) override;
    void commit() override;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// What both formats hold.
struct PointCache {
    std::vector<double> times = {};  ///< s; of .pc2 files, which have no seconds, frames
    std::vector<Points> frames = {};
};
/// @throws InputError when the file is no such cache or damaged
PointCache read_pc2(const std::filesystem::path& path);
PointCache read_mdd(const std::filesystem::path& path);
/// The same from memory.
PointCache parse_pc2(std::string_view bytes, const std::string& where);
PointCache parse_mdd(std::string_view bytes, const std::string& where);

/// @throws InputError when there is no time or they do not ascend
void require_frame_times(const std::filesystem::path& path, std::span<const double> times);
/// What FrameWriter::add promises. @param left  frames that are still to come
void require_frame(const std::filesystem::path& path, const Points& frame, Eigen::Index points,
                   std::size_t left);
/// @throws InputError when some are missing
void require_no_frames_left(const std::filesystem::path& path, std::size_t left);

}  // namespace sinew
