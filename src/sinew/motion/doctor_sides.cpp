#include "sinew/motion/doctor_exam.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/known_muscles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// Left against right. The median plane is found from paired bodies, in the pose of rest or of
// zeros, whichever is more even; points, moment arms, bodies and parameters are compared across it.
// A model that is uneven everywhere is not sick: deviations count against what its points differ by
// anyway.

namespace sinew {

namespace {

constexpr double kSideRatio = 1.05;    // of parameters, from which on it is remarked
constexpr double kSideForce = 4.0;     // from which on a force is wrong
constexpr double kSideLength = 2.0;    // from which on a fibre or a tendon is wrong
constexpr double kSideTendon = 1.15;   // tendons take up what paths leave, so they differ less
constexpr double kSideMass = 2.5;      // small bones of coarse bodies differ by 1.7
constexpr double kSideInertia = 10.0;  // length to the fifth: 1.6 times as long
constexpr double kSidePoint = 0.025;   // m between a point and the mirror image of its counterpart
constexpr double kSideRemark = 0.008;  // m
constexpr double kSideArm = 0.008;     // m between moment arms
constexpr double kUsualFactor = 5.0;   // of what points of this model differ by anyway
constexpr double kCentre = 0.05;       // m between centres of mass
constexpr std::size_t kVotes = 3;      // pairs that fix how a coordinate counts on either side

template <class Item>
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const std::vector<Item>& items) {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < items.size(); ++i) {
        index[items[i].name] = i;
    }
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string& other : names_of_other_side(items[i].name)) {
            const auto it = index.find(other);
            if (it != index.end()) {
                if (i < it->second) {
                    out.emplace_back(i, it->second);
                }
                break;
            }
        }
    }
    return out;
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Reflection that takes one side of the body to the other.
struct MedianPlane {
    Vec3 normal = Vec3::Zero();  // unit; zero: there is none
    double offset = 0.0;

    Vec3 mirror(const Vec3& p) const {
        return p - 2.0 * (p.dot(normal) - offset) * normal;
    }
};

class SideExam {
public:
    explicit SideExam(ModelExam& exam)
        : exam_(exam),
          bodies_(pairs_of(exam.model.bodies)),
          muscles_(pairs_of(exam.model.muscles)),
          coordinates_(pairs_of(exam.model.coordinates)) {
        choose_pose();
    }

    void examine() {
        for (const auto& [a, b] : bodies_) {
            compare_bodies(exam_.model.bodies[a], exam_.model.bodies[b], a, b);
        }
        std::vector<double> off;
        for (const auto& [a, b] : muscles_) {
            off.push_back(worst_point(a, b).second);
        }
        usual_ = median(off);
        count_signs();
        for (const auto& [a, b] : muscles_) {
            compare_bodies_of_points(a, b);
            compare_paths(a, b);
            compare_parameters(a, b);
        }
    }

private:
    const MuscleUnit& unit(std::size_t m) const {
        return exam_.model.muscles[m];
    }

    // The plane between paired bodies, and how far their origins are from each other's images.
    MedianPlane plane_of(const ModelPlacement& place, double& error) const {
        MedianPlane plane;
        std::vector<Vec3> middles;
        for (const auto& [a, b] : bodies_) {
            const Vec3 across = place.bodies[a].position - place.bodies[b].position;
            plane.normal += plane.normal.dot(across) < 0.0 ? Vec3(-across) : across;
            middles.push_back(0.5 * (place.bodies[a].position + place.bodies[b].position));
        }
        if (plane.normal.norm() < 1e-6) {
            plane.normal = Vec3::Zero();
            error = 1e9;
            return plane;
        }
        plane.normal.normalize();
        std::vector<double> offsets;
        for (const Vec3& m : middles) {
            offsets.push_back(m.dot(plane.normal));
        }
        plane.offset = median(offsets);
        error = 0.0;
        for (const auto& [a, b] : bodies_) {
            error += (plane.mirror(place.bodies[a].position) - place.bodies[b].position).norm();
        }
        return plane;
    }

    // Models may rest in the middle of a step: the pose of rest or of zeros, whichever is more
    // even.
    void choose_pose() {
        double at_rest = 0.0;
        place_ = exam_.rest;
        plane_ = plane_of(place_, at_rest);
        q_ = rest_coordinates(exam_.model);
        const std::vector<double> zeros(exam_.model.coordinates.size(), 0.0);
        const ModelPlacement zero = exam_.tree.place(zeros);
        double at_zero = 0.0;
        const MedianPlane other = plane_of(zero, at_zero);
        if (at_zero < 0.5 * at_rest) {
            place_ = zero;
            plane_ = other;
            q_ = zeros;
        }
        state_ = exam_.paths.evaluate(place_);
    }

    void remark_or_error(const std::string& what, const std::string& where, double ratio,
                         double limit, const char* remedy) {
        const double size = std::max(ratio, 1.0 / std::max(ratio, 1e-12));
        if (size > kSideRatio) {
            exam_.add({.what = fmt::format("{} differs from the other side (ratio)", what),
                       .where = where,
                       .value = ratio,
                       .low = 1.0 / kSideRatio,
                       .high = kSideRatio,
                       .unit = "-",
                       .source = "left and right of one model",
                       .remedy = remedy,
                       .is_error = size > limit});
        }
    }

    void compare_bodies(const RigidBody& a, const RigidBody& b, std::size_t i, std::size_t j) {
        const std::string where = fmt::format("bodies '{}' and '{}'", a.name, b.name);
        if ((a.mass > 0.0) != (b.mass > 0.0)) {
            exam_.add({.what = "one weighs something, the other nothing",
                       .where = where,
                       .value = std::min(a.mass, b.mass),
                       .low = std::max(a.mass, b.mass),
                       .high = std::max(a.mass, b.mass),
                       .unit = "kg",
                       .source = "left and right of one model",
                       .remedy = "give both the same mass"});
        }
        if (a.mass <= 0.0 || b.mass <= 0.0) {
            return;
        }
        remark_or_error("mass", where, a.mass / b.mass, kSideMass,
                        "look for a mass with a wrong power of ten");
        const double moments = a.inertia.trace() / std::max(b.inertia.trace(), 1e-12);
        if (a.inertia.trace() > 0.0 && std::max(moments, 1.0 / moments) > kSideInertia) {
            exam_.add({.what = "moments of inertia differ from the other side (ratio)",
                       .where = where,
                       .value = moments,
                       .low = 1.0 / kSideInertia,
                       .high = kSideInertia,
                       .unit = "-",
                       .source = "left and right of one model",
                       .remedy = "look for a moment with a wrong power of ten"});
        }
        if (plane_.normal.isZero()) {
            return;
        }
        const double off =
            (plane_.mirror(place_.bodies[i] * a.com) - place_.bodies[j] * b.com).norm();
        if (off > kCentre) {
            exam_.add({.what = "centres of mass that are not each other's mirror images",
                       .where = where,
                       .value = off,
                       .low = 0.0,
                       .high = kCentre,
                       .unit = "m",
                       .source = "left and right of one model",
                       .remedy = "look at the centre of mass of either",
                       .is_error = off > 3.0 * kCentre});
        }
    }

    // The point that lies furthest from its counterpart's image, m.
    std::pair<std::size_t, double> worst_point(std::size_t a, std::size_t b) const {
        std::pair<std::size_t, double> out{0, 0.0};
        if (plane_.normal.isZero()) {
            return out;
        }
        const auto& from = unit(a).points;
        const auto& to = unit(b).points;
        for (std::size_t k = 0; k < from.size(); ++k) {
            // Paths of different lengths share their ends.
            const bool is_last = k + 1 == from.size();
            if (from.size() != to.size() && k > 0 && !is_last) {
                continue;
            }
            const PathPoint& other = is_last ? to.back() : to[k];
            if (from[k].is_moving() || other.is_moving()) {
                continue;
            }
            const double off =
                (plane_.mirror(exam_.world(from[k], place_)) - exam_.world(other, place_)).norm();
            if (off > out.second) {
                out = {k, off};
            }
        }
        return out;
    }

    double arm(std::size_t m, std::size_t c) const {
        std::vector<double> dense(exam_.model.coordinates.size());
        exam_.paths.scatter(state_, m, dense);
        exam_.tree.fold_couplers(place_, dense);
        return -dense[c];
    }

    // A coordinate may count the other way round on the other side: most muscles decide.
    void count_signs() {
        for (const auto& [c, d] : coordinates_) {
            double votes = 0.0;
            std::size_t voters = 0;
            for (const auto& [a, b] : muscles_) {
                const double left = arm(a, c);
                const double right = arm(b, d);
                if (std::abs(left) > kSideArm && std::abs(right) > kSideArm) {
                    votes += left * right > 0.0 ? 1.0 : -1.0;
                    ++voters;
                }
            }
            const bool is_sure =
                voters >= kVotes && std::abs(votes) > 0.4 * static_cast<double>(voters);
            signs_.push_back(is_sure ? (votes > 0.0 ? 1.0 : -1.0) : 0.0);
        }
    }

    // Coordinates about which both have moment arms of opposite sign or quite different size.
    std::string different_arms(std::size_t a, std::size_t b, double& worst) const {
        std::string text;
        for (std::size_t i = 0; i < coordinates_.size(); ++i) {
            const auto [c, d] = coordinates_[i];
            if (signs_[i] == 0.0 || !exam_.model.coordinates[c].is_rotation) {
                continue;
            }
            const double left = arm(a, c);
            const double right = signs_[i] * arm(b, d);
            const double off = std::abs(left - right);
            if (off > std::max(kSideArm, 0.3 * std::max(std::abs(left), std::abs(right))) &&
                off > worst) {
                worst = off;
                text = fmt::format("; moment arm about '{}' {:.1f} mm, on the other side {:.1f} mm",
                                   exam_.model.coordinates[c].name, left * 1e3, right * 1e3);
            }
        }
        return text;
    }

    // Whose fibres are further from their working length.
    std::string pair_text(std::size_t a, std::size_t b) const {
        const auto badness = [&](std::size_t m) {
            const double fibre =
                (exam_.state.length[m] - unit(m).tendon) / std::max(unit(m).fibre, 1e-6);
            return std::abs(std::log(std::max(fibre, 1e-3)));
        };
        const bool b_is_worse = badness(b) > badness(a);
        return fmt::format("muscles '{}' and '{}'", unit(b_is_worse ? b : a).name,
                           unit(b_is_worse ? a : b).name);
    }

    void compare_paths(std::size_t a, std::size_t b) {
        const auto [k, off] = worst_point(a, b);
        double arm_off = 0.0;
        const std::string arms = different_arms(a, b, arm_off);
        const double limit = std::max(kSidePoint, kUsualFactor * usual_);
        const bool is_off = off > limit;
        if (off > std::max(kSideRemark, 2.0 * usual_) || arm_off > 0.0) {
            exam_.add(
                {.what = fmt::format("paths that are not each other's mirror images: {} lies "
                                     "{:.1f} mm from the image of its counterpart{}",
                                     point_text(exam_.model, unit(a), k), off * 1e3, arms),
                 .where = pair_text(a, b),
                 .value = off,
                 .low = 0.0,
                 .high = limit,
                 .unit = "m",
                 .source = "left and right of one model",
                 .remedy = "compare that point with the other side's: a sign, a digit or the body",
                 .is_error = is_off || (arm_off > 0.02 && off > kSideRemark)});
        }
    }

    void compare_bodies_of_points(std::size_t a, std::size_t b) {
        const auto& from = unit(a).points;
        const auto& to = unit(b).points;
        for (std::size_t k = 0; from.size() == to.size() && k < from.size(); ++k) {
            const Index i = from[k].anchors[0].body;
            const Index j = to[k].anchors[0].body;
            const bool is_same =
                i == j || std::any_of(bodies_.begin(), bodies_.end(), [&](const auto& pair) {
                    const auto first = static_cast<Index>(pair.first);
                    const auto second = static_cast<Index>(pair.second);
                    return (first == i && second == j) || (first == j && second == i);
                });
            // A lateral body on both sides is somebody else's.
            const bool is_lateral =
                i == j && i >= 0 && std::any_of(bodies_.begin(), bodies_.end(), [&](const auto& p) {
                    return static_cast<Index>(p.first) == i || static_cast<Index>(p.second) == i;
                });
            if (!is_same || is_lateral) {
                // Where both lie in the same place, either body may carry the point.
                const double off =
                    (plane_.mirror(exam_.world(from[k], place_)) - exam_.world(to[k], place_))
                        .norm();
                exam_.add({.what = fmt::format("attached to different bodies: {}, but {}",
                                               point_text(exam_.model, unit(a), k),
                                               point_text(exam_.model, unit(b), k)),
                           .where = pair_text(a, b),
                           .value = static_cast<double>(k + 1),
                           .low = 0.0,
                           .high = 0.0,
                           .unit = "-",
                           .source = "left and right of one model",
                           .remedy = "one of the two is attached to the wrong body",
                           .is_error = plane_.normal.isZero() ||
                                       off > std::max(kSidePoint, kUsualFactor * usual_)});
                return;
            }
        }
    }

    void compare_parameters(std::size_t a, std::size_t b) {
        const std::string where = pair_text(a, b);
        const MuscleUnit& x = unit(a);
        const MuscleUnit& y = unit(b);
        const auto compare = [&](const char* what, double p, double q, double limit,
                                 const char* remedy) {
            if (p > 1e-6 && q > 1e-6) {
                remark_or_error(what, where, p / q, limit, remedy);
            }
        };
        compare("greatest force", x.fmax, y.fmax, kSideForce, "look for a wrong power of ten");
        compare("fibre length", x.fibre, y.fibre, kSideLength, "give both the same fibres");
        // Tendons may differ with their paths, in a body that is not quite even.
        const double paths = state_.length[b] > 0.0 ? state_.length[a] / state_.length[b] : 1.0;
        compare("tendon length", x.tendon, y.tendon,
                std::abs(paths - 1.0) < 0.01 ? kSideTendon : 1e9, "give both the same tendons");
        compare("greatest velocity", x.velocity, y.velocity, 3.0, "give both the same velocity");
        remark_or_error("path length at rest", where, paths, 1e9, "");
    }

    ModelExam& exam_;
    std::vector<std::pair<std::size_t, std::size_t>> bodies_;
    std::vector<std::pair<std::size_t, std::size_t>> muscles_;
    std::vector<std::pair<std::size_t, std::size_t>> coordinates_;
    std::vector<double> signs_ = {};  // of each pair of coordinates; 0: unknown
    std::vector<double> q_ = {};
    ModelPlacement place_ = {};
    PathState state_ = {};
    MedianPlane plane_ = {};
    double usual_ = 0.0;  // distance of a point from its counterpart's image, m
};

}  // namespace

void examine_sides(ModelExam& exam) {
    SideExam(exam).examine();
}

}  // namespace sinew
