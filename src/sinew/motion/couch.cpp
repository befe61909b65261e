#include "sinew/motion/couch.h"

#include "sinew/base/units.h"
#include "sinew/motion/hill.h"

#include <algorithm>
#include <array>
#include <cmath>

// Physical examination [Ryu2021, section 6.6]. A limb is moved and everything else is held; what
// resists is
//
//   tau(theta) = sum_m F_m(l_m(theta)) dl_m/dtheta - Q(theta) . dq/dtheta,
//
// F_m the force of a passive muscle, Q what ligaments and stops do to coordinates. The test ends
// where tau reaches the threshold.

namespace sinew {

namespace {

constexpr double kExamStep = kDegree;      // of the first search along a movement
constexpr int kMostExamSteps = 270;        // no limb goes further
constexpr double kExamWidth = 0.005;       // deg, to which the end is found
constexpr double kExamDifference = 1e-4;   // rad, for dq/dtheta
constexpr double kLeastTakenPart = 0.3;    // of a movement that a coordinate takes part in
constexpr double kRangeRounding = 1e-6;    // rad, beyond a range
constexpr double kLeastStretching = 1e-7;  // m/rad

BodySide across_from(BodySide side) {
    return side == BodySide::Left ? BodySide::Right : BodySide::Left;
}

}  // namespace

double passive_pull(const MuscleUnit& unit, double length) {
    return equilibrium_force(unit, length, 0.0).total;
}

double threshold_of(const ExamRow& row, const ClinicalTest& test) {
    return row.torque.value_or(test.torque);
}

std::string_view name_of(ExamEnd end) {
    constexpr std::array<std::string_view, 4> kNames = {"muscles", "coordinate", "start",
                                                        "missing"};
    return kNames[static_cast<std::size_t>(end)];
}

Couch::Couch(const MusculoskeletalModel& model)
    : model_(model),
      tree_(model),
      paths_(model, tree_),
      passive_(model, tree_),
      poser_(model),
      dense_(model.coordinates.size()) {}

bool Couch::can(const ClinicalTest& test, BodySide side) const {
    return poser_.has(test.moved, side) &&
           std::all_of(test.held.begin(), test.held.end(), [&](const ClinicalTest::Held& held) {
               // The other leg may be missing; what the moved limb needs may not.
               return held.is_other_side || held.deg == 0.0 || poser_.has(held.turn, side);
           });
}

std::vector<double> Couch::pose(const ClinicalTest& test, BodySide side, double tilt,
                                double angle) const {
    std::vector<LimbAngle> angles;
    for (const ClinicalTest::Held& held : test.held) {
        const bool is_tilted =
            test.has_pelvic_tilt && held.turn == LimbTurn::HipFlexion && !held.is_other_side;
        angles.push_back({held.turn, held.is_other_side ? across_from(side) : side,
                          held.deg * kDegree + (is_tilted ? tilt : 0.0)});
    }
    angles.push_back({test.moved, side, angle});
    return poser_.pose(angles);
}

void Couch::place(const ClinicalTest& test, BodySide side, double tilt, double angle) {
    q_ = pose(test, side, tilt, angle);
    const double step = test.direction * kExamDifference;
    const std::vector<double> before = pose(test, side, tilt, angle - step);
    const std::vector<double> after = pose(test, side, tilt, angle + step);
    rate_.resize(q_.size());
    for (std::size_t c = 0; c < q_.size(); ++c) {
        rate_[c] = (after[c] - before[c]) / (2.0 * kExamDifference);
    }
    tree_.place(q_, placement_);
    paths_.evaluate(placement_, state_);
    resistances_.clear();
    for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
        paths_.scatter(state_, m, dense_);
        tree_.fold_couplers(placement_, dense_);
        double slope = 0.0;
        for (std::size_t c = 0; c < dense_.size(); ++c) {
            slope += dense_[c] * rate_[c];
        }
        if (std::abs(slope) > kLeastStretching) {
            resistances_.push_back({m, state_.length[m], slope});
        }
    }
    other_ = 0.0;
    if (!passive_.is_empty()) {
        moments_.assign(q_.size(), 0.0);
        const std::vector<double> still(q_.size(), 0.0);
        passive_.add_moments(placement_, still, moments_);
        tree_.fold_couplers(placement_, moments_);
        for (std::size_t c = 0; c < q_.size(); ++c) {
            other_ -= moments_[c] * rate_[c];
        }
    }
}

double Couch::torque(std::span<const MuscleUnit> units) const {
    double sum = other_;
    for (const Resistance& r : resistances_) {
        sum += r.slope * passive_pull(units[r.muscle], r.length);
    }
    return sum;
}

Index Couch::beyond() const {
    for (std::size_t c = 0; c < q_.size(); ++c) {
        const Coordinate& k = model_.coordinates[c];
        if (std::abs(rate_[c]) > kLeastTakenPart &&
            ((rate_[c] > 0.0 && q_[c] > k.high + kRangeRounding) ||
             (rate_[c] < 0.0 && q_[c] < k.low - kRangeRounding))) {
            return static_cast<Index>(c);
        }
    }
    return -1;
}

std::string Couch::most_resisting(std::span<const MuscleUnit> units) const {
    double most = 0.0;
    std::string out;
    for (const Resistance& r : resistances_) {
        const double part = r.slope * passive_pull(units[r.muscle], r.length);
        if (part > most) {
            most = part;
            out = units[r.muscle].name;
        }
    }
    return out;
}

ExamReading Couch::read(std::span<const MuscleUnit> units, const ClinicalTest& test, BodySide side,
                        double tilt, double threshold) {
    ExamReading out;
    if (!can(test, side)) {
        return out;
    }
    const auto has_ended = [&](double angle) {
        place(test, side, tilt, angle);
        return beyond() >= 0 || torque(units) >= threshold;
    };
    // Walked first, for torque may fall again; then halved.
    double inside = test.start * kDegree;
    double outside = inside;
    bool is_ended = has_ended(inside);
    out.end = is_ended ? ExamEnd::Start : ExamEnd::Muscles;
    for (int k = 0; k < kMostExamSteps && !is_ended; ++k) {
        inside = outside;
        outside += test.direction * kExamStep;
        is_ended = has_ended(outside);
    }
    while (is_ended && std::abs(outside - inside) > kExamWidth * kDegree) {
        const double middle = 0.5 * (inside + outside);
        (has_ended(middle) ? outside : inside) = middle;
    }
    place(test, side, tilt, outside);
    const Index ending = beyond();
    place(test, side, tilt, inside);
    out.torque = torque(units);
    out.angle_deg = test.reading * inside / kDegree + 0.0;  // no -0
    out.stop = most_resisting(units);
    if (out.end != ExamEnd::Start && (ending >= 0 || !is_ended)) {
        out.end = ExamEnd::Coordinate;
        out.stop = ending >= 0 ? model_.coordinates[at(ending)].name : std::string{};
    }
    return out;
}

double Couch::pelvic_tilt(std::span<const MuscleUnit> units, const ClinicalTest& test,
                          const ExamRow& row, std::span<const ExamRow> rows) {
    if (!test.has_pelvic_tilt) {
        return 0.0;
    }
    const BodySide other = across_from(row.side);
    for (const ExamRow& r : rows) {
        if (r.side == other && (r.test == "thomas" || r.test == "staheli")) {
            return std::max(0.0, r.value_deg) * kDegree;
        }
    }
    const ClinicalTest& thomas = find_clinical_test("thomas", row.where);
    const ExamReading flat = read(units, thomas, other, 0.0, row.torque.value_or(thomas.torque));
    return flat.end == ExamEnd::Missing ? 0.0 : std::max(0.0, flat.angle_deg) * kDegree;
}

}  // namespace sinew
