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
    // Messages about the motion name the file.
    const std::string name = std::filesystem::path(file).filename().string();
    if (lower(std::filesystem::path(file).extension().string()) != ".bvh") {
        MotionTable table = read_motion_table(file);
        table.name = name;
        return table;
    }
    const Unit length = unit == "m"    ? Unit::Metre
                        : unit == "mm" ? Unit::Millimetre
                                       : Unit::Centimetre;
    MotionClip clip = read_bvh(file, {.unit = length});
    clip.name = name;
    return coordinates_of_clip(model, clip);
}

}  // namespace sinew::cli
