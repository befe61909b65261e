#pragma once

#include "sinew/body/musculoskeletal.h"

#include <span>
#include <vector>

namespace sinew {

/// What is known about a muscle's fibres before its path is.
struct FibreWish {
    double fibre = 0.0;      ///< optimal length, m, > 0
    double pennation = 0.0;  ///< rad
    double at_rest = 1.0;    ///< fibre length in the pose of rest over the optimal one
};

/// Fibre lengths over optimal ones that muscles work at within the ranges of joints. Models of
/// measured legs keep to about 0.5 to 1.5 while people walk, sit and squat [Arnold2010;
/// Rajagopal2016].
struct OperatingRange {
    double low = 0.45;
    double high = 1.5;
    double most_longer = 1.9;  ///< times which fibres become at most
};

/// Shortest and longest path of every muscle over poses that people take: every coordinate through
/// its range, others at rest; hips beyond 70 degrees with bent knees, as the hamstrings demand;
/// sitting, squatting, a hand at the mouth. By names of coordinates as model_from_body gives them.
struct PathExtremes {
    std::vector<double> rest = {};  ///< m
    std::vector<double> shortest = {};
    std::vector<double> longest = {};
};
PathExtremes path_extremes(const MusculoskeletalModel& model);

/// Sets fibre, pennation and tendon of every muscle: the tendon so that fibres have the wished
/// length at rest, then as much longer or shorter as keeps them in the range over all poses above;
/// where the path is too long for the fibres, they become longer (as in [Modenese2016], which maps
/// operating ranges onto other paths), and where that is not enough, the upper end holds.
/// @param wishes  one per muscle
void set_operating_lengths(MusculoskeletalModel& model, std::span<const FibreWish> wishes,
                           const OperatingRange& range = {});

/// Lets the scapula follow the humerus, one degree for two [Inman1944]: upward rotation with
/// abduction at the acromioclavicular joint, rotation of the clavicle about its length with
/// flexion. The shoulder's own coordinates are those of the humerus in the scapula, so their ranges
/// become two thirds. Nothing happens to models whose joints have other names.
void couple_scapula(MusculoskeletalModel& model);

}  // namespace sinew
