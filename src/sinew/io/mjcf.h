#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// A model as MuJoCo's XML, and what MuJoCo cannot express of it.
struct MjcfText {
    std::string text = {};
    std::vector<std::string> notes = {};
};

/// Bodies, hinges and slides with the model's coordinates (joint values are the coordinates
/// themselves), spatial tendons through sites, spheres and cylinders to wrap over, muscle actuators
/// whose lengths are the model's fibre and tendon lengths, boxes that touch a ground plane at y =
/// 0. Y stays up. Functions of coordinates other than q and -q become extra joints held by
/// polynomials of fourth degree; blended points stay on the body of the greatest weight, moving
/// points where they are at rest, conditional points only if they count at rest; ellipsoids and
/// tori are left out. Each of these is named in the notes.
/// @throws InputError when the model is not valid
MjcfText format_mjcf(const MusculoskeletalModel& model);
/// @returns the notes
std::vector<std::string> write_mjcf(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model);

}  // namespace sinew
