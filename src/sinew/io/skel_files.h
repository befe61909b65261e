#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/io/read_options.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

// Skeletons and motions as the program of the authors of Fast Projective Skinning has them, plain
// text:
//
//   .skel   number of joints; per joint `x y z name parent`, the parent of the first is `root`
//   .anim   numbers of keys and joints; per key its number, one line `x y z` with the axis of every
//           joint, and the angles of all in rad
//
// A joint turns against its parent about axes of the world at rest, as in our key frames.

/// @throws InputError
CharacterSkeleton parse_skel(std::string_view text, const std::string& where,
                             const ReadOptions& options = {});
CharacterSkeleton read_skel(const std::filesystem::path& path, const ReadOptions& options = {});

/// Joints are those of the skeleton in its order; it may have further ones, which stay at rest.
/// n keys take n / 2 seconds, as that program plays them.
/// @throws InputError
CharacterMotion parse_anim(std::string_view text, const std::string& where,
                           const CharacterSkeleton& skeleton, const ReadOptions& options = {});
CharacterMotion read_anim(const std::filesystem::path& path, const CharacterSkeleton& skeleton,
                          const ReadOptions& options = {});

}  // namespace sinew
