#include "sinew/geometry/uv_atlas.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/uv_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

// Cut, flatten, pack. Cuts are made along edges; corners of triangles that meet across uncut edges
// are one vertex of a chart (uv_charts.h). Charts are rotated into their smallest box and stand on
// shelves, the tallest first, in a square that is then scaled to the unit square.

namespace sinew {

namespace {

void require_sizes(const Points& points, const Triangles& triangles, std::span<const Index> label,
                   std::span<const double> cost) {
    if (static_cast<Eigen::Index>(label.size()) != triangles.rows() ||
        static_cast<Eigen::Index>(cost.size()) != points.rows() || triangles.rows() == 0) {
        throw InputError(
            {.where = "charts of a surface",
             .found = fmt::format("{} labels and {} costs for {} triangles of {} "
                                  "vertices",
                                  label.size(), cost.size(), triangles.rows(), points.rows()),
             .needs = "a label per triangle and a cost per vertex",
             .remedy = "give one of each"});
    }
}

/// A chart in the box of least area that any of 30 rotations by 3 degrees gives, standing upright.
FlatPoints in_smallest_box(const FlatPoints& p) {
    FlatPoints best;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 30; ++k) {
        const double angle = k * M_PI / 60.0;
        Eigen::Matrix2d R;
        R << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
        FlatPoints turned = p * R.transpose();
        turned.rowwise() -= turned.colwise().minCoeff().eval();
        const Eigen::RowVector2d size = turned.colwise().maxCoeff();
        if (size.prod() < (1.0 - 1e-9) * least) {
            least = size.prod();
            best = std::move(turned);
        }
    }
    const Eigen::RowVector2d size = best.colwise().maxCoeff();
    if (size[0] > size[1]) {
        FlatPoints upright(best.rows(), 2);
        upright.col(0) = size[1] - best.col(1).array();
        upright.col(1) = best.col(0);
        return upright;
    }
    return best;
}

/// Moves charts onto shelves of a square. @return its side
double pack(std::vector<FlatPoints>& charts, double margin) {
    std::vector<Eigen::RowVector2d> size;
    double area = 0.0;
    double widest = 0.0;
    for (const FlatPoints& chart : charts) {
        size.emplace_back(chart.colwise().maxCoeff());
        area += size.back().prod();
        widest = std::max(widest, size.back()[0]);
    }
    std::vector<std::size_t> order(charts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return size[a][1] > size[b][1]; });
    // The narrowest square in which the shelves fit.
    for (double side = std::max(widest, std::sqrt(area));; side *= 1.02) {
        const double gap = 2.0 * margin * side;
        std::vector<Eigen::RowVector2d> corner(charts.size());
        double x = 0.0;
        double y = 0.0;
        double shelf = 0.0;
        for (const std::size_t c : order) {
            if (x > 0.0 && x + size[c][0] + gap > side) {
                y += shelf;
                x = 0.0;
                shelf = 0.0;
            }
            corner[c] = {x + 0.5 * gap, y + 0.5 * gap};
            x += size[c][0] + gap;
            shelf = std::max(shelf, size[c][1] + gap);
        }
        if (y + shelf <= side && widest + gap <= side) {
            for (std::size_t c = 0; c < charts.size(); ++c) {
                charts[c].rowwise() += corner[c];
            }
            return side;
        }
    }
}

}  // namespace

UvAtlas build_uv_atlas(const Points& points, const Triangles& triangles,
                       std::span<const Index> label, std::span<const double> cut_cost,
                       const UvAtlasOptions& options) {
    require_sizes(points, triangles, label, cut_cost);
    std::vector<UvChart> charts = cut_charts(triangles, label, cut_cost);
    std::vector<FlatPoints> flat(charts.size());
    parallel_for(charts.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            flat[c] = in_smallest_box(flatten(charts[c], points, options.iterations));
        }
    });
    UvAtlas atlas;
    atlas.chart.resize(label.size());
    atlas.stretch.resize(label.size());
    for (std::size_t c = 0; c < charts.size(); ++c) {
        const std::vector<double> stretch = stretches(charts[c], points, flat[c]);
        for (std::size_t t = 0; t < charts[c].rows.size(); ++t) {
            atlas.chart[at(charts[c].rows[t])] = static_cast<Index>(c);
            atlas.stretch[at(charts[c].rows[t])] = stretch[t];
        }
    }
    const double side = pack(flat, options.margin);
    atlas.uv = {.name = std::string(kCornerUv), .components = 6, .values = {}};
    atlas.uv.values.resize(6 * label.size());
    for (std::size_t c = 0; c < charts.size(); ++c) {
        for (std::size_t t = 0; t < charts[c].rows.size(); ++t) {
            for (Eigen::Index k = 0; k < 3; ++k) {
                const Index v = charts[c].triangles(static_cast<Eigen::Index>(t), k);
                for (Eigen::Index d = 0; d < 2; ++d) {
                    atlas.uv.values[6 * at(charts[c].rows[t]) + at(2 * k + d)] =
                        std::clamp(flat[c](v, d) / side, 0.0, 1.0);
                }
            }
        }
    }
    return atlas;
}

}  // namespace sinew
