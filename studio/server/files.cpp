#include "studio/server/files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/io/asset.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/body_volume.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_model.h"
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>

#include <array>

#include "studio/server/fine_growth.h"
#include "studio/server/growth.h"
#include "studio/server/jobs.h"
#include "studio/server/stage.h"
#include "studio/server/verbs.h"

namespace sinew::studio {

namespace {

constexpr Eigen::Index kMostToFollow = 30000;  // vertices of a body that follows a slider

// The skin alone, as it hangs where gravity was asked for.
std::string write_skin(const std::filesystem::path& path, const GrowthResult& grown) {
    const Points& positions = grown.sagged.rows() > 0 ? grown.sagged : grown.body.tets.points;
    return write_asset(path, {.content = surfaces_at(grown.body, {.positions = positions},
                                                     std::array{DisplayLayer::Skin})});
}

}  // namespace

Body Files::first_body() {
    if (!options_.body.empty()) {
        jobs_.quick().begin("Reading the body");
        return read_body_with_tets(options_.body);
    }
    const Progress progress = jobs_.quick().begin("Making the body");
    MakeBodyOptions make;
    make.body.resolution = BodyResolution::Preview;
    make.cache = options_.cache;
    return make_body(make, progress).body;
}

void Files::load_first() {
    Body body;
    try {
        body = first_body();
    } catch (const InputError&) {
        {
            const Lock lock = monitor_.lock();
            stage_.lose(lock);
        }
        verbs_.answer_waiting();
        throw;
    }
    jobs_.quick().end();
    show_person(std::move(body));
    if (options_.body.empty() && !options_.only_preview) {
        const Lock lock = monitor_.lock();
        fine_.make_figure(lock);
    }
}

void Files::show_person(Body body) {
    const std::shared_ptr<Scene> scene =
        stage_.show_person(std::move(body), options_.skin_triangles);
    verbs_.answer_waiting();
    // A body that is too fine to follow a slider is solved at preview resolution first.
    if (scene->body.tets.points.rows() > kMostToFollow && !options_.only_preview) {
        const Progress progress = jobs_.quick().begin("Preparing a quick body");
        Body quick = preview_of(scene->body, options_.cache, progress);
        auto coarse = std::make_shared<Scene>(*scene, std::move(quick));
        jobs_.quick().end();
        const Lock lock = monitor_.lock();
        stage_.exchange(lock, std::move(coarse));
        fine_.take(lock, scene->body);
    }
    growth_.prepare();
}

Json Files::open(const std::string& file) {
    const std::filesystem::path path = workspace_.existing(file);
    if (kind_of_file(file) == "recipe") {
        const GrowthRecipe found = read_growth_recipe(path);
        const Lock lock = monitor_.lock();
        growth_.replace(lock, edits_of(found));
        return {{"kind", "recipe"}};
    }
    Asset asset = read_asset(path);
    if (Body* body = std::get_if<Body>(&asset.content);
        body != nullptr && body->tets.tets.rows() > 0) {
        show_person(std::move(*body));
        return {{"kind", "body"}};
    }
    if (std::holds_alternative<MotionClip>(asset.content)) {
        return {{"kind", "motion"}};
    }
    const int number = stage_.show_beside(merged(read_surface(path)));
    return {{"kind", "mesh"}, {"mesh", number}, {"note", asset.note}};
}

Json Files::save(const std::string& file) {
    if (kind_of_file(file) != "body") {
        throw InputError({.where = fmt::format("file '{}'", file),
                          .found = "another ending",
                          .needs = "a name that ends in .sinew",
                          .remedy = "use export for other formats"});
    }
    return export_body(file);
}

Json Files::export_body(const std::string& file) {
    const std::filesystem::path path = workspace_.place_of(file);
    const std::string ending = lower(path.extension().string());
    if (ending != ".json") {
        fine_.require();
    }
    FineGrowth::Finest finest;
    Edits edits;
    {
        const Lock lock = monitor_.lock();
        finest = fine_.finest(lock);
        edits = growth_.edits(lock);
    }
    const std::shared_ptr<Scene> scene = stage_.scene();
    const Body& rest = finest.rest ? *finest.rest : scene->body;
    GrowthResult now;
    if (const auto last = finest.rest ? finest.result : growth_.result()) {
        now = *last;
        finish_person(now);
    } else {
        now.body = rest;
    }
    std::string note;
    if (ending == ".json") {
        GrowthPlan plan = plan_of(edits, scene->body);
        std::erase_if(plan.fat, [](const NamedValue& v) { return v.first == "painted"; });
        write_file_bytes(path, growth_recipe_text({.name = path.stem().string(), .plan = plan}));
        note = "recipe";
    } else if (ending == ".osim" || ending == ".xml") {
        for (const std::string& left_out : write_any_model(path, model_from_body(now.body))) {
            note += left_out + "; ";
        }
    } else if (ending == ".obj") {
        note = write_skin(path, now);
    } else if (ending == ".vtu") {
        note = write_body_volume(path, now.body);
    } else {
        note = write_grown(path, rest, now);
    }
    return {{"file", file}, {"url", "/api/files/" + file}, {"note", note}};
}

void Files::add_verbs() {
    const auto add = [this](const char* name, bool needs_body,
                            Json (Files::*act)(const std::string&)) {
        verbs_.add({.name = name,
                    .fields = {{.name = "file", .kind = FieldKind::Text, .is_needed = true}},
                    .needs_body = needs_body,
                    .is_long = true,
                    .answer = [this, act](ClientId, const Json& message) {
                        return (this->*act)(text_field(message, "file"));
                    }});
    };
    add("open", false, &Files::open);
    add("save", true, &Files::save);
    add("export", true, &Files::export_body);
}

}  // namespace sinew::studio
