#pragma once

#include "sinew/body/body.h"

#include <string>

#include "studio/server/commands.h"
#include "studio/server/monitor.h"
#include "studio/server/studio.h"

namespace sinew::studio {

class FineGrowth;
class Growth;
class Jobs;
class Stage;
class Verbs;

/// Bodies that come and go: the first one, files that are opened, and what is saved and exported.
/// All of it is the quick worker's.
class Files {
public:
    Files(Monitor& monitor, Jobs& jobs, Stage& stage, Growth& growth, FineGrowth& fine,
          Verbs& verbs, const StudioOptions& options, Workspace& workspace)
        : monitor_(monitor),
          jobs_(jobs),
          stage_(stage),
          growth_(growth),
          fine_(fine),
          verbs_(verbs),
          options_(options),
          workspace_(workspace) {}

    /// Reads or makes the body that the studio begins with, and shows it.
    void load_first();

    /// Another body in place of the one that is shown. The quick worker's thread.
    void show_person(Body body);

    void add_verbs();  ///< open, save, export

private:
    Body first_body();
    Json open(const std::string& file);
    Json save(const std::string& file);
    Json export_body(const std::string& file);

    Monitor& monitor_;
    Jobs& jobs_;
    Stage& stage_;
    Growth& growth_;
    FineGrowth& fine_;
    Verbs& verbs_;
    const StudioOptions options_;
    Workspace& workspace_;
};

}  // namespace sinew::studio
