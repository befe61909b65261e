#pragma once

#include "sinew/fit/placement.h"

namespace sinew {

/// What is searched on its own.
enum class SearchedParts { Limbs, LimbsAndFeet };

/// Part-wise search: a limb that lies where the scan shows none is tried in other poses, one limb
/// at a time, and is kept where the whole rig then agrees better. Limbs that lie on the scan cost
/// one look. Starts of whole poses find trunk and head; a raised elbow or one knee up is found
/// here.
FoundPlacement with_limbs_found(const PoseRig& rig, const ScanIndex& index, FoundPlacement found,
                                const Progress& progress = {},
                                SearchedParts parts = SearchedParts::Limbs);

}  // namespace sinew
