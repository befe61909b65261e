#include "cli/command_line.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/describe.h"
#include "cli/interrupt.h"
#include "cli/terminal_progress.h"
#include "cli/versions.h"

namespace sinew::cli {

namespace {

constexpr int kPipeClosed = 141;  // as shells report programs whose reader has gone

struct Common {
    bool is_quiet = false;
    bool wants_json = false;
    int threads = 0;
};

// Descriptors that are closed would be given to files that are opened later, and messages would be
// printed into them. In their place stands what takes nothing, so that writing to it fails.
void occupy_closed_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            // The lowest free number, which is this one.
            (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

// What was printed must have arrived, or the result is lost.
// @param error  of printing, where it is known
// @return `code`, or another one where it has not
int finish_output(int code, int error = 0) {
    const bool has_failed = std::ferror(stdout) != 0;
    if (has_failed) {
        error = error != 0 ? error : errno;
    } else if (std::fflush(stdout) != 0) {
        error = errno;
    } else {
        return code;
    }
    if (error == EPIPE) {
        return kPipeClosed;  // the reader, such as head, has seen enough
    }
    fmt::print(stderr,
               "sinew: standard output: {}; needed: room for the result. What to do: free space or "
               "name another file; files that the verb writes are complete.\n",
               std::strerror(error));
    return kUnusable;
}

CLI::Option* add_target(CLI::App& app, const Option& option, const Setter& setter) {
    return app.add_option_function<std::string>(option.name, setter, option.help);
}

template <class T>
CLI::Option* add_target(CLI::App& app, const Option& option, T* target) {
    if constexpr (std::is_same_v<T, bool>) {
        // The library's own "!--no-x" shows as "--no-x{false}".
        if (option.name.starts_with('!')) {
            return app.add_flag_callback(
                option.name.substr(1), [target] { *target = false; }, option.help);
        }
        return app.add_flag(option.name, *target, option.help);
    } else if constexpr (std::is_arithmetic_v<T>) {
        return app.add_option(option.name, *target, option.help)->capture_default_str();
    } else {
        return app.add_option(option.name, *target, option.help);
    }
}

// "-o,--output" and "!--no-skin" as people write them: --output, --no-skin.
std::string long_name(const Option& option) {
    const std::size_t dashes = option.name.find("--");
    return dashes == std::string::npos ? option.name : option.name.substr(dashes);
}

bool takes_number(const Option& option) {
    return std::holds_alternative<int*>(option.target) ||
           std::holds_alternative<double*>(option.target) || !option.default_text.empty();
}

void add_option(CLI::App& app, const Option& option) {
    CLI::Option* added = std::visit(
        [&](const auto& target) { return add_target(app, option, target); }, option.target);
    if (!option.default_text.empty()) {
        added->default_str(option.default_text);
    }
    if (takes_number(option)) {
        Field range = option.range;
        range.help = range.help.empty() ? option.help : range.help;
        added->check([flag = long_name(option), range](const std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            if (end != text.c_str() && *end == '\0') {
                check_range(value, range, FieldPlace(flag));
            }
            return std::string();  // what is no number is refused by the parser
        });
    }
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
    app.add_flag("-q,--quiet", common.is_quiet, "no progress, no summary; only warnings and errors")
        ->group("For every verb");
    app.add_flag("--json", common.wants_json, "the result as one JSON object on stdout")
        ->group("For every verb");
    app.add_option("--threads", common.threads,
                   "worker threads, 0 for all cores; never changes the result")
        ->check(CLI::Range(0, 1024))
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

// The message for people, and with --json the same for programs.
int fail(const std::string& message, const ErrorParts& parts, const std::string& file, int code,
         bool wants_json) {
    if (wants_json) {
        const nlohmann::ordered_json error = {
            {"error",
             {{"where", parts.where},
              {"found", parts.found},
              {"needs", parts.needs},
              {"remedy", parts.remedy},
              {"file", file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(file)}}},
            {"exit", code}};
        std::puts(error.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    }
    std::fflush(stdout);
    fmt::print(stderr, "sinew: {}\n", message);
    return code;
}

/// Arguments of the verb that can be files, in the order of its options.
std::vector<std::string> files_given(const Verb& verb) {
    std::vector<std::string> files;
    for (const Option& option : verb.options) {
        if (const auto* one = std::get_if<std::string*>(&option.target)) {
            files.push_back(**one);
        } else if (const auto* many = std::get_if<std::vector<std::string>*>(&option.target)) {
            files.insert(files.end(), (*many)->begin(), (*many)->end());
        }
    }
    std::erase_if(files, [](const std::string& file) {
        return file.find_first_of("/.") == std::string::npos;
    });
    return files;
}

/// The file that an error is about: the one that it names, else the only one that is there.
std::string file_of(const ErrorParts& parts, std::vector<std::string> files) {
    const auto is_named = [&](const std::string& name) {
        return parts.where.find(name) != std::string::npos ||
               parts.found.find(name) != std::string::npos;
    };
    for (const std::string& file : files) {
        if (is_named(file)) {
            return file;
        }
    }
    std::erase_if(files, [](const std::string& file) {
        std::error_code ignored;
        return !std::filesystem::exists(file, ignored);
    });
    for (const std::string& file : files) {
        const std::string name = std::filesystem::path(file).filename().string();
        if (!name.empty() && is_named(name)) {
            return file;
        }
    }
    // "--rate" is about the command.
    const bool is_elsewhere =
        parts.where.starts_with("-") || parts.where.find_first_of("/.") != std::string::npos;
    return files.size() == 1 && !is_elsewhere ? files[0] : "";
}

int fail_with(const InputError& error, const Verb& verb, bool wants_json) {
    const std::string file = file_of(error.parts(), files_given(verb));
    const std::string name = std::filesystem::path(file).filename().string();
    // Every message about a file names it.
    const bool is_named = error.parts().where.find(name) != std::string::npos ||
                          error.parts().found.find(name) != std::string::npos;
    const InputError told = is_named ? error : error.within(file);
    return fail(told.what(), told.parts(), file, kBadInput, wants_json);
}

// However it ends, nobody ends the program from then on.
int run_to_its_end(const Verb& verb, const Context& context, nlohmann::ordered_json& result,
                   Interrupts& interrupts) {
    try {
        const int code = verb.run(context, result);
        interrupts.end();
        return code;
    } catch (...) {
        interrupts.end();
        throw;
    }
}

int run_verb(const Verb& verb, const Common& common, std::string command_line) {
    Context context{.is_quiet = common.is_quiet,
                    .wants_json = common.wants_json,
                    .threads = common.threads,
                    .progress = Progress(make_terminal_progress(common.is_quiet)),
                    .command_line = std::move(command_line)};
    const ThreadLimit limit(common.threads);
    const auto fail_as = [&](const std::string& found, const char* needs, const char* remedy,
                             int code) {
        return fail(found, {fmt::format("sinew {}", verb.name), found, needs, remedy}, "", code,
                    common.wants_json);
    };
    const auto stopped = [&](int code) {
        return fail_as(fmt::format("stopped; {}", kept_note()), "to be let run", "start it again",
                       code);
    };
    Interrupts interrupts(context.progress, stopped);
    try {
        nlohmann::ordered_json result;
        const int code = run_to_its_end(verb, context, result, interrupts);
        if (common.wants_json && !result.is_null()) {
            // Text that is not UTF-8 (names from damaged files) must not stop the answer.
            std::puts(result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
        }
        return finish_output(code);
    } catch (const InputError& e) {
        return fail_with(e, verb, common.wants_json);
    } catch (const Cancelled&) {
        return stopped(interrupts.code());
    } catch (const std::bad_alloc&) {
        return fail_as("out of memory. What to do: use a smaller mesh or a lower resolution.",
                       "more memory", "use a smaller mesh or a lower resolution", kBadInput);
    } catch (const std::exception& e) {
        if (std::ferror(stdout) != 0) {  // printing throws
            const auto* failed = dynamic_cast<const std::system_error*>(&e);
            return finish_output(kOk, failed != nullptr ? failed->code().value() : 0);
        }
        return fail_as(
            fmt::format("internal error: {}. Please report it with the command.", e.what()),
            "no error", "report it with the command", kUnusable);
    }
}

/// The first word that looks like an option of the verb and is none, with the nearest one; else "".
std::string unknown_option_message(const std::vector<std::string>& words, const CLI::App& parser) {
    std::vector<std::string> known;
    for (const CLI::Option* option : parser.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            known.push_back("--" + name);
        }
    }
    for (const std::string& word : words) {
        const std::string name = word.substr(0, word.find('='));
        if (word.starts_with("--") && word.size() > 2 &&
            std::find(known.begin(), known.end(), name) == known.end()) {
            return fmt::format("unknown option '{}'{}", name, did_you_mean(name, known));
        }
    }
    return {};
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

/// Options that every verb has may stand before it: `sinew --json info a.ply`.
void bring_verb_first(std::vector<char*>& words) {
    std::size_t i = 1;
    while (i < words.size()) {
        const std::string_view word = words[i];
        if (word == "--threads") {
            i += 2;
        } else if (word == "-q" || word == "--quiet" || word == "--json" ||
                   word.starts_with("--threads=")) {
            ++i;
        } else {
            break;
        }
    }
    if (i > 1 && i < words.size() && words[i][0] != '-') {
        const auto begin = words.begin() + 1;
        const auto verb = words.begin() + static_cast<std::ptrdiff_t>(i);
        std::rotate(begin, verb, verb + 1);
    }
}

}  // namespace

int run_command_line(int argc, char** argv, const std::vector<Verb>& verbs) {
    occupy_closed_streams();
    std::vector<char*> line(argv, argv + argc);
    bring_verb_first(line);
    argv = line.data();
    std::signal(SIGPIPE, SIG_IGN);
    CLI::App app("Sinew builds, personalises, grows, poses and moves anatomical humans.", "sinew");
    app.set_version_flag("--version", version_report());
    app.require_subcommand(0, 1);
    app.footer(
        "Examples:\n"
        "  sinew info arm.obj --unit cm\n"
        "  sinew render body.ply -o body.png --view three-quarter\n"
        "Each verb explains itself: sinew VERB --help\n"
        "Exit codes: 0 ok, 1 ran but the result is unusable or could not be printed, 2 bad input.");
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
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    // Known before the parser has come to it, or failed.
    const bool wants_json = std::find(words.begin(), words.end(), "--json") != words.end();
    const std::string first = words.empty() || words[0].starts_with("-") ? "" : words[0];
    const auto named = std::find_if(verbs.begin(), verbs.end(),
                                    [&](const Verb& verb) { return verb.name == first; });
    const auto refuse = [&](const std::string& message) {
        const std::string verb = named == verbs.end() ? "sinew" : "sinew " + first;
        return fail(message,
                    {.where = verb,
                     .found = message,
                     .needs = "a verb and its options",
                     .remedy = fmt::format("see '{} --help'", verb)},
                    "", kBadInput, wants_json);
    };
    if (!first.empty() && named == verbs.end()) {
        return refuse(unknown_verb_message(first, verbs));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        std::ostringstream text;
        const int code = app.exit(done, text, text);
        std::fputs(text.str().c_str(), stdout);
        return finish_output(code);
    } catch (const CLI::ParseError& e) {
        std::string message = e.what();
        if (named != verbs.end()) {
            const std::string unknown = unknown_option_message(
                words, *parsers[static_cast<std::size_t>(named - verbs.begin())]);
            message = unknown.empty() ? message : unknown;
        }
        const std::string verb = first.empty() ? "" : " " + first;
        return refuse(fmt::format("{}{} See 'sinew{} --help'.", message,
                                  message.ends_with("?") ? "" : ".", verb));
    } catch (const InputError& e) {  // a value out of its range
        return fail(e.what(), e.parts(), "", kBadInput, wants_json);
    }
    if (wants_description) {
        std::puts(describe(app, verbs).dump(2).c_str());
        return finish_output(kOk);
    }
    for (std::size_t i = 0; i < verbs.size(); ++i) {
        if (parsers[i]->parsed()) {
            return run_verb(verbs[i], common, command_that_matters(argc, argv));
        }
    }
    std::fputs(app.help().c_str(), stdout);
    return finish_output(kOk);
}

int report_error(const InputError& error, int argc, char** argv) {
    occupy_closed_streams();
    std::signal(SIGPIPE, SIG_IGN);
    const bool wants_json = std::any_of(
        argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
    return finish_output(fail(error.what(), error.parts(), "", kBadInput, wants_json));
}

InputError bad_value(const std::string& verb, const std::string& flag, const std::string& found,
                     const std::string& needs) {
    return InputError({.where = flag,
                       .found = fmt::format("'{}'", found),
                       .needs = needs,
                       .remedy = fmt::format("see 'sinew {} --help'", verb)});
}

void require_ending(const std::string& verb, const std::string& flag, const std::string& file,
                    const std::vector<std::string>& endings) {
    if (file.empty()) {
        return;
    }
    const std::string ending = lower(std::filesystem::path(file).extension().string());
    if (!endings.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end()) {
        throw bad_value(verb, flag, file,
                        fmt::format("a name that ends in {}", join(endings, " or ")));
    }
    require_writable_place(file);
}

void make_output_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw InputError({.where = folder,
                          .found = error.message(),
                          .needs = "a folder that can be written to",
                          .remedy = "name another folder"});
    }
    require_writable_place(std::filesystem::path(folder) / "result");
}

void require_different(const std::string& verb, const std::vector<std::string>& files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            std::error_code ignored;
            if (!files[i].empty() && !files[j].empty() &&
                std::filesystem::weakly_canonical(files[i], ignored) ==
                    std::filesystem::weakly_canonical(files[j], ignored)) {
                throw InputError({.where = files[i],
                                  .found = "the same file for two results",
                                  .needs = "a file for each",
                                  .remedy = fmt::format("see 'sinew {} --help'", verb)});
            }
        }
    }
}

}  // namespace sinew::cli
