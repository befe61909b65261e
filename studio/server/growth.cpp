#include "studio/server/growth.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/pipeline/growth_recipe.h"

#include <fmt/format.h>

#include "studio/server/geometry_frames.h"
#include "studio/server/jobs.h"
#include "studio/server/stage.h"
#include "studio/server/verbs.h"
#include "studio/server/views.h"

namespace sinew::studio {

namespace {

constexpr double kPaintSmoothing = 0.02;  // m: strokes are rounded off by so much
constexpr int kQuickIterations = 20;      // of muscles: ten are within a millimetre

GrowthRecipe recipe_of(const Json& message) {
    if (message.contains("recipe")) {
        return parse_growth_recipe(message["recipe"].dump(), "recipe");
    }
    const std::string name = text_field(message, "name");
    std::vector<std::string> names;
    for (const RecipeEntry& entry : built_in_recipes()) {
        if (entry.name == name) {
            return read_growth_recipe(entry.file);
        }
        names.push_back(entry.name);
    }
    throw InputError(
        {.where = "recipe",
         .found = fmt::format("unknown recipe '{}'{}", name, did_you_mean(name, names)),
         .needs = "a recipe of the catalogue",
         .remedy = "choose one of the list"});
}

}  // namespace

GrowthPlan plan_on(const Edits& edits, const Body& body, const SkinValues& values, int iterations) {
    GrowthPlan plan = plan_of(edits, body);
    plan.iterations = iterations;
    for (auto& [name, map] : plan.fat_maps) {
        map = smoothed_map(body, values.on_body_skin(map), kPaintSmoothing);
    }
    return plan;
}

Growth::Growth(Monitor& monitor, Views& views, Jobs& jobs, Stage& stage)
    : monitor_(monitor), views_(views), jobs_(jobs), stage_(stage) {
    views_.add_reporter([this](const Lock&, Json& state) {
        Json edits = Json::object();
        for (const auto& [target, value] : document_.now().values) {
            edits[target] = target == "gravity" ? Json(value > 0.5) : Json(value);
        }
        state["edits"] = std::move(edits);
        state["painted"] = document_.now().painted != nullptr;
        state["undo"] = document_.undo_count();
        state["redo"] = document_.redo_count();
        state["revision"] = document_.revision();
        state["measures"] = measures_;
        state["resolution"] = resolution_;
        state["warnings"] = warnings_;
        state["joints"] = bone_ends_;
    });
    stage_.set_revision([this](const Lock& lock) { return revision(lock); });
    stage_.when_replaced([this](const Lock&) { forget(); });
    jobs_.quick().add_duty(
        {.due = [this](const Lock&) -> std::optional<Clock::time_point> {
             const bool is_due = session_ && grown_revision_ != document_.revision();
             return is_due ? std::optional(Clock::time_point::min()) : std::nullopt;
         },
         .work = [this] { grow(); }});
}

// Another person stands there, as it came. Under the lock, on the quick worker's thread.
void Growth::forget() {
    document_.clear();
    is_dragging_ = false;
    resolution_ = "preview";
    measures_ = stage_.scene()->before;
    bone_ends_ = Json::object();
    warnings_.clear();
    grown_revision_ = document_.revision();
    result_.reset();
    session_.reset();
}

void Growth::changed(const Lock& lock, bool is_dragging) {
    for (const Hook& hook : hooks_) {
        hook(lock);
    }
    is_dragging_ = is_dragging;
    resolution_ = "preview";
    jobs_.overtake(lock);
    monitor_.notify();
}

Json Growth::edit(const Json& message) {
    const EditCommand wish = read_edit(message);
    std::shared_ptr<Scene> scene;
    {
        const Lock lock = monitor_.lock();
        scene = stage_.require_scene(lock);
    }
    for (const Change& change : wish.changes) {
        require_known(change, scene->body);
    }
    const Lock lock = monitor_.lock();
    document_.edit(wish.changes, wish.drags);
    changed(lock, wish.drags);
    if (wish.drags) {
        views_.broadcast_state_now_and_then(lock);
    } else {
        views_.broadcast_state(lock);
    }
    return {{"revision", document_.revision()}};
}

Json Growth::paint(const Json& message) {
    const Lock lock = monitor_.lock();
    const DisplayMesh& skin = stage_.require_scene(lock)->display->mesh(DisplayLayer::Skin);
    const auto count = static_cast<std::size_t>(skin.points.rows());
    const PaintCommand wish = read_paint(message, count);
    document_.paint(wish.vertices, wish.values, count, wish.amount, wish.ends);
    changed(lock, !wish.ends);
    const std::vector<double> nothing(count, 0.0);
    const auto frame = std::make_shared<const std::string>(
        scalars_frame({.mesh = 0, .revision = document_.revision()},
                      document_.now().painted ? *document_.now().painted : nothing));
    views_.broadcast_frame(lock, 0, frame, false);
    views_.broadcast_state(lock);
    return {{"revision", document_.revision()}};
}

Json Growth::recipe(const Json& message) {
    const GrowthRecipe found = recipe_of(message);
    const Lock lock = monitor_.lock();
    replace(lock, edits_of(found));
    return {{"revision", document_.revision()}, {"description", found.description}};
}

void Growth::replace(const Lock& lock, Edits edits) {
    plan_of(edits, stage_.require_scene(lock)->body);  // refuses what this body does not have
    document_.replace(std::move(edits));
    changed(lock, false);
    views_.broadcast_state(lock);
}

Json Growth::step(const std::function<bool(Document&)>& change) {
    const Lock lock = monitor_.lock();
    const bool is_changed = change(document_);
    if (is_changed) {
        changed(lock, false);
        views_.broadcast_state(lock);
    }
    return {{"revision", document_.revision()}, {"changed", is_changed}};
}

void Growth::let_rest(const Lock& lock) {
    for (const Hook& hook : hooks_) {
        hook(lock);
    }
    is_dragging_ = false;
    monitor_.notify();
}

void Growth::take_fine_measures(const Lock&, Json measures) {
    measures_ = std::move(measures);
    resolution_ = "standard";
}

void Growth::prepare() {
    const Progress progress = jobs_.quick().begin("Preparing the sliders");
    session_ = std::make_unique<GrowthSession>(stage_.scene()->body, progress);
    jobs_.quick().end();
}

const Body& Growth::body() const {
    return result_ ? result_->body : stage_.scene()->body;
}

const Points& Growth::positions() const {
    return session_->positions();
}

// The document has changed since it was last solved.
bool Growth::is_behind() {
    const Lock lock = monitor_.lock();
    return session_ && !monitor_.is_stopping(lock) && grown_revision_ != document_.revision();
}

void Growth::require_grown() {
    while (is_behind()) {
        try {
            grow();
        } catch (const Cancelled&) {
            // Overtaken by a newer wish.
        }
    }
}

void Growth::grow() {
    const std::shared_ptr<Scene> scene = stage_.scene();
    Edits edits;
    std::uint32_t revision = 0;
    {
        const Lock lock = monitor_.lock();
        edits = document_.now();
        revision = document_.revision();
    }
    const GrowthPlan plan = plan_on(edits, scene->body, scene->skin_values, kQuickIterations);
    const Progress progress = jobs_.quick().begin("Growing", true);
    {
        const Lock lock = monitor_.lock();
        if (revision != document_.revision()) {
            progress.cancel();  // overtaken already, but what was asked for is shown once
        }
    }
    GrowthResult grown;
    try {
        grown = session_->grow_to(plan, progress,
                                  [&](const Points& points) { stage_.show(points, false); });
    } catch (const InputError& e) {
        {
            const Lock lock = monitor_.lock();
            grown_revision_ = revision;
            warnings_ = {views_.told(e.what())};
            views_.broadcast_state(lock);
        }
        jobs_.quick().end();
        return;
    }
    stage_.show(session_->positions(), true);
    Json measured = scene->measures_like_finest(grown.body);
    Json ends = edits.values.empty() ? Json::object() : bone_ends_of(grown.body);
    {
        const Lock lock = monitor_.lock();
        grown_revision_ = revision;
        measures_ = std::move(measured);
        bone_ends_ = std::move(ends);
        warnings_ = grown.warnings;
        result_ = std::make_shared<const GrowthResult>(std::move(grown));
        views_.broadcast_state(lock);
    }
    jobs_.quick().end();
    monitor_.notify();  // the fine body may follow
}

void Growth::add_verbs(Verbs& verbs) {
    verbs.add({.name = "edit",
               .fields = {{.name = "changes", .kind = FieldKind::Changes, .is_needed = true},
                          {.name = "dragging", .kind = FieldKind::Truth}},
               .answer = [this](ClientId, const Json& message) { return edit(message); }});
    verbs.add({.name = "paint",
               .fields = {{.name = "vertices", .kind = FieldKind::Indices, .is_needed = true},
                          {.name = "values",
                           .kind = FieldKind::Numbers,
                           .is_needed = true,
                           .low = 0.0,
                           .high = 1.0},
                          {.name = "amount",
                           .kind = FieldKind::Number,
                           .low = range_of("fat").low,
                           .high = range_of("fat").high},
                          {.name = "end", .kind = FieldKind::Truth},
                          {.name = "count", .kind = FieldKind::Number}},
               .answer = [this](ClientId, const Json& message) { return paint(message); }});
    verbs.add({.name = "recipe",
               .fields = {{.name = "name", .kind = FieldKind::Text},
                          {.name = "recipe", .kind = FieldKind::Object}},
               .answer = [this](ClientId, const Json& message) { return recipe(message); }});
    const auto add_step = [&](const char* name, const std::function<bool(Document&)>& change) {
        verbs.add({.name = name,
                   .answer = [this, change](ClientId, const Json&) { return step(change); }});
    };
    add_step("undo", [](Document& document) { return document.undo(); });
    add_step("redo", [](Document& document) { return document.redo(); });
    add_step("reset", [](Document& document) {
        document.reset();
        return true;
    });
}

}  // namespace sinew::studio
