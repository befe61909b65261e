#pragma once

#include "sinew/body/body.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/skinning/skin_on_bones.h"
#include "sinew/skinning/skin_upsampling.h"

#include <vector>

namespace sinew {

/// The tetrahedra of a body as they are animated: vertices of the skin first, in the order of the
/// skin, and what hangs on which joint.
struct BodyFlesh {
    TetMesh mesh = {};               ///< at rest
    std::vector<Index> number = {};  ///< in the mesh, of each vertex of the body's tetrahedra
    std::vector<Index> joint = {};   ///< of each vertex: that of the bone nearest along the flesh
    SkinOnBones skin = {};           ///< its bones are joints
    Tets corners = Tets(0, 4);       ///< of the samples of bones that hold flesh
    Weights4 weights = Weights4(0, 4);  ///< barycentric
    Points samples = Points(0, 3);      ///< those positions at rest, m
    std::vector<Index> sample_joint = {};
};

/// @param sliding  bones hold no flesh so near to a joint that moves, m, >= 0
/// @throws InputError  when the body has no tetrahedra, no attachments, or no joints
BodyFlesh build_body_flesh(const Body& body, double sliding);

/// A finer skin that rides on the triangles of a coarse one: each vertex keeps its position beside
/// the nearest triangle at rest. Unlike moving least squares it never reaches beyond a crease,
/// where coarse skins of bodies fold within a few edges.
SkinUpsampling bind_to_triangles(const TriangleMesh& coarse, const TriangleMesh& fine);

}  // namespace sinew
