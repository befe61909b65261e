#pragma once

#include "sinew/io/frame_writer.h"
#include "sinew/mesh/triangle_mesh.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Writes parts as meshes of a Universal Scene Description text file: metres, Y up, one prim each
/// below /World, or below a group of its kind (`part_groups`), with its colour or vertex colours.
/// Names that USD does not allow are changed; the original is kept as the prim's display name.
/// @throws InputError when a part is not valid or the file cannot be written
void write_usda(const std::filesystem::path& path, std::span<const MeshPart> parts);
std::string format_usda(std::span<const MeshPart> parts);

/// The same for one part that moves: its points as samples at `times` (s, ascending, one per frame;
/// the file counts in frames of a 24th of a second).
/// @throws InputError when a frame has another number of points
void write_usda(const std::filesystem::path& path, const MeshPart& part,
                std::span<const double> times, std::span<const Points> frames);
/// The same, frame by frame, and for several parts. Those take half of the file's size on the disk
/// beside it until it is whole.
class UsdaFrameWriter final : public FrameWriter {
public:
    UsdaFrameWriter(const std::filesystem::path& path, std::span<const MeshPart> parts,
                    std::vector<double> times);
    UsdaFrameWriter(const std::filesystem::path& path, const MeshPart& part,
                    std::vector<double> times)
        : UsdaFrameWriter(path, std::span(&part, 1), std::move(times)) {}
    ~UsdaFrameWriter() override;
    void add(const Points& frame) override;
    void commit() override;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// Prim names for parts: letters, digits and underscores, not starting with a digit, no two alike.
std::vector<std::string> usd_prim_names(std::span<const MeshPart> parts);

}  // namespace sinew
