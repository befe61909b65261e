#pragma once

#include "sinew/mesh/arrays.h"

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Measured positions of markers over time, m, in a frame with Y up.
struct MarkerData {
    std::vector<std::string> names = {};
    std::vector<double> times = {};    ///< s, rising
    std::vector<Vec3> positions = {};  ///< times.size() rows of names.size(); NaN: not seen
    double rate = 0.0;                 ///< frames per second; 0: not said
    std::vector<std::string> notes = {};

    const Vec3& at(std::size_t frame, std::size_t marker) const {
        return positions[frame * names.size() + marker];
    }
    Vec3& at(std::size_t frame, std::size_t marker) {
        return positions[frame * names.size() + marker];
    }
};

/// The number of the marker of that name, or -1.
inline Index find_marker(const MarkerData& data, std::string_view name) {
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        if (data.names[i] == name) {
            return static_cast<Index>(i);
        }
    }
    return -1;
}

}  // namespace sinew
