#pragma once

#include "sinew/body/body.h"

#include <span>

namespace sinew {

struct AverageBody {
    Body body;
    Eigen::Index inverted_before = 0;  ///< tetrahedra that the mean of positions left inside out
    Eigen::Index inverted_tets = 0;    ///< of the body returned
};

/// The mean of people with one topology: bodies fitted with, or grown from, one template, in its
/// rest pose. Points of tetrahedra, bones, attachments and joint centres are means of positions;
/// fractions are means of volumes, strengths means; skin, muscles, fibres and landmarks follow the
/// tetrahedra. Masses of segments are not weighed anew (build/segment_masses.h).
/// @throws InputError  for fewer than two people, or when tetrahedra, bones, muscles, materials or
///                     joints differ
AverageBody average_body(std::span<const Body> people);

}  // namespace sinew
