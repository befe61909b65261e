#include "studio/server/shapes.h"

#include "sinew/base/error.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/settings_json.h"
#include "sinew/pipeline/make_body.h"

#include "studio/server/files.h"
#include "studio/server/jobs.h"
#include "studio/server/verbs.h"

namespace sinew::studio {

namespace {

// The job that the message describes, with the fields of `sinew schema build`.
MakeBodyOptions build_job_of(const Json& message) {
    Json options = message.value("options", Json::object());
    options.emplace("version", 1);  // the protocol's own is enough for a page
    auto job = settings_from_json<MakeBodyOptions>(options.dump(), "field 'options'");
    if (!job.atlas.empty()) {
        throw InputError({.where = "field 'from'",
                          .found = "a folder of an atlas",
                          .needs = "the built-in human: a workspace has no folders",
                          .remedy = "make the body with 'sinew build --from' and open it"});
    }
    check_make_body(job);
    job.command = "sinew build";
    return job;
}

}  // namespace

void add_build_verb(Verbs& verbs, Files& files, Jobs& jobs, const std::filesystem::path& cache) {
    verbs.add({.name = "build",
               .fields = {{.name = "options", .kind = FieldKind::Object}},
               .is_long = true,
               .answer = [&files, &jobs, cache](ClientId, const Json& message) -> Json {
                   MakeBodyOptions job = build_job_of(message);
                   job.cache = cache;
                   MadeBody made = make_body(job, jobs.quick().begin("Making the body"));
                   jobs.quick().end();
                   nlohmann::ordered_json summary;
                   add_fields(summary_of(made), summary);
                   files.show_person(std::move(made.body));
                   return {{"body", Json(summary)}};
               }});
}

}  // namespace sinew::studio
