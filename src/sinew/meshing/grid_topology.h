#pragma once

#include "sinew/meshing/iso_surface.h"

#include <cstddef>

namespace sinew {

/// Makes what is below `level` one solid without handles and cavities, so that iso_surface gives a
/// surface of genus 0, by raising as few values as it takes above the level: the solid grows from
/// its deepest place, deepest neighbours first, by values that leave its topology as it is. Places
/// where two limbs touch are cut where they are thinnest; loose pieces go. Linear in the number of
/// values below the level, times their sorting.
/// @returns how many values were raised; 0 leaves the grid as it was
std::size_t remove_handles(ScalarGrid& grid, double level);

}  // namespace sinew
