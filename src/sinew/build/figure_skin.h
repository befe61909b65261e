#pragma once

#include "sinew/body/figure_table.h"
#include "sinew/meshing/iso_surface.h"

namespace sinew {

struct SkinOptions {
    double cell = 0.004;  ///< length of a grid cell, m, > 0
};

/// The skin over all parts of a table as a field on a grid, negative inside, symmetric in x:
///  1. every stroke grown by the skin's distance over it;
///  2. the two nearest are joined smoothly, F = d1 - h^2 k / 4, h = max(k - (d2 - d1), 0) / k, with
///     a smaller k on face, hands and feet; using two only, the order does not matter and the
///     swelling stays below k / 4;
///  3. what the outer air does not reach through gaps wider than `gap` is filled: chest, belly,
///     mouth, slits;
///  4. a Gaussian blur, less on face, hands and feet: the fat that smooths relief.
ScalarGrid skin_field(const FigureTable& table, const SkinOptions& options);

/// The closed surface of that field: one piece of genus 0. Where the field would leave a handle
/// (limbs that touch), the touching places are opened or closed by as few cells as possible.
TriangleMesh mesh_skin(const FigureTable& table, const SkinOptions& options);

}  // namespace sinew
