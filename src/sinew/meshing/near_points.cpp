#include "sinew/meshing/near_points.h"

#include "sinew/meshing/intersections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace sinew {
namespace {

using Cell = std::array<std::int64_t, 3>;

struct CellHash {
    std::size_t operator()(const Cell& c) const {
        std::uint64_t h = 0;
        for (const std::int64_t k : c) {
            h = (h ^ static_cast<std::uint64_t>(k)) * 0x9e3779b97f4a7c15;
            h ^= h >> 29;
        }
        return h;
    }
};

}  // namespace

std::vector<Index> first_within(const Points& points, double tolerance) {
    if (!(tolerance > 0.0)) {
        return first_coincident(points);
    }
    // Cells as large as the tolerance: what is near lies in one of 27.
    std::unordered_map<Cell, std::vector<Index>, CellHash> kept;
    std::vector<Index> first;
    first.reserve(static_cast<std::size_t>(points.rows()));
    for (Index i = 0; i < points.rows(); ++i) {
        const Vec3 p = point(points, i);
        Cell cell;
        for (int k = 0; k < 3; ++k) {
            cell[at(k)] = std::llround(std::clamp(p[k] / tolerance, -4e18, 4e18));
        }
        Index found = -1;
        for (int n = 0; n < 27; ++n) {
            const auto near =
                kept.find({cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1});
            for (std::size_t k = 0; near != kept.end() && k < near->second.size(); ++k) {
                const Index other = near->second[k];
                if ((found < 0 || other < found) &&
                    (point(points, other) - p).norm() <= tolerance) {
                    found = other;
                }
            }
        }
        if (found < 0) {
            kept[cell].push_back(i);
        }
        first.push_back(found < 0 ? i : found);
    }
    return first;
}

}  // namespace sinew
