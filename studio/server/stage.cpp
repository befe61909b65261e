#include "studio/server/stage.h"

#include "sinew/base/error.h"
#include "sinew/geometry/embedding.h"

#include "studio/server/geometry_frames.h"
#include "studio/server/jobs.h"
#include "studio/server/verbs.h"
#include "studio/server/views.h"

namespace sinew::studio {

namespace {

constexpr std::chrono::milliseconds kShowInterval{14};    // between frames of a solve
constexpr std::chrono::milliseconds kFirstPicture{1500};  // for pages to draw it, at most

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

Points layer_points(const Scene& scene, const Correction& correction, DisplayLayer layer,
                    const Points& x) {
    Points moved = scene.surfaces.reshaped(layer, x);
    if (const auto& more = correction[at(layer)]) {
        moved += *more;
    }
    return moved;
}

SharedBytes shared(std::string bytes) {
    return std::make_shared<const std::string>(std::move(bytes));
}

}  // namespace

Json Scene::measures_like_finest(const Body& grown) const {
    return shifted(before, measures_of(grown), before_here);
}

Stage::Stage(Monitor& monitor, Views& views, Jobs& jobs)
    : monitor_(monitor), views_(views), jobs_(jobs) {
    views_.add_reporter([this](const Lock&, Json& state) {
        state["mode"] = mode_;
        state["before"] = scene_ ? scene_->before : Json(nullptr);
    });
}

std::shared_ptr<Scene> Stage::require_scene(const Lock&) const {
    if (!scene_) {
        throw InputError(
            {.where = "command",
             .found = is_lost_ ? "no body" : "no body yet",
             .needs = "a body that has been read or made",
             .remedy = is_lost_ ? "open another body" : "wait until the progress bar is done"});
    }
    return scene_;
}

void Stage::show_first(const TriangleMesh& skin) {
    if (scene_) {
        return;
    }
    const std::vector<PartRange> parts = {
        {0, 0, static_cast<std::uint32_t>(skin.triangles.size())}};
    SharedBytes frame =
        shared(mesh_frame({.mesh = 0, .revision = 0}, skin.points, skin.triangles, parts));
    Lock lock = monitor_.lock();
    first_skin_ = std::move(frame);
    views_.broadcast_frame(lock, 0, first_skin_, false);
    // Browsers without a graphics card draw with the same cores that what follows would fill.
    const Clock::time_point end = Clock::now() + kFirstPicture;
    while (views_.is_drawing(lock) && !monitor_.is_stopping(lock) && Clock::now() < end) {
        monitor_.wait_until(lock, end);
    }
}

std::shared_ptr<Scene> Stage::show_person(Body body, int skin_triangles) {
    const TriangleMesh skin = shown_skin(body, {.skin_triangles = skin_triangles});
    show_first(skin);
    auto made = std::make_shared<Scene>(std::move(body), skin);
    const Lock lock = monitor_.lock();
    scene_ = made;
    first_skin_.reset();
    is_lost_ = false;
    mode_ = "rest";
    x_.reset();
    correction_ = {};
    for (const Hook& forget : hooks_) {
        forget(lock);
    }
    views_.broadcast(lock, {{"event", "catalogue"}, {"catalogue", made->catalogue}});
    views_.broadcast_state(lock);
    for (const auto& [client, layers] : views_.greeted(lock)) {
        send_meshes(lock, client, layers);
    }
    return made;
}

void Stage::exchange(const Lock&, std::shared_ptr<Scene> scene) {
    scene_ = std::move(scene);
    x_.reset();
}

Points Stage::layer_at(DisplayLayer layer, const Points& points) const {
    Correction correction;
    {
        const Lock lock = monitor_.lock();
        correction = correction_;
    }
    return layer_points(*scene_, correction, layer, points);
}

void Stage::show(const Points& points, bool is_final) {
    const Clock::time_point now = Clock::now();
    if (!is_final && now - last_shown_ < kShowInterval) {
        return;
    }
    last_shown_ = now;
    std::set<int> layers;
    std::uint32_t revision = 0;
    Correction correction;
    {
        const Lock lock = monitor_.lock();
        correction = correction_;
        revision = revision_(lock);
        layers = views_.layers_wanted(lock);
        x_ = std::make_shared<const Points>(points);
    }
    const Scene& scene = *scene_;
    for (const int layer : layers) {
        SharedBytes frame;
        if (layer < kDisplayLayers) {
            const auto which = static_cast<DisplayLayer>(layer);
            frame = shared(
                motion_frame({.mesh = static_cast<std::uint32_t>(layer), .revision = revision},
                             layer_points(scene, correction, which, points),
                             scene.display->mesh(which).triangles));
        } else if (layer == kFibreMesh && scene.fibres.tet.size() > 0) {
            frame = fibre_frame(scene, points, revision);
        } else {
            continue;
        }
        const Lock lock = monitor_.lock();
        views_.broadcast_frame(lock, layer, frame, true);
    }
}

int Stage::show_beside(const TriangleMesh& mesh) {
    const Lock lock = monitor_.lock();
    const int number = beside_.empty() ? kFirstBesideMesh : beside_.rbegin()->first + 1;
    beside_[number] =
        shared(mesh_frame({.mesh = static_cast<std::uint32_t>(number), .revision = revision_(lock)},
                          mesh.points, mesh.triangles, {}));
    views_.broadcast_frame(lock, number, beside_[number], false);
    return number;
}

// A layer with its triangles: where it is now, or before any edit.
SharedBytes Stage::whole_frame(const Lock& lock, DisplayLayer layer, bool is_before) const {
    const DisplayMesh& mesh = scene_->display->mesh(layer);
    std::vector<PartRange> parts;
    std::size_t number = first_part(*scene_->display, layer);
    for (const DisplayPart& part : mesh.parts) {
        parts.push_back({static_cast<std::uint32_t>(number++),
                         static_cast<std::uint32_t>(3 * part.first),
                         static_cast<std::uint32_t>(3 * part.count)});
    }
    const FrameHeader header{
        .mesh = static_cast<std::uint32_t>(static_cast<int>(layer) + (is_before ? kBeforeMesh : 0)),
        .revision = revision_(lock),
        .flags = static_cast<std::uint16_t>(is_before ? 1 : 0)};
    const Points points =
        is_before || !x_ ? mesh.points : layer_points(*scene_, correction_, layer, *x_);
    return shared(mesh_frame(header, points, mesh.triangles, parts));
}

void Stage::send_meshes(const Lock& lock, ClientId client, const std::set<int>& layers) {
    if (!scene_) {
        if (first_skin_ && layers.contains(0)) {
            views_.send_frame(client, first_skin_);
        }
        return;
    }
    for (const bool is_before : {false, true}) {
        for (const int layer : layers) {
            if (layer < kDisplayLayers) {
                views_.send_frame(client,
                                  whole_frame(lock, static_cast<DisplayLayer>(layer), is_before));
            }
        }
    }
    if (layers.contains(kFibreMesh)) {
        jobs_.quick().post(lock, [this] { make_fibres(); });
    }
}

// The fibres' positions when the scene's tetrahedra have these points; lines have no normals.
SharedBytes Stage::fibre_frame(const Scene& scene, const Points& points,
                               std::uint32_t revision) const {
    const Points moved = positions_of(scene.fibres, points, scene.body.tets.tets);
    const Points none = Points::Zero(moved.rows(), 3);
    return shared(motion_frame({.mesh = kFibreMesh, .revision = revision}, moved, none));
}

void Stage::make_fibres() {
    const std::shared_ptr<Scene> scene = scene_;
    if (!scene) {
        return;
    }
    if (scene->fibres.tet.size() == 0) {
        jobs_.quick().begin("Drawing the fibres");
        if (scene->display->fibres().points.rows() == 0) {
            scene->display->make_fibres(scene->body);
        }
        TetEmbedding places = embed(scene->display->fibres().points, TetLocator(scene->body.tets),
                                    {.max_outside = 0.1});
        scene->fibres = {.tet = std::move(places.tet), .weights = std::move(places.weights)};
        jobs_.quick().end();
    }
    const DisplayLines& lines = scene->display->fibres();
    std::vector<std::uint8_t> colours;
    for (const auto& colour : lines.colours) {
        colours.insert(colours.end(), colour.begin(), colour.end());
    }
    std::vector<std::uint32_t> pairs;
    for (const auto& pair : lines.pairs) {
        pairs.push_back(static_cast<std::uint32_t>(pair[0]));
        pairs.push_back(static_cast<std::uint32_t>(pair[1]));
    }
    const Lock lock = monitor_.lock();
    const std::uint32_t revision = revision_(lock);
    views_.broadcast_frame(lock, kFibreMesh,
                           shared(lines_frame({.mesh = kFibreMesh, .revision = revision},
                                              lines.points, colours, pairs)),
                           false);
    if (x_) {
        views_.broadcast_frame(lock, kFibreMesh, fibre_frame(*scene, *x_, revision), true);
    }
}

// The geometry follows the answer.
void Stage::send_what_follows(ClientId client, const Json& answer) {
    const Lock lock = monitor_.lock();
    if (!views_.is_open(lock, client)) {
        return;
    }
    send_meshes(lock, client, answer["sends"].get<std::set<int>>());
    for (const auto& [mesh, frame] : beside_) {
        views_.send_frame(client, frame);
    }
}

void Stage::add_verbs(Verbs& verbs) {
    const auto follow = [this](ClientId client, const Json& answer) {
        send_what_follows(client, answer);
    };
    verbs.add({.name = "hello",
               .fields = {{.name = "protocol", .kind = FieldKind::Number, .is_needed = true},
                          {.name = "draws", .kind = FieldKind::Truth}},
               .needs_body = false,
               .answer = [this](ClientId client, const Json& message) -> Json {
                   if (message["protocol"] != 1.0) {
                       throw InputError({.where = "field 'protocol'",
                                         .found = "another version",
                                         .needs = "1",
                                         .remedy = "reload the page"});
                   }
                   const Lock lock = monitor_.lock();
                   const std::set<int> layers =
                       views_.greet(lock, client, truth_field(message, "draws", false));
                   return {{"catalogue", scene_ ? scene_->catalogue : empty_catalogue()},
                           {"state", views_.state(lock)},
                           {"sends", layers}};
               },
               .after = follow});
    verbs.add({.name = "view",
               .fields = {{.name = "layers", .kind = FieldKind::Layers, .is_needed = true}},
               .needs_body = false,
               .answer = [this](ClientId client, const Json& message) -> Json {
                   std::set<int> layers = read_layers(message);
                   const Lock lock = monitor_.lock();
                   return {{"sends", views_.want(lock, client, std::move(layers))}};
               },
               .after = follow});
    verbs.add({.name = "shown",
               .needs_body = false,
               .answer = [this](ClientId client, const Json&) -> Json {
                   const Lock lock = monitor_.lock();
                   views_.has_drawn(lock, client);
                   return Json::object();
               }});
}

}  // namespace sinew::studio
