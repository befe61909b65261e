#pragma once

#include "sinew/body/musculoskeletal.h"

#include <string>
#include <vector>

namespace sinew::support {

/// A model with one thing wrong in it.
struct FaultyModel {
    std::string fault;  ///< "mirrored", "mass x 10", ...
    std::string part;   ///< name of the muscle, body or coordinate that was harmed
    MusculoskeletalModel model;
};

/// One model per fault and chosen part: attachments mirrored (all, the last, front to back), 5 and
/// 30 cm off, on another body, in mm, in another order; forces, fibres, tendons, velocities and
/// pennations changed; wrap surfaces five times as large; masses x 10 and 0, inertias, centres of
/// mass; gravity upwards; ranges reversed, defaults outside. Faults that would change a point by
/// less than 2.5 cm are not planted: nobody could tell.
/// @param every  every how many muscles and bodies one is harmed
std::vector<FaultyModel> plant_faults(const MusculoskeletalModel& healthy, std::size_t every);

}  // namespace sinew::support
