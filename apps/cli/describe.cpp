#include "cli/describe.h"

#include "sinew/base/version.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace sinew::cli {

namespace {

// What may be given to an option; only text can name a file.
std::string kind_of(const Option& option) {
    if (std::holds_alternative<bool*>(option.target)) {
        return "flag";
    }
    const bool is_number = std::holds_alternative<int*>(option.target) ||
                           std::holds_alternative<double*>(option.target);
    return option.choices.empty() ? (is_number ? "number" : "text") : "choice";
}

nlohmann::ordered_json describe_option(const CLI::Option& parsed, const std::string& kind,
                                       const std::vector<std::string>& choices) {
    nlohmann::ordered_json described;
    described["names"] = nlohmann::ordered_json::array();
    for (const std::string& name : parsed.get_snames()) {
        described["names"].push_back("-" + name);
    }
    for (const std::string& name : parsed.get_lnames()) {
        described["names"].push_back("--" + name);
    }
    if (parsed.get_positional()) {
        described["positional"] = parsed.get_name();
    }
    described["help"] = parsed.get_description();
    described["kind"] = kind;
    if (kind != "flag") {
        described["value"] = parsed.get_type_name();
        described["repeats"] = parsed.get_items_expected_max() > 1;
        described["required"] = parsed.get_required();
        described["default"] = parsed.get_default_str();
    }
    if (!choices.empty()) {
        described["choices"] = choices;
    }
    return described;
}

}  // namespace

nlohmann::ordered_json describe(const CLI::App& app, const std::vector<Verb>& verbs) {
    nlohmann::ordered_json described;
    described["program"] = app.get_name();
    described["version"] = version();
    described["summary"] = app.get_description();
    described["footer"] = app.get_footer();
    described["verbs"] = nlohmann::ordered_json::array();
    for (const Verb& verb : verbs) {
        const CLI::App* parser = app.get_subcommand(verb.name);
        nlohmann::ordered_json entry{
            {"name", verb.name}, {"summary", verb.summary}, {"examples", verb.examples}};
        const std::vector<const CLI::Option*> options = parser->get_options();
        for (std::size_t i = 1; i < options.size(); ++i) {  // the first is --help
            const bool is_own = i <= verb.options.size();
            const std::string kind = is_own ? kind_of(verb.options[i - 1])
                                     : options[i]->get_items_expected_max() == 0 ? "flag"
                                                                                 : "number";
            entry[is_own ? "options" : "common"].push_back(
                describe_option(*options[i], kind,
                                is_own ? verb.options[i - 1].choices : std::vector<std::string>()));
        }
        described["verbs"].push_back(std::move(entry));
    }
    return described;
}

}  // namespace sinew::cli
