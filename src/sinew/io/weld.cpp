#include "sinew/io/weld.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sinew {

namespace {

std::uint64_t hash(const double* position) {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (int k = 0; k < 3; ++k) {
        h ^= std::bit_cast<std::uint64_t>(position[k]);
        h *= 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    return h;
}

}  // namespace

Welder::Welder(std::size_t expected)
    : slots_(std::bit_ceil(std::max<std::size_t>(16, expected / 2)), -1) {}

// The slot that holds the position, or the free one where it belongs.
std::size_t Welder::slot_of(const double* position) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(position) & mask;
    while (slots_[slot] >= 0) {
        const double* const other =
            coordinates_.data() + 3 * static_cast<std::size_t>(slots_[slot]);
        if (std::equal(position, position + 3, other)) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

void Welder::grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t i = 0; i < size(); ++i) {
        slots_[slot_of(coordinates_.data() + 3 * i)] = static_cast<Index>(i);
    }
}

Index Welder::add(const Vec3& position) {
    const double p[3] = {position.x() + 0.0, position.y() + 0.0, position.z() + 0.0};  // -0 is 0
    if (2 * (size() + 1) > slots_.size()) {
        grow();
    }
    const std::size_t slot = slot_of(p);
    if (slots_[slot] < 0) {
        slots_[slot] = static_cast<Index>(size());
        coordinates_.insert(coordinates_.end(), p, p + 3);
    }
    return slots_[slot];
}

Points Welder::points() const {
    return Eigen::Map<const Points>(coordinates_.data(), static_cast<Eigen::Index>(size()), 3);
}

}  // namespace sinew
