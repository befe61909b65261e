#pragma once

#include "sinew/base/text.h"
#include "sinew/io/bvh.h"
#include "sinew/io/motion_table.h"
#include "sinew/motion/recorded_motion.h"

#include <filesystem>
#include <string>

namespace sinew::cli {

/// A motion of a model's coordinates: a table (.mot, .sto) or a recording (.bvh).
/// @param unit  of lengths in a recording: "m", "cm" or "mm"
inline MotionTable read_motion(const std::string& file, const std::string& unit,
                               const MusculoskeletalModel& model) {
    if (lower(std::filesystem::path(file).extension().string()) != ".bvh") {
        return read_motion_table(file);
    }
    const Unit length = unit == "m"    ? Unit::Metre
                        : unit == "mm" ? Unit::Millimetre
                                       : Unit::Centimetre;
    return coordinates_of_clip(model, read_bvh(file, {.unit = length}));
}

}  // namespace sinew::cli
