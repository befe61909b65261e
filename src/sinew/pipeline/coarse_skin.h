#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

/// The skin with its holes closed, to be simulated in its place: flesh then holds together across
/// them, and inside and outside are told apart for certain. New vertices come behind those of the
/// skin. Openings that are long against their piece (the neck of a bust, hems) stay.
TriangleMesh without_holes(const TriangleMesh& skin);

/// The skin without holes and with about so many vertices, to be simulated in its place. Flat
/// places keep theirs, for they bend with the joints below; thin parts get triangles as small as
/// they are near their bones, so that fingers stay fingers. Skins that cannot be simplified come
/// back as they are, with a warning.
/// @param vertices  > 0
TriangleMesh coarse_skin(const TriangleMesh& skin, const CharacterSkeleton& skeleton, int vertices,
                         const Progress& progress = {});

}  // namespace sinew
