#pragma once

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/model_files.h"
#include "sinew/io/settings_json.h"
#include "sinew/pipeline/any_model.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/field_options.h"
#include "cli/verb.h"

namespace sinew::cli {

/// --muscles, as every verb that reads a musculoskeletal model offers it.
inline Option muscles_option(std::string& target) {
    return {.name = "--muscles",
            .help = "muscles of a MASS skeleton; else the one file beside it",
            .target = &target,
            .metavar = "FILE"};
}

/// @throws InputError  for --muscles beside a file that is no MASS skeleton
inline void require_no_muscles(const std::string& verb, const std::string& muscles,
                               const std::string& file) {
    if (!muscles.empty()) {
        throw bad_value(verb, "--muscles", muscles,
                        fmt::format("a MASS skeleton (.xml), which '{}' is not", file));
    }
}

/// FILE of verbs that look at anything.
inline Option any_file_option(std::string& target) {
    return {.name = "file",
            .help = "a mesh, tetrahedra, a motion, a body or a musculoskeletal model",
            .target = &target,
            .metavar = "FILE",
            .is_required = true};
}

/// MODEL and --muscles, as every verb that reads a musculoskeletal model offers them.
struct ModelOptions {
    std::string file;
    std::string muscles;

    void add_to(std::vector<Option>& options) {
        options.push_back({.name = "model",
                           .help =
                               "an OpenSim model (.osim), a MuJoCo model or MASS skeleton (.xml), "
                               "or a body (.sinew)",
                           .target = &file,
                           .metavar = "MODEL",
                           .is_required = true});
        options.push_back(muscles_option(muscles));
    }

    MusculoskeletalModel read() const {
        return read_any_model(file, muscles);
    }
};

/// The coordinate of that name. @throws InputError with a suggestion
inline Index need_coordinate(const MusculoskeletalModel& model, const std::string& name) {
    const Index found = find_coordinate(model, name);
    if (found < 0) {
        std::vector<std::string> names;
        for (const Coordinate& c : model.coordinates) {
            names.push_back(c.name);
        }
        throw InputError({.where = fmt::format("coordinate '{}'", name),
                          .found = fmt::format("no such coordinate{}", did_you_mean(name, names)),
                          .needs = fmt::format("one of {}", join(names, ", ")),
                          .remedy = "name a coordinate of the model"});
    }
    return found;
}

/// Degrees for angles, metres for shifts, as people give them.
inline double unit_of(const Coordinate& coordinate) {
    return coordinate.is_rotation ? kPi / 180.0 : 1.0;
}

/// A verb whose work is one described job on one model: the model's options, --job, -o and a flag
/// per field of the job; its schema has the job and what --json prints.
template <class Job, class Result>
struct ModelJobSettings {
    ModelOptions model;
    std::string job;
    std::string output;
    JobFlags<Job> flags;

    void add_to(Verb& verb, std::string output_help) {
        model.add_to(verb.options);
        verb.options.push_back(
            {.name = "--job",
             .help = "all of this from a JSON file (docs/jobs.md); flags override it",
             .target = &job,
             .metavar = "JOB.json"});
        verb.options.push_back({.name = "-o,--output",
                                .help = std::move(output_help),
                                .target = &output,
                                .metavar = "FILE"});
        flags.add_to(verb.options, {"output"});
        verb.describe = [](nlohmann::ordered_json& definitions) {
            add_schema("job", Job{}, SchemaOf::File, definitions);
            add_schema("result", Result{}, SchemaOf::Result, definitions);
        };
    }

    /// The file's job with the flags over it.
    Job read() const {
        Job out = job.empty() ? flags.defaults() : read_job<Job>(job);
        flags.apply(out);
        out.output = output.empty() ? out.output : output;
        return out;
    }
};

}  // namespace sinew::cli
