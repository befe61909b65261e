#include "sinew/motion/path_choice.h"

#include "sinew/base/units.h"
#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <utility>

// From a muscle's centre line to a path of few points and cylinders. At rest the line is right by
// definition; the question is what it does when joints turn. Points near a joint would pass each
// other when it closes, and without them the path cuts the corner. For each joint that turns by
// more than kWide several choices are tried: how far from it points are left out on either side,
// and what the path slides over there.
//
// A choice is judged by sweeping the joint (and at the end all joints, since points that are left
// out at one may have held the path at the next). Each deviation is divided by what would be one
// unit of cost: moment arms at rest against the line's, signs, jumps, published ranges, length. The
// least cost wins.
//
// The units of cost were authored: they say how many millimetres of one fault are as bad as how
// many of another. What is published about a moment arm (published_muscles.h) overrules the line.

namespace sinew {

namespace {

constexpr double kWide = 0.7;        // rad; joints with a greater range are looked at
constexpr double kCourse = 0.02;     // m; half of the piece that gives a line's direction
constexpr double kInside = 0.9;      // of the line's distance from the joint: its cylinder's radius
constexpr double kThinnest = 0.003;  // m; cylinders
constexpr double kWidest = 0.08;     // m; wider ones would stand for no bone
constexpr double kFold = 1.0;        // of the way that a line shifts over a joint's range
constexpr double kFarLine = 0.045;   // m from a joint's centre; lines nearer by follow the bones
constexpr double kCylinderLength = 0.3;
constexpr int kSamples = 13;    // of a coordinate's range
constexpr double kStep = 1e-3;  // rad; of differences at rest
constexpr int kFineSamples = 40;
constexpr double kJump = 0.012;       // m; between neighbours of these
constexpr double kWideJump = 0.006;   // m; at joints that turn far
constexpr double kJumpUnit = 0.0015;  // m
// How far from the joint, along the line, points are left out.
constexpr std::array<double, 11> kClear = {0.0, 0.015, 0.03, 0.045, 0.06, 0.08,
                                           0.1, 0.13,  0.16, 0.2,   0.25};

// What a choice is judged by; each deviation is divided by what would be one unit of cost.
constexpr double kArmUnit = 0.004;       // m
constexpr double kArmShare = 0.15;       // of the line's moment arm, besides
constexpr double kKeptShare = 0.7;       // of the line's moment arm that must be left anywhere
constexpr double kKeptUnit = 0.002;      // m
constexpr double kLeftShare = 0.15;      // of it that may be left at one place
constexpr double kUnmeasured = 0.5;      // of a published moment arm, beyond angles measured
constexpr double kTurnedUnit = 0.001;    // m; where a sign changes that is published
constexpr double kClearSign = 0.005;     // m; smaller moment arms have no sign to keep
constexpr double kSteepest = 0.04;       // m/rad; moment arms that change faster jump
constexpr double kGreatest = 1.5;        // times the line's moment arm, plus
constexpr double kGreatestMore = 0.015;  // m
constexpr double kBeyondUnit = 0.002;    // m; no tissue lets a tendon bow out further
constexpr double kLengthShare = 0.02;
constexpr double kSignWeight = 3.0;
constexpr double kSharedPiece = 100.0;

// Of bending a line.
constexpr int kLeadRounds = 6;
constexpr double kLedWell = 0.0005;     // m; as near to what is wanted
constexpr double kLeadReach = 4.0;      // times the height of the bend
constexpr double kLeastLead = 0.03;     // m
constexpr double kLeadSpacing = 0.004;  // m; of points
constexpr double kLeastAcross = 0.1;    // of lines along the axis

double squared(double x) {
    return x * x;
}

// A line by the way along it.
class Course {
public:
    explicit Course(const std::vector<Vec3>& points) : points_(points) {
        place_.push_back(0.0);
        for (std::size_t k = 1; k < points.size(); ++k) {
            place_.push_back(place_.back() + (points[k] - points[k - 1]).norm());
        }
    }
    double length() const {
        return place_.back();
    }
    double place(std::size_t k) const {
        return place_[k];
    }
    Vec3 point(double s) const {
        const double t = std::clamp(s, 0.0, length());
        const auto it = std::upper_bound(place_.begin() + 1, place_.end() - 1, t);
        const auto k = static_cast<std::size_t>(it - place_.begin());
        const double d = std::max(place_[k] - place_[k - 1], 1e-12);
        return points_[k - 1] + (t - place_[k - 1]) / d * (points_[k] - points_[k - 1]);
    }
    // Where it passes a centre.
    double nearest(const Vec3& centre) const {
        double best = 1e9;
        double found = 0.0;
        for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
            const Vec3 d = points_[k + 1] - points_[k];
            const Vec3 to = centre - points_[k];
            const double t = std::clamp(to.dot(d) / std::max(d.squaredNorm(), 1e-18), 0.0, 1.0);
            if ((to - t * d).norm() < best) {
                best = (to - t * d).norm();
                found = place_[k] + t * d.norm();
            }
        }
        return found;
    }

private:
    const std::vector<Vec3>& points_;
    std::vector<double> place_ = {};
};

// Joints in the order in which the line passes them.
std::vector<double> passing_places(const CrossedLine& line, const Course& course) {
    std::vector<double> out;
    for (const LineCrossing& c : line.crossings) {
        const double s = course.nearest(c.centre);
        out.push_back(out.empty() ? s : std::max(s, out.back()));
    }
    return out;
}

// What the path slides over: nothing, a cylinder inside the line, one on the bone, one about the
// axis that the muscle turns most.
enum class Slide { Nothing, Line, Bone, MainAxis };

// What is left out and put in at one crossing.
struct Choice {
    double before = 0.0;
    double after = 0.0;
    Slide slides = Slide::Nothing;
};

// The same passing as seen from an axis through the joint's centre.
LinePassing about(LinePassing p, const LineCrossing& joint, const Vec3& axis) {
    const Vec3 off = p.point - joint.centre;
    const Vec3 away = off - off.dot(axis) * axis;
    p.axis = axis;
    p.distance = away.norm();
    p.outwards = away.normalized();
    return p;
}

class PathChooser {
public:
    // Per joint: whether it turns far, how the line passes it, and the moment arms that the path
    // should have. About a hinge whose bone reaches further out than the line, the target is the
    // bone's: a volume that was drawn through the bone cannot have its line's moment arm.
    explicit PathChooser(const CrossedLine& line)
        : line_(line), course_(line.points), passed_(passing_places(line, course_)) {
        for (std::size_t c = 0; c < line.crossings.size(); ++c) {
            choices_.push_back({});
            is_wide_.push_back(false);
            for (std::size_t k = 0; k < count(c); ++k) {
                const double range = line.crossings[c].high[k] - line.crossings[c].low[k];
                is_wide_[c] = is_wide_[c] || range > kWide;
            }
            passing_.push_back(passing(line, c));
            if (!is_wide_[c] && passing_[c].distance > kFarLine) {
                choices_[c].before = choices_[c].after = shift_over_range(c);
            }
            target_.push_back(line_moment_arms(line, c));
            const auto& arms = target_[c];
            const auto main = std::max_element(arms.begin(), arms.end(), [](double a, double b) {
                return std::abs(a) < std::abs(b);
            });
            main_passing_.push_back(about(passing_[c], line.crossings[c],
                                          line.crossings[c].axes[at(main - arms.begin())]));
            const LineCrossing& joint = line.crossings[c];
            if (joint.axis_count == 1 && joint.bone > passing_[c].distance) {
                const Vec3 u = (joint.to_child ? 1.0 : -1.0) * passing_[c].onwards;
                const double side = -u.dot(joint.axes[0].cross(passing_[c].outwards));
                target_[c][0] = side > 0.0 ? joint.bone : -joint.bone;
            }
        }
    }

    // Each joint by itself first, then once more with all of them in view; then faults that only
    // the whole path shows.
    ChosenPath choose() {
        const auto wide = std::count(is_wide_.begin(), is_wide_.end(), true);
        for (int pass = 0; pass < (wide > 1 ? 2 : 1); ++pass) {
            for (std::size_t c = 0; c < choices_.size(); ++c) {
                if (is_wide_[c]) {
                    improve(c, pass > 0);
                }
            }
        }
        open_folds();
        drop_jumping_cylinders();
        ChosenPath chosen = path();
        for (std::size_t c = 0; c < choices_.size(); ++c) {
            chosen.cost = is_wide_[c] ? std::max(chosen.cost, judge(c)) : chosen.cost;
        }
        return chosen;
    }

private:
    std::size_t count(std::size_t c) const {
        return static_cast<std::size_t>(line_.crossings[c].axis_count);
    }

    // Points on either side of a joint pass each other by this when it turns from end to end. Kept
    // nearer to it, they would turn the path round (muscles of the belly, far from the spine).
    double shift_over_range(std::size_t c) const {
        double range = 0.0;
        for (std::size_t k = 0; k < count(c); ++k) {
            const double turn = line_.crossings[c].high[k] - line_.crossings[c].low[k];
            range = std::isfinite(turn) ? std::max(range, turn) : range;
        }
        return kFold * range * passing_[c].distance;
    }

    // Lines nearer by keep their points, unless these do pass each other (nape).
    void open_folds() {
        for (std::size_t c = 0; c < choices_.size(); ++c) {
            if (is_wide_[c] || choices_[c].before > 0.0) {
                continue;
            }
            const double folded = jump_at(path(), c);
            if (folded < kJump) {
                continue;
            }
            const Choice kept = choices_[c];
            choices_[c].before = choices_[c].after = shift_over_range(c);
            if (jump_at(path(), c) > 0.5 * folded) {
                choices_[c] = kept;
            }
        }
    }

    // A cylinder at one joint may make the moment arm about the next, which turns little and was
    // not asked, jump where the path meets it (muscles of the neck).
    void drop_jumping_cylinders() {
        for (auto& choice : choices_) {
            if (choice.slides == Slide::Nothing) {
                continue;
            }
            const double with = greatest_jump(path());
            const Slide before = choice.slides;
            choice.slides = Slide::Nothing;
            if (with < kJump || greatest_jump(path()) > 0.5 * with) {
                choice.slides = before;
            }
        }
    }

    // Between neighbouring angles of the joints that turn little, m.
    double greatest_jump(const ChosenPath& candidate) const {
        double jump = 0.0;
        for (std::size_t c = 0; c < choices_.size(); ++c) {
            jump = is_wide_[c] ? jump : std::max(jump, jump_at(candidate, c));
        }
        return jump;
    }

    // Between neighbouring angles of one joint, m.
    double jump_at(const ChosenPath& candidate, std::size_t c) const {
        double jump = 0.0;
        for (std::size_t k = 0; k < count(c); ++k) {
            const LineCrossing& joint = line_.crossings[c];
            const double d = (joint.high[k] - joint.low[k]) / kFineSamples;
            if (!(d > 0.0) || !std::isfinite(d)) {
                continue;
            }
            double before = length(candidate, c, k, joint.low[k]);
            double arm = 0.0;
            for (int i = 1; i <= kFineSamples; ++i) {
                const double l = length(candidate, c, k, joint.low[k] + i * d);
                jump = i > 1 ? std::max(jump, std::abs((l - before) / d - arm)) : jump;
                arm = (l - before) / d;
                before = l;
            }
        }
        return jump;
    }

    // Coarse samples smooth a jump over (where a path leaves its cylinder).
    double jump_cost(std::size_t c, bool everywhere) const {
        const ChosenPath candidate = path();
        double cost = 0.0;
        for (std::size_t other = 0; other < choices_.size(); ++other) {
            if (other == c || (everywhere && is_wide_[other])) {
                const double jump = jump_at(candidate, other) - kWideJump;
                cost += kSignWeight * squared(std::max(0.0, jump) / kJumpUnit);
            }
        }
        return cost;
    }

    // What a choice costs at its own joint, or at all of them: points left out at one may be those
    // that held the path at the next (tendons of toes under the ankle's retinaculum).
    double cost_of(std::size_t c, bool everywhere) const {
        double cost = judge(c);
        for (std::size_t other = 0; everywhere && other < choices_.size(); ++other) {
            cost += other != c && is_wide_[other] ? judge(other) : 0.0;
        }
        return cost;
    }

    // All pairs of clearances with all four kinds of sliding. Pairs that leave out the same points
    // are the same choice and are tried once.
    void improve(std::size_t c, bool everywhere) {
        std::vector<std::pair<double, Choice>> costs;
        std::vector<std::vector<bool>> tried;
        for (const double before : kClear) {
            for (const double after : kClear) {
                choices_[c] = {before, after, Slide::Nothing};
                std::vector<bool> kept = kept_points();
                if (std::find(tried.begin(), tried.end(), kept) != tried.end()) {
                    continue;
                }
                tried.push_back(std::move(kept));
                for (const Slide slides :
                     {Slide::Nothing, Slide::Line, Slide::Bone, Slide::MainAxis}) {
                    choices_[c].slides = slides;
                    costs.emplace_back(cost_of(c, everywhere), choices_[c]);
                }
            }
        }
        // Fine samples are dear: only of those that could still be the best.
        std::stable_sort(costs.begin(), costs.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        Choice best;
        double least = 1e300;
        for (const auto& [cost, choice] : costs) {
            if (cost >= least * (1.0 - 1e-9)) {
                break;
            }
            choices_[c] = choice;
            const double whole = cost + jump_cost(c, everywhere);
            if (whole < least * (1.0 - 1e-9)) {
                least = whole;
                best = choice;
            }
        }
        choices_[c] = best;
    }

    std::vector<bool> kept_points() const {
        std::vector<bool> kept(line_.points.size(), true);
        for (std::size_t k = 1; k + 1 < kept.size(); ++k) {
            const double s = course_.place(k);
            for (std::size_t c = 0; c < passed_.size(); ++c) {
                const double room = s > passed_[c] ? choices_[c].after : choices_[c].before;
                kept[k] = kept[k] && std::abs(s - passed_[c]) >= room;
            }
        }
        return kept;
    }

    // About the joint, a little inside the line or on the bone. The cylinder rides on the joint's
    // parent. Its z axis is the joint's, or lies across the line; x points to the line, which is
    // the side that counts.
    bool cylinder(std::size_t c, WrapObject& out) const {
        const LineCrossing& joint = line_.crossings[c];
        const bool turns_main = choices_[c].slides == Slide::MainAxis;
        if (turns_main && joint.axis_count == 1) {
            return false;
        }
        const LinePassing& p = turns_main ? main_passing_[c] : passing_[c];
        const double inside = kInside * p.distance;
        const double radius =
            choices_[c].slides == Slide::Bone ? std::max(inside, joint.bone) : inside;
        if (!(radius > kThinnest && radius < kWidest) || !p.axis.allFinite()) {
            return false;
        }
        out.body = joint.to_child ? line_.bodies[c] : line_.bodies[c + 1];
        out.kind = WrapKind::Cylinder;
        out.size = Vec3(radius, kCylinderLength, 1.0);
        out.side_axis = 0;
        out.side_sign = 1;
        out.placement.position = joint.centre;
        out.placement.rotation.col(0) = p.outwards;
        out.placement.rotation.col(1) = p.axis.cross(p.outwards);
        out.placement.rotation.col(2) = p.axis;
        return true;
    }

    // Points belong to the body between whose joints they lie; ends always belong to their bones.
    ChosenPath path() const {
        ChosenPath out;
        std::vector<double> places;
        const std::vector<bool> kept = kept_points();
        for (std::size_t k = 0; k < kept.size(); ++k) {
            if (!kept[k]) {
                continue;
            }
            const double s = course_.place(k);
            const auto step = static_cast<std::size_t>(
                std::count_if(passed_.begin(), passed_.end(), [&](double c) { return s > c; }));
            const std::size_t b = k == 0 ? 0 : k + 1 == kept.size() ? passed_.size() : step;
            out.points.push_back({line_.points[k], line_.bodies[b]});
            places.push_back(s);
        }
        for (std::size_t c = 0; c < passed_.size(); ++c) {
            ChosenPath::Wrap wrap{.joint = line_.crossings[c].joint};
            if (choices_[c].slides != Slide::Nothing && cylinder(c, wrap.object)) {
                const auto after =
                    std::upper_bound(places.begin() + 1, places.end() - 1, passed_[c]);
                wrap.after = static_cast<Index>(after - places.begin()) - 1;
                face(wrap.object, c, out.points[at(wrap.after)].position,
                     out.points[at(wrap.after) + 1].position);
                if (lies_outside(wrap.object, out.points[at(wrap.after)].position) &&
                    lies_outside(wrap.object, out.points[at(wrap.after) + 1].position)) {
                    out.wraps.push_back(wrap);
                }
            }
        }
        return out;
    }

    // Turns the side on which a path passes a hinge's cylinder to the middle of where its two
    // points get to: a point that swings past the side's edge would send the path all the way
    // round.
    void face(WrapObject& object, std::size_t c, const Vec3& before, const Vec3& after) const {
        const LineCrossing& joint = line_.crossings[c];
        if (joint.axis_count != 1) {
            return;
        }
        const auto angle = [&](const Vec3& p) {
            const Vec3 local = object.placement.inverse() * p;
            return std::atan2(local.y(), local.x());
        };
        const double stays = angle(joint.to_child ? before : after);
        const double moves = angle(joint.to_child ? after : before);
        const double least = std::min(stays, moves + std::min(joint.low[0], 0.0));
        const double most = std::max(stays, moves + std::max(joint.high[0], 0.0));
        if (most - least < kPi) {
            object.placement.rotation =
                object.placement.rotation *
                Eigen::AngleAxisd(0.5 * (least + most), Vec3::UnitZ()).toRotationMatrix();
        }
    }

    // A path cannot slide over what its own point lies in.
    static bool lies_outside(const WrapObject& object, const Vec3& p) {
        const Vec3 local = object.placement.inverse() * p;
        return std::hypot(local.x(), local.y()) > object.size[0] ||
               std::abs(local.z()) > 0.5 * object.size[1];
    }

    std::size_t step_of(Index body) const {
        return static_cast<std::size_t>(std::find(line_.bodies.begin(), line_.bodies.end(), body) -
                                        line_.bodies.begin());
    }

    // Length with one coordinate of a crossing turned.
    double length(const ChosenPath& path, std::size_t c, std::size_t k, double angle) const {
        const LineCrossing& joint = line_.crossings[c];
        const Mat3 R = Eigen::AngleAxisd(angle, joint.axes[k]).toRotationMatrix();
        const auto moves = [&](Index body) { return (step_of(body) > c) == joint.to_child; };
        const auto turned = [&](const Vec3& p, Index body) {
            return moves(body) ? Vec3(R * (p - joint.centre) + joint.centre) : p;
        };
        double sum = 0.0;
        Vec3 last = turned(path.points[0].position, path.points[0].body);
        for (std::size_t i = 1; i < path.points.size(); ++i) {
            const Vec3 next = turned(path.points[i].position, path.points[i].body);
            double piece = (next - last).norm();
            // The cylinder of the crossing looked at counts before others in the same piece.
            const ChosenPath::Wrap* wrap = nullptr;
            for (const ChosenPath::Wrap& w : path.wraps) {
                if (at(w.after) + 1 == i && (wrap == nullptr || w.joint == joint.joint)) {
                    wrap = &w;
                }
            }
            if (wrap != nullptr) {
                Placement T = wrap->object.placement;
                if (moves(wrap->object.body)) {
                    T = {R * T.rotation, R * (T.position - joint.centre) + joint.centre};
                }
                const Placement to_surface = T.inverse();
                const Vec3 p = to_surface * last;
                const Vec3 s = to_surface * next;
                const SurfaceWrap round = wrap_segment(wrap->object, p, s);
                if (round.wraps) {
                    piece = (round.begin - p).norm() + round.length + (s - round.end).norm();
                }
            }
            sum += piece;
            last = next;
        }
        return sum;
    }

    // Squares of deviations in units: cost 1 is one unit of one fault.
    double judge(std::size_t c) const {
        const ChosenPath candidate = path();
        double cost =
            squared((length(candidate, c, 0, 0.0) / course_.length() - 1.0) / kLengthShare);
        for (std::size_t k = 0; k < count(c); ++k) {
            cost += judge_axis(candidate, c, k);
        }
        // Two cylinders between the same points would pull the path to and fro.
        for (std::size_t w = 1; w < candidate.wraps.size(); ++w) {
            cost += candidate.wraps[w].after == candidate.wraps[w - 1].after ? kSharedPiece : 0.0;
        }
        return cost;
    }

    // The least and the greatest moment arm to be had at an angle: published ones, or what the line
    // has at rest.
    static std::pair<double, double> expected(const LineCrossing& joint, std::size_t k,
                                              double angle, double target) {
        if (joint.most_arm[k] > 0.0) {
            return {(angle < joint.measured_to[k] ? 1.0 : kUnmeasured) * joint.least_arm[k],
                    joint.most_arm[k]};
        }
        return {kKeptShare * std::abs(target), kGreatest * std::abs(target) + kGreatestMore};
    }

    // Moment arms by differences of lengths between neighbouring samples. Costs: the arm at rest
    // against its target; too little of it anywhere; a sign that changes; steps between samples;
    // more than a muscle there can have. Axes about which the muscle does little count little.
    double judge_axis(const ChosenPath& candidate, std::size_t c, std::size_t k) const {
        const LineCrossing& joint = line_.crossings[c];
        const double target = target_[c][k];
        const double unit = kArmUnit + kArmShare * std::abs(target);
        const double at_rest =
            -(length(candidate, c, k, kStep) - length(candidate, c, k, -kStep)) / (2.0 * kStep);
        double cost = squared((at_rest - target) / unit);
        const double span = joint.high[k] - joint.low[k];
        if (!(span > 0.0) || !std::isfinite(span)) {
            return cost;
        }
        const double sign = target >= 0.0 ? 1.0 : -1.0;
        const double d = span / (kSamples - 1);
        const double steepest = kSteepest * d + kArmUnit;
        double last_length = length(candidate, c, k, joint.low[k]);
        double last_arm = 0.0;
        double beyond = 0.0;     // what a muscle there can have
        double turned = 0.0;     // furthest to the wrong side
        double kept_cost = 0.0;  // where least of the moment arm is left
        for (int i = 1; i < kSamples; ++i) {
            const double angle = joint.low[k] + i * d;
            const double l = length(candidate, c, k, angle);
            const double arm = -(l - last_length) / d;
            const auto [kept, limit] = expected(joint, k, angle, target);
            if (std::abs(target) > kClearSign) {
                const double missing = kept - sign * arm;
                cost += kSignWeight * squared(std::max(0.0, missing) / kArmUnit) / kSamples;
                kept_cost = std::max(kept_cost, squared(std::max(0.0, missing) / kKeptUnit));
                turned = std::max(turned, kLeftShare * std::abs(target) - sign * arm);
            }
            beyond = std::max(beyond, std::abs(arm) - limit);
            if (i > 1) {
                cost += squared(std::max(0.0, std::abs(arm - last_arm) - steepest) / kArmUnit);
            }
            last_length = l;
            last_arm = arm;
        }
        const bool is_known = joint.most_arm[k] > 0.0;
        cost += kSignWeight * squared(beyond / (is_known ? kArmUnit : kBeyondUnit));
        // Intervals are means; the very ends may lie on the wrong side all the same.
        for (const double end : {joint.low[k], joint.high[k]}) {
            const double arm =
                -(length(candidate, c, k, end + kStep) - length(candidate, c, k, end - kStep)) /
                (2.0 * kStep);
            if (std::abs(target) > kClearSign) {
                turned = std::max(turned, kLeftShare * std::abs(target) - sign * arm);
            }
        }
        // Of a joint that turns several ways, that counts most which changes the length most.
        double most = std::abs(target) * span;
        for (std::size_t other = 0; other < count(c); ++other) {
            const double turn = joint.high[other] - joint.low[other];
            most = std::max(most, std::isfinite(turn) ? std::abs(target_[c][other]) * turn : 0.0);
        }
        const double share = squared(target * span / std::max(most, kClearSign));
        cost += kSignWeight *
                (squared(turned / (is_known ? kTurnedUnit : kArmUnit)) + share * kept_cost);
        return cost;
    }

    const CrossedLine& line_;
    Course course_;
    std::vector<double> passed_;
    std::vector<Choice> choices_ = {};
    std::vector<bool> is_wide_ = {};
    std::vector<LinePassing> passing_ = {};
    std::vector<LinePassing> main_passing_ = {};
    std::vector<std::array<double, 3>> target_ = {};
};

}  // namespace

LinePassing passing(const CrossedLine& line, std::size_t crossing) {
    const Course course(line.points);
    const double s = passing_places(line, course)[crossing];
    const LineCrossing& joint = line.crossings[crossing];
    LinePassing out;
    out.point = course.point(s);
    out.onwards = (course.point(s + kCourse) - course.point(s - kCourse)).normalized();
    const Vec3 axis = joint.axis_count == 1
                          ? joint.axes[0].normalized()
                          : Vec3((out.point - joint.centre).cross(out.onwards)).normalized();
    return about(out, joint, axis);
}

std::array<double, 3> line_moment_arms(const CrossedLine& line, std::size_t crossing) {
    const Course course(line.points);
    const double s = passing_places(line, course)[crossing];
    const Vec3 from = course.point(s - kCourse);
    const Vec3 to = course.point(s + kCourse);
    const LineCrossing& joint = line.crossings[crossing];
    // Turning the child's side lengthens the piece by u . (axis x (p - centre)).
    const Vec3 u = (joint.to_child ? 1.0 : -1.0) * (to - from).normalized();
    std::array<double, 3> arms = {};
    for (std::size_t k = 0; k < static_cast<std::size_t>(joint.axis_count); ++k) {
        arms[k] = -u.dot(joint.axes[k].cross(0.5 * (from + to) - joint.centre));
    }
    return arms;
}

// A few rounds, since bending changes the line's course, from which the moment arm is measured.
void lead_past(CrossedLine& line, std::size_t crossing, std::size_t axis, double arm) {
    const Vec3& turns = line.crossings[crossing].axes[axis];
    for (int round = 0; round < kLeadRounds; ++round) {
        const double missing = arm - line_moment_arms(line, crossing)[axis];
        if (missing * arm <= 0.0 || std::abs(missing) < kLedWell) {
            return;
        }
        const Course course(line.points);
        const double s0 = passing_places(line, course)[crossing];
        const Vec3 u = (line.crossings[crossing].to_child ? 1.0 : -1.0) *
                       (course.point(s0 + kCourse) - course.point(s0 - kCourse)).normalized();
        // The moment arm is -u . (axis x p): it grows along axis x u.
        const Vec3 across = turns.cross(u);
        const Vec3 shift = missing * across / std::max(across.squaredNorm(), kLeastAcross);
        const double reach = std::max(kLeadReach * std::abs(missing), kLeastLead);
        std::vector<double> places;
        for (std::size_t k = 0; k < line.points.size(); ++k) {
            places.push_back(course.place(k));
        }
        for (const double part : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
            const double s = s0 + part * reach;
            if (s > kLeadSpacing && s < course.length() - kLeadSpacing) {
                places.push_back(s);
            }
        }
        std::sort(places.begin(), places.end());
        std::vector<Vec3> bent;
        double last = -1.0;
        for (const double s : places) {
            const bool is_end = s <= 0.0 || s >= course.length();
            if (!is_end && (s - last < kLeadSpacing || course.length() - s < kLeadSpacing)) {
                continue;
            }
            const double t = is_end ? 1.0 : std::min(std::abs(s - s0) / reach, 1.0);
            bent.push_back(course.point(s) + squared(std::cos(0.5 * kPi * t)) * shift);
            last = s;
        }
        line.points = std::move(bent);
    }
}

ChosenPath choose_path(const CrossedLine& line) {
    return PathChooser(line).choose();
}

}  // namespace sinew
