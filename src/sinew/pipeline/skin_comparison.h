#pragma once

#include "sinew/pipeline/skin_character.h"
#include "sinew/render/camera.h"
#include "sinew/render/image.h"

#include <string>
#include <vector>

namespace sinew {

struct SkinComparisonOptions {
    SkinRunOptions run = {};  ///< of the simulated flesh; its method is not asked
    int pictures = 4;         ///< frames of the motion that are shown, >= 1
    int width = 340;          ///< of each picture, pixels
    int height = 420;
    View view = View::ThreeQuarter;
};

/// A frame that is shown, and what is measured of its skin, alike for all methods.
struct ComparedFrame {
    double time = 0.0;          ///< s
    double volume_ratio = 1.0;  ///< inside of the skin, against rest
    int enclosed = 0;           ///< vertices that the skin encloses, but not at rest
    double mean_depth = 0.0;    ///< of these, m
};

struct ComparedMethod {
    std::string name;  ///< "lbs", "dqs", "projective"
    std::vector<ComparedFrame> frames = {};
};

struct SkinComparison {
    std::vector<ComparedMethod> methods = {};
    Image strip = {};  ///< a row per method, a column per frame, its measures below
};

/// Moves a character by linear blend and dual quaternion skinning with automatic weights, and by
/// simulated flesh, and shows frames of all three side by side.
/// @throws InputError; Cancelled
SkinComparison compare_skinning(const Character& character, const CharacterMotion& motion,
                                const SkinComparisonOptions& options = {},
                                const Progress& progress = {});

}  // namespace sinew
