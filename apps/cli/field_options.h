#pragma once

#include "sinew/base/error.h"
#include "sinew/base/fields.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// "field_of_view" becomes "--field-of-view".
std::string flag_of(const Field& field);

/// A whole text as a number. @throws InputError  naming the flag
double number_from(const std::string& text, const std::string& flag);
std::int64_t whole_from(const std::string& text, const std::string& flag);
/// NAME=VALUE. @throws InputError  naming the flag
std::pair<std::string, std::string> named_text(const std::string& text, const std::string& flag);
/// What stands between commas, of all texts.
std::vector<std::string> words_of(const std::vector<std::string>& texts);

/// Sets a field from the texts that were given to its flag, and checks its range.
template <class T>
void set_from_texts(T& value, const Field& field, const std::vector<std::string>& texts,
                    const std::string& flag) {
    if constexpr (OptionalField<T>) {
        set_from_texts(value.emplace(), field, texts, flag);
        return;
    } else if constexpr (ByNameField<T>) {
        for (const std::string& text : texts) {
            const auto [name, word] = named_text(text, flag);
            typename T::value_type entry{name, {}};
            set_from_texts(entry.second, field, {word}, fmt::format("{} {}", flag, name));
            std::erase_if(value, [&](const auto& old) { return old.first == entry.first; });
            value.push_back(std::move(entry));
        }
    } else if constexpr (ListField<T>) {
        value.clear();
        for (const std::string& word : words_of(texts)) {
            set_from_texts(value.emplace_back(), field, {word}, flag);
        }
    } else if constexpr (FixedListField<T>) {
        const std::vector<std::string> words = words_of(texts);
        constexpr auto kCount = static_cast<std::size_t>(detail::FixedCount<T>::value);
        if (words.size() != kCount) {
            throw InputError({.where = flag,
                              .found = fmt::format("'{}'", join(texts, " ")),
                              .needs = fmt::format("{} values with commas", kCount),
                              .remedy = "see the verb's --help"});
        }
        for (std::size_t i = 0; i < kCount; ++i) {
            set_from_texts(value[i], field, {words[i]}, flag);
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        value = texts.back() == "true";
    } else if constexpr (std::is_enum_v<T>) {
        // The parser knows the choices.
        value = static_cast<T>(std::find(field.choices.begin(), field.choices.end(), texts.back()) -
                               field.choices.begin());
    } else if constexpr (WholeField<T>) {
        const std::int64_t number = whole_from(texts.back(), flag);
        check_range(static_cast<double>(number), field, FieldPlace(flag));
        value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, double>) {
        value = number_from(texts.back(), flag);
        check_range(value, field, FieldPlace(flag));
    } else {
        value = texts.back();  // std::string, NumberOrText
    }
}

/// Kinds of fields that a flag can carry; others stand in job files only.
template <class T>
constexpr bool has_flag() {
    if constexpr (ByNameField<T>) {
        return has_flag<typename T::value_type::second_type>();
    } else if constexpr (OptionalField<T> || ListField<T>) {
        return has_flag<typename T::value_type>();
    } else {
        return !HasFields<T>;
    }
}

/// The flags of a job: one per field (base/fields.h), kept as they were given until the job that
/// they change is there, be it a default one or one from a file. A bool that is on by default
/// becomes --no-NAME. Must outlive the parsing.
template <class Job>
class JobFlags {
public:
    /// @param defaults  as the help tells them, and what apply() changes where there is no file
    explicit JobFlags(Job defaults = {}) : defaults_(std::move(defaults)) {}
    JobFlags(const JobFlags&) = delete;
    JobFlags& operator=(const JobFlags&) = delete;

    /// @param skipped  fields that the verb offers in another way
    void add_to(std::vector<Option>& options,
                std::initializer_list<std::string_view> skipped = {}) {
        visit_fields(defaults_, [&](auto& value, const Field& field) {
            using T = std::remove_cvref_t<decltype(value)>;
            if (std::find(skipped.begin(), skipped.end(), field.name) != skipped.end()) {
                return;
            }
            if constexpr (has_flag<T>()) {
                options.push_back(option_of(value, field));
            }
        });
    }

    const Job& defaults() const {
        return defaults_;
    }
    bool was_given(std::string_view field) const {
        const auto found = texts_.find(field);
        const auto flipped = switches_.find(field);
        return (found != texts_.end() && !found->second.empty()) ||
               (flipped != switches_.end() && flipped->second.now != flipped->second.before);
    }

    /// Sets what was given. @throws InputError  naming the flag of a value that cannot be used
    void apply(Job& job) const {
        visit_fields(job, [&](auto& value, const Field& field) {
            using T = std::remove_cvref_t<decltype(value)>;
            if constexpr (has_flag<T>()) {
                if (const auto found = switches_.find(field.name);
                    found != switches_.end() && was_given(field.name)) {
                    set_from_texts(value, field, {found->second.now ? "true" : "false"},
                                   flag_of(field));
                } else if (was_given(field.name)) {
                    set_from_texts(value, field, texts_.find(field.name)->second, flag_of(field));
                }
            }
        });
    }

private:
    struct Switch {
        bool now;
        bool before;
    };

    template <class T>
    Option option_of(const T& value, const Field& field) {
        Option option{.name = flag_of(field),
                      .help = std::string(field.help),
                      .target = static_cast<bool*>(nullptr),
                      .metavar = std::string(field.metavar.empty() ? field.unit : field.metavar)};
        option.is_required = false;
        const std::string name(field.name);
        if constexpr (std::is_same_v<T, bool>) {
            option.name = value ? "!--no-" + option.name.substr(2) : option.name;
            option.help = value ? "without " + option.help : option.help;
            option.target = &switches_.emplace(name, Switch{value, value}).first->second.now;
            option.metavar.clear();
        } else if constexpr (ByNameField<T> || ListField<T>) {
            option.target = &texts_[name];
        } else {
            for (const std::string_view choice : field.choices) {
                option.choices.emplace_back(choice);
            }
            option.target =
                Setter([&texts = texts_[name]](const std::string& text) { texts.assign(1, text); });
            if constexpr (std::is_arithmetic_v<T>) {
                option.range = field;
                option.default_text = fmt::format("{}", value);
                option.metavar = option.metavar.empty() ? "N" : option.metavar;
            }
        }
        return option;
    }

    Job defaults_;
    std::map<std::string, std::vector<std::string>, std::less<>> texts_;
    std::map<std::string, Switch, std::less<>> switches_;
};

/// One flag per field of an options struct that goes straight into it.
/// @param skipped  fields that the verb offers in another way. The struct must outlive the parsing.
template <class Options>
void add_field_options(std::vector<Option>& options, Options& target,
                       std::initializer_list<std::string_view> skipped = {}) {
    visit_fields(target, [&](auto& value, const Field& field) {
        using T = std::remove_cvref_t<decltype(value)>;
        if (std::find(skipped.begin(), skipped.end(), field.name) != skipped.end()) {
            return;
        }
        Option option{.name = flag_of(field),
                      .help = std::string(field.help),
                      .target = static_cast<bool*>(nullptr),
                      .metavar = std::string(field.metavar.empty() ? field.unit : field.metavar)};
        option.range = field;
        if constexpr (std::is_same_v<T, bool>) {
            option.name = value ? "!--no-" + option.name.substr(2) : option.name;
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
