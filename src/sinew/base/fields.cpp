#include "sinew/base/fields.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

FieldPlace FieldPlace::field(std::string_view name) const {
    FieldPlace inner = *this;
    inner.path_ += fmt::format("{}{}", path_.empty() ? "" : ".", name);
    return inner;
}

FieldPlace FieldPlace::item(std::size_t index) const {
    FieldPlace inner = *this;
    inner.path_ += fmt::format("[{}]", index);
    return inner;
}

std::string FieldPlace::text() const {
    return path_.empty() ? document_ : fmt::format("{}, {}", document_, path_);
}

std::string range_text(const Field& field) {
    const std::string unit = field.unit.empty() ? "" : fmt::format(" {}", field.unit);
    std::string low;
    if (std::isfinite(field.above)) {
        low = fmt::format("above {:g}{}", field.above, unit);
    } else if (std::isfinite(field.min)) {
        low = fmt::format("at least {:g}{}", field.min, unit);
    }
    std::string high;
    if (std::isfinite(field.below)) {
        high = fmt::format("below {:g}{}", field.below, unit);
    } else if (std::isfinite(field.max)) {
        high = fmt::format("at most {:g}{}", field.max, unit);
    }
    if (high.empty()) {
        return low.empty() ? "a finite number" : low;
    }
    return low.empty() ? high : low + " and " + high;
}

void check_range(double value, const Field& field, const FieldPlace& where) {
    // A field without an upper end may be infinite ("never stop"), but is never NaN.
    const bool inside = value >= field.min && value <= field.max &&
                        (value > field.above || std::isinf(field.above)) &&
                        (value < field.below || std::isinf(field.below));
    if (inside) {
        return;
    }
    throw InputError({.where = where.text(),
                      .found = fmt::format("{:g}", value),
                      .needs = range_text(field),
                      .remedy = fmt::format("choose another value ({})", field.help)});
}

}  // namespace sinew
