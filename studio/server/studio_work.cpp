#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/geometry/embedding.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/io/asset.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_model.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "studio/server/job_events.h"
#include "studio/server/studio_data.h"

namespace sinew::studio {

namespace {

constexpr std::chrono::milliseconds kShowInterval{14};    // between frames of a solve
constexpr std::chrono::milliseconds kFirstPicture{1500};  // for pages to draw it, at most
constexpr Eigen::Index kMostToFollow = 30000;             // vertices of a body
constexpr int kIterations = 20;                           // of muscles: ten are within a millimetre

}  // namespace

Progress Studio::Data::begin_job(const std::string& what, bool overtakable) {
    const std::lock_guard lock(mutex);
    is_overtakable = overtakable;
    running_job = ++last_job;
    running_what = what;
    const int job = running_job;
    const auto send_event = [this, job, what](const JobEvent& event) {
        const std::lock_guard inner(mutex);
        // Stages of a solve repeat themselves: only of what is read and made there is a share.
        const auto or_null = [&](const std::optional<double>& v) {
            return v && event.what != "local/global" ? Json(*v) : Json(nullptr);
        };
        broadcast_progress_locked(job, what, or_null(event.fraction), or_null(event.seconds_left),
                                  false);
    };
    running.emplace(std::make_shared<JobEvents>(send_event, [](std::string_view) {}));
    if (is_stopping) {
        running->cancel();
    }
    if (!overtakable) {  // those take a while, and not all of them count their steps
        broadcast_progress_locked(job, what, nullptr, nullptr, false);
    }
    return *running;
}

void Studio::Data::end_job() {
    const std::lock_guard lock(mutex);
    running.reset();
    broadcast_progress_locked(running_job, running_what, 1.0, 0.0, true);
}

void Studio::Data::work() {
    for (;;) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex);
            const auto is_pressing = [&] {
                return is_stopping || !tasks.empty() || motion.number != motion_done ||
                       (session && grown_revision != document.revision());
            };
            if (session && frames_left > 0) {
                wake.wait_until(lock, next_frame, is_pressing);
            } else {
                wake.wait(lock, [&] { return is_pressing(); });
            }
            if (is_stopping) {
                return;
            }
            if (!tasks.empty()) {
                task = std::move(tasks.front());
                tasks.pop_front();
            }
        }
        try {
            if (task) {
                task();
            } else if (is_behind()) {
                grow();
            } else if (session) {
                advance_motion();
            }
        } catch (const Cancelled&) {
            // Overtaken: what is wanted now is looked up again.
        } catch (const InputError& e) {
            message("error", e.what());
        } catch (const std::exception& e) {
            message("error", fmt::format("Internal error: {}", e.what()));
        }
        if (running) {  // it did not come to its end
            end_job();
        }
    }
}

void Studio::Data::load_first() {
    Body body;
    try {
        if (!options.body.empty()) {
            begin_job("Reading the body");
            body = read_body_with_tets(options.body);
        } else {
            const Progress progress = begin_job("Making the body");
            MakeBodyOptions make;
            make.body.resolution = BodyResolution::Preview;
            make.cache = options.cache;
            body = make_body(make, progress).body;
        }
    } catch (const InputError&) {
        {
            const std::lock_guard lock(mutex);
            is_body_lost = true;
        }
        answer_waiting();
        throw;
    }
    end_job();
    show_scene(std::move(body));
    if (options.body.empty() && !options.only_preview) {
        const std::lock_guard lock(mutex);
        wants_fine_figure = true;
        wake.notify_all();
    }
}

// Where nothing is shown yet, the skin comes before all that clicks and sliders need.
void Studio::Data::show_first(const TriangleMesh& skin) {
    {
        const std::lock_guard lock(mutex);
        if (scene) {
            return;
        }
    }
    const std::vector<PartRange> parts = {
        {0, 0, static_cast<std::uint32_t>(skin.triangles.size())}};
    auto frame = std::make_shared<const std::string>(
        mesh_frame({.mesh = 0, .revision = 0}, skin.points, skin.triangles, parts));
    std::unique_lock lock(mutex);
    first_skin = std::move(frame);
    broadcast_frame_locked(0, first_skin, false);
    // Browsers without a graphics card draw with the same cores that what follows would fill.
    wake.wait_for(lock, kFirstPicture, [&] {
        return is_stopping || std::none_of(views.begin(), views.end(), [](const auto& entry) {
                   return entry.second.is_waited_for;
               });
    });
}

// Another person: everything is sent anew.
void Studio::Data::show_scene(Body body) {
    const TriangleMesh skin = shown_skin(body, {.skin_triangles = options.skin_triangles});
    show_first(skin);
    auto made = std::make_shared<Scene>(std::move(body), skin);
    {
        const std::lock_guard lock(mutex);
        scene = made;
        first_skin.reset();
        document.clear();
        grown_revision = document.revision();
        x.reset();
        result.reset();
        fine_body.reset();
        fine.reset();
        fine_result.reset();
        fine_revision = 0;
        correction = {};
        resolution = "preview";
        warnings.clear();
        measures = made->before;
        mode = "rest";
        motion = {};
        motion_done = 0;
        frames_left = 0;
        bone_ends = Json::object();
        is_body_lost = false;
        broadcast_locked({{"event", "catalogue"}, {"catalogue", made->catalogue}});
        broadcast_state_locked();
        for (const auto& [client, view] : views) {
            if (view.is_greeted) {
                send_meshes_locked(client, view.layers);
            }
        }
    }
    mover.reset();
    contraction.reset();
    session.reset();
    answer_waiting();
    // A body that is too fine to follow a slider is solved at preview resolution first.
    if (made->body.tets.points.rows() > kMostToFollow && !options.only_preview) {
        const Progress progress = begin_job("Preparing a quick body");
        Body quick = preview_of(made->body, options.cache, progress);
        auto coarse = std::make_shared<Scene>(*made, std::move(quick));
        end_job();
        const std::lock_guard lock(mutex);
        fine_body = made->body;
        scene = coarse;
        x.reset();
        made = coarse;
    }
    const Progress progress = begin_job("Preparing the sliders");
    session = std::make_unique<GrowthSession>(made->body, progress);
    end_job();
    wake.notify_all();
}

void Studio::Data::show(const Points& points, bool is_final) {
    const Clock::time_point now = Clock::now();
    if (!is_final && now - last_shown < kShowInterval) {
        return;
    }
    last_shown = now;
    std::set<int> layers;
    std::uint32_t revision = 0;
    std::shared_ptr<Scene> shown;
    Correction fine_part;
    {
        const std::lock_guard lock(mutex);
        shown = scene;
        fine_part = correction;
        revision = document.revision();
        for (const auto& [client, view] : views) {
            if (view.is_greeted) {
                layers.insert(view.layers.begin(), view.layers.end());
            }
        }
        x = std::make_shared<const Points>(points);
    }
    for (const int layer : layers) {
        if (layer == kFibreMesh && shown->fibres.tet.size() > 0) {
            const SharedBytes frame = fibre_frame(points, revision);
            const std::lock_guard lock(mutex);
            broadcast_frame_locked(kFibreMesh, frame, true);
        }
        if (layer >= kDisplayLayers) {
            continue;
        }
        const auto which = static_cast<DisplayLayer>(layer);
        const auto frame = std::make_shared<const std::string>(motion_frame(
            {.mesh = static_cast<std::uint32_t>(layer), .revision = revision},
            shown_points(*shown, fine_part, which, points), shown->display->mesh(which).triangles));
        const std::lock_guard lock(mutex);
        broadcast_frame_locked(layer, frame, true);
    }
}

void Studio::Data::grow() {
    Edits edits;
    std::uint32_t revision = 0;
    {
        const std::lock_guard lock(mutex);
        edits = document.now();
        revision = document.revision();
    }
    GrowthPlan plan = plan_of(edits, scene->body);
    plan.iterations = kIterations;
    for (auto& [name, map] : plan.fat_maps) {
        map = smoothed_map(scene->body, scene->skin_values.on_body_skin(map), kPaintSmoothing);
    }
    const Progress progress = begin_job("Growing", true);
    {
        const std::lock_guard lock(mutex);
        if (revision != document.revision()) {
            running->cancel();  // overtaken already, but what was asked for is shown once
        }
    }
    GrowthResult grown_now;
    try {
        grown_now =
            session->grow_to(plan, progress, [&](const Points& points) { show(points, false); });
    } catch (const InputError& e) {
        {
            const std::lock_guard lock(mutex);
            grown_revision = revision;
            warnings = {e.what()};
            broadcast_state_locked();
        }
        end_job();
        return;
    }
    show(session->positions(), true);
    const Json measured = scene->measures_like_finest(grown_now.body);
    const Json ends = edits.values.empty() ? Json::object() : bone_ends_of(grown_now.body);
    {
        const std::lock_guard lock(mutex);
        grown_revision = revision;
        measures = measured;
        bone_ends = ends;
        warnings = grown_now.warnings;
        result = std::make_shared<const GrowthResult>(std::move(grown_now));
        broadcast_state_locked();
    }
    end_job();
    wake.notify_all();  // the fine body may follow
}

Points shown_points(const Scene& scene, const Correction& correction, DisplayLayer layer,
                    const Points& x) {
    Points moved = scene.surfaces.reshaped(layer, x);
    if (const auto& more = correction[static_cast<std::size_t>(layer)]) {
        moved += *more;
    }
    return moved;
}

// The document has changed since it was last solved.
bool Studio::Data::is_behind() {
    const std::lock_guard lock(mutex);
    return session && !is_stopping && grown_revision != document.revision();
}

// What was asked for last is in the body before it is written.
void Studio::Data::require_grown() {
    while (is_behind()) {
        try {
            grow();
        } catch (const Cancelled&) {
            // Overtaken by a newer wish.
        }
    }
}

Json Studio::Data::open(const std::string& file) {
    const std::filesystem::path path = workspace.existing(file);
    if (kind_of_file(file) == "recipe") {
        const GrowthRecipe found = read_growth_recipe(path);
        const std::lock_guard lock(mutex);
        plan_of(edits_of(found), scene->body);
        end_motion_locked();
        document.replace(edits_of(found));
        broadcast_state_locked();
        return {{"kind", "recipe"}};
    }
    Asset asset = read_asset(path);
    if (Body* body = std::get_if<Body>(&asset.content);
        body != nullptr && body->tets.tets.rows() > 0) {
        show_scene(std::move(*body));
        return {{"kind", "body"}};
    }
    if (std::holds_alternative<MotionClip>(asset.content)) {
        return {{"kind", "motion"}};
    }
    std::vector<MeshPart> parts = read_surface(path);
    const TriangleMesh mesh = merged(parts);
    const std::lock_guard lock(mutex);
    const int number = beside.empty() ? kFirstBesideMesh : beside.rbegin()->first + 1;
    const auto frame = std::make_shared<const std::string>(
        mesh_frame({.mesh = static_cast<std::uint32_t>(number), .revision = document.revision()},
                   mesh.points, mesh.triangles, {}));
    beside[number] = frame;
    broadcast_frame_locked(number, frame, false);
    return {{"kind", "mesh"}, {"mesh", number}, {"note", asset.note}};
}

Json Studio::Data::save(const std::string& file) {
    if (kind_of_file(file) != "body") {
        throw InputError({.where = fmt::format("file '{}'", file),
                          .found = "another ending",
                          .needs = "a name that ends in .sinew",
                          .remedy = "use export for other formats"});
    }
    return export_body(file);
}

Json Studio::Data::export_body(const std::string& file) {
    const std::filesystem::path path = workspace.place_of(file);
    const std::string ending = lower(path.extension().string());
    if (ending != ".json") {
        require_fine();
    }
    std::shared_ptr<const GrowthResult> last;
    Edits edits;
    const Body* rest = nullptr;
    std::shared_ptr<FineScene> finest;
    {
        const std::lock_guard lock(mutex);
        finest = fine;
        last = finest ? fine_result : result;
        edits = document.now();
        rest = finest ? &finest->body : &scene->body;
    }
    GrowthResult now;
    if (last) {
        now = *last;
        finish_person(now);
    } else {
        now.body = *rest;
    }
    std::string note;
    if (ending == ".json") {
        GrowthPlan plan = plan_of(edits, scene->body);
        std::erase_if(plan.fat, [](const NamedValue& v) { return v.first == "painted"; });
        write_file_bytes(path, growth_recipe_text({.name = path.stem().string(), .plan = plan}));
        note = "recipe";
    } else if (ending == ".osim" || ending == ".xml") {
        for (const std::string& left_out : write_model(path, model_from_body(now.body))) {
            note += left_out + "; ";
        }
    } else {
        note = write_grown(path, *rest, now);
    }
    return {{"file", file}, {"url", "/api/files/" + file}, {"note", note}};
}

// The fibres' places when the scene's tetrahedra have these points; lines have no normals.
SharedBytes Studio::Data::fibre_frame(const Points& points, std::uint32_t revision) const {
    const Points moved = positions_of(scene->fibres, points, scene->body.tets.tets);
    const Points none = Points::Zero(moved.rows(), 3);
    return std::make_shared<const std::string>(
        motion_frame({.mesh = kFibreMesh, .revision = revision}, moved, none));
}

void Studio::Data::make_fibres() {
    const std::shared_ptr<Scene> shown = scene;
    if (!shown) {
        return;
    }
    if (shown->fibres.tet.size() == 0) {
        begin_job("Drawing the fibres");
        if (shown->display->fibres().points.rows() == 0) {
            shown->display->make_fibres(shown->body);
        }
        TetEmbedding places = embed(shown->display->fibres().points, TetLocator(shown->body.tets),
                                    {.max_outside = 0.1});
        shown->fibres = {.tet = std::move(places.tet), .weights = std::move(places.weights)};
        end_job();
    }
    const DisplayLines& lines = shown->display->fibres();
    std::vector<std::uint8_t> colours;
    for (const auto& colour : lines.colours) {
        colours.insert(colours.end(), colour.begin(), colour.end());
    }
    std::vector<std::uint32_t> pairs;
    for (const auto& pair : lines.pairs) {
        pairs.push_back(static_cast<std::uint32_t>(pair[0]));
        pairs.push_back(static_cast<std::uint32_t>(pair[1]));
    }
    const std::lock_guard lock(mutex);
    const std::uint32_t revision = document.revision();
    broadcast_frame_locked(
        kFibreMesh,
        std::make_shared<const std::string>(
            lines_frame({.mesh = kFibreMesh, .revision = revision}, lines.points, colours, pairs)),
        false);
    if (x) {
        broadcast_frame_locked(kFibreMesh, fibre_frame(*x, revision), true);
    }
}

}  // namespace sinew::studio
