#pragma once

#include "sinew/mesh/arrays.h"

#include <string>
#include <vector>

namespace sinew {

/// A measured force on one body over time: what a force plate feels, or a hand that pulls.
struct ExternalLoad {
    std::string name = {};
    Index body = -1;         ///< that it acts on
    Index force_frame = -1;  ///< body along whose axes force and torque are given; -1: ground
    Index point_frame = -1;  ///< body in whose frame the point is given; -1: ground
    std::vector<double> times = {};  ///< s, rising
    std::vector<Vec3> force = {};    ///< N, one per time; empty: none
    std::vector<Vec3> point = {};    ///< m, where the force acts; empty: the body's origin
    std::vector<Vec3> torque = {};   ///< N m, beside the force; empty: none
};

/// All loads of a trial.
struct ExternalLoads {
    std::vector<ExternalLoad> loads = {};
    std::vector<std::string> notes = {};  ///< what was left out, what is an estimate
};

}  // namespace sinew
