#include "sinew/body/motion_units.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kFullTurn = 2.0 * kPi;
constexpr double kRootTurns = 10.0;     // a dancer's, beyond the range
constexpr double kFarShift = 100.0;     // m beyond the range
constexpr double kPlausible = kPi / 3;  // rad beyond the range, where units are in doubt
constexpr double kStillness = 0.05;     // rad; below, both units look alike

// How far a coordinate leaves its range at the most, and where.
struct Excess {
    std::size_t coordinate = 0;
    std::size_t row = 0;
    double value = 0.0;  // as read, in rad or m
    double beyond = 0.0;
};

// Of the joint that lets the whole body travel: people rotate there as often as they like. An arm
// that is hinged to the ground does not.
bool is_root(const MusculoskeletalModel& model, const Coordinate& coordinate) {
    return model.joints[at(coordinate.joint)].parent < 0 &&
           std::any_of(model.coordinates.begin(), model.coordinates.end(), [&](const auto& other) {
               return other.joint == coordinate.joint && !other.is_rotation;
           });
}

// Ranges that files leave open are a whole rotation either side.
double beyond_range(const Coordinate& c, double value) {
    const double open = c.is_rotation ? kFullTurn : kFarShift;
    const double low = std::isfinite(c.low) ? c.low : -open;
    const double high = std::isfinite(c.high) ? c.high : open;
    return std::max({0.0, low - value, value - high});
}

std::vector<Excess> excesses(const MotionTable& table, const MusculoskeletalModel& model,
                             double unit) {
    std::vector<Excess> out;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const Coordinate& coordinate = model.coordinates[c];
        const Index column = column_of(table, coordinate.name);
        if (column < 0) {
            continue;
        }
        Excess worst{.coordinate = c};
        for (std::size_t r = 0; r < table.times.size(); ++r) {
            const double value = table.at(r, static_cast<std::size_t>(column)) *
                                 (coordinate.is_rotation ? unit : 1.0);
            const double beyond = beyond_range(coordinate, value);
            if (beyond > worst.beyond) {
                worst.row = r;
                worst.value = value;
                worst.beyond = beyond;
            }
        }
        out.push_back(worst);
    }
    return out;
}

double greatest_angle(const MotionTable& table, const MusculoskeletalModel& model) {
    double most = 0.0;
    for (const Coordinate& coordinate : model.coordinates) {
        const Index column = column_of(table, coordinate.name);
        for (std::size_t r = 0; column >= 0 && coordinate.is_rotation && r < table.times.size();
             ++r) {
            most = std::max(most, std::abs(table.at(r, static_cast<std::size_t>(column))));
        }
    }
    return most;
}

bool is_plausible(const std::vector<Excess>& all, const MusculoskeletalModel& model) {
    return std::none_of(all.begin(), all.end(), [&](const Excess& e) {
        const Coordinate& c = model.coordinates[e.coordinate];
        return c.is_rotation && e.beyond > (is_root(model, c) ? kFullTurn : kPlausible);
    });
}

void decide_unit(MotionTable& table, const MusculoskeletalModel& model) {
    const bool fits_radians = is_plausible(excesses(table, model, 1.0), model);
    const bool fits_degrees = is_plausible(excesses(table, model, kDegree), model);
    const double most = greatest_angle(table, model);
    if (!fits_radians && !fits_degrees) {
        throw InputError(
            {.where = fmt::format("motion '{}'", table.name),
             .found = fmt::format("angles up to {:.4g} in a file that does not say their unit, far "
                                  "beyond the coordinates' ranges both as radians and as degrees",
                                  most),
             .needs = "a motion of this model",
             .remedy = "add 'inDegrees=yes' or 'inDegrees=no' above 'endheader' if it is one"});
    }
    table.in_degrees = !fits_radians;
    if (most > 0.0) {
        table.notes.push_back(fmt::format(
            "{} does not say whether angles are degrees: taken as {}, {}", table.name,
            table.in_degrees ? "degrees" : "radians",
            table.in_degrees
                ? fmt::format("for as radians they would leave the ranges (up to {:.4g})", most)
                : fmt::format("since they stay within the ranges (up to {:.3g}){}", most,
                              most < kStillness ? "; so small that degrees would, too" : "")));
    }
    table.is_unit_known = true;
}

}  // namespace

Index column_of(const MotionTable& table, std::string_view coordinate) {
    const std::string path = fmt::format("/{}/value", coordinate);
    Index found = -1;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
        const std::string& column = table.columns[k];
        if (column == coordinate || (column.size() > path.size() && column.ends_with(path))) {
            found = static_cast<Index>(k);
        }
    }
    return found;
}

void settle_angles(MotionTable& table, const MusculoskeletalModel& model) {
    if (!table.is_unit_known) {
        decide_unit(table, model);
    }
    const double unit = table.in_degrees ? kDegree : 1.0;
    for (const Excess& e : excesses(table, model, unit)) {
        const Coordinate& c = model.coordinates[e.coordinate];
        const double limit =
            !c.is_rotation ? kFarShift : (is_root(model, c) ? kRootTurns : 1.0) * kFullTurn;
        if (e.beyond <= limit) {
            continue;
        }
        const std::string range = c.is_rotation ? fmt::format("{:.4g} to {:.4g} degrees",
                                                              c.low / kDegree, c.high / kDegree)
                                                : fmt::format("{:.4g} to {:.4g} m", c.low, c.high);
        throw InputError(
            {.where = fmt::format("motion '{}', row {}, '{}'", table.name, e.row + 1, c.name),
             .found = c.is_rotation
                          ? fmt::format("{:.4g} rad ({:.4g} degrees)", e.value, e.value / kDegree)
                          : fmt::format("{:.4g} m", e.value),
             .needs = fmt::format("a value near the coordinate's range, {}", range),
             .remedy = table.in_degrees
                           ? "choose the motion that belongs to this model"
                           : "write 'inDegrees=yes' above 'endheader' where angles are degrees"});
    }
}

}  // namespace sinew
