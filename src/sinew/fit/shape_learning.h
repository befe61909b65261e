#pragma once

#include "sinew/body/shape_space.h"
#include "sinew/fit/pose_rig.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// A skin of the template's triangulation in its rest pose, with joint centres that go with it.
struct RestShape {
    Points skin = Points(0, 3);
    std::vector<Vec3> joints = {};
    RigState state = {};  ///< the pose that it was taken from, with the skin's own size: scale 1
};

/// Takes a skin of known correspondence back to the rest pose: placement, angles and limbs are
/// fitted to all vertices, then each is moved by the inverse of its blended transform.
/// @param rig    with limb modes
/// @param start  a state to begin with
RestShape rest_shape_of(const PoseRig& rig, const Points& posed, const RigState& start);

/// Mean and principal components of rest shapes, by the eigenvectors of their Gram matrix. The
/// skin's vertices count by their area; joints follow.
/// @param components  how many at most; fewer where there are fewer shapes
/// @throws InputError  with fewer than three shapes, or shapes of other triangulations
ShapeSpace learn_shape_space(const Body& body, std::span<const RestShape> shapes, int components);

/// Rest skin, joint centres and modes of a rig from a shape space: components, then limbs, which
/// may depart a little from what the components can do.
void set_shape_space(const Body& body, const ShapeSpace& space, PoseRig& rig);

/// The named points of scans on the rig's rest skin: those of the shape space where it has any,
/// else the body's own.
std::vector<Landmark> landmarks_on(const PoseRig& rig, const Body& body, const ShapeSpace* space);

}  // namespace sinew
