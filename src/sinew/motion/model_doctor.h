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
    std::string remedy = {};  ///< what to try; may be empty for remarks
    bool is_error = true;     ///< false: a remark, worth a look, but can be right
};

/// Examines a model, in the order of the findings:
/// - gravity that points upwards; masses, centres of mass and inertias (triangle inequality,
///   density of the ellipsoid of the same moments);
/// - coordinates whose range or default cannot be;
/// - fibre and tendon lengths, forces, velocities against published ranges, fibres and passive
///   force at rest, path points far from their bodies, ends off the bones, points inside the
///   surfaces that a path is to slide over, paths that fold back;
/// - moment arms that jump (refined until the angle is known) or change sign, within the angles
///   that people reach; ranges that muscles would be stretched too far to reach;
/// - left against right: points mirrored across the median plane, moment arms, bodies, parameters;
/// - muscles against what is known under their names (known_muscles.h): action, force, fibres, the
///   segments they join.
/// @param shapes  surfaces of the bodies' bones in the bodies' own frames (bone_surfaces); where
///                one is given, muscles must end on it, and its body's box is not asked
/// @throws InputError when the model is not valid
std::vector<ModelFinding> examine_model(const MusculoskeletalModel& model,
                                        std::span<const TriangleMesh> shapes = {});

}  // namespace sinew
