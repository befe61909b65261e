#pragma once

#include "sinew/body/body.h"

namespace sinew {

/// Makes the surfaces of muscles agree with what their tetrahedra hold. Embedded surfaces follow
/// whole tetrahedra, also those that a muscle shares with fat or bone: where only the muscle's part
/// grows they lag behind, where only that shrinks they stay too wide. Here every surface is widened
/// or thinned across itself, each place in proportion to the thickness that it has there, until the
/// volume that it encloses has changed from `rest` to `body` as that of the muscle's shares in the
/// tetrahedra has, and a quarter of a millimetre below the skin at the least. Tendons take little
/// part in it, the ends on the bones none. Surfaces, embeddings and volumes are changed; those that
/// agree within a thousandth are left as they are. Surfaces that moved by less than 0.05 mm
/// anywhere become those of `rest` again, to the bit.
/// @param rest  the same person before, with surfaces and shares that agree
void fit_muscle_meshes(const Body& rest, Body& body);

}  // namespace sinew
