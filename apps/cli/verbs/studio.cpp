#include "cli/verbs/studio.h"

#include "sinew/io/json_schema.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

#include "cli/verbs/results.h"

namespace sinew::cli {

Verb studio_verb(RunStudio run) {
    auto settings = std::make_shared<StudioSettings>();
    return {
        .name = "studio",
        .summary = "Shape a body in the browser: muscles, fat, bones, pose and motion",
        .examples =
            "  sinew studio\n"
            "  sinew studio anna.sinew --port 8080 --no-browser\n"
            "  sinew studio --host 0.0.0.0 --port 8080     (others need the token)\n"
            "The address is the first line on stdout; Ctrl-C ends it. See "
            "docs/studio.md.",
        .options = {{.name = "body",
                     .help = "a body made by 'sinew build'; without one the built-in figure",
                     .target = &settings->body,
                     .metavar = "BODY.sinew"},
                    {.name = "--port",
                     .help = "to listen at; 0 takes any that is free",
                     .target = &settings->port,
                     .metavar = "N"},
                    {.name = "--host",
                     .help = "address to listen at; then a printed token is needed. Without: this "
                             "machine only",
                     .target = &settings->host,
                     .metavar = "ADDRESS"},
                    {.name = "--no-browser",
                     .help = "do not open the page",
                     .target = &settings->no_browser},
                    {.name = "--workspace",
                     .help =
                         "folder of files that are opened and saved, made where absent; no other "
                         "can be reached",
                     .target = &settings->workspace,
                     .metavar = "DIR"},
                    {.name = "--cache",
                     .help = "folder of bodies made before",
                     .target = &settings->cache,
                     .metavar = "DIR"},
                    {.name = "--only-preview",
                     .help = "never solve at standard resolution",
                     .target = &settings->only_preview}},
        .run = [settings, run = std::move(run)](
                   const Context& context,
                   nlohmann::ordered_json&) { return run(*settings, context); },
        .describe =
            [](nlohmann::ordered_json& definitions) {
                add_schema("result", StudioResult{}, SchemaOf::Result, definitions);
            }};
}

}  // namespace sinew::cli
