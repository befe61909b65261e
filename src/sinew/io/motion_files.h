#pragma once

#include "sinew/body/retarget.h"
#include "sinew/io/read_options.h"

#include <filesystem>
#include <string>

namespace sinew {

/// How a motion is read and put on a skeleton.
struct MotionOptions {
    ReadOptions read = {};          ///< unit and axes of files that do not say theirs
    RetargetOptions retarget = {};  ///< of recordings and animations
    std::string animation = {};     ///< of a scene file, by its name; empty: the first of joints
    std::filesystem::path joint_names = {};  ///< a table of one's own (io/joint_names_file.h)
};

/// Whether a file is a recording, by its ending: .bvh, or the animation of a .glb, .gltf, .fbx.
bool is_recording(const std::filesystem::path& path);
/// @throws InputError
Recording read_recording(const std::filesystem::path& path, const MotionOptions& options = {});

/// A motion of a body (body/retarget.h): a recording; a table of its coordinates (.mot, .sto); or
/// key frames of its joints (io/character_files.h). The joints are those of skeleton_of(skeleton),
/// in their order.
/// @throws InputError
RetargetedCharacter read_body_motion(const std::filesystem::path& path, const Skeleton& skeleton,
                                     const MotionOptions& options = {});

/// A motion of a model's coordinates: a table (.mot, .sto) as it is, or a recording.
/// @throws InputError
RetargetedModel read_model_motion(const std::filesystem::path& path,
                                  const MusculoskeletalModel& model,
                                  const MotionOptions& options = {});

}  // namespace sinew
