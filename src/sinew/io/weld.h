#pragma once

#include "sinew/mesh/arrays.h"

#include <vector>

namespace sinew {

/// Numbers positions as they come: the same coordinates get the same number, new ones the next.
class Welder {
public:
    /// @param expected  positions that will be added, about
    explicit Welder(std::size_t expected);

    Index add(const Vec3& position);
    std::size_t size() const {
        return coordinates_.size() / 3;
    }
    Points points() const;

private:
    void grow();
    std::size_t slot_of(const double* position) const;

    std::vector<double> coordinates_;
    std::vector<Index> slots_;  // an open hash table, -1 where free, its size a power of two
};

}  // namespace sinew
