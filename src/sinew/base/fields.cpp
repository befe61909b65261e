#include "sinew/base/fields.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

std::string range_text(const Field& field) {
    const std::string unit = field.unit.empty() ? "" : fmt::format(" {}", field.unit);
    std::string low;
    if (std::isfinite(field.above)) {
        low = fmt::format("above {:g}{}", field.above, unit);
    } else if (std::isfinite(field.min)) {
        low = fmt::format("at least {:g}{}", field.min, unit);
    }
    if (!std::isfinite(field.max)) {
        return low.empty() ? "a finite number" : low;
    }
    const std::string high = fmt::format("at most {:g}{}", field.max, unit);
    return low.empty() ? high : low + " and " + high;
}

}  // namespace

void check_range(double value, const Field& field, std::string_view where) {
    // A field without an upper end may be infinite ("never stop"), but is never NaN.
    const bool inside = value >= field.min && value <= field.max &&
                        (value > field.above || std::isinf(field.above));
    if (inside) {
        return;
    }
    throw InputError({.where = fmt::format("{}, {}", where, field.name),
                      .found = fmt::format("{:g}", value),
                      .needs = range_text(field),
                      .remedy = fmt::format("choose another value ({})", field.help)});
}

}  // namespace sinew
