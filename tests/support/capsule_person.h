#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/mesh/triangle_mesh.h"

namespace sinew::support {

/// A person of capsules, 1.75 m tall, and its skeleton.
CharacterSkeleton capsule_person();
/// @param cell  of the grid, m; 0.0113 gives about 20 000 vertices
TriangleMesh capsule_person_skin(double cell);
/// A dance of 60 frames that bends elbows and a knee and brings a hand to the belly.
CharacterPose dance(const CharacterSkeleton& skeleton, int frame);

}  // namespace sinew::support
