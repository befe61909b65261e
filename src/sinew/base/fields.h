#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sinew {

/// Describes one field of an options struct. Ranges are inclusive; `above` and `below` make an end
/// open. Ranges of lists, of values by name and of optional values hold for each value.
struct Field {
    std::string_view name;  ///< key in JSON; with - for _ also the flag of the command line
    std::string_view help;
    std::string_view unit = {};
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    double above = -std::numeric_limits<double>::infinity();
    std::vector<std::string_view> choices = {};  ///< names of an enum's values, in order
    double below = std::numeric_limits<double>::infinity();
    double soft_min = -std::numeric_limits<double>::infinity();  ///< where a slider begins
    double soft_max = std::numeric_limits<double>::infinity();   ///< and where it ends
    bool is_required = false;                                    ///< a file without it is refused
    bool is_path = false;        ///< a file or folder; in a job file relative to the job's folder
    std::string_view flag = {};  ///< of the command line, where it is not the name
    std::string_view metavar = {};  ///< of the flag's value, where it is not the unit
};

// An options struct names its fields once:
//
//   struct SmoothOptions { int iterations = 10; double step = 0.5; };
//   template <class Options, class Visitor>   // Options: SmoothOptions or const SmoothOptions
//   requires std::same_as<std::remove_const_t<Options>, SmoothOptions>
//   void visit_fields(Options& o, Visitor&& v) {
//       v(o.iterations, Field{.name = "iterations", .help = "passes", .min = 0, .max = 1000});
//       v(o.step, Field{.name = "step", .help = "fraction of the path", .max = 1, .above = 0});
//   }
//
// and that list serves JSON in and out and JSON Schema (io), the command line (apps/cli), forms and
// the range check below. A field may be
//
//   bool, a whole number, double, std::string, an enum counted from 0 with `choices`,
//   a number or a text (NumberOrText), another struct with fields,
//   std::optional of any of these: nothing where it is not given,
//   std::vector of any of these: a list,
//   std::vector<std::pair<std::string, T>>: values by name, in order, each name once,
//   std::array or a vector of Eigen's of fixed size: so many numbers.

using NumberOrText = std::variant<double, std::string>;

namespace detail {

struct FieldProbe {
    template <class T>
    void operator()(T&, const Field&) const {}
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T>
struct IsByName : std::false_type {};
template <class T>
struct IsByName<std::vector<std::pair<std::string, T>>> : std::true_type {};
template <class T>
struct FixedCount : std::integral_constant<std::ptrdiff_t, -1> {};
template <class T, std::size_t N>
struct FixedCount<std::array<T, N>> : std::integral_constant<std::ptrdiff_t, N> {};
template <class T>
requires requires {
    T::SizeAtCompileTime;
}
struct FixedCount<T> : std::integral_constant<std::ptrdiff_t, T::SizeAtCompileTime> {};

}  // namespace detail

template <class T>
concept HasFields = requires(T& value, detail::FieldProbe probe) {
    visit_fields(value, probe);
};
template <class T>
concept OptionalField = detail::IsOptional<T>::value;
template <class T>
concept ByNameField = detail::IsByName<T>::value;
template <class T>
concept ListField = detail::IsList<T>::value && !ByNameField<T>;
template <class T>
concept FixedListField = detail::FixedCount<T>::value >
0;
template <class T>
concept WholeField = std::integral<T> && !std::same_as<T, bool>;

/// Where a value stands, for messages: "scene.json, materials[0].law".
class FieldPlace {
public:
    /// @param document  the file, or what the whole is called
    explicit FieldPlace(std::string document) : document_(std::move(document)) {}

    FieldPlace field(std::string_view name) const;
    FieldPlace item(std::size_t index) const;
    std::string text() const;

private:
    std::string document_;
    std::string path_ = {};
};

/// "above 0 m and at most 1 m", or "a finite number" where there is no range.
std::string range_text(const Field& field);

/// @param where  the value's place
/// @throws InputError naming it when the value lies outside the field's range
void check_range(double value, const Field& field, const FieldPlace& where);

template <class T>
void check_ranges_of(const T& value, const Field& field, const FieldPlace& where) {
    if constexpr (OptionalField<T>) {
        if (value) {
            check_ranges_of(*value, field, where);
        }
    } else if constexpr (ByNameField<T>) {
        for (const auto& [name, entry] : value) {
            check_ranges_of(entry, field, where.field(name));
        }
    } else if constexpr (ListField<T> || FixedListField<T>) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(value.size()); ++i) {
            check_ranges_of(value[i], field, where.item(i));
        }
    } else if constexpr (HasFields<const T>) {
        visit_fields(value, [&](const auto& inner, const Field& inner_field) {
            check_ranges_of(inner, inner_field, where.field(inner_field.name));
        });
    } else if constexpr (std::is_arithmetic_v<T> && !std::same_as<T, bool>) {
        check_range(static_cast<double>(value), field, where);
    }
}

/// @throws InputError naming `where` and the field when a value lies outside its range
template <class Options>
void check_ranges(const Options& options, std::string_view where) {
    check_ranges_of(options, Field{}, FieldPlace(std::string(where)));
}

/// The description of the field of that name. @throws std::out_of_range for a name without a field
template <class Options>
Field field_named(std::string_view name) {
    std::optional<Field> found;
    const Options defaults{};
    visit_fields(defaults, [&](const auto&, const Field& field) {
        if (field.name == name) {
            found = field;
        }
    });
    return found ? *found : throw std::out_of_range(std::string(name));
}

}  // namespace sinew
