#include "sinew/body/atlas.h"

#include <algorithm>

namespace sinew {

std::string_view name_of(AtlasKind kind) {
    switch (kind) {
        case AtlasKind::Cartilage:
            return "cartilage";
        case AtlasKind::Disc:
            return "disc";
        case AtlasKind::Muscle:
            return "muscle";
        case AtlasKind::Tendon:
            return "tendon";
        case AtlasKind::Skin:
            return "skin";
        case AtlasKind::Bone:
            break;
    }
    return "bone";
}

std::size_t AtlasReport::count(AtlasKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(parts.begin(), parts.end(), [&](const auto& p) { return p.kind == kind; }));
}

std::size_t AtlasReport::count_used(AtlasKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [&](const auto& p) { return p.kind == kind && p.is_used; }));
}

}  // namespace sinew
