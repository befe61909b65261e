#include "studio/server/fine_growth.h"

#include "sinew/base/error.h"
#include "sinew/pipeline/make_body.h"

#include <array>

#include "studio/server/geometry_frames.h"
#include "studio/server/growth.h"
#include "studio/server/jobs.h"
#include "studio/server/stage.h"
#include "studio/server/views.h"

namespace sinew::studio {

namespace {

constexpr int kFineIterations = 30;

}  // namespace

FineGrowth::FineGrowth(Monitor& monitor, Views& views, Jobs& jobs, Stage& stage, Growth& growth,
                       std::filesystem::path cache)
    : monitor_(monitor),
      views_(views),
      jobs_(jobs),
      stage_(stage),
      growth_(growth),
      cache_(std::move(cache)) {
    stage_.when_replaced([this](const Lock&) {
        body_.reset();
        person_.reset();
        result_.reset();
        revision_ = 0;
    });
    jobs_.fine().add_duty({.due = [this](const Lock& lock) -> std::optional<Clock::time_point> {
                               const bool is_due = body_ || wants_figure_ || is_wanted(lock);
                               return is_due ? std::optional(Clock::time_point::min())
                                             : std::nullopt;
                           },
                           .work = [this] { work(); }});
    jobs_.fine().add_duty({.due = [this](const Lock& lock) -> std::optional<Clock::time_point> {
                               return may_learn(lock) ? std::optional(Clock::time_point::min())
                                                      : std::nullopt;
                           },
                           .work = [this] { learn(); }});
}

void FineGrowth::make_figure(const Lock&) {
    wants_figure_ = true;
    monitor_.notify();
}

void FineGrowth::take(const Lock&, Body body) {
    body_ = std::move(body);
    monitor_.notify();
}

FineGrowth::Finest FineGrowth::finest(const Lock&) const {
    if (!person_) {
        return {};
    }
    return {.rest = std::shared_ptr<const Body>(person_, &person_->body), .result = result_};
}

bool FineGrowth::is_wanted(const Lock& lock) const {
    return person_ && stage_.mode(lock) == "rest" && growth_.is_at_rest(lock) &&
           revision_ != growth_.revision(lock);
}

bool FineGrowth::may_learn(const Lock& lock) const {
    return person_ && !person_->has_learnt && stage_.mode(lock) == "rest" &&
           growth_.is_at_rest(lock);
}

// One group, so that a wish that comes meanwhile soon has its turn.
void FineGrowth::learn() {
    const Progress progress = jobs_.fine().begin("Learning how muscles answer", true);
    std::shared_ptr<Person> person;
    {
        const Lock lock = monitor_.lock();
        if (!may_learn(lock)) {
            return;
        }
        person = person_;
    }
    const bool goes_on = person->session->learn_next(progress);
    const Lock lock = monitor_.lock();
    person->has_learnt = !goes_on;
}

void FineGrowth::work() {
    bool is_new = false;
    bool makes_figure = false;
    {
        const Lock lock = monitor_.lock();
        is_new = body_.has_value();
        makes_figure = !is_new && wants_figure_;
        wants_figure_ = wants_figure_ && !makes_figure;
    }
    if (is_new) {
        take_up();
    } else if (makes_figure) {
        make();
    } else {
        grow();
    }
}

// The built-in figure at standard resolution.
void FineGrowth::make() {
    MakeBodyOptions make;
    make.body.resolution = BodyResolution::Standard;
    make.cache = cache_;
    std::shared_ptr<Scene> scene;
    {
        const Lock lock = monitor_.lock();
        scene = stage_.scene(lock);
    }
    Body made = make_body(make, jobs_.fine().begin("Making the fine body")).body;
    const Lock lock = monitor_.lock();
    if (stage_.scene(lock) == scene) {  // nobody has opened another body meanwhile
        body_ = std::move(made);
    }
}

void FineGrowth::take_up() {
    const Progress progress = jobs_.fine().begin("Preparing the fine body");
    Body body;
    std::shared_ptr<Scene> scene;
    {
        const Lock lock = monitor_.lock();
        if (!body_) {
            return;  // another body was opened meanwhile
        }
        body = std::move(*body_);
        body_.reset();
        scene = stage_.scene(lock);
    }
    auto made = std::make_shared<Person>(*scene->display, std::move(body));
    made->session = std::make_unique<GrowthSession>(made->body, progress, false);
    const Lock lock = monitor_.lock();
    if (stage_.scene(lock) == scene) {
        person_ = made;
        revision_ = growth_.edits(lock) == Edits{} ? growth_.revision(lock) : 0;
    }
}

void FineGrowth::grow() {
    const Progress progress = jobs_.fine().begin("Refining", true);
    Edits edits;
    std::uint32_t revision = 0;
    std::shared_ptr<Scene> scene;
    std::shared_ptr<Person> person;
    std::shared_ptr<const Points> coarse;
    {
        const Lock lock = monitor_.lock();
        if (!is_wanted(lock)) {
            return;
        }
        edits = growth_.edits(lock);
        revision = growth_.revision(lock);
        scene = stage_.scene(lock);
        person = person_;
        coarse = stage_.positions(lock);
    }
    // Where the plan is foreseen to end is shown at once.
    bool is_shown = false;
    const auto show_first = [&](const Points& x) {
        if (!is_shown && person->session->foresees()) {
            show(scene, *person, coarse.get(), x, revision);
        }
        is_shown = true;
    };
    GrowthResult grown;
    try {
        grown = person->session->grow_to(
            plan_on(edits, person->body, person->skin_values, kFineIterations), progress,
            show_first);
    } catch (const InputError&) {
        const Lock lock = monitor_.lock();
        revision_ = revision;  // the quick solve has said why
        return;
    }
    Json measured = measures_of(grown.body);
    const bool is_current =
        show(scene, *person, coarse.get(), person->session->positions(), revision);
    const Lock lock = monitor_.lock();
    if (is_current && stage_.scene(lock) == scene && revision == growth_.revision(lock)) {
        revision_ = revision;
        person->has_learnt = false;  // bones may be as at rest again
        result_ = std::make_shared<const GrowthResult>(std::move(grown));
        growth_.take_fine_measures(lock, std::move(measured));
        views_.broadcast_state(lock);
    }
    monitor_.notify();
}

// What is shown from now on: where the fine solve has the meshes, kept as the difference to where
// the coarse one has them.
bool FineGrowth::show(const std::shared_ptr<Scene>& scene, const Person& person,
                      const Points* coarse, const Points& positions, std::uint32_t revision) {
    Correction correction;
    std::array<SharedBytes, kDisplayLayers> frames;
    for (int k = 0; k < kDisplayLayers; ++k) {
        const auto layer = static_cast<DisplayLayer>(k);
        const Points moved = person.surfaces.reshaped(layer, positions);
        const auto i = static_cast<std::size_t>(k);
        frames[i] = std::make_shared<const std::string>(
            motion_frame({.mesh = static_cast<std::uint32_t>(k), .revision = revision}, moved,
                         scene->display->mesh(layer).triangles));
        correction[i] = std::make_shared<const Points>(
            moved -
            scene->surfaces.reshaped(layer, coarse != nullptr ? *coarse : scene->body.tets.points));
    }
    const Lock lock = monitor_.lock();
    if (stage_.scene(lock) != scene || revision != growth_.revision(lock) ||
        stage_.mode(lock) != "rest") {
        return false;
    }
    stage_.set_correction(lock, std::move(correction));
    for (int k = 0; k < kDisplayLayers; ++k) {
        views_.broadcast_frame(lock, k, frames[at(k)], true);
    }
    return true;
}

void FineGrowth::require() {
    for (;;) {
        growth_.require_grown();
        Lock lock = monitor_.lock();
        const std::uint32_t revision = growth_.revision(lock);
        if (!person_ || monitor_.is_stopping(lock) || revision_ == revision) {
            return;
        }
        growth_.let_rest(lock);
        while (person_ && !monitor_.is_stopping(lock) && revision_ != revision &&
               growth_.revision(lock) == revision) {
            monitor_.wait(lock);
        }
    }
}

}  // namespace sinew::studio
