#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

struct MassOptions {
    /// Inner waypoints within 8 cm of a joint follow both of its bodies with weights
    /// 1/sqrt(distance to the bodies' joints), as the MASS program takes them; false: every
    /// waypoint is fixed to the body that the file names.
    bool blends_waypoints = true;
};

/// Reads the pair of XML files of Lee et al. 2019 (MASS): a skeleton of box bodies with free, ball,
/// revolute and weld joints, and musculotendon units with waypoints given in the world frame of the
/// rest pose. Each body's frame is that of its joint. Fibre and tendon lengths in the file are
/// relative to the path's length at rest. Ball joints become turns about x, y, z.
/// @throws InputError naming the element and its line
MusculoskeletalModel read_mass(const std::filesystem::path& skeleton,
                               const std::filesystem::path& muscles,
                               const MassOptions& options = {});
MusculoskeletalModel parse_mass(std::string skeleton, std::string muscles,
                                const MassOptions& options = {});

}  // namespace sinew
