#pragma once

#include "sinew/body/body.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/io/mjcf.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// Whether the file is a body (.sinew).
bool is_body_file(const std::filesystem::path& file);

/// A body as a model (motion/body_model.h) with its landmarks as markers, each on the rigid body
/// whose bones lie nearest.
MusculoskeletalModel model_with_markers(const Body& body);

/// The same with the meshes of its bones.
MusculoskeletalModel model_with_bones(const Body& body);

/// A musculoskeletal model (.osim, .xml), or a body (.sinew) as one, its landmarks as markers.
/// @param muscles  of a MASS skeleton; empty: the one file beside it
/// @throws InputError
MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles = {});

/// The same with the meshes of its bones: those of a body, or of files beside the model
/// (load_shapes).
/// @param geometry  another folder with meshes; may be empty
/// @param notes     gets what was not found
MusculoskeletalModel read_model_with_shapes(const std::filesystem::path& file,
                                            const std::filesystem::path& muscles,
                                            const std::filesystem::path& geometry,
                                            std::vector<std::string>& notes);

struct ModelWriting {
    UpAxis up = UpAxis::Z;   ///< of the world of an MJCF file
    bool has_meshes = true;  ///< meshes that the model has in memory are written beside the file
};

/// Writes `.osim`, or `.xml` as MuJoCo's MJCF with the sides of wrap surfaces as MuJoCo has them
/// (with_side_points). Meshes go as STL into a folder beside the file: NAME_meshes for MuJoCo; for
/// OpenSim those that no file holds into Geometry.
/// @returns what the format could not hold
/// @throws InputError for other endings
std::vector<std::string> write_any_model(const std::filesystem::path& path,
                                         const MusculoskeletalModel& model,
                                         const ModelWriting& options = {});

}  // namespace sinew
