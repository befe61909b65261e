#include "sinew/build/envelope_fitting.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/build/body_skin.h"
#include "sinew/build/envelope.h"
#include "sinew/build/limit_gradient.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/prism_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

constexpr double kSteepest = 0.8;  // thickness over way along the skin
constexpr double kFold = 0.12;     // least volume of a third of a column, of its due share
constexpr int kFittingRounds = 60;
constexpr int kLeavingRounds = 16;
constexpr double kThinShare = 0.2;  // least thickness over that of the flesh
constexpr double kThinnest = 2e-5;  // m: below this nothing fits
constexpr double kFlatFold = 0.01;  // as kFold, where the fat is at its thinnest

}  // namespace

EnvelopeFitting::EnvelopeFitting(const TriangleMesh& skin, Points target, const AnatomySolid& solid,
                                 const EnvelopeFittingOptions& options)
    : skin_(skin),
      target_(std::move(target)),
      solid_(solid),
      options_(options),
      neighbours_(neighbours_of_vertices(skin.triangles, skin.points.rows())),
      edges_(unique_edges(skin.triangles)),
      inward_(-most_visible_normals(skin)) {
    const auto vertices = static_cast<std::size_t>(skin.points.rows());
    least_.resize(vertices);
    depth_.resize(vertices);
    const SurfaceTree tree(skin);
    const std::vector<double> edges = mean_edges(skin);
    parallel_for(vertices, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Vec3 s = point(skin_.points, row);
            const RayHit hit = tree.first_hit(
                {.origin = s, .direction = point(inward_, row), .t_min = 1e-5, .t_max = 1.0});
            const double wanted =
                std::max(options_.min_thickness, options_.thickness_over_edge * edges[i]);
            least_[i] = std::min(wanted, kThinShare * hit.t);
            const double deep = point(inward_, row).dot(point(target_, row) - s);
            depth_[i] = deep > least_[i] ? 1.0 : 0.0;
        }
    });
    place();
}

int EnvelopeFitting::backed_off() const {
    return static_cast<int>(
        std::count_if(depth_.begin(), depth_.end(), [](double d) { return d < 1.0; }));
}

void EnvelopeFitting::place() {
    points_.resize(skin_.points.rows(), 3);
    for (Eigen::Index i = 0; i < points_.rows(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vec3 top = point(skin_.points, i) + least_[k] * point(inward_, i);
        points_.row(i) = (top + depth_[k] * (point(target_, i) - top)).transpose();
    }
}

// Middles of edges and triangles that are inside a part ask their corners back by as much.
bool EnvelopeFitting::leave_parts() {
    const Eigen::Index edges = edges_.rows();
    Points samples(edges + skin_.triangles.rows(), 3);
    for (Eigen::Index e = 0; e < edges; ++e) {
        samples.row(e) = 0.5 * (points_.row(edges_(e, 0)) + points_.row(edges_(e, 1)));
    }
    for (Eigen::Index t = 0; t < skin_.triangles.rows(); ++t) {
        samples.row(edges + t) =
            (points_.row(skin_.triangles(t, 0)) + points_.row(skin_.triangles(t, 1)) +
             points_.row(skin_.triangles(t, 2))) /
            3.0;
    }
    const Eigen::VectorXd distance = solid_.signed_distances(samples);
    std::vector<double> back(depth_.size(), 0.0);
    const auto ask = [&](Index v, double d) {
        auto& b = back[at(v)];
        b = std::max(b, 0.5 * options_.margin - d);
    };
    for (Eigen::Index e = 0; e < edges; ++e) {
        ask(edges_(e, 0), distance[e]);
        ask(edges_(e, 1), distance[e]);
    }
    for (Eigen::Index t = 0; t < skin_.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            ask(skin_.triangles(t, k), distance[edges + t]);
        }
    }
    bool has_moved = false;
    for (std::size_t i = 0; i < depth_.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        if (back[i] <= 0.0 || depth_[i] == 0.0) {
            continue;
        }
        const Vec3 top = point(skin_.points, row) + least_[i] * point(inward_, row);
        const double way = (point(target_, row) - top).norm();
        depth_[i] = std::max(0.0, depth_[i] - std::max(back[i], 2e-5) / std::max(way, 1e-9));
        has_moved = true;
    }
    return has_moved;
}

// Each of the three tetrahedra of a column hangs on one of its edges between skin and envelope
// (those of prism_columns on the third, second and first corner by number) and must keep a good
// part of the volume that a straight column of that length would give it.
bool EnvelopeFitting::unfold_columns() {
    const Eigen::Index vertices = skin_.points.rows();
    Points all(2 * vertices, 3);
    all << skin_.points, points_;
    const Eigen::VectorXd volumes = tet_volumes(all, prism_columns(skin_.triangles, vertices));
    const Eigen::VectorXd areas = triangle_areas(skin_);
    std::vector<char> is_folded(depth_.size(), 0);
    for (Eigen::Index t = 0; t < skin_.triangles.rows(); ++t) {
        std::array<Index, 3> corners = {skin_.triangles(t, 0), skin_.triangles(t, 1),
                                        skin_.triangles(t, 2)};
        std::sort(corners.begin(), corners.end());
        const bool is_thin = std::all_of(corners.begin(), corners.end(),
                                         [&](Index v) { return depth_[at(v)] == 0.0; });
        const double least_share = is_thin ? kFlatFold : kFold;
        bool is_good = true;
        for (int k = 0; k < 3; ++k) {
            const Index v = corners[at(2 - k)];
            const double length = (points_.row(v) - skin_.points.row(v)).norm();
            is_good = is_good && volumes[3 * t + k] > least_share * areas[t] * length / 3.0;
        }
        if (!is_good) {
            mark(corners, is_folded);
        }
    }
    return lower_marked(is_folded, 0.75);
}

// Deep corners give way first; shallow ones only where no other is left.
void EnvelopeFitting::mark(const std::array<Index, 3>& corners, std::vector<char>& marks) const {
    const bool has_deep =
        std::any_of(corners.begin(), corners.end(), [&](Index v) { return depth_[at(v)] > 0.0; });
    for (const Index v : corners) {
        if (!has_deep || depth_[at(v)] > 0.0) {
            marks[at(v)] = 1;
        }
    }
}

bool EnvelopeFitting::lower_marked(const std::vector<char>& marks, double factor) {
    bool has_moved = false;
    constexpr double kNone = 1e-3;  // depths below count as 0
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (!marks[i]) {
            continue;
        }
        has_moved = true;
        if (depth_[i] > 0.0) {
            depth_[i] = factor * depth_[i] < kNone ? 0.0 : factor * depth_[i];
        } else {
            least_[i] *= factor;
        }
    }
    return has_moved;
}

bool EnvelopeFitting::part_surfaces() {
    TriangleMesh both;
    const Eigen::Index vertices = skin_.points.rows();
    const Eigen::Index triangles = skin_.triangles.rows();
    both.points.resize(2 * vertices, 3);
    both.points << skin_.points, points_;
    both.triangles.resize(2 * triangles, 3);
    both.triangles << skin_.triangles, skin_.triangles.array() + static_cast<Index>(vertices);
    std::vector<char> is_meeting(depth_.size(), 0);
    for (const auto& [a, b] : find_self_intersections(both).pairs) {
        for (const Index t : {a, b}) {
            const Eigen::Index own = t % triangles;
            mark({skin_.triangles(own, 0), skin_.triangles(own, 1), skin_.triangles(own, 2)},
                 is_meeting);
        }
    }
    return lower_marked(is_meeting, 0.6);
}

void EnvelopeFitting::limit_slopes() {
    std::vector<double> thickness(depth_.size());
    std::vector<double> way(depth_.size());
    for (std::size_t i = 0; i < thickness.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const Vec3 top = point(skin_.points, row) + least_[i] * point(inward_, row);
        way[i] = (point(target_, row) - top).norm();
        thickness[i] = least_[i] + depth_[i] * way[i];
    }
    const std::vector<double> before = thickness;
    limit_gradient(thickness, skin_.points, neighbours_, kSteepest);
    for (std::size_t i = 0; i < thickness.size(); ++i) {
        if (thickness[i] < before[i]) {
            depth_[i] = std::max(0.0, (thickness[i] - least_[i]) / std::max(way[i], 1e-9));
        }
    }
}

// Triangles that touch round parts with their corners cut into them, and corners that are moved
// back until no triangle cuts leave a gap: the one makes the fat too thick, the other too thin, by
// the same power of the edges' length. Between the two neither is the case, whatever the
// resolution.
void EnvelopeFitting::settle_parts() {
    const std::vector<double> touching = depth_;
    for (int round = 0; round < kLeavingRounds && leave_parts(); ++round) {
        place();
    }
    for (std::size_t i = 0; i < depth_.size(); ++i) {
        depth_[i] += options_.cut_share * (touching[i] - depth_[i]);
    }
    place();
}

void EnvelopeFitting::run(const Progress& progress) {
    auto stage = progress.stage("fat layer");
    settle_parts();
    for (int round = 0; round < kFittingRounds; ++round) {
        limit_slopes();
        place();
        bool has_moved = unfold_columns();
        place();
        if (!has_moved) {
            has_moved = part_surfaces();
            place();
            if (!has_moved) {
                return;
            }
        }
        if (*std::min_element(least_.begin(), least_.end()) < kThinnest) {
            break;
        }
        stage.advance();
    }
    throw InputError({.where = "envelope",
                      .found = "a skin so thin or folded that no layer of fat fits under it",
                      .needs = "a skin that an offset of a tenth of a millimetre fits into",
                      .remedy = "smooth or repair the skin (sinew repair), or build finer"});
}

}  // namespace sinew
