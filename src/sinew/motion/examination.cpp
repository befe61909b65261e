#include "sinew/motion/examination.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/motion/couch.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Maximal lengths from an examination [Ryu2021, section 6.6]. Paths do not depend on fibres and
// tendons, so lengths are measured once, at the angles that the table asks; then
//
//   tau_t(x) = sum_m F_m(l_tm; x_m) dl_tm/dtheta + other_t = threshold_t   for all tests t
//
// in the logarithms x of the muscles' maximal lengths, by the step of least norm
// dx = -J' (J J' + lambda)^-1 r of Levenberg and Marquardt. Slack muscles bear nothing whatever
// their length, so J has a part of what they would do if passive curves never ended.
// Departs: the paper edits the range of the knee alone (section 4.3), which moves all poses of it;
// here the muscles that resist are changed as little as the tests need.

namespace sinew {

namespace {

constexpr double kSameEnd = 0.5 * kDegree;  // an asked angle is the end of the range
constexpr double kTorqueRounding = 0.003;   // relative, of thresholds in the fit
constexpr double kSoftStretch = 8.0;        // exponent of a passive curve, per optimal length
constexpr double kSoftPart = 0.02;          // of the slopes of curves that never end
constexpr double kLengthStep = 1e-4;        // relative, for slopes of forces
constexpr double kMostChange = 0.15;        // of the logarithm of a length, in one step
constexpr double kLeastGain = 1e-7;         // relative, of the sum of squares
constexpr double kLeastShare = 0.03;        // of the torque, of muscles that are named
constexpr double kLeastChange = 1e-4;       // of a length
constexpr double kLeastLikeness = 0.05;     // of two tests that contradict each other

// One row in the fit: what resists at the angle that it asks.
struct AskedRow {
    std::size_t row = 0;
    double threshold = 0.0;
    double other = 0.0;  // N m, of ligaments and stops
    std::vector<Resistance> resistances = {};
    bool is_end = false;  // the asked angle ends the range: torque may be less, too

    double torque(const std::vector<MuscleUnit>& units) const {
        double sum = other;
        for (const Resistance& r : resistances) {
            sum += r.slope * passive_pull(units[r.muscle], r.length);
        }
        return sum;
    }
    // Linear below the threshold, logarithmic above, where forces grow like exponentials.
    double residual(double torque) const {
        const double ratio = torque / threshold;
        return ratio > 1.0 ? std::log(ratio) : is_end ? 0.0 : ratio - 1.0;
    }
    double residual_slope(double torque) const {
        return 1.0 / std::max(torque, threshold);
    }
};

class LengthFit {
public:
    LengthFit(const std::vector<MuscleUnit>& before, const ExamFitOptions& options)
        : before_(&before),
          units_(before),
          x_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(before.size()))),
          low_(std::log(options.shortest)),
          high_(std::log(options.longest)) {}

    const std::vector<MuscleUnit>& units() const {
        return units_;
    }
    double factor(std::size_t muscle) const {
        return std::exp(x_[static_cast<Eigen::Index>(muscle)]);
    }

    Eigen::VectorXd residuals(const std::vector<AskedRow>& asked) const {
        Eigen::VectorXd r(static_cast<Eigen::Index>(asked.size()));
        for (std::size_t t = 0; t < asked.size(); ++t) {
            r[static_cast<Eigen::Index>(t)] = asked[t].residual(asked[t].torque(units_));
        }
        return r;
    }

    // Until all rows are met, or the sum of squares falls no more.
    void solve(const std::vector<AskedRow>& asked, int most_steps) {
        Eigen::VectorXd r = residuals(asked);
        double lambda = 1e-2;
        for (int step = 0; step < most_steps && r.cwiseAbs().maxCoeff() > kTorqueRounding; ++step) {
            const Eigen::MatrixXd J = slopes(asked);
            bool has_moved = false;
            for (; lambda < 1e6 && !has_moved; lambda *= 4.0) {
                const Eigen::VectorXd from = x_;
                move(from, step_of(J, r, lambda));
                const Eigen::VectorXd now = residuals(asked);
                if (now.squaredNorm() < (1.0 - kLeastGain) * r.squaredNorm()) {
                    r = now;
                    has_moved = true;
                } else {
                    move(from, Eigen::VectorXd::Zero(from.size()));
                }
            }
            if (!has_moved) {
                return;
            }
            lambda = std::max(1e-9, 0.05 * lambda);
        }
    }

private:
    Eigen::MatrixXd slopes(const std::vector<AskedRow>& asked) const {
        Eigen::MatrixXd J =
            Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(asked.size()), x_.size());
        for (std::size_t t = 0; t < asked.size(); ++t) {
            const double outer = asked[t].residual_slope(asked[t].torque(units_));
            for (const Resistance& r : asked[t].resistances) {
                MuscleUnit longer = units_[r.muscle];
                longer.fibre *= 1.0 + kLengthStep;
                longer.tendon *= 1.0 + kLengthStep;
                const MuscleUnit& unit = units_[r.muscle];
                const double own =
                    (passive_pull(longer, r.length) - passive_pull(unit, r.length)) / kLengthStep;
                // Thelen's curve, were it exponential all the way: k e^(k (x - 1)) e^-5.
                const double stretch =
                    std::clamp((r.length - unit.tendon) / unit.fibre - 1.0, -1.0, 0.6);
                const double soft = -unit.fmax * kSoftStretch * r.length / unit.fibre *
                                    std::exp(kSoftStretch * (stretch - 0.6));
                J(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(r.muscle)) =
                    outer * r.slope * (own + kSoftPart * soft);
            }
        }
        return J;
    }

    // Of least norm; lengths at their bounds do not go further.
    Eigen::VectorXd step_of(Eigen::MatrixXd J, const Eigen::VectorXd& r, double lambda) const {
        Eigen::VectorXd dx;
        for (int round = 0; round < 2; ++round) {
            Eigen::MatrixXd A = J * J.transpose();
            A.diagonal().array() += lambda;
            dx = -J.transpose() * A.ldlt().solve(r);
            for (Eigen::Index m = 0; m < dx.size(); ++m) {
                if ((x_[m] >= high_ && dx[m] > 0.0) || (x_[m] <= low_ && dx[m] < 0.0)) {
                    J.col(m).setZero();
                }
            }
        }
        const double most = dx.cwiseAbs().maxCoeff();
        return most > kMostChange ? Eigen::VectorXd(dx * (kMostChange / most)) : dx;
    }

    void move(const Eigen::VectorXd& from, const Eigen::VectorXd& dx) {
        for (std::size_t m = 0; m < units_.size(); ++m) {
            const auto i = static_cast<Eigen::Index>(m);
            x_[i] = std::clamp(from[i] + dx[i], low_, high_);
            units_[m].fibre = (*before_)[m].fibre * std::exp(x_[i]);
            units_[m].tendon = (*before_)[m].tendon * std::exp(x_[i]);
        }
    }

    const std::vector<MuscleUnit>* before_;
    std::vector<MuscleUnit> units_;
    Eigen::VectorXd x_;  // log of the factor
    double low_;
    double high_;
};

// Whether two tests stretch the same muscles, in [0, 1].
double likeness(const AskedRow& a, const AskedRow& b, const std::vector<MuscleUnit>& units) {
    double ab = 0.0;
    double aa = 0.0;
    double bb = 0.0;
    const auto part = [&](const Resistance& r) {
        return std::max(0.0, r.slope) * passive_pull(units[r.muscle], r.length);
    };
    for (const Resistance& r : a.resistances) {
        aa += part(r) * part(r);
        for (const Resistance& s : b.resistances) {
            ab += r.muscle == s.muscle ? part(r) * part(s) : 0.0;
        }
    }
    for (const Resistance& s : b.resistances) {
        bb += part(s) * part(s);
    }
    return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

std::string row_name(const ExamRow& row) {
    return fmt::format("{} {}", row.test, row.side == BodySide::Left ? "left" : "right");
}

// The row that is given up where the fit cannot meet all: of two that pull at the same muscles from
// either side the later one of the table, else the one that is missed most.
std::size_t row_to_give_up(const std::vector<AskedRow>& asked, const LengthFit& fit,
                           std::span<const ExamRow> rows, const ExamFitOptions& options,
                           std::string& reason) {
    const Eigen::VectorXd r = fit.residuals(asked);
    double most = 0.0;
    std::size_t loser = asked.size();
    std::size_t winner = asked.size();
    for (std::size_t a = 0; a < asked.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const double ra = r[static_cast<Eigen::Index>(a)];
            const double rb = r[static_cast<Eigen::Index>(b)];
            const double alike = likeness(asked[a], asked[b], fit.units());
            const double conflict = std::min(std::abs(ra), std::abs(rb)) * alike;
            if (ra * rb < 0.0 && alike > kLeastLikeness && conflict > most &&
                std::min(std::abs(ra), std::abs(rb)) > kTorqueRounding) {
                most = conflict;
                loser = asked[a].row > asked[b].row ? a : b;
                winner = loser == a ? b : a;
            }
        }
    }
    if (loser < asked.size()) {
        reason = fmt::format("it contradicts '{}', which stretches the same muscles",
                             row_name(rows[asked[winner].row]));
        return loser;
    }
    Eigen::Index worst = 0;
    r.cwiseAbs().maxCoeff(&worst);
    reason = fmt::format("no lengths of muscles within {} to {} times their own do it",
                         options.shortest, options.longest);
    return static_cast<std::size_t>(worst);
}

void require_rows(std::span<const ExamRow> rows) {
    for (std::size_t a = 0; a < rows.size(); ++a) {
        find_clinical_test(rows[a].test, rows[a].where);
        for (std::size_t b = 0; b < a; ++b) {
            if (rows[a].test == rows[b].test && rows[a].side == rows[b].side) {
                throw InputError({.where = rows[a].where,
                                  .found = fmt::format("'{}' twice", row_name(rows[a])),
                                  .needs = "one value per test and side",
                                  .remedy = "remove one of the rows"});
            }
        }
    }
}

// What stands against a row before any muscle is asked; empty: nothing.
std::string obstacle(Couch& couch, const MusculoskeletalModel& model, const ClinicalTest& test,
                     const ExamRow& row, double tilt, AskedRow& asked) {
    const double angle = test.reading * row.value_deg * kDegree;
    if (test.direction * (angle - test.start * kDegree) <= 0.0) {
        return fmt::format("the test begins at {:.0f} degrees and moves away from {:.1f}",
                           test.reading * test.start, row.value_deg);
    }
    couch.place(test, row.side, tilt, angle);
    if (const Index c = couch.beyond(); c >= 0) {
        return fmt::format(
            "the range of '{}' ends before: bones and ligaments, as the model has them",
            model.coordinates[at(c)].name);
    }
    asked.other = couch.other();
    asked.resistances = couch.resistances();
    if (asked.other > asked.threshold) {
        return fmt::format("ligaments and stops alone resist with {:.1f} N m there", asked.other);
    }
    couch.place(test, row.side, tilt, angle + test.direction * kSameEnd);
    asked.is_end = couch.beyond() >= 0;
    if (std::none_of(asked.resistances.begin(), asked.resistances.end(),
                     [](const Resistance& r) { return r.slope > 0.0; })) {
        return "no muscle of the model is stretched there";
    }
    return {};
}

// Muscles that resist where a row asks, and are not as they were.
std::vector<std::string> changed_muscles(const AskedRow& asked, const LengthFit& fit) {
    std::vector<std::string> out;
    const double whole = asked.torque(fit.units());
    for (const Resistance& r : asked.resistances) {
        const MuscleUnit& unit = fit.units()[r.muscle];
        if (std::abs(fit.factor(r.muscle) - 1.0) > kLeastChange &&
            r.slope * passive_pull(unit, r.length) > kLeastShare * whole) {
            out.push_back(unit.name);
        }
    }
    return out;
}

std::string late_or_early(const ExamResult& result, const ClinicalTest& test) {
    const bool is_early =
        test.direction * test.reading * (result.row.value_deg - result.after.angle_deg) > 0.0;
    return fmt::format("the torque is reached {} at {:.1f} degrees, most by '{}'",
                       is_early ? "already" : "only", result.after.angle_deg, result.after.stop);
}

}  // namespace

ExamReading examine_row(const MusculoskeletalModel& model, const ExamRow& row,
                        std::span<const ExamRow> rows) {
    Couch couch(model);
    const ClinicalTest& test = find_clinical_test(row.test, row.where);
    const double tilt = couch.pelvic_tilt(model.muscles, test, row, rows);
    return couch.read(model.muscles, test, row.side, tilt, threshold_of(row, test));
}

ExamFit fit_examination(MusculoskeletalModel& model, std::span<const ExamRow> rows,
                        const ExamFitOptions& options, const Progress& progress) {
    require_rows(rows);
    ExamFit out;
    Couch couch(model);
    std::vector<AskedRow> asked;
    Progress::Stage stage = progress.stage("examination", 2 * rows.size() + 1);
    // What the model shows now, and what resists where the table asks.
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const ClinicalTest& test = find_clinical_test(rows[k].test, rows[k].where);
        ExamResult result{.row = rows[k], .torque = threshold_of(rows[k], test)};
        const double tilt = couch.pelvic_tilt(model.muscles, test, rows[k], rows);
        result.before = couch.read(model.muscles, test, rows[k].side, tilt, result.torque);
        AskedRow a{.row = k, .threshold = result.torque};
        result.reason = result.before.end == ExamEnd::Missing
                            ? "the model does not have the joints of this test"
                            : obstacle(couch, model, test, rows[k], tilt, a);
        if (result.reason.empty()) {
            asked.push_back(std::move(a));
        }
        out.tests.push_back(std::move(result));
        stage.advance();
    }
    // All rows at once; what cannot be met beside the others is given up, one after the other.
    const std::vector<MuscleUnit> before = model.muscles;
    LengthFit fit(before, options);
    while (!asked.empty()) {
        progress.check_cancelled();
        fit = LengthFit(before, options);
        fit.solve(asked, options.steps);
        if (fit.residuals(asked).cwiseAbs().maxCoeff() <= kTorqueRounding) {
            break;
        }
        std::string reason;
        const std::size_t loser = row_to_give_up(asked, fit, rows, options, reason);
        out.tests[asked[loser].row].reason = reason;
        asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(loser));
        fit = LengthFit(before, options);
    }
    stage.advance();
    model.muscles = fit.units();
    for (const AskedRow& a : asked) {
        out.tests[a.row].muscles = changed_muscles(a, fit);
    }
    for (std::size_t m = 0; m < before.size(); ++m) {
        if (std::abs(fit.factor(m) - 1.0) > kLeastChange) {
            out.muscles.emplace_back(before[m].name, fit.factor(m));
        }
    }
    // The same tests again, from their beginning.
    for (ExamResult& result : out.tests) {
        const ClinicalTest& test = find_clinical_test(result.row.test, result.row.where);
        const double tilt = couch.pelvic_tilt(model.muscles, test, result.row, rows);
        result.after = couch.read(model.muscles, test, result.row.side, tilt, result.torque);
        result.is_met =
            result.after.end != ExamEnd::Missing && result.after.end != ExamEnd::Start &&
            std::abs(result.after.angle_deg - result.row.value_deg) <= options.tolerance_deg;
        if (result.is_met) {
            result.reason.clear();
        } else if (result.reason.empty()) {
            result.reason = late_or_early(result, test);
        }
        stage.advance();
    }
    return out;
}

}  // namespace sinew
