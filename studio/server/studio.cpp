#include "studio/server/studio.h"

#include "studio/server/access.h"
#include "studio/server/commands.h"
#include "studio/server/files.h"
#include "studio/server/fine_growth.h"
#include "studio/server/forces.h"
#include "studio/server/growth.h"
#include "studio/server/jobs.h"
#include "studio/server/motion.h"
#include "studio/server/scans.h"
#include "studio/server/shapes.h"
#include "studio/server/stage.h"
#include "studio/server/verbs.h"
#include "studio/server/views.h"

namespace sinew::studio {

/// The parts, each after those it uses. What a new feature adds is one line among the verbs.
struct Studio::Data {
    Monitor monitor = {};
    Views views;
    Jobs jobs;
    Stage stage;
    Growth growth;
    FineGrowth fine;
    Motion motion;
    Verbs verbs;
    Files files;

    Data(const StudioOptions& options, Workspace& workspace, Outbox& outbox)
        : views(monitor, outbox, workspace),
          jobs(monitor, views),
          stage(monitor, views, jobs),
          growth(monitor, views, jobs, stage),
          fine(monitor, views, jobs, stage, growth, options.cache),
          motion(monitor, views, jobs, stage, growth, workspace),
          verbs(monitor, views, stage, jobs.quick()),
          files(monitor, jobs, stage, growth, fine, verbs, options, workspace) {
        // A word per process, by which pages see that they talk to another one.
        views.add_reporter([name = random_token().substr(0, 8)](const Lock&, Json& state) {
            state["session"] = name;
        });
        stage.add_verbs(verbs);
        growth.add_verbs(verbs);
        motion.add_verbs(verbs);
        files.add_verbs();
        add_forces_verb(verbs, growth, workspace);
        add_fit_verb(verbs, files, jobs, workspace, options.cache);
        add_build_verb(verbs, files, jobs, options.cache);
        jobs.add_verbs(verbs);
        {
            const Lock lock = monitor.lock();
            jobs.quick().post(lock, [this] { files.load_first(); });
        }
        jobs.start(!options.only_preview);
    }
    ~Data() {
        jobs.stop();
    }
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
};

Studio::Studio(const StudioOptions& options, Workspace& workspace, Outbox& outbox)
    : data_(std::make_unique<Data>(options, workspace, outbox)) {}

Studio::~Studio() = default;

void Studio::on_open(ClientId client) {
    data_->views.open(client);
}

void Studio::on_close(ClientId client) {
    data_->views.close(client);
}

void Studio::on_text(ClientId client, std::string_view text) {
    if (const std::optional<Json> message = parse_command(text)) {
        data_->verbs.command(client, *message);
    } else {
        data_->views.send(client, {{"event", "message"},
                                   {"level", "error"},
                                   {"text", "A command must be a JSON object."}});
    }
}

}  // namespace sinew::studio
