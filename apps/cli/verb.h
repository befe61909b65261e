#pragma once

#include "sinew/base/error.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"

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
    Field range = {};  ///< of a number: min, max, above, below, unit; NaN is never taken
    std::string default_text = {};  ///< for the help, where the target does not tell it
};

/// What every verb is given.
struct Context {
    bool is_quiet = false;
    bool wants_json = false;  ///< the result goes to stdout as one JSON object, nothing else does
    int threads = 0;
    Progress progress = {};
    std::string command_line;  ///< for the provenance of what is written

    /// Whether the verb prints for a person.
    bool tells() const {
        return !is_quiet && !wants_json;
    }
};

/// `result` is printed when --json was given; otherwise the verb prints for a person.
struct Verb {
    std::string name;
    std::string summary;
    std::string examples;  ///< lines shown at the end of --help
    std::vector<Option> options;
    std::function<int(const Context&, nlohmann::ordered_json& result)> run;
    /// Adds "job" and "result" to the definitions of a JSON Schema (io/json_schema.h), where the
    /// verb's job file and the result of --json are described by fields.
    std::function<void(nlohmann::ordered_json& definitions)> describe = {};
};

/// A flag's value that cannot be used; refers to the verb's help.
InputError bad_value(const std::string& verb, const std::string& flag, const std::string& found,
                     const std::string& needs);

/// That files to write, where they are given, can be written and end as they must.
/// @param endings  in lower case; none: any
/// @throws InputError
void require_ending(const std::string& verb, const std::string& flag, const std::string& file,
                    const std::vector<std::string>& endings);
/// Makes a folder for results. @throws InputError  when it cannot be made or written to
void make_output_folder(const std::string& folder);
/// That no two of the files to write are the same. @throws InputError
void require_different(const std::string& verb, const std::vector<std::string>& files);

}  // namespace sinew::cli
