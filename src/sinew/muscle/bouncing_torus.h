#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/tet_mesh.h"

#include <vector>

namespace sinew {

/// The example of [Teran2003, section 4.4]: an elastic ring dropped on a floor at y = 0, stepped
/// with explicit elastic and implicit viscous forces.
/// Departs: corotated instead of linear elasticity, so that turning costs nothing.
struct TorusOptions {
    double ring_radius = 0.10;  ///< of the centre circle, m, > 0
    double tube_radius = 0.04;  ///< m, > 0
    int around = 36;            ///< elements along the ring, >= 8
    int across = 3;             ///< half of the elements across the tube, >= 1
    double height = 0.25;       ///< of the ring's centre at the start, m
    double tilt = 0.5;          ///< of the ring against the floor, rad
    double young = 3e4;         ///< Pa, > 0
    double poisson = 0.35;
    double viscosity = 3.0;  ///< Pa s, >= 0
    double density = 1000.0;
    double duration = 1.0;  ///< s
    double rate = 60.0;     ///< frames per second
};

struct TorusRun {
    TetMesh mesh = {};  ///< at rest, as it is dropped
    std::vector<double> times = {};
    std::vector<Points> frames = {};
    double stable_step = 0.0;  ///< s, where explicit forces end
    double step = 0.0;         ///< s, taken
    int steps = 0;
    double seconds = 0.0;
    double highest_rebound = 0.0;  ///< of the centre of mass after the first contact, m
    double lowest_point = 0.0;     ///< of any vertex in any frame, m
};

TetMesh torus_tets(const TorusOptions& options);
/// @throws Cancelled
TorusRun bounce_torus(const TorusOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
