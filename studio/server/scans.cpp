#include "studio/server/scans.h"

#include "sinew/base/error.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/settings_json.h"
#include "sinew/pipeline/fit_scan.h"

#include <fmt/format.h>

#include "studio/server/files.h"
#include "studio/server/jobs.h"
#include "studio/server/verbs.h"
#include "studio/server/workspace.h"

namespace sinew::studio {

namespace {

// The job that the message describes, with the fields of `sinew schema fit`. Files that it names
// are those of the workspace.
FitJob fit_job_of(const Json& message, const Workspace& workspace) {
    Json options = message.value("options", Json::object());
    options.emplace("version", 1);  // the protocol's own is enough for a page
    FitJob job = settings_from_json<FitJob>(options.dump(), "field 'options'");
    visit_fields(job, [&](auto& value, const Field& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
            if (field.is_path && !value.empty()) {
                value = workspace.existing(value).string();
            }
        }
    });
    job.scan = workspace.existing(text_field(message, "file")).string();
    job.makes_body = true;
    return job;
}

Json fit_and_show(Files& files, Jobs& jobs, const Workspace& workspace, const FitJob& job) {
    const std::filesystem::path scan = job.scan;
    const std::string name = scan.stem().string() + ".sinew";
    const std::filesystem::path path = workspace.place_of(name);
    if (path == scan) {
        throw InputError({.where = fmt::format("file '{}'", name),
                          .found = "a body",
                          .needs = "a scan: a surface or a cloud of points",
                          .remedy = "open it instead"});
    }
    FittedScan fitted = fit_scan(job, jobs.quick().begin("Fitting the scan"));
    jobs.quick().end();
    write_person(path, fitted, scan);
    FitSummary summary = summary_of(fitted);
    summary.input = scan.filename().string();
    summary.output = name;
    nlohmann::ordered_json result;
    add_fields(summary, result);
    files.show_person(std::move(fitted.person->body));
    return {{"file", name}, {"url", "/api/files/" + name}, {"person", Json(result)}};
}

}  // namespace

void add_fit_verb(Verbs& verbs, Files& files, Jobs& jobs, const Workspace& workspace,
                  const std::filesystem::path& cache) {
    verbs.add({.name = "fit",
               .fields = {{.name = "file", .kind = FieldKind::Text, .is_needed = true},
                          {.name = "options", .kind = FieldKind::Object}},
               .is_long = true,
               .answer = [&files, &jobs, &workspace, cache](ClientId, const Json& message) {
                   FitJob job = fit_job_of(message, workspace);
                   job.cache = cache;
                   return fit_and_show(files, jobs, workspace, job);
               }});
}

}  // namespace sinew::studio
