#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/io/read_options.h"
#include "sinew/mesh/arrays.h"

#include <optional>
#include <string>

namespace sinew {

/// How a skin and its skeleton were read, and which of it may be read otherwise (files that state
/// their unit and axes may not).
struct FitReading {
    ReadOptions skin = {};
    ReadOptions skeleton = {};
    bool is_skin_open = true;
    bool is_skeleton_open = true;
};

/// Options of `sinew skin` under which the skeleton stands in the skin, when it does not as read:
/// "--skeleton-unit cm", the fewest changes first, then those that make a person of it. Nothing
/// where it does, or where no unit and axis help.
std::optional<std::string> reading_that_fits(const Points& skin, const CharacterSkeleton& skeleton,
                                             const FitReading& reading);

}  // namespace sinew
