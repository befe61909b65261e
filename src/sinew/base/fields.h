#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinew {

/// Describes one field of an options struct. Ranges are inclusive; `above` makes the lower end
/// open.
struct Field {
    std::string_view name;
    std::string_view help;
    std::string_view unit = {};
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    double above = -std::numeric_limits<double>::infinity();
    std::vector<std::string_view> choices = {};  ///< names of an enum's values, in order
};

// An options struct names its fields once:
//
//   struct SmoothOptions { int iterations = 10; double step = 0.5; };
//   template <class Options, class Visitor>   // Options: SmoothOptions or const SmoothOptions
//   requires std::same_as<std::remove_const_t<Options>, SmoothOptions>
//   void visit_fields(Options& o, Visitor&& v) {
//       v(o.iterations, Field{.name = "iterations", .help = "passes", .min = 0, .max = 1000});
//       v(o.step, Field{.name = "step", .help = "fraction of the step", .above = 0, .max = 1});
//   }
//
// and that list serves JSON (io), the command line (apps/cli), forms and the range check below.
// Fields may be bool, int, double, std::string, or an enum counted from 0 with `choices`.

/// @throws InputError naming `where` and the field when a value lies outside its range
void check_range(double value, const Field& field, std::string_view where);

template <class Options>
void check_ranges(const Options& options, std::string_view where) {
    visit_fields(options, [&](const auto& value, const Field& field) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
            check_range(static_cast<double>(value), field, where);
        }
    });
}

}  // namespace sinew
