#include "studio/server/studio.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/pipeline/growth_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "studio/server/commands.h"
#include "studio/server/studio_data.h"

namespace sinew::studio {

namespace {

constexpr std::chrono::milliseconds kStateInterval{100};  // while a slider moves
std::string dump(const Json& message) {
    return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

InputError bad_command() {
    return InputError({.where = "command",
                       .found = "something else",
                       .needs = "fields of the protocol",
                       .remedy = "see docs/studio-protocol.md"});
}

Json error_of(const InputError& e) {
    const ErrorParts& parts = e.parts();
    return {{"where", parts.where},
            {"found", parts.found},
            {"needs", parts.needs},
            {"remedy", parts.remedy}};
}

}  // namespace

Studio::Studio(const StudioOptions& options, Workspace& workspace, Outbox& outbox)
    : data_(std::make_unique<Data>(options, workspace, outbox)) {
    Data& d = *data_;
    d.tasks.emplace_back([&d] { d.load_first(); });
    d.worker = std::thread([&d] { d.work(); });
    if (!options.only_preview) {
        d.fine_worker = std::thread([&d] { d.work_finely(); });
    }
}

Studio::~Studio() {
    {
        const std::lock_guard lock(data_->mutex);
        data_->is_stopping = true;
        for (const std::optional<Progress>* job : {&data_->running, &data_->fine_running}) {
            if (*job) {
                (*job)->cancel();
            }
        }
    }
    data_->wake.notify_all();
    data_->worker.join();
    if (data_->fine_worker.joinable()) {
        data_->fine_worker.join();
    }
}

void Studio::on_open(ClientId client) {
    const std::lock_guard lock(data_->mutex);
    data_->views[client] = {};
}

void Studio::on_close(ClientId client) {
    const std::lock_guard lock(data_->mutex);
    data_->views.erase(client);
    data_->wake.notify_all();
}

void Studio::on_text(ClientId client, std::string_view text) {
    const std::optional<Json> message = parse_command(text);
    if (!message) {
        data_->send(client, {{"event", "message"},
                             {"level", "error"},
                             {"text", "A command must be a JSON object."}});
        return;
    }
    data_->command(client, *message);
}

void Studio::Data::send(ClientId client, const Json& message) {
    outbox.send_text(client, dump(message));
}

void Studio::Data::broadcast_locked(const Json& message) {
    const std::string text = dump(message);
    for (const auto& [client, view] : views) {
        if (view.is_greeted) {
            outbox.send_text(client, text);
        }
    }
}

void Studio::Data::broadcast_frame_locked(int mesh, const SharedBytes& frame, bool is_motion) {
    const int layer = mesh % kBeforeMesh;
    for (const auto& [client, view] : views) {
        if (view.is_greeted && (layer >= kFirstBesideMesh || view.layers.contains(layer))) {
            outbox.send_frame(client, frame, is_motion ? mesh : -1);
        }
    }
}

void Studio::Data::message(const char* level, const std::string& text) {
    const std::lock_guard lock(mutex);
    broadcast_locked({{"event", "message"}, {"level", level}, {"text", text}});
}

Json Studio::Data::state_locked() const {
    Json edits = Json::object();
    for (const auto& [target, value] : document.now().values) {
        edits[target] = target == "gravity" ? Json(value > 0.5) : Json(value);
    }
    return {{"event", "state"},
            {"edits", edits},
            {"painted", document.now().painted != nullptr},
            {"undo", document.undo_count()},
            {"redo", document.redo_count()},
            {"measures", measures},
            {"before", scene ? scene->before : Json(nullptr)},
            {"resolution", resolution},
            {"revision", document.revision()},
            {"mode", mode},
            {"warnings", warnings},
            {"joints", bone_ends},
            {"session", process_name}};
}

void Studio::Data::broadcast_state_locked() {
    last_state = Clock::now();
    broadcast_locked(state_locked());
}

void Studio::Data::broadcast_progress_locked(int job, const std::string& what, const Json& fraction,
                                             const Json& seconds_left, bool is_done) {
    broadcast_locked({{"event", "progress"},
                      {"job", job},
                      {"what", what},
                      {"fraction", fraction},
                      {"seconds_left", seconds_left},
                      {"done", is_done}});
}

void Studio::Data::overtake_locked() {
    if (running && is_overtakable) {
        running->cancel();
    }
    if (fine_running && fine) {
        fine_running->cancel();
    }
}

void Studio::Data::send_meshes_locked(ClientId client, const std::set<int>& layers) {
    if (!scene) {
        if (first_skin && layers.contains(0)) {
            outbox.send_frame(client, first_skin, -1);
        }
        return;
    }
    const std::uint32_t revision = document.revision();
    for (const bool is_before : {false, true}) {
        for (const int layer : layers) {
            if (layer >= kDisplayLayers) {
                continue;
            }
            const auto which = static_cast<DisplayLayer>(layer);
            const DisplayMesh& mesh = scene->display->mesh(which);
            std::vector<PartRange> parts;
            std::size_t number = first_part(*scene->display, which);
            for (const DisplayPart& part : mesh.parts) {
                parts.push_back({static_cast<std::uint32_t>(number++),
                                 static_cast<std::uint32_t>(3 * part.first),
                                 static_cast<std::uint32_t>(3 * part.count)});
            }
            const FrameHeader header{
                .mesh = static_cast<std::uint32_t>(layer + (is_before ? kBeforeMesh : 0)),
                .revision = revision,
                .flags = static_cast<std::uint16_t>(is_before ? 1 : 0)};
            const Points points =
                is_before || !x ? mesh.points : shown_points(*scene, correction, which, *x);
            outbox.send_frame(client,
                              std::make_shared<const std::string>(
                                  mesh_frame(header, points, mesh.triangles, parts)),
                              -1);
        }
    }
    if (layers.contains(kFibreMesh)) {
        tasks.emplace_back([this] { make_fibres(); });
        wake.notify_all();
    }
}

void Studio::Data::command(ClientId client, const Json& message) {
    const auto it = message.find("do");
    const std::string verb =
        it != message.end() && it->is_string() ? it->get<std::string>() : std::string();
    {
        const std::lock_guard lock(mutex);
        if (waits_for_body_locked(client, verb, message)) {
            return;
        }
    }
    command_now(client, verb, message);
}

void Studio::Data::command_now(ClientId client, const std::string& verb, const Json& message) {
    const Json id = id_of(message);
    Json reply;
    try {
        if (verb == "open" || verb == "save" || verb == "export") {
            const std::string file = text_field(message, "file");
            later(client, id, [this, verb, file] {
                return verb == "open"   ? open(file)
                       : verb == "save" ? save(file)
                                        : export_body(file);
            });
            return;
        }
        if (verb == "forces") {
            const std::string file = optional_text(message, "file");
            const std::string coordinate = optional_text(message, "coordinate");
            later(client, id, [this, file, coordinate] { return forces(file, coordinate); });
            return;
        }
        reply = answer(client, verb, message);
        reply["ok"] = true;
    } catch (const InputError& e) {
        reply = {{"ok", false}, {"error", error_of(e)}};
    } catch (const Json::exception&) {
        reply = {{"ok", false}, {"error", error_of(bad_command())}};
    }
    reply["re"] = id;
    send(client, reply);
    // The geometry follows the answer.
    const std::lock_guard lock(mutex);
    if (const auto it = views.find(client); it != views.end() && reply.contains("sends")) {
        send_meshes_locked(client, reply["sends"].get<std::set<int>>());
        for (const auto& [mesh, frame] : beside) {
            outbox.send_frame(client, frame, -1);
        }
    }
}

// What is asked for while the body is read or made is done once it is there, in order.
bool Studio::Data::waits_for_body_locked(ClientId client, const std::string& verb,
                                         const Json& message) {
    constexpr std::size_t kMostWaiting = 200;
    const bool needs_none = verb == "hello" || verb == "view" || verb == "shown" ||
                            verb == "cancel" || verb == "open" || is_body_lost;
    if (needs_none || (scene && waiting.empty()) || waiting.size() >= kMostWaiting) {
        return false;
    }
    waiting.push_back({client, message});
    return true;
}

void Studio::Data::answer_waiting() {
    for (;;) {
        Waiting next;
        {
            const std::lock_guard lock(mutex);
            if (waiting.empty()) {
                return;
            }
            next = waiting.front();
        }
        const std::string verb = optional_text(next.message, "do");
        command_now(next.client, verb, next.message);
        const std::lock_guard lock(mutex);
        waiting.pop_front();
    }
}

void Studio::Data::later(ClientId client, const Json& id, std::function<Json()> work) {
    const std::lock_guard lock(mutex);
    tasks.emplace_back([this, client, id, work = std::move(work)] {
        Json reply;
        try {
            reply = work();
            reply["ok"] = true;
        } catch (const InputError& e) {
            reply = {{"ok", false}, {"error", error_of(e)}};
        } catch (const Cancelled&) {
            reply = {{"ok", false},
                     {"error",
                      {{"where", "job"},
                       {"found", "it was cancelled"},
                       {"needs", "to run to its end"},
                       {"remedy", "try again"}}}};
        }
        reply["re"] = id;
        send(client, reply);
    });
    wake.notify_all();
}

Json Studio::Data::answer(ClientId client, const std::string& verb, const Json& message) {
    static const std::vector<std::string> kVerbs = {
        "hello", "view", "shown", "edit", "paint",    "undo", "redo",   "reset",  "recipe", "pose",
        "play",  "jump", "stop",  "open", "contract", "save", "export", "forces", "cancel"};
    if (verb == "hello") {
        return hello(client, message);
    }
    if (verb == "view") {
        return view(client, message);
    }
    if (verb == "shown") {
        const std::lock_guard lock(mutex);
        views[client].is_waited_for = false;
        wake.notify_all();
        return Json::object();
    }
    if (verb == "cancel") {
        return cancel(message);
    }
    if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) {
        throw InputError(
            {.where = "command",
             .found = fmt::format("unknown verb '{}'{}", verb, did_you_mean(verb, kVerbs)),
             .needs = "a verb of the protocol",
             .remedy = "see docs/studio-protocol.md"});
    }
    {
        const std::lock_guard lock(mutex);
        if (!scene) {
            throw InputError({.where = fmt::format("command '{}'", verb),
                              .found = is_body_lost ? "no body" : "no body yet",
                              .needs = "a body that has been read or made",
                              .remedy = is_body_lost ? "open another body"
                                                     : "wait until the progress bar is done"});
        }
    }
    if (verb == "edit") {
        return edit(message);
    }
    if (verb == "paint") {
        return paint(message);
    }
    if (verb == "recipe") {
        return recipe(message);
    }
    if (verb == "pose" || verb == "play" || verb == "jump" || verb == "stop" ||
        verb == "contract") {
        return move(verb, message);
    }
    return step(verb);
}

Json Studio::Data::hello(ClientId client, const Json& message) {
    if (number_field(message, "protocol") != 1.0) {
        throw InputError({.where = "field 'protocol'",
                          .found = "another version",
                          .needs = "1",
                          .remedy = "reload the page"});
    }
    const std::lock_guard lock(mutex);
    View& shown = views[client];
    shown.is_greeted = true;
    shown.is_waited_for = truth_field(message, "draws", false);
    return {{"catalogue", scene ? scene->catalogue : empty_catalogue()},
            {"state", state_locked()},
            {"sends", shown.layers}};
}

Json Studio::Data::view(ClientId client, const Json& message) {
    std::set<int> layers = read_layers(message);
    const std::lock_guard lock(mutex);
    View& shown = views[client];
    std::set<int> added;
    std::set_difference(layers.begin(), layers.end(), shown.layers.begin(), shown.layers.end(),
                        std::inserter(added, added.end()));
    shown.layers = std::move(layers);
    return {{"sends", shown.is_greeted ? added : std::set<int>{}}};
}

Json Studio::Data::edit(const Json& message) {
    const EditCommand wish = read_edit(message);
    std::shared_ptr<Scene> shown;
    {
        const std::lock_guard lock(mutex);
        shown = scene;
    }
    for (const Change& change : wish.changes) {
        require_known(change, shown->body);
    }
    const std::lock_guard lock(mutex);
    end_motion_locked();
    document.edit(wish.changes, wish.drags);
    resolution = "preview";
    is_dragging = wish.drags;
    overtake_locked();
    if (!wish.drags || Clock::now() - last_state > kStateInterval) {
        broadcast_state_locked();
    }
    wake.notify_all();
    return {{"revision", document.revision()}};
}

Json Studio::Data::paint(const Json& message) {
    const std::lock_guard lock(mutex);
    const auto count =
        static_cast<std::size_t>(scene->display->mesh(DisplayLayer::Skin).points.rows());
    const PaintCommand wish = read_paint(message, count);
    const ValueRange range = range_of("fat");
    const double amount = std::clamp(wish.amount.value_or(2.0), range.low, range.high);
    end_motion_locked();
    document.paint(wish.vertices, wish.values, count, amount, wish.ends);
    is_dragging = !wish.ends;
    overtake_locked();
    const std::vector<double> nothing(count, 0.0);
    const auto frame = std::make_shared<const std::string>(
        scalars_frame({.mesh = 0, .revision = document.revision()},
                      document.now().painted ? *document.now().painted : nothing));
    broadcast_frame_locked(0, frame, false);
    broadcast_state_locked();
    wake.notify_all();
    return {{"revision", document.revision()}};
}

Json Studio::Data::recipe(const Json& message) {
    GrowthRecipe found;
    if (message.contains("recipe")) {
        found = parse_growth_recipe(message["recipe"].dump(), "recipe");
    } else {
        const std::string name = text_field(message, "name");
        std::vector<std::string> names;
        for (const RecipeEntry& entry : built_in_recipes()) {
            names.push_back(entry.name);
            if (entry.name == name) {
                found = read_growth_recipe(entry.file);
            }
        }
        if (found.name.empty()) {
            throw InputError(
                {.where = "recipe",
                 .found = fmt::format("unknown recipe '{}'{}", name, did_you_mean(name, names)),
                 .needs = "a recipe of the catalogue",
                 .remedy = "choose one of the list"});
        }
    }
    const std::lock_guard lock(mutex);
    plan_of(edits_of(found), scene->body);  // refuses what this body does not have
    end_motion_locked();
    document.replace(edits_of(found));
    is_dragging = false;
    overtake_locked();
    broadcast_state_locked();
    wake.notify_all();
    return {{"revision", document.revision()}, {"description", found.description}};
}

Json Studio::Data::step(const std::string& verb) {
    const std::lock_guard lock(mutex);
    bool is_changed = true;
    if (verb == "undo") {
        is_changed = document.undo();
    } else if (verb == "redo") {
        is_changed = document.redo();
    } else if (verb == "reset") {
        document.reset();
    }
    if (is_changed) {
        end_motion_locked();
        is_dragging = false;
        overtake_locked();
        broadcast_state_locked();
        wake.notify_all();
    }
    return {{"revision", document.revision()}, {"changed", is_changed}};
}

Json Studio::Data::cancel(const Json& message) {
    const std::lock_guard lock(mutex);
    const bool is_meant = !message.contains("job") || message["job"] == running_job;
    if (is_meant) {
        overtake_locked();
    }
    return {{"cancelled", is_meant && running.has_value() && is_overtakable}};
}

}  // namespace sinew::studio
