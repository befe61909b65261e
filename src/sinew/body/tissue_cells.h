#pragma once

#include "sinew/body/body.h"

#include <vector>

namespace sinew {

/// What other programs want to know about each tetrahedron of a body, one item per tetrahedron:
///   tissue           the tissue with the largest fraction, as numbered in Tissue
///   muscle           the muscle with the largest fraction (belly and tendon together), -1 for none
///   muscle_fraction  fraction of all muscles, belly and tendon
///   bone_fraction    fraction of all bones
///   fibre            three components: the direction of that muscle's fibres, zero where it has
///   none
std::vector<Attribute> tissue_cells(const Body& body);

}  // namespace sinew
