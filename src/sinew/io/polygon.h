#pragma once

#include "sinew/mesh/arrays.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sinew {

/// Cuts a polygon (corners in order, three or more, rows of `points`) into corners - 2 triangles of
/// the same sense and appends their corners to `triangles`, three numbers each. Convex polygons
/// become a fan around the first corner; others are cut by clipping ears in the plane of Newell's
/// normal. What has no plane or crosses itself ends as a fan: there is no right answer.
void add_triangulated(const Points& points, std::span<const Index> corners,
                      std::vector<Index>& triangles);

/// Polygons of any number of corners: polygon i is corners[start[i] .. start[i+1]).
struct PolygonList {
    std::vector<Index> corners = {};
    std::vector<std::size_t> start = {0};

    void add(std::span<const Index> polygon);
    std::size_t size() const {
        return start.size() - 1;
    }
    std::span<const Index> operator[](std::size_t i) const {
        return {corners.data() + start[i], corners.data() + start[i + 1]};
    }
};

/// All polygons as triangles, in order. `source`, where given, receives the polygon of each.
Triangles triangulated(const Points& points, const PolygonList& polygons,
                       std::vector<Index>* source = nullptr);

}  // namespace sinew
