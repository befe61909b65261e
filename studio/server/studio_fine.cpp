#include "sinew/base/error.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>

#include "studio/server/job_events.h"
#include "studio/server/studio_data.h"

// Work at standard resolution: it begins when the quick solve has ended and nobody drags, and is
// given up at the next wish.
namespace sinew::studio {

namespace {

constexpr int kFineIterations = 30;

// a + (b - c), number by number.
Json shifted(const Json& a, const Json& b, const Json& c) {
    if (a.is_number() && b.is_number() && c.is_number()) {
        return a.get<double>() + b.get<double>() - c.get<double>();
    }
    Json all = a;
    if (a.is_object()) {
        for (auto& [key, value] : all.items()) {
            if (b.contains(key) && c.contains(key)) {
                value = shifted(value, b[key], c[key]);
            }
        }
    }
    return all;
}

}  // namespace

Json Scene::measures_like_finest(const Body& grown) const {
    return shifted(before, measures_of(grown), before_here);
}

bool Studio::Data::is_fine_wanted_locked() const {
    return fine && !is_dragging && (mode == "rest") && grown_revision == document.revision() &&
           fine_revision != document.revision();
}

void Studio::Data::work_finely() {
    for (;;) {
        {
            std::unique_lock lock(mutex);
            wake.wait(lock, [&] {
                return is_stopping || fine_body || wants_fine_figure || is_fine_wanted_locked();
            });
            if (is_stopping) {
                return;
            }
        }
        try {
            bool is_new = false;
            bool makes_figure = false;
            {
                const std::lock_guard lock(mutex);
                is_new = fine_body.has_value();
                makes_figure = !is_new && wants_fine_figure;
                wants_fine_figure = wants_fine_figure && !makes_figure;
            }
            if (is_new) {
                take_up_fine_body();
            } else if (makes_figure) {
                make_fine_figure();
            } else {
                grow_finely();
            }
        } catch (const Cancelled&) {
            // Another wish came.
        } catch (const InputError& e) {
            message("error", e.what());
        } catch (const std::exception& e) {
            message("error", fmt::format("Internal error: {}", e.what()));
        }
        end_fine_job();
    }
}

Progress Studio::Data::begin_fine_job(const char* what) {
    const std::lock_guard lock(mutex);
    fine_what = what;
    fine_running.emplace(std::make_shared<JobEvents>(
        [this, what](const JobEvent& event) {
            const std::lock_guard inner(mutex);
            const bool has_share = event.fraction && event.what != "local/global";
            broadcast_progress_locked(0, what, has_share ? Json(*event.fraction) : Json(nullptr),
                                      nullptr, false);
        },
        [](std::string_view) {}));
    if (is_stopping) {
        fine_running->cancel();
    }
    return *fine_running;
}

void Studio::Data::end_fine_job() {
    const std::lock_guard lock(mutex);
    if (fine_running) {
        fine_running.reset();
        broadcast_progress_locked(0, fine_what, 1.0, 0.0, true);
    }
}

// The built-in figure at standard resolution.
void Studio::Data::make_fine_figure() {
    MakeBodyOptions make;
    make.body.resolution = BodyResolution::Standard;
    make.cache = options.cache;
    std::shared_ptr<Scene> shown;
    {
        const std::lock_guard lock(mutex);
        shown = scene;
    }
    Body made = make_body(make, begin_fine_job("Making the fine body")).body;
    const std::lock_guard lock(mutex);
    if (scene == shown) {  // nobody has opened another body meanwhile
        fine_body = std::move(made);
    }
}

void Studio::Data::take_up_fine_body() {
    const Progress progress = begin_fine_job("Preparing the fine body");
    Body body;
    std::shared_ptr<Scene> shown;
    {
        const std::lock_guard lock(mutex);
        body = std::move(*fine_body);
        fine_body.reset();
        shown = scene;
    }
    auto made = std::make_shared<FineScene>(*shown->display, std::move(body));
    made->session = std::make_unique<GrowthSession>(made->body, progress, false);
    const std::lock_guard lock(mutex);
    if (scene == shown) {
        fine = made;
        fine_revision = document.now() == Edits{} ? document.revision() : 0;
    }
}

void Studio::Data::grow_finely() {
    Edits edits;
    std::uint32_t revision = 0;
    std::shared_ptr<Scene> shown;
    std::shared_ptr<FineScene> finest;
    std::shared_ptr<const Points> coarse;
    const Progress progress = begin_fine_job("Refining");
    {
        const std::lock_guard lock(mutex);
        if (!is_fine_wanted_locked()) {
            return;
        }
        edits = document.now();
        revision = document.revision();
        shown = scene;
        finest = fine;
        coarse = x;
    }
    GrowthPlan plan = plan_of(edits, finest->body);
    plan.iterations = kFineIterations;
    for (auto& [name, map] : plan.fat_maps) {
        map = smoothed_map(finest->body, finest->skin_values.on_body_skin(map), kPaintSmoothing);
    }
    GrowthResult grown;
    try {
        grown = finest->session->grow_to(plan, progress);
    } catch (const InputError&) {
        const std::lock_guard lock(mutex);
        fine_revision = revision;  // the quick solve has said why
        return;
    }
    const Json measured = measures_of(grown.body);
    Correction more;
    std::array<SharedBytes, kDisplayLayers> frames;
    for (int k = 0; k < kDisplayLayers; ++k) {
        const auto layer = static_cast<DisplayLayer>(k);
        const Points moved = finest->surfaces.reshaped(layer, finest->session->positions());
        const auto i = static_cast<std::size_t>(k);
        frames[i] = std::make_shared<const std::string>(
            motion_frame({.mesh = static_cast<std::uint32_t>(k), .revision = revision}, moved,
                         shown->display->mesh(layer).triangles));
        more[i] = std::make_shared<const Points>(
            moved - shown->surfaces.reshaped(layer, coarse ? *coarse : shown->body.tets.points));
    }
    {
        const std::lock_guard lock(mutex);
        if (scene == shown && revision == document.revision() && mode == "rest") {
            correction = more;
            fine_revision = revision;
            fine_result = std::make_shared<const GrowthResult>(std::move(grown));
            measures = measured;
            resolution = "standard";
            for (int k = 0; k < kDisplayLayers; ++k) {
                broadcast_frame_locked(k, frames[static_cast<std::size_t>(k)], true);
            }
            broadcast_state_locked();
        }
    }
    wake.notify_all();
}

// What was asked for last is in the finest body before it is written.
void Studio::Data::require_fine() {
    for (;;) {
        require_grown();
        std::unique_lock lock(mutex);
        if (!fine || is_stopping || fine_revision == document.revision()) {
            return;
        }
        end_motion_locked();
        is_dragging = false;
        wake.notify_all();
        const std::uint32_t revision = document.revision();
        wake.wait(lock, [&] {
            return is_stopping || fine_revision == revision || document.revision() != revision ||
                   !fine;
        });
    }
}

}  // namespace sinew::studio
