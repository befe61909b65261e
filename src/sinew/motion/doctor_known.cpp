#include "sinew/body/names.h"
#include "sinew/motion/doctor_exam.h"
#include "sinew/motion/known_muscles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Muscles against what is known under their names. The model's own conventions are found first, by
// majority: which sense a coordinate counts in, how much stronger or longer its muscles are than
// published ones. Only what differs from the majority of the model itself is a finding, so that
// other conventions are none.

namespace sinew {

namespace {

constexpr double kTellingArm = 0.008;  // m, from which on a moment arm says which way
constexpr double kForceFactor = 8.0;   // models differ by 3
constexpr double kForcePart = 5e-3;    // of the whole muscle's force, that a part of it may have
constexpr double kForceAlone = 0.05;   // the same of the only unit of its name on its side
constexpr double kFibreFactor = 2.5;   // models differ by 1.6
constexpr double kMidline = 0.01;      // m beyond the middle of the body
constexpr std::size_t kFewest = 3;     // muscles that make a comparison

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::string where_muscle(const MuscleUnit& unit) {
    return fmt::format("muscle '{}'", unit.name);
}

bool lists(std::string_view words, std::string_view word) {
    return words.find(word) != std::string_view::npos;
}

class KnownExam {
public:
    explicit KnownExam(ModelExam& exam) : exam_(exam) {
        for (const MuscleUnit& unit : exam.model.muscles) {
            known_.push_back(find_known_muscle(unit.name));
        }
    }

    void examine() {
        for (std::size_t c = 0; c < exam_.model.coordinates.size(); ++c) {
            examine_actions(c);
        }
        examine_ratio(
            "a greatest force", "N", kForceFactor, [](const MuscleUnit& u) { return u.fmax; },
            [](const KnownMuscle& k) { return k.fmax; });
        examine_ratio(
            "an optimal fibre length", "m", kFibreFactor,
            [](const MuscleUnit& u) { return u.fibre; },
            [](const KnownMuscle& k) { return k.fibre; });
        for (std::size_t m = 0; m < known_.size(); ++m) {
            examine_segments(m);
        }
        examine_midline();
    }

private:
    // Which way a coordinate counts is what most muscles of known action say; one that says
    // otherwise has an attachment on the wrong side.
    void examine_actions(std::size_t c) {
        const std::string_view motion = motion_of_coordinate(exam_.model.coordinates[c].name);
        if (motion.empty()) {
            return;
        }
        const std::vector<double> slopes = exam_.slopes(rest_coordinates(exam_.model), c);
        for (std::size_t m = 0; m < slopes.size(); ++m) {
            if (const double most = greatest_arm(motion); std::abs(slopes[m]) > most) {
                exam_.add({.what = fmt::format("a moment arm about '{}' that no muscle has there",
                                               exam_.model.coordinates[c].name),
                           .where = where_muscle(exam_.model.muscles[m]),
                           .value = -slopes[m],
                           .low = -most,
                           .high = most,
                           .unit = "m",
                           .source = "Arnold2010, Murray1995",
                           .remedy = "look for a point too far from the joint"});
            }
        }
        std::vector<std::pair<std::size_t, double>> votes;  // muscle, arm by known sign
        double sum = 0.0;
        for (std::size_t m = 0; m < known_.size(); ++m) {
            if (known_[m] == nullptr || std::abs(slopes[m]) < kTellingArm) {
                continue;
            }
            for (const KnownAction& action : known_[m]->actions) {
                if (action.motion == motion) {
                    votes.emplace_back(m, -slopes[m] * action.sign);
                    sum += -slopes[m] * action.sign > 0.0 ? 1.0 : -1.0;
                }
            }
        }
        if (votes.size() < kFewest || std::abs(sum) < 0.3 * static_cast<double>(votes.size())) {
            return;
        }
        for (const auto& [m, arm] : votes) {
            if (arm * sum > 0.0) {
                continue;
            }
            exam_.add(
                {.what = fmt::format("it moves '{}' the wrong way: its moment arm of {:.1f} mm "
                                     "is opposed to that of {} muscles of known action",
                                     exam_.model.coordinates[c].name, -slopes[m] * 1e3,
                                     votes.size() - 1),
                 .where = where_muscle(exam_.model.muscles[m]),
                 .value = slopes[m],
                 .low = kTellingArm,
                 .high = 0.1,
                 .unit = "m",
                 .source = "Gray1918",
                 .remedy = "look for a point on the wrong side of the joint, or a wrong sign"});
        }
    }

    // Against published values, times what this model's muscles have more or less of them.
    template <class Own, class Published>
    void examine_ratio(const char* what, const char* unit_name, double factor, Own own,
                       Published published) {
        std::vector<double> ratios;
        for (std::size_t m = 0; m < known_.size(); ++m) {
            if (known_[m] != nullptr && published(*known_[m]) > 0.0 &&
                exam_.model.muscles[m].has_known_lengths) {
                ratios.push_back(own(exam_.model.muscles[m]) / published(*known_[m]));
            }
        }
        if (ratios.empty()) {
            return;
        }
        const double usual = ratios.size() < kFewest ? 1.0 : median_of(ratios);
        for (std::size_t m = 0; m < known_.size(); ++m) {
            if (known_[m] == nullptr || published(*known_[m]) <= 0.0 ||
                !exam_.model.muscles[m].has_known_lengths) {
                continue;
            }
            const double expected = published(*known_[m]) * usual;
            const double value = own(exam_.model.muscles[m]);
            // Parts of a muscle may be much weaker than the whole; one that stands alone is most of
            // it, or the part that the model needs.
            const double part = is_alone(m) ? kForceAlone : kForcePart;
            const double low = factor == kForceFactor ? part * expected : expected / factor;
            if (value > expected * factor || value < low) {
                exam_.add({.what = fmt::format("{} far from that of muscles of this name", what),
                           .where = where_muscle(exam_.model.muscles[m]),
                           .value = value,
                           .low = low,
                           .high = expected * factor,
                           .unit = unit_name,
                           .source = "Arnold2010, Holzbaur2005, times the model's usual ratio",
                           .remedy = "look for a wrong power of ten or a neighbour's value"});
            }
        }
    }

    // Whether no other unit of this side stands for the same muscle.
    bool is_alone(std::size_t m) const {
        const Side side = split_side(exam_.model.muscles[m].name).side;
        for (std::size_t o = 0; o < known_.size(); ++o) {
            if (o != m && known_[o] == known_[m] &&
                split_side(exam_.model.muscles[o].name).side == side) {
                return false;
            }
        }
        return true;
    }

    // Origin and insertion lie on the segments that anatomy names, in either order.
    void examine_segments(std::size_t m) {
        if (known_[m] == nullptr || known_[m]->origin_segments.empty()) {
            return;
        }
        const MuscleUnit& unit = exam_.model.muscles[m];
        const auto segment = [&](const PathPoint& p) {
            const Index body = p.anchors[0].body;
            return body < 0 ? std::string_view()
                            : segment_of_body(exam_.model.bodies[at(body)].name);
        };
        const std::string_view first = segment(unit.points.front());
        const std::string_view last = segment(unit.points.back());
        const KnownMuscle& known = *known_[m];
        const auto fits = [](std::string_view words, std::string_view s) {
            return s.empty() || lists(words, s);
        };
        if ((fits(known.origin_segments, first) && fits(known.insertion_segments, last)) ||
            (fits(known.origin_segments, last) && fits(known.insertion_segments, first))) {
            return;
        }
        const bool origin_is_wrong = !fits(known.origin_segments, first);
        const std::size_t k = origin_is_wrong ? 0 : unit.points.size() - 1;
        exam_.add(
            {.what = fmt::format("attached to the wrong body: {}; muscles of this name go from "
                                 "{} to {}",
                                 point_text(exam_.model, unit, k), known.origin_segments,
                                 known.insertion_segments),
             .where = where_muscle(unit),
             .value = static_cast<double>(k + 1),
             .low = 0.0,
             .high = 0.0,
             .unit = "-",
             .source = "Gray1918",
             .remedy =
                 fmt::format("attach that end to {}",
                             origin_is_wrong ? known.origin_segments : known.insertion_segments)});
    }

    static int side_of(std::string_view name) {
        const auto has = [&](std::string_view end, std::string_view begin) {
            return name.ends_with(end) || name.starts_with(begin);
        };
        return has("_r", "R_") || name.ends_with("_R")   ? 1
               : has("_l", "L_") || name.ends_with("_L") ? -1
                                                         : 0;
    }

    // Which way across the body is, in the world at rest: the axis of a hip's or a knee's flexion.
    Vec3 across() const {
        for (std::size_t d = 0; d < exam_.tree.dofs().size(); ++d) {
            const auto c = static_cast<std::size_t>(exam_.tree.dofs()[d].coordinate);
            const std::string_view motion = motion_of_coordinate(exam_.model.coordinates[c].name);
            if ((motion == "hip flexion" || motion == "knee") &&
                exam_.rest.columns[d].angular.norm() > 0.5) {
                return exam_.rest.columns[d].angular.normalized();
            }
        }
        return Vec3::Zero();
    }

    // On the pelvis, points of muscles of one side lie on that side of its middle.
    void examine_midline() {
        struct Place {
            std::size_t muscle;
            std::size_t point;
            double across;  // m, towards its own side
        };
        std::vector<Place> places;
        const Vec3 axis = across();
        std::size_t right = 0;
        std::size_t left = 0;
        for (std::size_t m = 0; m < exam_.model.muscles.size(); ++m) {
            const MuscleUnit& unit = exam_.model.muscles[m];
            for (std::size_t k = 0; k < unit.points.size() && side_of(unit.name) != 0; ++k) {
                const PathPoint::Anchor& a = unit.points[k].anchors[0];
                if (a.body < 0 || segment_of_body(body_name(a.body)) != "pelvis" ||
                    unit.points[k].is_moving()) {
                    continue;
                }
                const Mat3& R = exam_.rest.bodies[at(a.body)].rotation;
                places.push_back({m, k, side_of(unit.name) * (R * a.position).dot(axis)});
                right += places.back().across > kMidline ? 1 : 0;
                left += places.back().across < -kMidline ? 1 : 0;
            }
        }
        // Most decide which way is right; where nearly as many lie on either side, nobody can tell.
        const double sign = right >= left ? 1.0 : -1.0;
        if (std::max(right, left) < kFewest || std::min(right, left) * 2 > std::max(right, left)) {
            return;
        }
        for (const Place& place : places) {
            if (sign * place.across < -kMidline) {
                const MuscleUnit& unit = exam_.model.muscles[place.muscle];
                exam_.add({.what = fmt::format("{} lies on the other side of the body",
                                               point_text(exam_.model, unit, place.point)),
                           .where = where_muscle(unit),
                           .value = sign * place.across,
                           .low = -kMidline,
                           .high = 0.3,
                           .unit = "m",
                           .source = "the other muscles of that side",
                           .remedy = "change the sign of that component of the point"});
            }
        }
    }

    const std::string& body_name(Index body) const {
        return exam_.model.bodies[at(body)].name;
    }

    ModelExam& exam_;
    std::vector<const KnownMuscle*> known_ = {};
};

}  // namespace

void examine_known(ModelExam& exam) {
    KnownExam(exam).examine();
}

}  // namespace sinew
