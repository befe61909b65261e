#pragma once

#include "sinew/energy/fem_elastic.h"
#include "sinew/solver/newton.h"

#include <functional>

#include "tests/material/laws.h"
#include "tests/support/shapes.h"

namespace sinew::support {

inline Points gradient_of(const EnergyTerms& terms, const Points& x) {
    Points g = Points::Zero(x.rows(), 3);
    for (const auto& term : terms) {
        term->add_gradient(x, g);
    }
    return g;
}

/// Vertices for which `is_chosen` holds.
inline std::vector<Index> vertices_where(const Points& points,
                                         const std::function<bool(const Vec3&)>& is_chosen) {
    std::vector<Index> chosen;
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        if (is_chosen(point(points, i))) {
            chosen.push_back(static_cast<Index>(i));
        }
    }
    return chosen;
}

inline bool on_unit_cube(const Vec3& p) {
    return p.minCoeff() < 1e-9 || p.maxCoeff() > 1.0 - 1e-9;
}

}  // namespace sinew::support
