#pragma once

#include "sinew/body/body.h"
#include "sinew/render/scene.h"

#include <vector>

namespace sinew {

struct FibreLineOptions {
    double spacing = 0.012;     ///< between the places where lines begin, about, m, > 0
    double depth = 0.0015;      ///< of those below the muscle's surface, m, >= 0
    double step = 0.003;        ///< along a line, m, > 0
    double radius = 0.0006;     ///< of the tubes, m, > 0
    double max_length = 0.8;    ///< of a line, m, > 0
    bool show_passive = false;  ///< tendons and ligaments of their own too
    int seed = 1;               ///< >= 0
};

/// Tubes along the fibres of each muscle that has any, one colour per muscle, both sides of a pair
/// alike. Lines follow the fibres of the body's tetrahedra, smoothed over their corners, both ways
/// until they leave the muscle's surface.
std::vector<SceneLines> fibre_lines(const Body& body, const FibreLineOptions& options = {});

}  // namespace sinew
