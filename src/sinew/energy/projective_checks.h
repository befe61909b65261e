#pragma once

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew::detail {

template <class A, class B>
void check_count(const char* what, A found, B needed) {
    if (static_cast<long long>(found) != static_cast<long long>(needed)) {
        throw InputError({.where = what,
                          .found = fmt::format("{} values", found),
                          .needs = fmt::format("{}", needed),
                          .remedy = "give one value for each constraint"});
    }
}

inline double checked_weight(const char* what, std::size_t i, double weight) {
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
        throw InputError({.where = fmt::format("{}, weight {}", what, i),
                          .found = fmt::format("{}", weight),
                          .needs = "a finite number >= 0",
                          .remedy = "check the stiffness that it was made from"});
    }
    return weight;
}

}  // namespace sinew::detail
