#include "sinew/geometry/scan_lines.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

struct Crossing {
    Index line = 0;
    int step = 0;  // +1 enters, -1 leaves
    double z = 0.0;
};

/// Twice the area of (a, b, p) in the plane, the same number for (b, a, p) but for its sign.
double edge_side(const Points& points, Index a, Index b, const Vec2& p) {
    const bool is_swapped = a > b;
    const auto from = points.row(is_swapped ? b : a);
    const auto to = points.row(is_swapped ? a : b);
    const double side =
        (to[0] - from[0]) * (p.y() - from[1]) - (to[1] - from[1]) * (p.x() - from[0]);
    return is_swapped ? -side : side;
}

/// On the edge itself the lower vertex decides, so that one of the two triangles has the line.
bool is_left(double side, Index a, Index b) {
    return side > 0.0 || (side == 0.0 && a < b);
}

std::vector<Crossing> find_crossings(const Points& points, const Triangles& triangles,
                                     const LineLattice& lattice) {
    std::vector<Crossing> crossings;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const Index a = triangles(t, 0), b = triangles(t, 1), c = triangles(t, 2);
        const auto pa = points.row(a), pb = points.row(b), pc = points.row(c);
        const auto columns =
            lattice.range(0, std::min({pa[0], pb[0], pc[0]}), std::max({pa[0], pb[0], pc[0]}));
        const auto rows =
            lattice.range(1, std::min({pa[1], pb[1], pc[1]}), std::max({pa[1], pb[1], pc[1]}));
        for (int j = rows[0]; j <= rows[1]; ++j) {
            for (int i = columns[0]; i <= columns[1]; ++i) {
                const Vec2 p = lattice.at(i, j);
                const double u = edge_side(points, b, c, p);
                const double v = edge_side(points, c, a, p);
                const double w = edge_side(points, a, b, p);
                const bool is_up = is_left(u, b, c);
                if (is_left(v, c, a) != is_up || is_left(w, a, b) != is_up) {
                    continue;
                }
                const double sum = u + v + w;
                const double z = sum != 0.0 ? (u * pa[2] + v * pb[2] + w * pc[2]) / sum : pa[2];
                // A triangle that looks up is left, one that looks down is entered.
                crossings.push_back({lattice.line(i, j), is_up ? -1 : 1, z});
            }
        }
    }
    return crossings;
}

}  // namespace

LineLattice::LineLattice(const Vec2& low, double spacing, std::array<int, 2> size,
                         std::optional<Seed> jitter)
    : low_(low), spacing_(spacing), size_(size) {
    if (jitter) {
        offsets_.resize(static_cast<std::size_t>(kTile) * kTile);
        Random random(*jitter);
        for (Vec2& offset : offsets_) {
            const double x = random.uniform(-0.5, 0.5);
            offset = Vec2(x, random.uniform(-0.5, 0.5));
        }
    }
}

Index LineLattice::nearest_line(const Vec2& place) const {
    const Vec2 cell = (place - low_) / spacing_;
    const auto clamped = [&](int axis) {
        const double end = static_cast<double>(size_[static_cast<std::size_t>(axis)]) - 1.0;
        return static_cast<int>(std::clamp(std::floor(cell[axis]), 0.0, end));
    };
    return line(clamped(0), clamped(1));
}

std::array<int, 2> LineLattice::range(int axis, double low, double high) const {
    // Half a cell to either side where the lines are jittered.
    const double reach = offsets_.empty() ? 0.5 : 1.0;
    const auto side = static_cast<std::size_t>(axis);
    const double first = std::ceil((low - low_[axis]) / spacing_ - reach);
    const double last = std::floor((high - low_[axis]) / spacing_ - 1.0 + reach);
    const double end = static_cast<double>(size_[side]) - 1.0;
    return {static_cast<int>(std::clamp(first, 0.0, end + 1.0)),
            static_cast<int>(std::clamp(last, -1.0, end))};
}

std::vector<LineStretch> stretches_inside(const Points& points, const Triangles& triangles,
                                          const LineLattice& lattice) {
    std::vector<Crossing> crossings = find_crossings(points, triangles, lattice);
    // At the same place the line enters before it leaves, so that touching pieces are joined.
    std::sort(crossings.begin(), crossings.end(), [](const Crossing& p, const Crossing& q) {
        if (p.line != q.line) {
            return p.line < q.line;
        }
        return p.z != q.z ? p.z < q.z : p.step > q.step;
    });
    std::vector<LineStretch> stretches;
    stretches.reserve(crossings.size() / 2);
    for (std::size_t begin = 0; begin < crossings.size();) {
        std::size_t end = begin;
        int balance = 0;
        for (; end < crossings.size() && crossings[end].line == crossings[begin].line; ++end) {
            balance += crossings[end].step;
        }
        int depth = 0;
        for (std::size_t k = begin; balance == 0 && k < end; ++k) {
            const int before = depth;
            depth += crossings[k].step;
            if (before <= 0 && depth > 0) {
                stretches.push_back({crossings[k].line, crossings[k].z, crossings[k].z});
            } else if (before > 0 && depth <= 0) {
                stretches.back().high = crossings[k].z;
            }
        }
        begin = end;
    }
    return stretches;
}

}  // namespace sinew
