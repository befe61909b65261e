#pragma once

#include "sinew/base/error.h"
#include "sinew/base/progress.h"
#include "sinew/base/random.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace sinew::cli {

/// The program's exit codes.
inline constexpr int kOk = 0;
inline constexpr int kUnusable = 1;  ///< it ran, but the result cannot be used
inline constexpr int kBadInput = 2;

/// Where a flag's value goes. Strings that stay empty and vectors that stay empty were not given.
/// A function is called with the text; what it throws is reported with the flag's name.
using Setter = std::function<void(const std::string&)>;
using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*, Setter>;

struct Option {
    std::string name;  ///< "--size", "-o,--output", or a plain word for a positional argument
    std::string help;
    Target target;
    std::string metavar = {};
    std::vector<std::string> choices = {};
    bool is_required = false;
};

/// What every verb is given.
struct Context {
    bool is_quiet = false;
    bool wants_json = false;  ///< the result goes to stdout as one JSON object, nothing else does
    int threads = 0;
    Seed seed = {};
    Progress progress = {};
    std::string command_line;  ///< for the provenance of what is written
};

/// `result` is printed when --json was given; otherwise the verb prints for a person.
struct Verb {
    std::string name;
    std::string summary;
    std::string examples;  ///< lines shown at the end of --help
    std::vector<Option> options;
    std::function<int(const Context&, nlohmann::ordered_json& result)> run;
};

/// A flag's value that cannot be used; refers to the verb's help.
InputError bad_value(const std::string& verb, const std::string& flag, const std::string& found,
                     const std::string& needs);

}  // namespace sinew::cli
