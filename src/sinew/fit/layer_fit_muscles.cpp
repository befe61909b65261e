#include "sinew/body/names.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/fit/layer_fit.h"
#include "sinew/fit/layer_order.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/solver/local_global.h"

#include <algorithm>
#include <cmath>
#include <memory>

// The muscle surface of a person [Komaritzan, section 4.2.4, muscle fitting; eqs. 4.10-4.11]: first
// the scaled template's, bent as little as can be onto lines between skin and skeleton; then, along
// these lines, how far each group of muscles may grow and shrink, so that one number, the strength,
// makes all surfaces between the least and the most muscle. layer_fit.cpp finds that number by
// bisection.

namespace sinew {

namespace {

constexpr double kLinePull = 11700.0;   // N/m per m^2: 1 per vertex of the thesis's mesh
constexpr double kFirstBending = 0.01;  // w_reg of eq. 4.10, N m
constexpr double kLessBending = 0.25;   // from stage to stage
constexpr int kAverageStages = 3;
constexpr int kAverageIterations = 20;
constexpr double kAverageTolerance = 1e-2;
constexpr int kFieldSmoothings = 6;     // of how far muscles may go, over neighbours
constexpr double kTightShare = 0.1;     // of a group's thick vertices may have less room
constexpr double kLeastMuscle = 0.001;  // m over the lines' ends

// Vertices drawn to segments, free to slide along them.
//   E(x) = sum_i w_i / 2 |x_i - pi(x_i)|^2      [Komaritzan, eq. 4.11]
class SegmentPull final : public ProjectiveConstraints {
public:
    SegmentPull(const Points& from, const Points& to, std::span<const double> weights)
        : ProjectiveConstraints(1), from_(from), to_(to) {
        const double one = 1.0;
        for (Eigen::Index i = 0; i < from.rows(); ++i) {
            const auto v = static_cast<Index>(i);
            add({&v, 1}, {&one, 1}, weights[at(i)]);
        }
        finish();
    }

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override {
        const auto row = static_cast<Eigen::Index>(i);
        const Eigen::RowVector3d line = to_.row(row) - from_.row(row);
        const double length = line.squaredNorm();
        const double t = length > 0.0
                             ? std::clamp((q.row(0) - from_.row(row)).dot(line) / length, 0.0, 1.0)
                             : 0.0;
        p.row(0) = from_.row(row) + t * line;
    }

private:
    Points from_;
    Points to_;
};

std::vector<double> smoothed_over(const Lists& around, std::vector<double> values) {
    for (int round = 0; round < kFieldSmoothings; ++round) {
        const std::vector<double> old = values;
        for (std::size_t i = 0; i < values.size(); ++i) {
            double sum = old[i];
            for (const Index w : around[i]) {
                sum += old[at(w)];
            }
            values[i] = sum / static_cast<double>(around[i].size() + 1);
        }
    }
    return values;
}

// What a tenth of the values is below.
double low_quantile(std::vector<double> values, double share) {
    const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
    std::nth_element(values.begin(), values.begin() + k, values.end());
    return values[at(k)];
}

}  // namespace

MuscleRange::MuscleRange(const LayeredTemplate& layers, const ScaledLayers& scaled,
                         const Points& skin, const Points& bone, const LayerFitOptions& options,
                         const Progress& progress)
    : triangles_(layers.triangles), skin_(skin), anchor_(bone), direction_(skin.rows(), 3) {
    // L = B + delta, with delta of the template (its line through S and M, at the depth of B),
    // smaller where S and B are nearer.
    const Points carried =
        carried_under(scaled.layers.skin, scaled.layers.muscle, skin, layers.triangles);
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        const Vec3 S = point(layers.skin, i);
        const Vec3 M = point(layers.muscle, i);
        const Vec3 B = point(layers.bone, i);
        const double thick = (S - B).norm();
        const double over = (S - M).norm();
        if (layers.is_kept[at(i)] != 0 || !(thick > over) || !(over > 0.0)) {
            // Nothing but fat: M keeps its distance from the skin.
            anchor_.row(i) = carried.row(i);
        } else {
            const Vec3 delta = S + (M - S) * (thick / over) - B;
            const double now = (skin.row(i) - bone.row(i)).norm();
            anchor_.row(i) += (std::min(1.0, now / thick) * delta).transpose();
        }
        const Vec3 line = point(skin, i) - point(anchor_, i);
        direction_.row(i) = line.normalized().transpose();
    }
    find_average(layers, scaled, options, progress);
    find_room(layers, scaled, options);
}

// Eq. 4.10: the scaled template's muscle surface, bent as little as can be onto the lines.
void MuscleRange::find_average(const LayeredTemplate& layers, const ScaledLayers& scaled,
                               const LayerFitOptions& options, const Progress& progress) {
    const Eigen::Index n = skin_.rows();
    Points x = scaled.layers.muscle;
    std::vector<Index> fixed;
    for (Eigen::Index i = 0; i < n; ++i) {
        if (layers.is_kept[at(i)] != 0) {
            x.row(i) = anchor_.row(i);
            fixed.push_back(static_cast<Index>(i));
        }
    }
    const Eigen::VectorXd area = lumped_mass(scaled.layers.muscle, triangles_);
    std::vector<double> pull(at(n));
    for (Eigen::Index i = 0; i < n; ++i) {
        pull[at(i)] = kLinePull * area[i];
    }
    const auto lines = std::make_shared<SegmentPull>(anchor_, skin_, pull);
    double bending = kFirstBending;
    Points rest = scaled.layers.muscle;
    for (int stage = 0; stage < kAverageStages; ++stage, bending *= kLessBending) {
        const std::vector<double> bend(at(n), bending);
        LocalGlobal solver(n, {std::make_shared<ProjectiveBending>(rest, triangles_, bend), lines},
                           fixed);
        solver.minimise(x, {.max_iterations = kAverageIterations, .tolerance = kAverageTolerance},
                        progress);
        rest = x;
    }
    average_.resize(at(n));
    least_.resize(at(n));
    most_.resize(at(n));
    for (Eigen::Index i = 0; i < n; ++i) {
        const double length = (skin_.row(i) - anchor_.row(i)).norm();
        const double own = (layers.skin.row(i) - layers.muscle.row(i)).norm();
        const double under = (layers.skin.row(i) - layers.bone.row(i)).norm() - own;
        // The template's own fat, where that is thinner than the least.
        most_[at(i)] = std::max(0.0, length - std::min(options.least_fat, 0.9 * own));
        least_[at(i)] = layers.is_kept[at(i)] != 0
                            ? 0.0
                            : std::min({most_[at(i)], kLeastMuscle, 0.5 * length, 0.9 * under});
        const double along = (x.row(i) - anchor_.row(i)).dot(direction_.row(i));
        average_[at(i)] =
            layers.is_kept[at(i)] != 0 ? 0.0 : std::clamp(along, least_[at(i)], most_[at(i)]);
    }
}

// How far muscles may grow and shrink, by the muscle thickness map, group by group; and how far the
// belly carries its muscles out.
void MuscleRange::find_room(const LayeredTemplate& layers, const ScaledLayers& scaled,
                            const LayerFitOptions& options) {
    const std::size_t n = average_.size();
    const std::span<const std::string> groups = muscle_groups();
    std::vector<double> growth(groups.size(), options.most_growth);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<double> thick;
        for (std::size_t i = 0; i < n; ++i) {
            if (layers.group[i] == static_cast<Index>(g)) {
                thick.push_back(layers.muscle_thickness[i]);
            }
        }
        if (thick.empty()) {
            continue;
        }
        // Thick parts decide: near its ends a muscle is close to the skin anyway.
        const double middle = low_quantile(thick, 0.5);
        std::vector<double> room;
        for (std::size_t i = 0; i < n; ++i) {
            if (layers.group[i] == static_cast<Index>(g) && layers.muscle_thickness[i] > middle) {
                room.push_back((most_[i] - average_[i]) / layers.muscle_thickness[i]);
            }
        }
        if (!room.empty()) {
            growth[g] = std::min(options.most_growth, low_quantile(room, kTightShare));
        }
    }
    up_.assign(n, 0.0);
    down_.assign(n, 0.0);
    bulge_.assign(n, 0.0);
    const auto abdomen =
        static_cast<Index>(std::find(groups.begin(), groups.end(), "abdomen") - groups.begin());
    for (std::size_t i = 0; i < n; ++i) {
        if (layers.group[i] < 0) {
            continue;
        }
        const double thickness = scaled.thickness * layers.muscle_thickness[i];
        up_[i] = growth[at(layers.group[i])] * thickness;
        down_[i] = options.most_loss * thickness;
        if (layers.group[i] == abdomen) {
            // beta_min of the template: the same part of the way out.
            const auto row = static_cast<Eigen::Index>(i);
            const double whole = (layers.skin.row(row) - layers.bone.row(row)).norm();
            const double fat = (layers.skin.row(row) - layers.muscle.row(row)).norm();
            const double part = whole > fat ? 1.0 - fat / whole : 0.0;
            const double length = (skin_.row(row) - anchor_.row(row)).norm();
            bulge_[i] = std::max(0.0, part * length - average_[i]);
        }
    }
    const Lists around = neighbours_of_vertices(triangles_, skin_.rows());
    up_ = smoothed_over(around, std::move(up_));
    down_ = smoothed_over(around, std::move(down_));
    bulge_ = smoothed_over(around, std::move(bulge_));
}

Points MuscleRange::surface(double strength, double visceral) const {
    Points M(skin_.rows(), 3);
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
        const auto k = at(i);
        double along = average_[k] + visceral * bulge_[k] +
                       std::clamp(strength, -1.0, 1.0) * (strength > 0.0 ? up_[k] : down_[k]);
        if (strength > 1.0) {
            along += (strength - 1.0) * std::max(0.0, most_[k] - along);
        }
        along = std::clamp(along, least_[k], most_[k]);
        M.row(i) = anchor_.row(i) + along * direction_.row(i);
    }
    return M;
}

double MuscleRange::visceral_volume(double visceral) const {
    return enclosed_volume(surface(0.0, visceral), triangles_) -
           enclosed_volume(surface(0.0, 0.0), triangles_);
}

}  // namespace sinew
