#pragma once

#include "sinew/mesh/arrays.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sinew {

/// Memory that terms work in while they are evaluated. A solver owns one and lends it to one term
/// after the other: what is in it counts for the length of a call only. Threads that evaluate the
/// same terms at once need one each.
class TermScratch {
public:
    /// At least so many numbers, of any value; the memory grows and stays.
    std::span<float> floats(std::size_t count) {
        return at_least(floats_, count);
    }
    std::span<double> doubles(std::size_t count) {
        return at_least(doubles_, count);
    }
    /// So many rows, of any value.
    Points& points(Eigen::Index rows) {
        points_.resize(rows, 3);
        return points_;
    }

    /// Seconds that local steps of tetrahedra have taken so far.
    struct Times {
        double project = 0.0;  ///< decompositions and forces of blocks
        double sum = 0.0;      ///< forces of vertices
    };
    Times times = {};

private:
    template <class T>
    static std::span<T> at_least(std::vector<T>& memory, std::size_t count) {
        if (memory.size() < count) {
            memory.resize(count);
        }
        return {memory.data(), count};
    }

    std::vector<float> floats_ = {};
    std::vector<double> doubles_ = {};
    Points points_ = Points(0, 3);
};

}  // namespace sinew
