#include "sinew/motion/inverse_kinematics.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/linalg/dense.h"
#include "sinew/motion/residuals.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Coordinates that bring a model's markers nearest to measured ones [Lu1999], frame by frame,
//
//   minimise over q  sum_m w_m |x_m(q) - y_m|^2 + sum_c w_c (q_c - rest_c)^2
//
// by Levenberg and Marquardt's method with analytic derivatives. Limits are kept by clamping and by
// holding coordinates whose step would leave their range. A marker that is not seen (not finite) is
// left out of that frame.
//
// Every frame starts from the last; the first is tried from rest and from quarter rotations of the
// root, since laboratories face in all directions.

namespace sinew {

namespace {

constexpr double kFirstDamping = 1e-6;  // of the diagonal
constexpr double kMostDamping = 1e8;

struct FollowedMarker {
    Index body = -1;
    Vec3 position = Vec3::Zero();
    double weight = 1.0;
    std::size_t column = 0;  // of the data
    std::string name = {};
};

double weight_named(const std::vector<std::pair<std::string, double>>& weights,
                    const std::string& name, double fallback) {
    for (const auto& [key, weight] : weights) {
        fallback = key == name ? weight : fallback;
    }
    return fallback;
}

// The least-squares problem of all frames.
class MarkerProblem {
public:
    MarkerProblem(const MusculoskeletalModel& model, const MarkerData& data,
                  const IkOptions& options)
        : model_(model), data_(data), tree_(model), hold_(model.coordinates.size(), 0.0) {
        for (const ModelMarker& marker : model.markers) {
            const Index column = find_marker(data, marker.name);
            if (column >= 0) {
                markers_.push_back({marker.body, marker.position,
                                    weight_named(options.weights, marker.name, options.weight),
                                    static_cast<std::size_t>(column), marker.name});
            }
        }
        for (const auto& [name, weight] : options.coordinate_weights) {
            if (const Index c = find_coordinate(model, name); c >= 0) {
                hold_[at(c)] = weight;
            }
        }
        // What may move: neither locked nor following another.
        std::vector<bool> is_free(model.coordinates.size(), true);
        for (const CoordinateCoupler& coupler : model.couplers) {
            is_free[at(coupler.dependent)] = false;
        }
        position_.assign(model.coordinates.size(), -1);
        for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
            const Coordinate& k = model.coordinates[c];
            if (!is_free[c] || k.is_locked) {
                continue;
            }
            position_[c] = static_cast<Index>(free_.size());
            free_.push_back(c);
            const bool is_held = options.limits == IkLimits::All ||
                                 (options.limits == IkLimits::Clamped && k.is_clamped);
            const double endless = std::numeric_limits<double>::infinity();
            low_.push_back(is_held ? k.low : -endless);
            high_.push_back(is_held ? k.high : endless);
        }
        row_.resize(model.coordinates.size());
    }

    const std::vector<FollowedMarker>& markers() const {
        return markers_;
    }
    const KinematicTree& tree() const {
        return tree_;
    }
    std::size_t free_count() const {
        return free_.size();
    }
    std::size_t free_coordinate(std::size_t k) const {
        return free_[k];
    }
    double low(std::size_t k) const {
        return low_[k];
    }
    double high(std::size_t k) const {
        return high_[k];
    }

    double cost(std::size_t frame, std::span<const double> q) {
        tree_.place(q, placement_);
        double sum = 0.0;
        for (const FollowedMarker& m : markers_) {
            const Vec3& y = data_.at(frame, m.column);
            if (m.weight > 0.0 && y.allFinite()) {
                sum += m.weight * (place(m) - y).squaredNorm();
            }
        }
        for (std::size_t c = 0; c < hold_.size(); ++c) {
            const double d = q[c] - model_.coordinates[c].rest;
            sum += hold_[c] * d * d;
        }
        return sum;
    }

    // Half the gradient and half the Gauss-Newton matrix, by free coordinates.
    // Half of everything: the factors of two cancel in the step.
    double expand(std::size_t frame, std::span<const double> q, Eigen::MatrixXd& H,
                  Eigen::VectorXd& g) {
        const auto n = static_cast<Eigen::Index>(free_.size());
        H.setZero(n, n);
        g.setZero(n);
        const double sum = cost(frame, q);
        for (const FollowedMarker& m : markers_) {
            const Vec3& y = data_.at(frame, m.column);
            if (!(m.weight > 0.0) || !y.allFinite() || m.body < 0) {
                continue;
            }
            const Vec3 x = place(m);
            add_marker(m, x, x - y, H, g);
        }
        for (std::size_t k = 0; k < free_.size(); ++k) {
            const auto i = static_cast<Eigen::Index>(k);
            const double w = hold_[free_[k]];
            H(i, i) += w;
            g[i] += w * (q[free_[k]] - model_.coordinates[free_[k]].rest);
        }
        H = H.selfadjointView<Eigen::Lower>();
        return sum;
    }

    // Where markers are in the pose that was evaluated last.
    Vec3 place(const FollowedMarker& m) const {
        return m.body < 0 ? m.position : placement_.bodies[at(m.body)] * m.position;
    }
    const ModelPlacement& placement() const {
        return placement_;
    }

private:
    // dx/dq = linear + angular x p per coordinate that moves the body, couplers folded.
    void add_marker(const FollowedMarker& m, const Vec3& x, const Vec3& miss, Eigen::MatrixXd& H,
                    Eigen::VectorXd& g) {
        touched_.clear();
        const auto touch = [&](Index coordinate, const Vec3& d) {
            const auto c = static_cast<std::size_t>(coordinate);
            if (std::find(touched_.begin(), touched_.end(), coordinate) == touched_.end()) {
                touched_.push_back(coordinate);
                row_[c] = Vec3::Zero();
            }
            row_[c] += d;
        };
        for (const Index d : tree_.chain(m.body)) {
            const MotionColumn& column = placement_.columns[at(d)];
            touch(tree_.dofs()[at(d)].coordinate, column.linear + column.angular.cross(x));
        }
        const auto& couplers = tree_.couplers();
        for (std::size_t k = couplers.size(); k-- > 0;) {
            if (std::find(touched_.begin(), touched_.end(), couplers[k].dependent) !=
                touched_.end()) {
                touch(couplers[k].independent,
                      placement_.coupler_slopes[k] * row_[at(couplers[k].dependent)]);
            }
        }
        for (const Index a : touched_) {
            const Index i = position_[at(a)];
            if (i < 0) {
                continue;
            }
            const Vec3 wa = m.weight * row_[at(a)];
            g[i] += wa.dot(miss);
            for (const Index b : touched_) {
                const Index j = position_[at(b)];
                if (j >= 0 && j <= i) {
                    H(i, j) += wa.dot(row_[at(b)]);
                }
            }
        }
    }

    const MusculoskeletalModel& model_;
    const MarkerData& data_;
    KinematicTree tree_;
    std::vector<FollowedMarker> markers_ = {};
    std::vector<double> hold_;
    std::vector<std::size_t> free_ = {};
    std::vector<Index> position_ = {};
    std::vector<double> low_ = {};
    std::vector<double> high_ = {};
    ModelPlacement placement_ = {};
    std::vector<Vec3> row_ = {};
    std::vector<Index> touched_ = {};
};

// One frame by Levenberg-Marquardt; coordinates at an end of their range that the step would leave
// are held there.
class FrameFollower {
public:
    FrameFollower(MarkerProblem& problem, const IkOptions& options)
        : problem_(problem), options_(options) {}

    // Improves q; true when it converged.
    bool follow(std::size_t frame, std::vector<double>& q, double& cost) {
        for (std::size_t k = 0; k < problem_.free_count(); ++k) {
            double& x = q[problem_.free_coordinate(k)];
            x = std::clamp(x, problem_.low(k), problem_.high(k));
        }
        double damping = kFirstDamping;
        for (int i = 0; i < options_.iterations; ++i) {
            cost = problem_.expand(frame, q, H_, g_);
            hold_ends(q);
            bool is_better = false;
            double next = cost;
            double predicted = 0.0;
            while (!is_better && damping < kMostDamping) {
                predicted = try_step(q, damping);
                next = problem_.cost(frame, trial_);
                is_better = next <= cost;
                damping = is_better ? std::max(0.1 * damping, 1e-12) : 10.0 * damping;
            }
            if (!is_better) {
                return predicted <= options_.accuracy * cost + kTiny;
            }
            q = trial_;
            const double gain = cost - next;
            cost = next;
            if (gain <= options_.accuracy * (next + kTiny)) {
                return true;
            }
        }
        return false;
    }

private:
    static constexpr double kTiny = 1e-16;  // m^2

    // An active set of one step: rows and columns of coordinates at their ends become those of the
    // identity.
    void hold_ends(const std::vector<double>& q) {
        for (std::size_t k = 0; k < problem_.free_count(); ++k) {
            const auto i = static_cast<Eigen::Index>(k);
            const double x = q[problem_.free_coordinate(k)];
            if ((x <= problem_.low(k) && g_[i] > 0.0) || (x >= problem_.high(k) && g_[i] < 0.0)) {
                H_.row(i).setZero();
                H_.col(i).setZero();
                H_(i, i) = 1.0;
                g_[i] = 0.0;
            }
        }
    }

    // The decrease that the linear model promises.
    double try_step(const std::vector<double>& q, double damping) {
        Eigen::MatrixXd damped = H_;
        // Coordinates that no marker sees have an empty row and stay where they are.
        const double floor = 1e-12 * std::max(H_.diagonal().maxCoeff(), 1e-12);
        damped.diagonal() += damping * H_.diagonal();
        damped.diagonal().array() += floor;
        const Eigen::VectorXd step = solve_symmetric(damped, -g_);
        trial_ = q;
        for (std::size_t k = 0; k < problem_.free_count(); ++k) {
            double& x = trial_[problem_.free_coordinate(k)];
            x = std::clamp(x + step[static_cast<Eigen::Index>(k)], problem_.low(k),
                           problem_.high(k));
        }
        return -2.0 * g_.dot(step) - step.dot(H_ * step);
    }

    MarkerProblem& problem_;
    const IkOptions& options_;
    Eigen::MatrixXd H_ = {};
    Eigen::VectorXd g_ = {};
    std::vector<double> trial_ = {};
};

// The first frame: from rest, and with each rotation of the root by quarter turns. Quarter
// rotations about each of the root's axes start near every heading and near lying poses.
bool find_first_pose(const MusculoskeletalModel& model, FrameFollower& follower, std::size_t frame,
                     std::vector<double>& q, double& cost) {
    std::vector<std::vector<double>> starts = {rest_coordinates(model)};
    for (const Index c : root_coordinates(model)) {
        for (const double turn : {0.5 * kPi, -0.5 * kPi, kPi}) {
            if (model.coordinates[at(c)].is_rotation) {
                starts.push_back(starts.front());
                starts.back()[at(c)] += turn;
            }
        }
    }
    bool is_solved = false;
    cost = std::numeric_limits<double>::infinity();
    q = starts.front();  // kept where no pose has a finite cost
    for (std::vector<double>& start : starts) {
        double reached = 0.0;
        const bool has_converged = follower.follow(frame, start, reached);
        // Better by a margin, so that rounding does not choose between equal poses.
        if (reached < 0.999 * cost) {
            cost = reached;
            q = start;
            is_solved = has_converged;
        }
    }
    return is_solved;
}

/// No marker is so far from its body or from the origin, m.
constexpr double kFarthestMarker = 1e6;

// Squares of larger numbers overflow, and no pose would be better than another.
void require_places(const MarkerProblem& problem, const MarkerData& data) {
    const auto refuse = [](std::string where, const Vec3& p, const char* remedy) {
        throw InputError({.where = std::move(where),
                          .found = fmt::format("({:.3g}, {:.3g}, {:.3g}) m", p.x(), p.y(), p.z()),
                          .needs = "a place within 1000 km",
                          .remedy = remedy});
    };
    const auto is_far = [](const Vec3& p) { return p.lpNorm<Eigen::Infinity>() > kFarthestMarker; };
    for (const FollowedMarker& m : problem.markers()) {
        if (!m.position.allFinite() || is_far(m.position)) {
            refuse(fmt::format("marker '{}' of the model", m.name), m.position,
                   "correct its position on its body");
        }
        for (std::size_t f = 0; f < data.times.size(); ++f) {
            const Vec3& y = data.at(f, m.column);
            if (y.allFinite() && is_far(y)) {
                refuse(fmt::format("measured marker '{}' at {:.4g} s", m.name, data.times[f]), y,
                       "correct it, or leave its place empty");
            }
        }
    }
}

void note_markers(const MusculoskeletalModel& model, const MarkerData& data,
                  const IkOptions& options, IkResult& out) {
    std::vector<std::string> without;
    for (const ModelMarker& marker : model.markers) {
        if (find_marker(data, marker.name) < 0) {
            without.push_back(marker.name);
        }
    }
    std::vector<std::string> unknown;
    for (const std::string& name : data.names) {
        if (std::none_of(model.markers.begin(), model.markers.end(),
                         [&](const ModelMarker& m) { return m.name == name; })) {
            unknown.push_back(name);
        }
    }
    if (!without.empty()) {
        out.notes.push_back(fmt::format("not in the data: {}", join(without, ", ")));
    }
    if (!unknown.empty()) {
        out.notes.push_back(fmt::format("not in the model: {}", join(unknown, ", ")));
    }
    for (const auto& [name, weight] : options.weights) {
        if (find_marker(data, name) < 0 && weight > 0.0) {
            out.notes.push_back(fmt::format("a weight for '{}', which the data do not have", name));
        }
    }
}

}  // namespace

double marker_cost(const MusculoskeletalModel& model, const MarkerData& data, std::size_t frame,
                   const IkOptions& options, std::span<const double> q,
                   std::vector<double>* gradient) {
    MarkerProblem problem(model, data, options);
    Eigen::MatrixXd H;
    Eigen::VectorXd g;
    const double cost = problem.expand(frame, q, H, g);
    if (gradient != nullptr) {
        gradient->assign(q.size(), 0.0);
        for (std::size_t k = 0; k < problem.free_count(); ++k) {
            (*gradient)[problem.free_coordinate(k)] = 2.0 * g[static_cast<Eigen::Index>(k)];
        }
    }
    return cost;
}

IkResult follow_markers(const MusculoskeletalModel& model, const MarkerData& data,
                        const IkOptions& options, const Progress& progress) {
    check_ranges(options, "inverse kinematics");
    MarkerProblem problem(model, data, options);
    const auto used = std::count_if(problem.markers().begin(), problem.markers().end(),
                                    [](const FollowedMarker& m) { return m.weight > 0.0; });
    if (used < 3) {
        throw InputError({.where = fmt::format("model '{}'", model.name),
                          .found = fmt::format("{} markers that the data have, too ({} of {})",
                                               used, model.markers.size(), data.names.size()),
                          .needs = "at least 3 with a weight",
                          .remedy = "name the model's markers as the data do, or choose the data "
                                    "that belong to it"});
    }
    require_places(problem, data);
    IkResult out;
    note_markers(model, data, options, out);
    out.notes.insert(out.notes.end(), data.notes.begin(), data.notes.end());
    for (const FollowedMarker& m : problem.markers()) {
        out.markers.push_back({.name = m.name, .weight = m.weight});
    }
    out.motion = {.name = "Coordinates", .in_degrees = true, .columns = {}, .times = data.times};
    for (const Coordinate& c : model.coordinates) {
        out.motion.columns.push_back(c.name);
    }
    Progress::Stage stage = progress.stage("inverse kinematics", data.times.size());
    const Timer timer;
    FrameFollower follower(problem, options);
    std::vector<double> q;
    double total = 0.0;
    std::size_t count = 0;
    for (std::size_t f = 0; f < data.times.size(); ++f) {
        double cost = 0.0;
        const bool has_converged =
            q.empty() ? find_first_pose(model, follower, f, q, cost) : follower.follow(f, q, cost);
        out.unsolved_frames += has_converged ? 0 : 1;
        problem.cost(f, q);
        double sum = 0.0;
        double largest = 0.0;
        std::size_t seen = 0;
        for (std::size_t m = 0; m < out.markers.size(); ++m) {
            const FollowedMarker& marker = problem.markers()[m];
            const Vec3& y = data.at(f, marker.column);
            if (!y.allFinite()) {
                continue;
            }
            const double error = (problem.place(marker) - y).norm();
            out.markers[m].rms += error * error;
            out.markers[m].largest = std::max(out.markers[m].largest, error);
            ++out.markers[m].seen;
            if (marker.weight > 0.0) {
                sum += error * error;
                largest = std::max(largest, error);
                ++seen;
            }
        }
        total += sum;
        count += seen;
        out.frame_rms.push_back(seen > 0 ? std::sqrt(sum / static_cast<double>(seen)) : 0.0);
        out.frame_largest.push_back(largest);
        for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
            out.motion.values.push_back(problem.placement().q[c] /
                                        (model.coordinates[c].is_rotation ? kDegree : 1.0));
        }
        stage.advance();
    }
    out.seconds = timer.seconds();
    for (IkResult::Marker& m : out.markers) {
        m.rms = m.seen > 0 ? std::sqrt(m.rms / static_cast<double>(m.seen)) : 0.0;
    }
    out.rms = count > 0 ? std::sqrt(total / static_cast<double>(count)) : 0.0;
    return out;
}

}  // namespace sinew
