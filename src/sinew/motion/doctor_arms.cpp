#include "sinew/motion/doctor_exam.h"
#include "sinew/motion/known_muscles.h"
#include "sinew/motion/range_of_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Faults that show in moment arms: jumps, and signs that change within angles that people reach. A
// jump is proved by halving the interval until it is a hundredth of a degree wide: what is smooth
// shrinks with it. Ranges that muscles would be stretched too far to reach are found with [Ryu2021,
// eqs. 3-5].

namespace sinew {

namespace {

constexpr double kArmSign = 0.01;    // m, on either side of 0
constexpr double kSignShare = 0.25;  // of the greater side, which the smaller one must reach
constexpr double kArmJump = 0.02;    // m between neighbouring samples: looked at more closely
constexpr double kRealJump = 0.01;   // m, left when the angles are 0.01 degrees apart
constexpr int kArmSamples = 41;
constexpr int kHalvings = 9;
constexpr double kLostRange = 0.09;  // rad
constexpr double kDegrees = 180.0 / kPi;

bool is_swept(const MusculoskeletalModel& model, std::size_t c) {
    const Coordinate& q = model.coordinates[c];
    return !q.is_locked && q.is_rotation && std::isfinite(q.low) && std::isfinite(q.high) &&
           q.low < q.high &&
           std::none_of(model.couplers.begin(), model.couplers.end(),
                        [&](const CoordinateCoupler& coupler) {
                            return coupler.dependent == static_cast<Index>(c);
                        });
}

// Of one muscle's moment arms over one coordinate's range.
struct ArmSweep {
    std::vector<double> slope = {};  // dl/dq at the samples, m
    double least = 0.0;              // m, <= 0
    double most = 0.0;               // m, >= 0
    double way = 0.0;                // by which the muscle's length changes, there and back, m
};

// A place where a moment arm is not continuous.
struct ArmJump {
    double angle = 0.0;   // rad
    double before = 0.0;  // moment arms, m
    double after = 0.0;
};

class ArmExam {
public:
    explicit ArmExam(ModelExam& exam) : exam_(exam), sweeps_(exam.model.coordinates.size()) {}

    void examine() {
        for (std::size_t c = 0; c < sweeps_.size(); ++c) {
            if (is_swept(exam_.model, c)) {
                sweep(c);
            }
        }
        for (std::size_t c = 0; c < sweeps_.size(); ++c) {
            for (std::size_t m = 0; m < sweeps_[c].size(); ++m) {
                report_jump(c, m);
                report_sign(c, m);
            }
        }
    }

private:
    // The part of a range that people reach; declared ranges are often far wider.
    std::pair<double, double> anatomical(std::size_t c) const {
        const Coordinate& q = exam_.model.coordinates[c];
        const double most = greatest_angle(motion_of_coordinate(q.name));
        const double middle = std::clamp(0.0, q.low, q.high);
        return {std::max(q.low, middle - most), std::min(q.high, middle + most)};
    }

    double angle_at(std::size_t c, int k) const {
        const auto [low, high] = anatomical(c);
        return low + (high - low) * k / (kArmSamples - 1);
    }

    // All muscles, other coordinates at rest.
    void sweep(std::size_t c) {
        std::vector<ArmSweep>& out = sweeps_[c];
        out.resize(exam_.model.muscles.size());
        std::vector<double> q = rest_coordinates(exam_.model);
        const double step = angle_at(c, 1) - angle_at(c, 0);
        for (int k = 0; k < kArmSamples; ++k) {
            q[c] = angle_at(c, k);
            const std::vector<double> slopes = exam_.slopes(q, c);
            for (std::size_t m = 0; m < out.size(); ++m) {
                out[m].slope.push_back(slopes[m]);
                out[m].way += std::abs(slopes[m]) * step;
                out[m].least = std::min(out[m].least, -slopes[m]);
                out[m].most = std::max(out[m].most, -slopes[m]);
            }
        }
    }

    // Halves the interval after sample k where the arm changes most, until it is 0.01 degrees wide:
    // a smooth curve's change shrinks with it, a jump stays.
    ArmJump refine(std::size_t c, std::size_t m, int k) const {
        std::vector<double> q = rest_coordinates(exam_.model);
        double low = angle_at(c, k);
        double high = angle_at(c, k + 1);
        const ArmSweep& s = sweeps_[c][m];
        double at_low = s.slope[at(k)];
        double at_high = s.slope[static_cast<std::size_t>(k) + 1];
        for (int i = 0; i < kHalvings; ++i) {
            q[c] = 0.5 * (low + high);
            const double middle = exam_.slopes(q, c)[m];
            const bool is_first = std::abs(middle - at_low) > std::abs(at_high - middle);
            (is_first ? high : low) = q[c];
            (is_first ? at_high : at_low) = middle;
        }
        return {0.5 * (low + high), -at_low, -at_high};
    }

    void report_jump(std::size_t c, std::size_t m) {
        const ArmSweep& s = sweeps_[c][m];
        ArmJump worst;
        for (int k = 0; k + 1 < kArmSamples; ++k) {
            const auto i = static_cast<std::size_t>(k);
            if (std::abs(s.slope[i + 1] - s.slope[i]) > kArmJump) {
                const ArmJump jump = refine(c, m, k);
                if (std::abs(jump.after - jump.before) > std::abs(worst.after - worst.before)) {
                    worst = jump;
                }
            }
        }
        const double size = std::abs(worst.after - worst.before);
        if (size > kRealJump) {
            exam_.add({.what = fmt::format("a moment arm about '{}' that jumps at {:.2f} degrees, "
                                           "from {:.1f} to {:.1f} mm",
                                           exam_.model.coordinates[c].name, worst.angle * kDegrees,
                                           worst.before * 1e3, worst.after * 1e3),
                       .where = fmt::format("muscle '{}'", exam_.model.muscles[m].name),
                       .value = size,
                       .low = 0.0,
                       .high = kRealJump,
                       .unit = "m",
                       .source = "moment arms are continuous",
                       .remedy = "look at the points and wrap surfaces of the path at that angle",
                       .is_error = false});
        }
    }

    // Most moment arms keep their sign about the axis that the muscle turns a joint about most;
    // about others, how the bones stand decides.
    void report_sign(std::size_t c, std::size_t m) {
        const ArmSweep& s = sweeps_[c][m];
        const double smaller = std::min(s.most, -s.least);
        if (smaller > kArmSign && smaller > kSignShare * std::max(s.most, -s.least) &&
            is_main_action(c, m)) {
            exam_.add({.what = fmt::format("a moment arm about '{}' that changes its sign within "
                                           "the range (the smaller side is given)",
                                           exam_.model.coordinates[c].name),
                       .where = fmt::format("muscle '{}'", exam_.model.muscles[m].name),
                       .value = smaller,
                       .low = 0.0,
                       .high = kArmSign,
                       .unit = "m",
                       .source = "most muscles turn a joint one way; some at the hip and shoulder "
                                 "do not [Arnold2010]",
                       .remedy = "",
                       .is_error = false});
        }
    }

    // Whether no other coordinate of the same joint changes the muscle's length more.
    bool is_main_action(std::size_t c, std::size_t m) const {
        for (std::size_t other = 0; other < sweeps_.size(); ++other) {
            if (!sweeps_[other].empty() &&
                exam_.model.coordinates[other].joint == exam_.model.coordinates[c].joint &&
                sweeps_[other][m].way > sweeps_[c][m].way) {
                return false;
            }
        }
        return true;
    }

    ModelExam& exam_;
    std::vector<std::vector<ArmSweep>> sweeps_;
};

}  // namespace

void examine_arms(ModelExam& exam) {
    ArmExam(exam).examine();
}

// Ranges that muscles forbid: no longer than 1.6 fibres and 1.03 tendons [Ryu2021, eqs. 3-5].
void examine_ranges(ModelExam& exam) {
    for (std::size_t c = 0; c < exam.model.coordinates.size(); ++c) {
        const Coordinate& coordinate = exam.model.coordinates[c];
        if (!is_swept(exam.model, c)) {
            continue;
        }
        const CoordinateRange allowed = coordinate_range(exam.model, static_cast<Index>(c));
        if (!allowed.rest_is_valid) {
            continue;  // the lengths at rest say so already
        }
        const auto report = [&](const std::string& muscle, double reached, double end,
                                const char* side) {
            if (!muscle.empty() && std::abs(end - reached) > kLostRange) {
                exam.add({.what = fmt::format("the {} end of the range cannot be reached: '{}' "
                                              "would be stretched too far",
                                              side, muscle),
                          .where = fmt::format("coordinate '{}'", coordinate.name),
                          .value = reached,
                          .low = coordinate.low,
                          .high = coordinate.high,
                          .unit = "rad",
                          .source = "Ryu2021, eqs. 3-5",
                          .remedy = "",
                          .is_error = false});
            }
        };
        report(allowed.low_muscle, allowed.low, coordinate.low, "lower");
        report(allowed.high_muscle, allowed.high, coordinate.high, "upper");
    }
}

}  // namespace sinew
