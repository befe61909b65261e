#pragma once

#include "sinew/energy/pins.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/mesh/tet_mesh.h"

#include <memory>
#include <vector>

namespace sinew::bench {

/// A figure of capsules filled with a lattice of tetrahedra: the size and elongated shape of a
/// body. A cell of 10.85 mm gives some 76k vertices.
TetMesh lattice_body(double cell);

/// The body with the terms of muscle growth: rotation, volume and bone springs, weighted as in
/// [Saito2015, section 3.1]. Flesh that is not close to a bone grows across it by a tenth.
struct BodyScene {
    // Doubled against the paper's, because our energies carry a factor 1/2.
    static constexpr double kRotation = 200.0;
    static constexpr double kVolume = 2000.0;
    static constexpr double kBone = 200.0;

    TetMesh mesh = {};
    std::shared_ptr<ProjectiveTets> tets = {};
    std::shared_ptr<Pins> bones = {};
    std::vector<Mat3> growth = {};  ///< not yet given to `tets`
    Tets bone_corners = {};         ///< samples at the centres of these tetrahedra
    Points bone_targets = {};

    EnergyTerms terms() const {
        return {tets, bones};
    }
};
BodyScene body_scene(double cell);

double median(std::vector<double> values);

}  // namespace sinew::bench
