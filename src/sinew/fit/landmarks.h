#pragma once

#include "sinew/body/body.h"
#include "sinew/fit/scan.h"

#include <string>
#include <vector>

namespace sinew {

/// Names that landmarks of scans may have: head_top, nose_tip, chin, c7, suprasternale, navel, and
/// with _L and _R nipple, acromion, elbow_olecranon, elbow_lateral, wrist_dorsal, middle_fingertip,
/// asis, patella, ankle_lateral, ankle_medial, heel, big_toe_tip.
const std::vector<std::string>& scan_landmark_names();

/// Where these are on the skin of a body at rest, those that it has; positions are on the skin and
/// `skin_vertex` is the vertex next to them.
std::vector<Landmark> scan_landmarks_of(const Body& body);

/// The vertex of a woman's skin at rest where the breast near `start` stands out most, forward and
/// 25 degrees outward: breasts hang lower or higher than surfaces tell apart. `start` itself where
/// nothing near stands out by 1 cm more than it does, or only beyond 10 cm.
/// @param is_left  of the body, +X
Index breast_apex(const Points& rest, Index start, bool is_left);

/// @throws InputError  naming a landmark that is none of the names, or given twice
void require_known(const std::vector<ScanLandmark>& landmarks);

}  // namespace sinew
