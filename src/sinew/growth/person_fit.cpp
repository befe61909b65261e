#include "sinew/growth/person_fit.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/ageing.h"
#include "sinew/growth/loose_tissue.h"
#include "sinew/growth/muscle_growth.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

// The form of a person by nonlinear least squares. The 36 numbers (KnobIndex) are logarithms of
// ratios of the frame and of flesh, and metres of fat; each has an expected value and a spread, so
// the problem is a maximum a posteriori estimate with independent normal priors.
//
//   minimise  sum ((measure - target) / spread)^2 + sum ((p - expected) / spread)^2
//
// Targets that must be met (stature, mass, fat) have spreads of 0.1 mm and 10 g: residuals, not
// constraints, so that the method has one kind of equation and ends near what is possible where
// targets contradict each other. require_met() then says so.
//
// Derivatives are differences of surfaces; masses by the adjoint (PersonShaper::masses_near).
// Broyden's rank-one update replaces new derivatives while the error falls well.

namespace sinew {

namespace {

constexpr int kMostFitRounds = 30;       // of Gauss and Newton's method
constexpr int kMostAims = 6;             // of aiming anew
constexpr double kStatureSpread = 1e-4;  // m
constexpr double kMassSpread = 0.01;     // kg
constexpr double kFatSpread = 0.01;      // kg
constexpr double kAskedSpread = 5e-4;    // m
constexpr double kLeastSpread = 3e-3;    // m: less cannot be told apart on a coarse skin
// What may be missed at the end.
constexpr double kStatureLimit = 1e-3;  // m
constexpr double kMassLimit = 0.1;      // kg
constexpr double kShareLimit = 2e-3;    // of the mass
constexpr double kAskedLimit = 5e-3;    // m
// Ages of the people that measures were taken from, years.
constexpr double kYoungestMeasured = 18.0;
constexpr double kOldestMeasured = 58.0;

/// One number of the form: where it is expected and how far from there it may well be.
struct Knob {
    double expected = 0.0;
    double spread = 1.0;
    double step = 0.01;  // of differences
};

/// Numbers of the form in one vector: logarithms of ratios, then metres.
enum KnobIndex : int {
    KnobThigh,
    KnobShin,
    KnobTrunk,
    KnobNeck,
    KnobHeadSize,
    KnobUpperArm,
    KnobForearm,
    KnobHand,
    KnobFoot,
    KnobShoulders,
    KnobThoraxBreadth,
    KnobThoraxDepth,
    KnobPelvisBreadth,
    KnobPelvisDepth,
    KnobLean,
    KnobTrunkFlesh,
    KnobThighFlesh,
    KnobShinFlesh,
    KnobShoulderFlesh,
    KnobUpperArmFlesh,
    KnobForearmFlesh,
    KnobNeckFlesh,
    KnobFatness,
    KnobVisceral,
    KnobFirstRegion,
    KnobCount = KnobFirstRegion + kPersonFatRegions
};

// Where fat comes on, by sex, in the order of person_fat_regions(): authored after the android and
// gynoid patterns that [Vague1956] tells apart.
constexpr std::array<double, kPersonFatRegions> kMalePattern = {1.00, 0.85, 0.55, 0.55, 0.35, 0.30,
                                                                0.25, 0.12, 0.25, 0.10, 0.25, 0.12};
constexpr std::array<double, kPersonFatRegions> kFemalePattern = {
    0.75, 0.60, 0.55, 0.45, 0.70, 0.70, 0.60, 0.22, 0.40, 0.14, 0.20, 0.12};
// How much people differ there, m.
constexpr std::array<double, kPersonFatRegions> kRegionSpread = {
    0.020, 0.020, 0.015, 0.010, 0.015, 0.012, 0.012, 0.006, 0.008, 0.004, 0.005, 0.002};

// Spreads are authored: 8 % of a limb's length, 12 % of a breadth, 5 % of flesh between parts.
std::vector<Knob> knobs_for(const Body& body, const PersonTargets& targets, double stature) {
    const double size = std::log(targets.stature / stature);
    std::vector<Knob> knobs(KnobCount);
    for (int k = KnobThigh; k <= KnobFoot; ++k) {
        knobs[at(k)] = {.expected = size, .spread = 0.08};
    }
    for (int k = KnobShoulders; k <= KnobPelvisDepth; ++k) {
        knobs[at(k)] = {.expected = 0.5 * size, .spread = 0.12};
    }
    knobs[KnobShoulders].spread = 0.3;
    knobs[KnobThoraxBreadth].spread = knobs[KnobThoraxDepth].spread = 0.25;
    knobs[KnobLean].spread = 0.5;
    for (int k = KnobTrunkFlesh; k <= KnobNeckFlesh; ++k) {
        knobs[at(k)].spread = 0.05;
    }
    // The atlas has narrow shoulder bones under thick flesh; people are the other way round.
    knobs[KnobShoulderFlesh].spread = 0.5;
    knobs[KnobFatness] = {.spread = 0.5, .step = 0.002};
    // Visceral fat comes with the fat index, in men twice as much.
    const double index = targets.mass * targets.body_fat / (targets.stature * targets.stature);
    knobs[KnobVisceral] = {.expected = (body.sex == Sex::Female ? 0.0015 : 0.003) *
                                       std::max(0.0, index - 5.0) *
                                       (1.0 + 0.02 * std::max(0.0, targets.age - 40.0)),
                           .spread = 0.01,
                           .step = 0.002};
    for (std::size_t r = 0; r < kPersonFatRegions; ++r) {
        knobs[KnobFirstRegion + r] = {.spread = targets.keeps_fat_pattern ? 1e-4 : kRegionSpread[r],
                                      .step = 0.002};
    }
    return knobs;
}

PersonForm form_of(const Eigen::VectorXd& p, std::span<const double> pattern, double limb_breadth) {
    const auto ratio = [&](int k) { return std::exp(p[k]); };
    const auto flesh = [&](int k) { return std::exp(p[KnobLean] + p[k]); };
    PersonForm form;
    form.frame = {.thigh = ratio(KnobThigh),
                  .shin = ratio(KnobShin),
                  .trunk = ratio(KnobTrunk),
                  .neck = ratio(KnobNeck),
                  .head = ratio(KnobHeadSize),
                  .upper_arm = ratio(KnobUpperArm),
                  .forearm = ratio(KnobForearm),
                  .hand = ratio(KnobHand),
                  .foot = ratio(KnobFoot),
                  .limb_breadth = limb_breadth,
                  .shoulders = ratio(KnobShoulders),
                  .thorax_breadth = ratio(KnobThoraxBreadth),
                  .thorax_depth = ratio(KnobThoraxDepth),
                  .pelvis_breadth = ratio(KnobPelvisBreadth),
                  .pelvis_depth = ratio(KnobPelvisDepth),
                  .trunk_flesh = flesh(KnobTrunkFlesh),
                  .thigh_flesh = flesh(KnobThighFlesh),
                  .shin_flesh = flesh(KnobShinFlesh),
                  .shoulder_flesh = flesh(KnobShoulderFlesh),
                  .upper_arm_flesh = flesh(KnobUpperArmFlesh),
                  .forearm_flesh = flesh(KnobForearmFlesh),
                  .neck_flesh = flesh(KnobNeckFlesh)};
    // Fat is gained by the pattern and lost everywhere.
    form.fat_lost = std::max(0.0, -p[KnobFatness]);
    for (std::size_t r = 0; r < kPersonFatRegions; ++r) {
        form.fat[r] = std::max(0.0, p[KnobFatness]) * pattern[r] +
                      p[KnobFirstRegion + static_cast<Eigen::Index>(r)];
    }
    form.visceral = std::max(0.0, p[KnobVisceral]);
    return form;
}

/// What is minimised.
class PersonProblem {
public:
    PersonProblem(const PersonShaper& shaper, const PersonTargets& targets,
                  const PeopleTable& table)
        : shaper_(shaper),
          targets_(targets),
          aim_{targets.stature, targets.mass, targets.body_fat * targets.mass},
          pattern_(fat_pattern_of_age(
              targets.fat_pattern.empty()
                  ? fat_pattern_named(shaper.rest().sex == Sex::Female ? "gynoid" : "android")
                  : targets.fat_pattern,
              targets.age)),
          knobs_(knobs_for(shaper.rest(), targets, summarise(shaper.rest()).stature)),
          limb_breadth_(1.0 + 0.5 * (targets.stature / summarise(shaper.rest()).stature - 1.0)) {
        for (const std::string& name : person_measure_names()) {
            const auto it = std::find(table.names.begin(), table.names.end(), name);
            column_.push_back(it == table.names.end() ? -1 : it - table.names.begin());
        }
    }

    const PersonShaper& shaper() const {
        return shaper_;
    }
    PersonForm form(const Eigen::VectorXd& p) const {
        PersonForm form = form_of(p, pattern_, limb_breadth_);
        form.fat_modulus = targets_.fat_modulus;
        return form;
    }
    Eigen::VectorXd start() const {
        Eigen::VectorXd p(KnobCount);
        for (int k = 0; k < KnobCount; ++k) {
            p[k] = knobs_[at(k)].expected;
        }
        return p;
    }

    /// Mended tetrahedra weigh a little differently: aims further by what a body missed.
    // A fixed-point iteration on the aim: shape and mass are first fitted on positions before
    // mending.
    void aim_past(const BodySummary& made) {
        aim_[0] += targets_.stature - made.stature;
        aim_[1] += targets_.mass - made.mass;
        aim_[2] += targets_.body_fat * targets_.mass - made.body_fat * made.mass;
    }

    /// What is reached, for reports and for residuals.
    struct Reached {
        double stature = 0.0;
        PersonMasses masses = {};
        std::vector<double> measures = {};
    };
    static Reached reached(const MeasuredShape& measured, const PersonMasses& masses) {
        return {.stature = measured.skin.col(1).maxCoeff(),
                .masses = masses,
                .measures = person_measures(measured)};
    }

    Eigen::VectorXd spreads() const {
        Eigen::VectorXd s(KnobCount);
        for (int k = 0; k < KnobCount; ++k) {
            s[k] = knobs_[at(k)].spread;
        }
        return s;
    }

    Eigen::VectorXd residuals(const Eigen::VectorXd& p) const {
        const PersonShaper::Shape shape = shaper_.shape(form(p));
        return residuals(p, reached(shape.measured, shape.masses));
    }
    Eigen::VectorXd residuals(const Eigen::VectorXd& p, const Reached& now) const {
        std::vector<double> r = {(now.stature - aim_[0]) / kStatureSpread,
                                 (now.masses.all - aim_[1]) / kMassSpread,
                                 (now.masses.fat - aim_[2]) / kFatSpread};
        for (std::size_t m = 0; m < column_.size(); ++m) {
            if (column_[m] >= 0) {
                r.push_back((now.measures[m] - targets_.measures[column_[m]]) / spread(m));
            }
        }
        for (int k = 0; k < KnobCount; ++k) {
            const Knob& knob = knobs_[at(k)];
            r.push_back((p[k] - knob.expected) / knob.spread);
        }
        return Eigen::Map<Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size()));
    }

    Eigen::MatrixXd derivatives(const Eigen::VectorXd& p, const Eigen::VectorXd& r) const {
        Eigen::MatrixXd J(r.size(), KnobCount);
        // One column per number, side by side; every column is the same computation for any number
        // of threads.
        const PersonShaper::MassesNear masses = shaper_.masses_near(form(p));
        parallel_for(KnobCount, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                Eigen::VectorXd q = p;
                q[static_cast<Eigen::Index>(k)] += knobs_[k].step;
                const PersonForm beside = form(q);
                J.col(static_cast<Eigen::Index>(k)) =
                    (residuals(q, reached(shaper_.surface(beside), masses(beside))) - r) /
                    knobs_[k].step;
            }
        });
        return J;
    }

    double spread(std::size_t m) const {
        const auto column = static_cast<std::size_t>(column_[m]);
        const bool is_asked =
            std::find(targets_.asked.begin(), targets_.asked.end(), column) != targets_.asked.end();
        return is_asked ? kAskedSpread : std::max(kLeastSpread, targets_.spread[column_[m]]);
    }
    double rms_z(const std::vector<double>& measures) const {
        double sum = 0.0;
        double count = 0.0;
        for (std::size_t m = 0; m < column_.size(); ++m) {
            if (column_[m] >= 0 && targets_.spread[column_[m]] > 0.0) {
                sum += std::pow(
                    (measures[m] - targets_.measures[column_[m]]) / targets_.spread[column_[m]],
                    2.0);
                count += 1.0;
            }
        }
        return count > 0.0 ? std::sqrt(sum / count) : 0.0;
    }
    const std::vector<std::ptrdiff_t>& columns() const {
        return column_;
    }

private:
    const PersonShaper& shaper_;
    const PersonTargets& targets_;
    std::array<double, 3> aim_;  // stature, mass, fat
    std::vector<double> pattern_;
    std::vector<Knob> knobs_;
    double limb_breadth_;
    std::vector<std::ptrdiff_t> column_;  // of the table, per measure; -1 where it has none
};

/// Minimum of |residuals|^2 by Gauss and Newton's method with the damping of Levenberg.
struct LeastSquares {
    Eigen::VectorXd p;
    int iterations = 0;
};
LeastSquares least_squares(const PersonProblem& problem, Eigen::VectorXd start,
                           const Progress& progress) {
    LeastSquares result{.p = std::move(start)};
    const Eigen::VectorXd scale = problem.spreads();
    Eigen::VectorXd r = problem.residuals(result.p);
    Eigen::MatrixXd J;  // by numbers over their spreads
    double damping = 1e-6;
    bool is_fresh = false;
    auto stage = progress.stage("person", kMostFitRounds);
    while (result.iterations < kMostFitRounds) {
        stage.advance();
        if (J.size() == 0) {
            J = problem.derivatives(result.p, r) * scale.asDiagonal();
            is_fresh = true;
        }
        // Numbers are scaled by their spreads, so one damping fits all.
        Eigen::MatrixXd H = J.transpose() * J;
        H.diagonal() *= 1.0 + damping;
        const Eigen::VectorXd step = -solve_symmetric(H, J.transpose() * r);
        const Eigen::VectorXd q = result.p + scale.cwiseProduct(step);
        const Eigen::VectorXd next = problem.residuals(q);
        ++result.iterations;
        const double before = r.squaredNorm();
        const double after = next.squaredNorm();
        if (!(after < before)) {
            // Old derivatives are made anew; with new ones the step is made shorter.
            damping = is_fresh ? std::max(1e-4, 10.0 * damping) : damping;
            J.resize(is_fresh ? J.rows() : 0, is_fresh ? J.cols() : 0);
            if (damping > 1e4) {
                break;
            }
            continue;
        }
        damping = std::max(1e-9, 0.1 * damping);
        // Broyden's update serves while it helps.
        J += (next - r - J * step) * step.transpose() / step.squaredNorm();
        result.p = q;
        r = next;
        // Ends where new derivatives gain less than a hundredth; a slow step asks for new ones.
        const bool is_slow = before - after < 0.3 * before;
        if (is_fresh && before - after < 1e-2 * after) {
            break;
        }
        if (is_slow) {
            J.resize(0, 0);
        }
        is_fresh = false;
    }
    return result;
}

// Flesh widens by parts of the body; single muscles of the legs do not do as it does. What they
// lack or have too much is exchanged for loose tissue in their tetrahedra.
void fit_legs(const Body& rest, const PersonTargets& targets, Body& body) {
    if (!targets.muscles) {
        return;
    }
    const BodySummary old = summarise(rest);
    const std::vector<double> wanted =
        legs_of_other_size(*targets.muscles, rest.muscles, belly_volumes(rest), old.stature,
                           old.mass, targets.stature, targets.mass);
    const std::vector<double> before = belly_volumes(body);
    body.shares =
        with_loose_tissue(body, body.shares.fraction, tet_volumes(body.tets), wanted).shares;
    const std::vector<double> after = belly_volumes(body);
    for (std::size_t m = 0; m < after.size(); ++m) {
        if (wanted[m] > 0.0 && before[m] > 0.0) {
            body.muscles[m].fmax *= after[m] / before[m];
        }
    }
}

// Every target that was asked for is met, or it is said how near one comes.
void require_met(const PersonTargets& targets, const PersonReport& report, const PeopleTable& table,
                 const std::vector<std::ptrdiff_t>& columns) {
    const bool is_met = std::abs(report.stature - targets.stature) <= kStatureLimit &&
                        std::abs(report.mass - targets.mass) <= kMassLimit &&
                        std::abs(report.body_fat - targets.body_fat) <= kShareLimit;
    if (!is_met) {
        refuse_target(fmt::format("{:.3f} m, {:.1f} kg, {:.1f} % of fat", targets.stature,
                                  targets.mass, 100.0 * targets.body_fat),
                      fmt::format("{:.3f} m, {:.1f} kg, {:.1f} % of fat", report.stature,
                                  report.mass, 100.0 * report.body_fat));
    }
    for (std::size_t m = 0; m < columns.size(); ++m) {
        const auto column = static_cast<std::size_t>(columns[m]);
        if (std::find(targets.asked.begin(), targets.asked.end(), column) == targets.asked.end()) {
            continue;
        }
        const double wanted = targets.measures[columns[m]];
        if (std::abs(report.measures[m] - wanted) > kAskedLimit) {
            refuse_target(fmt::format("{} of {:.3f} m", table.names[column], wanted),
                          fmt::format("{:.3f} m", report.measures[m]));
        }
    }
}

}  // namespace

std::vector<double> fat_pattern_named(const std::string& word) {
    if (word == "android") {
        return {kMalePattern.begin(), kMalePattern.end()};
    }
    if (word == "gynoid") {
        return {kFemalePattern.begin(), kFemalePattern.end()};
    }
    if (word == "uniform") {
        return std::vector<double>(kPersonFatRegions, 0.5);
    }
    constexpr double kElsewhere = 0.1;
    std::vector<double> pattern(kPersonFatRegions, kElsewhere);
    const auto names = person_fat_regions();
    const auto it = std::find(names.begin(), names.end(), word);
    if (it == names.end()) {
        throw InputError(
            {.where = "fat distribution of a person",
             .found = fmt::format("'{}'", word),
             .needs = fmt::format("android, gynoid, uniform or one of: {}", fmt::join(names, ", ")),
             .remedy = "grow other regions with --fat"});
    }
    pattern[at(it - names.begin())] = 1.0;
    return pattern;
}

void refuse_target(const std::string& found, const std::string& reached) {
    throw InputError({.where = "targets of the body",
                      .found = found,
                      .needs = fmt::format("what this body can become; the nearest is {}", reached),
                      .remedy = "ask for that, or for less at once"});
}

PersonTargets person_targets(const PeopleTable& table, Sex sex, double stature, double mass,
                             double body_fat,
                             const std::vector<std::pair<std::size_t, double>>& known,
                             std::optional<double> age) {
    std::vector<std::pair<std::size_t, double>> all = {
        {find_measure(table, "stature", "measures of people"), stature},
        {find_measure(table, "weight", "measures of people"), mass}};
    PersonTargets targets{.stature = stature, .mass = mass, .body_fat = body_fat};
    for (const auto& [number, value] : known) {
        all.emplace_back(number, value);
        targets.asked.push_back(number);
    }
    if (age) {
        all.emplace_back(find_measure(table, "age", "measures of people"),
                         std::clamp(*age, kYoungestMeasured, kOldestMeasured));
        targets.age = *age;
        targets.fat_modulus = fat_modulus_of_age(*age);
    }
    const ExpectedPerson person = expected_person(group_of(table, sex), all);
    targets.measures = person.mean;
    targets.spread = person.sd;
    if (age && *age < kYoungestMeasured) {
        // Shorter trunks and longer legs than grown-ups of that stature.
        const auto sitting =
            static_cast<Eigen::Index>(find_measure(table, "sittingheight", "measures of people"));
        const auto crotch =
            static_cast<Eigen::Index>(find_measure(table, "crotchheight", "measures of people"));
        const double wanted = sitting_share_of_age(sex, *age) * stature;
        targets.measures[crotch] += targets.measures[sitting] - wanted;
        targets.measures[sitting] = wanted;
    }
    return targets;
}

MadePerson make_person(const Body& body, const PersonTargets& targets, const PeopleTable& table,
                       const Progress& progress) {
    return make_person(PersonShaper(body), targets, table, progress);
}

MadePerson make_person(const PersonShaper& shaper, const PersonTargets& targets,
                       const PeopleTable& table, const Progress& progress) {
    PersonProblem problem(shaper, targets, table);
    LeastSquares best = least_squares(problem, problem.start(), progress);
    MadePerson person;
    PersonReport& report = person.report;
    // The report is taken from the body that is handed over.
    double last_miss = 1e300;
    Eigen::VectorXd held;
    for (int round = 0; round < kMostAims; ++round) {
        PersonShaper::Made made = problem.shaper().body(problem.form(best.p), std::move(held));
        held = std::move(made.held);
        fit_legs(shaper.rest(), targets, made.body);
        const BodySummary summary = summarise(made.body);
        person.body = std::move(made.body);
        report.iterations += best.iterations;
        report.mended_tets = made.mended_tets;
        report.parted_skin = made.parted_skin;
        report.stature = summary.stature;
        report.mass = summary.mass;
        report.body_fat = summary.body_fat;
        if (std::abs(report.mass - targets.mass) < 0.2 * kMassLimit &&
            std::abs(report.body_fat - targets.body_fat) < 0.2 * kShareLimit) {
            break;
        }
        // Aiming anew helps where a body weighs a little more or less, not against what it cannot
        // be.
        const double miss = std::abs(report.mass - targets.mass) +
                            targets.mass * std::abs(report.body_fat - targets.body_fat);
        if (round >= 2 && miss > 0.9 * last_miss) {
            break;
        }
        last_miss = miss;
        if (round + 1 < kMostAims) {
            problem.aim_past(summary);
            best = least_squares(problem, best.p, progress);
        }
    }
    report.measures = person_measures(person.body);
    for (const std::ptrdiff_t column : problem.columns()) {
        report.expected.push_back(column >= 0 ? targets.measures[column] : 0.0);
        report.spread.push_back(column >= 0 ? targets.spread[column] : 0.0);
    }
    report.rms_z = problem.rms_z(report.measures);
    require_met(targets, report, table, problem.columns());
    return person;
}

}  // namespace sinew
