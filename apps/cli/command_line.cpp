#include "cli/command_line.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/describe.h"
#include "cli/terminal_progress.h"
#include "cli/versions.h"

namespace sinew::cli {

namespace {

constexpr int kInterrupted = 130;  // as shells report it

const Progress* interruptible = nullptr;  // read by the signal handler only

void on_interrupt(int) {
    if (interruptible != nullptr && !interruptible->is_cancelled()) {
        interruptible->cancel();
        return;
    }
    std::_Exit(kInterrupted);  // asked twice
}

struct Common {
    bool is_quiet = false;
    bool wants_json = false;
    int threads = 0;
    std::uint64_t seed = 0;
};

CLI::Option* add_target(CLI::App& app, const Option& option, const Setter& setter) {
    return app.add_option_function<std::string>(option.name, setter, option.help);
}

template <class T>
CLI::Option* add_target(CLI::App& app, const Option& option, T* target) {
    if constexpr (std::is_same_v<T, bool>) {
        return app.add_flag(option.name, *target, option.help);
    } else if constexpr (std::is_arithmetic_v<T>) {
        return app.add_option(option.name, *target, option.help)->capture_default_str();
    } else {
        return app.add_option(option.name, *target, option.help);
    }
}

void add_option(CLI::App& app, const Option& option) {
    CLI::Option* added = std::visit(
        [&](const auto& target) { return add_target(app, option, target); }, option.target);
    if (!option.metavar.empty()) {
        added->type_name(option.metavar);
    }
    if (!option.choices.empty()) {
        added->type_name(join(option.choices, "|"));
        added->check([choices = option.choices](const std::string& value) {
            for (const std::string& choice : choices) {
                if (choice == value) {
                    return std::string();
                }
            }
            return fmt::format("'{}' is not one of {}{}", value, join(choices, ", "),
                               did_you_mean(value, choices));
        });
    }
    if (option.is_required) {
        added->required();
    }
}

void add_common(CLI::App& app, Common& common) {
    app.add_flag("-q,--quiet", common.is_quiet, "no progress, only errors")
        ->group("For every verb");
    app.add_flag("--json", common.wants_json, "the result as one JSON object on stdout")
        ->group("For every verb");
    app.add_option("--threads", common.threads,
                   "worker threads, 0 for all cores; never changes the result")
        ->check(CLI::Range(0, 1024))
        ->type_name("N")
        ->group("For every verb");
    app.add_option("--seed", common.seed, "start of all random numbers")
        ->type_name("N")
        ->group("For every verb");
}

// The command without what never changes the result, so that the same body has the same bytes
// whatever it is called and however many threads made it.
std::string command_that_matters(int argc, char** argv) {
    static const std::vector<std::string_view> kFlags = {"-q", "--quiet", "--json", "--no-cache"};
    static const std::vector<std::string_view> kWithValue = {"-o", "--output", "--threads",
                                                             "--cache"};
    const auto is_one_of = [](const std::vector<std::string_view>& names, std::string_view word) {
        return std::find(names.begin(), names.end(), word) != names.end();
    };
    std::string line = "sinew";
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (is_one_of(kWithValue, word)) {
            ++i;
        } else if (!is_one_of(kFlags, word) &&
                   !is_one_of(kWithValue, word.substr(0, word.find('=')))) {
            line += fmt::format(" {}", word);
        }
    }
    return line;
}

int fail(std::string_view message, int code) {
    std::fflush(stdout);
    fmt::print(stderr, "sinew: {}\n", message);
    return code;
}

int run_verb(const Verb& verb, const Common& common, std::string command_line) {
    Context context{.is_quiet = common.is_quiet,
                    .wants_json = common.wants_json,
                    .threads = common.threads,
                    .seed = Seed{common.seed},
                    .progress = Progress(make_terminal_progress(common.is_quiet)),
                    .command_line = std::move(command_line)};
    const ThreadLimit limit(common.threads);
    interruptible = &context.progress;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        nlohmann::ordered_json result;
        const int code = verb.run(context, result);
        if (common.wants_json) {
            // Text that is not UTF-8 (names from damaged files) must not stop the answer.
            std::puts(result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
        }
        return code;
    } catch (const InputError& e) {
        return fail(e.what(), kBadInput);
    } catch (const Cancelled&) {
        return fail("stopped; nothing was written", kInterrupted);
    } catch (const std::bad_alloc&) {
        return fail("out of memory. What to do: use a smaller mesh or a lower resolution.",
                    kBadInput);
    } catch (const std::exception& e) {
        return fail(fmt::format("internal error: {}. Please report it with the command.", e.what()),
                    kUnusable);
    }
}

std::string unknown_verb_message(const std::string& word, const std::vector<Verb>& verbs) {
    std::vector<std::string> names;
    names.reserve(verbs.size());
    for (const Verb& verb : verbs) {
        names.push_back(verb.name);
    }
    return fmt::format("unknown verb '{}'{} Verbs: {}. See 'sinew --help'.", word,
                       did_you_mean(word, names).empty() ? "." : did_you_mean(word, names),
                       join(names, ", "));
}

}  // namespace

int run_command_line(int argc, char** argv, const std::vector<Verb>& verbs) {
    CLI::App app("Sinew builds, personalises, grows, poses and moves anatomical humans.", "sinew");
    app.set_version_flag("--version", version_report());
    app.require_subcommand(0, 1);
    app.footer(
        "Examples:\n"
        "  sinew info arm.obj --unit cm\n"
        "  sinew render body.ply -o body.png --view three-quarter\n"
        "Each verb explains itself: sinew VERB --help\n"
        "Exit codes: 0 ok, 1 ran but the result is unusable, 2 bad input.");
    bool wants_description = false;
    app.add_flag("--describe", wants_description)->group("");  // for tools/make_manual.py
    Common common;
    std::vector<CLI::App*> parsers;
    for (const Verb& verb : verbs) {
        CLI::App* parser = app.add_subcommand(verb.name, verb.summary);
        parser->footer("Examples:\n" + verb.examples);
        for (const Option& option : verb.options) {
            add_option(*parser, option);
        }
        add_common(*parser, common);
        parsers.push_back(parser);
    }
    if (argc > 1 && argv[1][0] != '-') {
        bool is_known = false;
        for (const Verb& verb : verbs) {
            is_known = is_known || verb.name == argv[1];
        }
        if (!is_known) {
            return fail(unknown_verb_message(argv[1], verbs), kBadInput);
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& e) {
        const std::string verb = argc > 1 && argv[1][0] != '-' ? fmt::format(" {}", argv[1]) : "";
        return fail(fmt::format("{}. See 'sinew{} --help'.", e.what(), verb), kBadInput);
    }
    if (wants_description) {
        std::puts(describe(app, verbs).dump(2).c_str());
        return kOk;
    }
    for (std::size_t i = 0; i < verbs.size(); ++i) {
        if (parsers[i]->parsed()) {
            return run_verb(verbs[i], common, command_that_matters(argc, argv));
        }
    }
    fmt::print("{}", app.help());
    return kOk;
}

InputError bad_value(const std::string& verb, const std::string& flag, const std::string& found,
                     const std::string& needs) {
    return InputError({.where = flag,
                       .found = fmt::format("'{}'", found),
                       .needs = needs,
                       .remedy = fmt::format("see 'sinew {} --help'", verb)});
}

}  // namespace sinew::cli
