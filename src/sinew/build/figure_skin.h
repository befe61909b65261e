#pragma once

#include "sinew/body/figure_table.h"
#include "sinew/meshing/iso_surface.h"

namespace sinew {

struct SkinOptions {
    double cell = 0.004;      ///< length of a grid cell, m, > 0
    double digit_cell = 0.0;  ///< the same for fingers and toes, m; 0: as the rest
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

struct SkinMeshes {
    TriangleMesh plain;     ///< on one grid
    TriangleMesh detailed;  ///< with finer fingers and toes
};

/// The closed surface of that field: one piece of genus 0. Where the field would leave a handle
/// (limbs that touch), the touching places are opened or closed by as few cells as possible.
/// With a `digit_cell`, fingers and toes are made anew on a finer grid (figure_digits.h) and put in
/// place of the plain ones.
SkinMeshes mesh_skins(const FigureTable& table, const SkinOptions& options);
TriangleMesh mesh_skin(const FigureTable& table, const SkinOptions& options);  ///< detailed

}  // namespace sinew
