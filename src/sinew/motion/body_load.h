#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

/// A force from outside on a body, world frame.
struct BodyLoad {
    Index body = 0;
    Vec3 force = Vec3::Zero();   ///< N
    Vec3 moment = Vec3::Zero();  ///< about the world's origin, N m
};

}  // namespace sinew
