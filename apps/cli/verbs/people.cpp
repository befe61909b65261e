#include "sinew/pipeline/people.h"

#include "sinew/io/json_schema.h"
#include "sinew/io/settings_json.h"
#include "sinew/pipeline/body_cache.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct PeopleSettings {
    std::string output;
    std::string job;
    JobFlags<PeopleJob> flags;
};

int run_people(const PeopleSettings& settings, const Context& context,
               nlohmann::ordered_json& result) {
    PeopleJob job = settings.job.empty() ? PeopleJob{} : read_job<PeopleJob>(settings.job);
    settings.flags.apply(job);
    make_output_folder(settings.output);
    const CohortSummary summary = make_people(job, settings.output, BodyCache::default_folder(),
                                              context.command_line, context.progress);
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print(
            "{}: {} people made, {} kept, {} refused; measures against those asked for: "
            "median |z| {:.2f}, {:.0f} % within 2; {:.1f} s\n",
            summary.table, summary.made, summary.kept, summary.refused, summary.median_z,
            100.0 * summary.within_2, summary.seconds);
    }
    return summary.refused == 0 ? kOk : kUnusable;
}

}  // namespace

Verb people_verb() {
    auto settings = std::make_shared<PeopleSettings>();
    Verb verb{.name = "people",
              .summary = "Draw people as they are and make their bodies",
              .examples =
                  "  sinew people --count 100 --seed 7 -o cohort\n"
                  "  sinew people --count 20 --sex female --resolution standard -o women\n"
                  "Run it again to go on where it stopped. cohort/people.csv has what was asked\n"
                  "for and what was made; see docs/growth.md.",
              .options = {{.name = "--job",
                           .help = "all of this from a JSON file (docs/jobs.md); flags override it",
                           .target = &settings->job,
                           .metavar = "JOB.json"},
                          {.name = "-o,--output",
                           .help = "folder of the bodies and of people.csv",
                           .target = &settings->output,
                           .metavar = "DIR",
                           .is_required = true}},
              .run = {}};
    settings->flags.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("job", PeopleJob{}, SchemaOf::File, definitions);
        add_schema("result", CohortSummary{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        return run_people(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
