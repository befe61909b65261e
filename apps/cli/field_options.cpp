#include "cli/field_options.h"

#include "sinew/io/text_cursor.h"

namespace sinew::cli {

std::string flag_of(const Field& field) {
    std::string name(field.flag.empty() ? field.name : field.flag);
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

double number_from(const std::string& text, const std::string& flag) {
    double value = 0.0;
    if (!parse_number(text, value)) {
        throw InputError({.where = flag,
                          .found = fmt::format("'{}'", text),
                          .needs = "a number",
                          .remedy = "write it as in 1.5"});
    }
    return value;
}

std::int64_t whole_from(const std::string& text, const std::string& flag) {
    std::int64_t value = 0;
    if (!parse_integer(text, value)) {
        throw InputError({.where = flag,
                          .found = fmt::format("'{}'", text),
                          .needs = "a whole number",
                          .remedy = "write it as in 12"});
    }
    return value;
}

std::pair<std::string, std::string> named_text(const std::string& text, const std::string& flag) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw InputError({.where = flag,
                          .found = fmt::format("'{}'", text),
                          .needs = "NAME=VALUE, as in biceps=1.5",
                          .remedy = "see the verb's --help"});
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> words_of(const std::vector<std::string>& texts) {
    std::vector<std::string> words;
    for (const std::string& text : texts) {
        for (std::string& word : split(text, ',')) {
            if (!word.empty()) {
                words.push_back(std::move(word));
            }
        }
    }
    return words;
}

}  // namespace sinew::cli
