#include "sinew/motion/muscle_routing.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/motion/mirrored_muscles.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/solver/least_squares.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

// Waypoints of muscles in a body of other proportions [Ryu2021, eqs. 6-8]. Points move so that the
// path keeps its directions at the bones and its length-angle curves keep their extremes. Gradients
// are exact: lengths are differentiated by points, so a muscle is a small smooth problem of its own
// and muscles are solved side by side. Departs: angles and values of extremes are soft, since the
// argmax of a sampled curve has no derivative; the course of curves and the tethers are ours.

namespace sinew {

namespace {

constexpr double kLeastExcursion = 2e-3;  // of the length at rest; less is no part in a motion
constexpr double kSharpness = 30.0;       // beta times Delta of the soft extremes
constexpr double kLeastPiece = 1e-9;      // m
constexpr double kFold = -0.17;           // cosine of 100 degrees between two pieces of a path
constexpr double kPartedBy = 0.1;         // of the pieces beside a point that becomes two
constexpr int kPiecePoints = 5;           // of a piece, where depth in bones is looked up
constexpr double kSoftDepth = 0.002;      // m; shallower depths count by their square
constexpr double kSidesDiffer = 0.05;     // of the energy: what evenness may cost
constexpr double kEven = 1e-3;            // of the energy, between sides of an even body
constexpr double kPoorRoute = 2.0;        // waypoint energy of a path that lost its function
constexpr double kNoEnergy = 1e-12;       // of paths that lose nothing
constexpr double kFreedom = 2.0;          // pieces of a path that a point's tether is as long as
constexpr double kSkin = 0.02;            // m about a bone, where a path is near it

// Index of the anchor with the greatest weight.
std::size_t main_anchor(const PathPoint& point) {
    std::size_t best = 0;
    for (std::size_t a = 1; a < point.anchors.size(); ++a) {
        best = point.anchors[a].weight > point.anchors[best].weight ? a : best;
    }
    return best;
}

Mat3 cross_matrix(const Vec3& v) {
    Mat3 out;
    out << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
    return out;
}

// Unit direction of a piece; 0 where its ends coincide.
Vec3 unit_of(const Vec3& d) {
    const double n = d.norm();
    return n > kLeastPiece ? Vec3(d / n) : Vec3(Vec3::Zero());
}

std::vector<Vec3> points_at(const MuscleUnit& unit, const MotionPlacements& placed,
                            std::size_t motion, std::size_t sample) {
    std::vector<Vec3> out;
    for (const PathPoint& point : unit.points) {
        Vec3 p = Vec3::Zero();
        for (const PathPoint::Anchor& a : point.anchors) {
            p += a.weight * (placed.body(motion, sample, a.body) * a.position);
        }
        out.push_back(p);
    }
    return out;
}

// A soft extreme of a curve: weights p ~ exp(beta L), theta = sum p theta, value = sum p L, and the
// derivatives of both by the curve's values.
struct SoftExtreme {
    double theta = 0.0;
    double value = 0.0;
    Eigen::VectorXd theta_slopes = {};
    Eigen::VectorXd value_slopes = {};
};

SoftExtreme soft_extreme(const Eigen::VectorXd& curve, double beta) {
    const Eigen::Index n = curve.size();
    const Eigen::VectorXd theta = Eigen::VectorXd::LinSpaced(n, 0.0, 1.0);
    const double top = (beta * curve).maxCoeff();
    Eigen::VectorXd p = (beta * curve.array() - top).exp().matrix();
    p /= p.sum();
    SoftExtreme out{.theta = p.dot(theta), .value = p.dot(curve)};
    out.theta_slopes = beta * p.cwiseProduct((theta.array() - out.theta).matrix());
    out.value_slopes = p.cwiseProduct((1.0 + beta * (curve.array() - out.value)).matrix());
    return out;
}

// Whether a point that follows several bones becomes one point on each of two: inner points do.
bool is_parted(const MuscleUnit& unit, std::size_t k) {
    return k > 0 && k + 1 < unit.points.size() && unit.points[k].anchors.size() > 1 &&
           is_routable(unit);
}

// The two heaviest anchors of a point, first the one on the bone that the path comes from.
std::array<std::size_t, 2> part_order(const MuscleUnit& unit, std::size_t k) {
    const PathPoint& point = unit.points[k];
    const std::size_t main = main_anchor(point);
    std::size_t other = main == 0 ? 1 : 0;
    for (std::size_t a = 0; a < point.anchors.size(); ++a) {
        if (a != main && point.anchors[a].weight > point.anchors[other].weight) {
            other = a;
        }
    }
    const auto distance = [&](std::size_t a, std::size_t from) {
        // 0 where a neighbour lies on that bone, else how far along the path one does.
        for (std::size_t i = 1; i < unit.points.size(); ++i) {
            const std::size_t n =
                from == 0 ? k - std::min(k, i) : std::min(k + i, unit.points.size() - 1);
            if (unit.points[n].anchors[main_anchor(unit.points[n])].body == point.anchors[a].body) {
                return i;
            }
        }
        return unit.points.size();
    };
    const auto cost = [&](std::size_t first, std::size_t last) {
        return distance(first, 0) + distance(last, 1);
    };
    return cost(other, main) < cost(main, other) ? std::array{other, main}
                                                 : std::array{main, other};
}

}  // namespace

bool is_routable(const MuscleUnit& unit) {
    return unit.wraps.empty() &&
           std::none_of(unit.points.begin(), unit.points.end(), [](const PathPoint& p) {
               return p.is_moving() || p.condition >= 0 || p.divisor > 0.0;
           });
}

void anchor_waypoints(MusculoskeletalModel& warped, bool keeps_blends) {
    const ModelPlacement rest = KinematicTree(warped).place(rest_coordinates(warped));
    const auto placed = [&](Index body) { return body < 0 ? Placement{} : rest.bodies[at(body)]; };
    for (MuscleUnit& unit : warped.muscles) {
        std::vector<Vec3> positions;
        for (PathPoint& point : unit.points) {
            const PathPoint::Anchor main = point.anchors[main_anchor(point)];
            const Vec3 p = placed(main.body) * main.position;
            positions.push_back(p);
            for (PathPoint::Anchor& anchor : point.anchors) {
                if (!point.is_moving()) {
                    anchor.position = placed(anchor.body).inverse() * p;
                }
            }
        }
        if (keeps_blends) {
            continue;
        }
        std::vector<PathPoint> parted;
        for (std::size_t k = 0; k < unit.points.size(); ++k) {
            if (is_parted(unit, k)) {
                // Two points in place of one, a little apart along the path.
                std::array<PathPoint, 2> halves = {unit.points[k], unit.points[k]};
                const std::array<std::size_t, 2> order = part_order(unit, k);
                for (const std::size_t h : {0, 1}) {
                    const Vec3& neighbour = positions[h == 0 ? k - 1 : k + 1];
                    const Vec3 p = positions[k] + kPartedBy * (neighbour - positions[k]);
                    const Index body = unit.points[k].anchors[order[h]].body;
                    halves[h].name += h == 0 ? "_a" : "_b";
                    halves[h].anchors = {{.body = body, .position = placed(body).inverse() * p}};
                    parted.push_back(halves[h]);
                }
                continue;
            }
            PathPoint point = unit.points[k];
            if (point.anchors.size() > 1) {
                const PathPoint::Anchor main = point.anchors[main_anchor(point)];
                point.anchors = {{.body = main.body, .position = main.position}};
            }
            parted.push_back(std::move(point));
        }
        unit.points = std::move(parted);
    }
}

RoutingEnergy::RoutingEnergy(const MuscleUnit& reference, const MuscleUnit& start,
                             std::span<const BodyWarp> bones, const MotionPlacements& before,
                             const MotionPlacements& after, std::span<const JointMotion> motions,
                             const std::vector<char>& is_relevant, double rest_before,
                             double rest_after, const RoutingOptions& options,
                             const BoneDepths& bones_before, const BoneDepths& bones_after)
    : options_(options),
      after_(after),
      points_(start.points.size()),
      wanted_points_(reference.points.size()),
      rest_after_(rest_after) {
    // Pieces between the two points that one of the reference became have no direction to keep.
    const bool has_parts = points_ > wanted_points_;
    for (std::size_t k = 0; k + 1 < wanted_points_; ++k) {
        if (has_parts && is_parted(reference, k)) {
            has_direction_.push_back(0);
        }
        has_direction_.push_back(1);
    }
    SINEW_ASSERT(has_direction_.size() + 1 == points_, "{} pieces, {} points",
                 has_direction_.size(), points_);
    for (std::size_t k = 0; k < points_; ++k) {
        for (const PathPoint::Anchor& a : start.points[k].anchors) {
            anchors_.push_back({static_cast<Index>(k), a.body, a.weight});
        }
    }
    const auto n = static_cast<Eigen::Index>(3 * anchors_.size());
    start_.resize(n);
    tether_.resize(n);
    Eigen::Index i = 0;
    for (std::size_t k = 0; k < points_; ++k) {
        const bool is_end = k == 0 || k + 1 == points_;
        for (const PathPoint::Anchor& a : start.points[k].anchors) {
            start_.segment<3>(i) = a.position;
            // A path of many pieces runs close to its bones: its points have as much less freedom.
            // Those that one point became need all there is, to stand for it.
            const double pieces = static_cast<double>(wanted_points_ - 1);
            const double freedom =
                is_end || has_parts ? rest_after : rest_after * kFreedom / pieces;
            tether_.segment<3>(i).setConstant(
                std::sqrt(is_end ? options.end_tether : options.inner_tether) / freedom);
            i += 3;
        }
    }
    for (std::size_t j = 0; j < motions.size(); ++j) {
        if (is_relevant[j] != 0) {
            samples_ = motions[j].poses.size();
            add_curve(reference, bones, before, j, samples_, rest_before);
        }
    }
    // Points that became two have no depth to compare with.
    if (!has_parts && options.bone_weight > 0.0 && !bones_before.is_empty() &&
        !bones_after.is_empty()) {
        find_obstacles(reference, before, rest_before, bones_before, bones_after);
    }
}

void RoutingEnergy::add_curve(const MuscleUnit& reference, std::span<const BodyWarp> bones,
                              const MotionPlacements& before, std::size_t motion,
                              std::size_t samples, double rest_before) {
    Curve curve{.motion = motion};
    for (std::size_t s = 0; s < samples; ++s) {
        const std::vector<Vec3> p = points_at(reference, before, motion, s);
        double length = 0.0;
        // The direction of a piece as the bone at point k sees it, with the bone's own torsion.
        const auto seen_from = [&](std::size_t k, const Vec3& f) {
            const PathPoint::Anchor& a =
                reference.points[k].anchors[main_anchor(reference.points[k])];
            if (a.body < 0) {
                return f;
            }
            const Vec3 local = before.body(motion, s, a.body).rotation.transpose() * f;
            return Vec3(after_.body(motion, s, a.body).rotation *
                        (bones[at(a.body)].turn(a.position) * local));
        };
        for (std::size_t k = 0; k + 1 < p.size(); ++k) {
            const Vec3 d = p[k + 1] - p[k];
            length += d.norm();
            curve.direction.push_back(seen_from(k, unit_of(d)));
            if (k + 2 == p.size()) {
                curve.direction.push_back(seen_from(k + 1, unit_of(d)));
            }
        }
        curve.length.push_back(length / rest_before);
        // A path may fold as far as the reference's does there; parted points have no such point.
        for (std::size_t k = 1; k + 1 < points_; ++k) {
            const bool is_same = points_ == wanted_points_;
            const double cosine =
                is_same ? unit_of(p[k] - p[k - 1]).dot(unit_of(p[k + 1] - p[k])) : kFold;
            curve.fold.push_back(std::min(kFold, cosine));
        }
    }
    const auto [low, high] = std::minmax_element(curve.length.begin(), curve.length.end());
    if (*high - *low < kLeastExcursion) {
        return;
    }
    curve.sharpness = kSharpness / (*high - *low);
    // A copy, not a map: sums over memory of any alignment come out in another order.
    const Eigen::VectorXd L =
        Eigen::Map<const Eigen::VectorXd>(curve.length.data(), static_cast<Eigen::Index>(samples));
    const SoftExtreme top = soft_extreme(L, curve.sharpness);
    const SoftExtreme bottom = soft_extreme(L, -curve.sharpness);
    curve.first_extreme = top.theta;
    curve.last_extreme = bottom.theta;
    curve.excursion = top.value - bottom.value;
    curves_.push_back(std::move(curve));
}

// Bones that the path begins near in some pose, and how deep the reference is in its own.
void RoutingEnergy::find_obstacles(const MuscleUnit& reference, const MotionPlacements& before,
                                   double rest_before, const BoneDepths& bones_before,
                                   const BoneDepths& bones_after) {
    const auto between = [](const std::vector<Vec3>& p, std::size_t k, int i) {
        return Vec3(p[k] + (i + 0.5) / kPiecePoints * (p[k + 1] - p[k]));
    };
    MuscleUnit start = reference;
    apply(start_, start);
    std::vector<char> is_near(bones_after.bodies().size(), 0);
    for (const Curve& curve : curves_) {
        for (std::size_t s = 0; s < samples_; ++s) {
            const std::vector<Vec3> p = points_at(start, after_, curve.motion, s);
            for (const std::size_t b : bones_after.beside(p, after_, curve.motion, s, kSkin)) {
                is_near[b] = 1;
            }
        }
    }
    for (std::size_t b = 0; b < is_near.size(); ++b) {
        if (is_near[b] != 0) {
            obstacles_.push_back(b);
        }
    }
    if (obstacles_.empty()) {
        return;
    }
    bones_after_ = &bones_after;
    const double growth = rest_after_ / rest_before;
    for (Curve& curve : curves_) {
        for (std::size_t s = 0; s < samples_; ++s) {
            const std::vector<Vec3> p = points_at(reference, before, curve.motion, s);
            const std::vector<std::size_t> near = bones_before.beside(p, before, curve.motion, s);
            for (std::size_t k = 0; k + 1 < p.size(); ++k) {
                for (int i = 0; i < kPiecePoints; ++i) {
                    const double depth =
                        bones_before.depth_at(near, between(p, k, i), before, curve.motion, s);
                    curve.excused.push_back(growth * depth);
                }
            }
        }
    }
}

Eigen::Index RoutingEnergy::rows() const {
    const std::size_t bones = bones_after_ != nullptr ? 1 : 0;
    const std::size_t per_motion = samples_ * (3 * wanted_points_ + points_ - 2 + bones + 1) + 3;
    return static_cast<Eigen::Index>(per_motion * curves_.size()) + start_.size();
}

void RoutingEnergy::residuals(const Eigen::VectorXd& x, Eigen::VectorXd& r,
                              Eigen::MatrixXd* J) const {
    r.resize(rows());
    if (J != nullptr) {
        J->setZero(rows(), x.size());
    }
    Eigen::Index row = 0;
    for (const Curve& curve : curves_) {
        row = add_motion(curve, x, row, r, J);
    }
    r.tail(x.size()) = tether_.cwiseProduct(x - start_);
    if (J != nullptr) {
        J->bottomRows(x.size()).diagonal() = tether_;
    }
}

// Rows of one motion: directions of all samples, then the curve's.
Eigen::Index RoutingEnergy::add_motion(const Curve& curve, const Eigen::VectorXd& x,
                                       Eigen::Index row, Eigen::VectorXd& r,
                                       Eigen::MatrixXd* J) const {
    const auto samples = static_cast<Eigen::Index>(samples_);
    const double share = std::sqrt(1.0 / static_cast<double>(samples_));
    Eigen::VectorXd length = Eigen::VectorXd::Zero(samples);
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(J != nullptr ? samples : 0, x.size());
    std::vector<Vec3> p(points_);
    std::vector<Vec3> positions;
    for (std::size_t s = 0; s < samples_; ++s) {
        // p_k = sum_a w_a (R_a x_a + t_a) [Ryu2021, eq. 2]
        std::fill(p.begin(), p.end(), Vec3::Zero());
        for (std::size_t a = 0; a < anchors_.size(); ++a) {
            const Vec3 local = x.segment<3>(static_cast<Eigen::Index>(3 * a));
            p[at(anchors_[a].point)] +=
                anchors_[a].weight * (after_.body(curve.motion, s, anchors_[a].body) * local);
        }
        positions.insert(positions.end(), p.begin(), p.end());
        const auto sample = static_cast<Eigen::Index>(s);
        std::size_t wanted = s * wanted_points_;
        for (std::size_t k = 0; k + 1 < points_; ++k) {
            const Vec3 d = p[k + 1] - p[k];
            const double n = std::max(d.norm(), kLeastPiece);
            const Vec3 u = unit_of(d);
            length[sample] += d.norm() / rest_after_;
            const Mat3 du = (Mat3::Identity() - u * u.transpose()) / n;
            const std::size_t ends = has_direction_[k] == 0 ? 0 : k + 2 == points_ ? 2 : 1;
            for (std::size_t e = 0; e < ends; ++e, row += 3) {
                const Vec3& f = curve.direction[wanted++];
                r.segment<3>(row) = share * f.cross(u);
                if (J == nullptr) {
                    continue;
                }
                const Mat3 D = share * cross_matrix(f) * du;
                for (std::size_t a = 0; a < anchors_.size(); ++a) {
                    const auto point = static_cast<std::size_t>(anchors_[a].point);
                    if (point != k && point != k + 1) {
                        continue;
                    }
                    const double sign = point == k ? -anchors_[a].weight : anchors_[a].weight;
                    const Mat3& R = after_.body(curve.motion, s, anchors_[a].body).rotation;
                    J->block<3, 3>(row, static_cast<Eigen::Index>(3 * a)) += sign * (D * R);
                }
            }
            if (J == nullptr) {
                continue;
            }
            for (std::size_t a = 0; a < anchors_.size(); ++a) {
                const auto point = static_cast<std::size_t>(anchors_[a].point);
                if (point == k || point == k + 1) {
                    const double sign = point == k ? -anchors_[a].weight : anchors_[a].weight;
                    const Mat3& R = after_.body(curve.motion, s, anchors_[a].body).rotation;
                    slopes.block<1, 3>(sample, static_cast<Eigen::Index>(3 * a)) +=
                        sign / rest_after_ * (u.transpose() * R);
                }
            }
        }
    }
    row = add_folds(curve, positions, row, r, J);
    row = bones_after_ != nullptr ? add_bones(curve, positions, row, r, J) : row;
    return add_shape(curve, length, slopes, row, r, J);
}

// What a path turns back at its inner points beyond what it may.
Eigen::Index RoutingEnergy::add_folds(const Curve& curve, const std::vector<Vec3>& positions,
                                      Eigen::Index row, Eigen::VectorXd& r,
                                      Eigen::MatrixXd* J) const {
    const double share = std::sqrt(options_.fold_weight / static_cast<double>(samples_));
    std::size_t wanted = 0;
    for (std::size_t s = 0; s < samples_; ++s) {
        const Vec3* p = positions.data() + s * points_;
        for (std::size_t k = 1; k + 1 < points_; ++k, ++row) {
            const Vec3 in = p[k] - p[k - 1];
            const Vec3 out = p[k + 1] - p[k];
            const Vec3 u = unit_of(in);
            const Vec3 v = unit_of(out);
            const double lack = curve.fold[wanted++] - u.dot(v);
            r[row] = share * std::max(0.0, lack);
            if (J == nullptr || lack <= 0.0) {
                continue;
            }
            // d(u . v) by the ends of both pieces
            const Vec3 by_in = (v - u.dot(v) * u) / std::max(in.norm(), kLeastPiece);
            const Vec3 by_out = (u - u.dot(v) * v) / std::max(out.norm(), kLeastPiece);
            const std::array<Vec3, 3> slope = {-by_in, by_in - by_out, by_out};
            for (std::size_t a = 0; a < anchors_.size(); ++a) {
                const auto point = static_cast<std::size_t>(anchors_[a].point);
                if (point + 1 < k || point > k + 1) {
                    continue;
                }
                const Mat3& R = after_.body(curve.motion, s, anchors_[a].body).rotation;
                J->block<1, 3>(row, static_cast<Eigen::Index>(3 * a)) -=
                    share * anchors_[a].weight * (slope[point + 1 - k].transpose() * R);
            }
        }
    }
    return row;
}

// How deep the path is in bones beyond what the reference excuses, one row a sample.
Eigen::Index RoutingEnergy::add_bones(const Curve& curve, const std::vector<Vec3>& positions,
                                      Eigen::Index row, Eigen::VectorXd& r,
                                      Eigen::MatrixXd* J) const {
    const auto count = static_cast<double>(kPiecePoints * (points_ - 1));
    const double share =
        std::sqrt(options_.bone_weight / static_cast<double>(samples_)) / (count * rest_after_);
    std::size_t excused = 0;
    for (std::size_t s = 0; s < samples_; ++s, ++row) {
        const Vec3* p = positions.data() + s * points_;
        r[row] = 0.0;
        for (std::size_t k = 0; k + 1 < points_; ++k) {
            for (int i = 0; i < kPiecePoints; ++i, ++excused) {
                const double t = (i + 0.5) / kPiecePoints;
                Vec3 slope = Vec3::Zero();
                const double e =
                    bones_after_->depth_at(obstacles_, p[k] + t * (p[k + 1] - p[k]), after_,
                                           curve.motion, s, J == nullptr ? nullptr : &slope) -
                    curve.excused[excused];
                if (e <= 0.0) {
                    continue;
                }
                // psi = e^2 / (e + eps): a square at first, straight below.
                r[row] += share * e * e / (e + kSoftDepth);
                if (J == nullptr) {
                    continue;
                }
                const double rate =
                    share * e * (e + 2.0 * kSoftDepth) / ((e + kSoftDepth) * (e + kSoftDepth));
                for (std::size_t a = 0; a < anchors_.size(); ++a) {
                    const auto point = static_cast<std::size_t>(anchors_[a].point);
                    if (point != k && point != k + 1) {
                        continue;
                    }
                    const double w = anchors_[a].weight * (point == k ? 1.0 - t : t);
                    const Mat3& R = after_.body(curve.motion, s, anchors_[a].body).rotation;
                    J->block<1, 3>(row, static_cast<Eigen::Index>(3 * a)) +=
                        rate * w * (slope.transpose() * R);
                }
            }
        }
    }
    return row;
}

// The course of the curve about its mean, then its extremes [Ryu2021, eq. 8].
Eigen::Index RoutingEnergy::add_shape(const Curve& curve, const Eigen::VectorXd& length,
                                      const Eigen::MatrixXd& slopes, Eigen::Index row,
                                      Eigen::VectorXd& r, Eigen::MatrixXd* J) const {
    const Eigen::Index n = length.size();
    const Eigen::VectorXd wanted = Eigen::Map<const Eigen::VectorXd>(curve.length.data(), n);
    const double w = std::sqrt(options_.curve_weight / static_cast<double>(n)) / curve.excursion;
    r.segment(row, n) = w * ((length.array() - length.mean()) - (wanted.array() - wanted.mean()));
    const SoftExtreme top = soft_extreme(length, curve.sharpness);
    const SoftExtreme bottom = soft_extreme(length, -curve.sharpness);
    const double angle = std::sqrt(options_.length_weight);
    const double size = std::sqrt(options_.length_weight * options_.excursion_weight);
    r[row + n] = angle * (top.theta - curve.first_extreme);
    r[row + n + 1] = angle * (bottom.theta - curve.last_extreme);
    r[row + n + 2] = size * (top.value - bottom.value - curve.excursion);
    if (J != nullptr) {
        J->middleRows(row, n) = w * (slopes.rowwise() - slopes.colwise().mean());
        J->row(row + n) = angle * (top.theta_slopes.transpose() * slopes);
        J->row(row + n + 1) = angle * (bottom.theta_slopes.transpose() * slopes);
        J->row(row + n + 2) =
            size * ((top.value_slopes - bottom.value_slopes).transpose() * slopes);
    }
    return row + n + 3;
}

double RoutingEnergy::value(const Eigen::VectorXd& x) const {
    Eigen::VectorXd r;
    residuals(x, r, nullptr);
    return r.squaredNorm();
}

RoutingEnergies RoutingEnergy::energies(const Eigen::VectorXd& x) const {
    Eigen::VectorXd r;
    residuals(x, r, nullptr);
    RoutingEnergies out;
    const auto samples = static_cast<Eigen::Index>(samples_);
    const auto directions = static_cast<Eigen::Index>(3 * samples_ * wanted_points_);
    const Eigen::Index folds = samples * static_cast<Eigen::Index>(points_ - 2);
    Eigen::Index row = 0;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
        out.direction += r.segment(row, directions).squaredNorm();
        row += directions;
        out.fold += r.segment(row, folds).squaredNorm();
        row += folds;
        if (bones_after_ != nullptr) {
            out.bone += r.segment(row, samples).squaredNorm();
            row += samples;
        }
        out.curve += r.segment(row, samples).squaredNorm();
        out.length += r.segment(row + samples, 3).squaredNorm();
        row += samples + 3;
    }
    out.length /= std::max(options_.length_weight, 1e-300);
    out.tether = r.tail(x.size()).squaredNorm();
    return out;
}

Eigen::VectorXd RoutingEnergy::unknowns(const MuscleUnit& unit) const {
    Eigen::VectorXd x(start_.size());
    Eigen::Index i = 0;
    for (const PathPoint& point : unit.points) {
        for (const PathPoint::Anchor& anchor : point.anchors) {
            x.segment<3>(i) = anchor.position;
            i += 3;
        }
    }
    return x;
}

void RoutingEnergy::apply(const Eigen::VectorXd& x, MuscleUnit& unit) const {
    Eigen::Index i = 0;
    for (PathPoint& point : unit.points) {
        for (PathPoint::Anchor& anchor : point.anchors) {
            anchor.position = x.segment<3>(i);
            i += 3;
        }
    }
}

namespace {

// What the energies of all muscles share: placements, lengths at rest, bones.
class RoutingScene {
public:
    RoutingScene(const MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                 std::span<const BodyWarp> bones, const std::vector<JointMotion>& motions,
                 const RoutingOptions& options)
        : model_(model),
          reference_(reference),
          bones_(bones),
          motions_(motions),
          options_(options),
          before_(reference, motions),
          after_(model, motions),
          paths_before_(reference, KinematicTree(reference)),
          rest_before_(rest_lengths(reference)),
          rest_after_(rest_lengths(model)) {
        if (options.bone_weight > 0.0) {
            bones_before_ = BoneDepths(reference);
            bones_after_ = BoneDepths(model);
        }
    }

    void for_each(const std::function<void(std::size_t, const RoutingEnergy&)>& visit) const {
        parallel_for(model_.muscles.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t m = begin; m < end; ++m) {
                if (is_routable(reference_.muscles[m]) && rest_before_[m] > 0.0 &&
                    rest_after_[m] > 0.0) {
                    const RoutingEnergy energy(reference_.muscles[m], model_.muscles[m], bones_,
                                               before_, after_, motions_, relevant(m),
                                               rest_before_[m], rest_after_[m], options_,
                                               bones_before_, bones_after_);
                    visit(m, energy);
                }
            }
        });
    }

private:
    static std::vector<double> rest_lengths(const MusculoskeletalModel& model) {
        const KinematicTree tree(model);
        return MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model))).length;
    }

    // A motion matters where its coordinate, or one that follows it, changes the path.
    std::vector<char> relevant(std::size_t m) const {
        std::vector<char> out(motions_.size(), 0);
        for (const Index c : paths_before_.coordinates(m)) {
            Index leader = c;
            for (const CoordinateCoupler& k : reference_.couplers) {
                leader = k.dependent == leader ? k.independent : leader;
            }
            for (std::size_t j = 0; j < motions_.size(); ++j) {
                out[j] = out[j] != 0 || motions_[j].coordinate == leader ? 1 : 0;
            }
        }
        return out;
    }

    const MusculoskeletalModel& model_;
    const MusculoskeletalModel& reference_;
    std::span<const BodyWarp> bones_;
    const std::vector<JointMotion>& motions_;
    const RoutingOptions& options_;
    MotionPlacements before_;
    MotionPlacements after_;
    MusclePaths paths_before_;
    std::vector<double> rest_before_;
    std::vector<double> rest_after_;
    BoneDepths bones_before_ = {};
    BoneDepths bones_after_ = {};
};

}  // namespace

void for_each_routing(const MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                      std::span<const BodyWarp> bones, const std::vector<JointMotion>& motions,
                      const RoutingOptions& options,
                      const std::function<void(std::size_t, const RoutingEnergy&)>& visit) {
    RoutingScene(model, reference, bones, motions, options).for_each(visit);
}

std::vector<RoutedMuscle> route_muscles(MusculoskeletalModel& model,
                                        const MusculoskeletalModel& reference,
                                        std::span<const BodyWarp> bones,
                                        const std::vector<JointMotion>& motions,
                                        const RoutingOptions& options, const Progress& progress) {
    const RoutingScene scene(model, reference, bones, motions, options);
    std::vector<RoutedMuscle> out(model.muscles.size());
    std::vector<MuscleUnit> routed = model.muscles;
    std::vector<double> energies(model.muscles.size(), 0.0);
    const auto route = [&](std::size_t m, const RoutingEnergy& energy, Eigen::VectorXd start,
                           int iterations) {
        progress.check_cancelled();
        const LeastSquaresResult found =
            minimise_squares([&](const Eigen::VectorXd& x, Eigen::VectorXd& r,
                                 Eigen::MatrixXd* J) { energy.residuals(x, r, J); },
                             std::move(start), {.max_iterations = iterations});
        RoutedMuscle& report = out[m];
        report.iterations += found.iterations;
        energy.apply(found.x, routed[m]);
        energies[m] = found.energy;
        report.is_routed = true;
        report.directions = energy.direction_count();
        report.before = energy.energies(energy.start());
        report.after = energy.energies(found.x);
        report.farthest_move = 0.0;
        for (Eigen::Index i = 0; i < found.x.size(); i += 3) {
            report.farthest_move =
                std::max(report.farthest_move,
                         (found.x.segment<3>(i) - energy.start().segment<3>(i)).norm());
        }
    };
    scene.for_each([&](std::size_t m, const RoutingEnergy& energy) {
        if (energy.motion_count() == 0) {
            return;
        }
        route(m, energy, energy.start(), options.max_iterations);
        // What has turned its function round may have begun on the wrong side of a joint: again
        // from where the reference has its points on their bones.
        if (out[m].after.waypoint(options) > kPoorRoute &&
            reference.muscles[m].points.size() == routed[m].points.size()) {
            const MuscleUnit first = routed[m];
            const RoutedMuscle report = out[m];
            const double before = energies[m];
            route(m, energy, energy.unknowns(reference.muscles[m]), options.max_iterations);
            if (energies[m] >= before) {
                routed[m] = first;
                out[m] = report;
                energies[m] = before;
            }
        }
    });
    // Left and right may have ended in different minima of about the same energy: the side with the
    // higher one begins again from the other's image, unless that costs more than evenness is
    // worth.
    const MirroredMuscles sides(model);
    const std::vector<MuscleUnit> first = routed;
    const std::vector<double> found = energies;
    scene.for_each([&](std::size_t m, const RoutingEnergy& energy) {
        const std::optional<std::size_t> other = sides.counterpart(m);
        if (!out[m].is_routed || !other || !out[*other].is_routed ||
            std::pair(found[m], m) < std::pair(found[*other], *other)) {
            return;
        }
        const Eigen::VectorXd image = energy.unknowns(sides.mirrored(first[m], first[*other]));
        // In an even body the image is as good as what it is of, and stays as it is: flat valleys
        // would lead it on.
        const double value = energy.value(image);
        const bool is_even = value <= (1.0 + kEven) * found[*other] + kNoEnergy;
        if (value <= (1.0 + kSidesDiffer) * found[m] + kNoEnergy) {
            route(m, energy, image, is_even ? 0 : options.max_iterations);
        }
    });
    model.muscles = std::move(routed);
    return out;
}

}  // namespace sinew
