#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// Something in a model that a body could not be or do.
struct ModelFinding {
    std::string what = {};    ///< in plain words
    std::string where = {};   ///< "muscle 'psoas_r'"
    double value = 0.0;       ///< what was found
    double low = 0.0;         ///< of the expected range
    double high = 0.0;        ///< of the expected range
    std::string unit = {};    ///< of these three
    std::string source = {};  ///< of the range
    bool is_problem = true;   ///< false: worth a look, but can be right
};

/// Examines a model: masses and inertias (triangle inequality), fibre and tendon lengths against
/// the path's length at rest and against published ranges, passive force at rest, path points far
/// from their bodies, ends outside the bodies' boxes, points inside the surfaces that a path is to
/// slide over, moment arms that jump or change sign within a coordinate's range, ranges whose rest
/// value lies outside or that muscles would be stretched too far to reach, left and right that
/// differ.
/// @param shapes  surfaces of the bodies' bones in the bodies' own frames (bone_surfaces); where
///                one is given, muscles must end on it, and its body's box is not asked
/// @throws InputError when the model is not valid
std::vector<ModelFinding> examine_model(const MusculoskeletalModel& model,
                                        std::span<const TriangleMesh> shapes = {});

}  // namespace sinew
