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

struct ClosedPlaces {
    double gap = 0.005;        ///< openings narrower than twice this do not let air in, m, >= 0
    float value = -0.004f;     ///< given to what the air does not reach, < 0
    bool is_mirrored = false;  ///< the grid is the half x >= 0 of a symmetric one
};

/// Fills what the outer air does not reach: hollows, and slits and mouths narrower than twice the
/// gap. Air is where values are above the gap, as far as it hangs together with the last value of
/// the grid; widened again by twice the gap and a little, it leaves the rest, which becomes inside.
void fill_closed_places(ScalarGrid& grid, const ClosedPlaces& options);

}  // namespace sinew
