#pragma once

#include "sinew/base/error.h"
#include "sinew/base/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// One flag per field of an options struct (see base/fields.h): `field_of_view` becomes
/// --field-of-view, a bool that is on by default becomes --no-NAME. `skipped` names fields that the
/// verb offers in another way. The struct must outlive the parsing.
template <class Options>
void add_field_options(std::vector<Option>& options, Options& target,
                       std::initializer_list<std::string_view> skipped = {}) {
    visit_fields(target, [&](auto& value, const Field& field) {
        using T = std::remove_cvref_t<decltype(value)>;
        if (std::find(skipped.begin(), skipped.end(), field.name) != skipped.end()) {
            return;
        }
        std::string name(field.name);
        std::replace(name.begin(), name.end(), '_', '-');
        Option option{.name = "--" + name,
                      .help = std::string(field.help),
                      .target = static_cast<bool*>(nullptr),
                      .metavar = std::string(field.unit)};
        if constexpr (std::is_same_v<T, bool>) {
            option.name = value ? "!--no-" + name : "--" + name;
            option.help = value ? "without " + option.help : option.help;
            option.target = &value;
        } else if constexpr (std::is_enum_v<T>) {
            for (const std::string_view choice : field.choices) {
                option.choices.emplace_back(choice);
            }
            option.target = Setter([&value, choices = option.choices](const std::string& text) {
                const auto it = std::find(choices.begin(), choices.end(), text);
                value = static_cast<T>(it - choices.begin());
            });
        } else {
            option.target = &value;
        }
        options.push_back(std::move(option));
    });
}

}  // namespace sinew::cli
