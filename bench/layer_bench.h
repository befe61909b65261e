#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/render/contact_sheet.h"

#include <vector>

namespace sinew::bench {

/// Speed of the three-layer animation, and what parts of the method are good for: each with and
/// without, as numbers and pictures.
struct LayerBench {
    // Three-layer animation [Komaritzan, section 4.3.3], without collisions.
    Eigen::Index vertices = 0;
    Eigen::Index tets = 0;
    int threads = 0;
    double frames_per_second = 0.0;  ///< of the simulation, the median frame
    double cpu_ms = 0.0;             ///< processor time of a frame, mean
    // Alignment of skin and skeleton surface without and with fixed targets [Fig. 4.6]: mean of eq.
    // 4.4. Both start from the flow, which aligns already.
    double alignment_without = 0.0;
    double alignment_with = 0.0;
    // A body of twice and a half the fat, whose bones are as before [Fig. 4.13]: their volume, over
    // what it was, by a harmonic warp of the skin alone and by the layers.
    double bones_by_skin = 0.0;
    double bones_by_layers = 0.0;
    double muscles_by_skin = 0.0;
    double muscles_by_layers = 0.0;
    // Bent backwards [Fig. 4.18]: stretch that 99 % of the skin's edges stay below.
    double stretch_without_sliding = 0.0;
    double stretch_with_sliding = 0.0;
    // The same gain of fat by pressure and by volume [Fig. 4.19]: correlation of the gain with the
    // thickness that was there.
    double gain_by_pressure = 0.0;
    double gain_by_volume = 0.0;
    std::vector<SheetPicture> pictures = {};
};

/// @param body  built-in or fitted, with tetrahedra, skin and envelope of one triangulation
/// @throws InputError; Cancelled
LayerBench run_layer_bench(const Body& body, const Progress& progress = {});

}  // namespace sinew::bench
