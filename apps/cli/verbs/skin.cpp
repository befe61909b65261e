#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/character_files.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/motion_table.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/character_rig.h"
#include "sinew/pipeline/skin_character.h"
#include "sinew/pipeline/skin_comparison.h"
#include "sinew/render/png.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/field_options.h"
#include "cli/interrupt.h"
#include "cli/verbs/file_options.h"
#include "cli/verbs/motion_options.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct SkinSettings {
    std::string mesh;
    std::string skeleton;
    std::string motion;
    std::string output;
    std::string compare;
    std::string sequence = "obj";
    std::string layers = "skin";
    std::string activations;
    bool has_gravity = false;
    std::string method = "projective";
    MotionFileOptions reading;
    std::string skeleton_unit;
    std::string skeleton_up;
    std::string cache;
    bool is_uncached = false;
    bool is_rig = false;
    FileOptions files;
    SkinRunOptions run;
};

// Of skeleton and motion: as the skin is, unless said otherwise.
ReadOptions skeleton_options(const SkinSettings& settings) {
    ReadOptions options = settings.files.read_options();
    if (!settings.skeleton_unit.empty()) {
        options.unit = unit_from_name(settings.skeleton_unit);
    }
    if (!settings.skeleton_up.empty()) {
        options.up = up_axis_from_name(settings.skeleton_up);
    }
    return options;
}

// A body of bones, muscle and fat moves by what it is made of.
SkinRun move_body(const SkinSettings& settings, const Context& context,
                  nlohmann::ordered_json& result) {
    if (settings.motion.empty()) {
        throw InputError({.where = settings.mesh,
                          .found = "no motion",
                          .needs = "a file, or walk or wave",
                          .remedy = "give one with --motion; --rig does without"});
    }
    if (!settings.skeleton.empty() || settings.method != "projective" ||
        settings.run.simulate_vertices > 0 || !settings.compare.empty() ||
        settings.run.skinning.collisions == SkinCollisions::Local) {
        throw InputError({.where = settings.mesh,
                          .found = "a body with options of other characters",
                          .needs = "--collisions none or global; skeleton and flesh are the "
                                   "body's own",
                          .remedy = "leave out --skeleton, --method, --compare, --collisions local "
                                    "and --simulate-vertices"});
    }
    BodyMotionJob job;
    job.layers = layers_from_names(settings.layers, "--layers");
    job.options = {.iterations = settings.run.skinning.iterations,
                   .rate = settings.run.rate,
                   .frames = settings.run.frames,
                   .settle = settings.run.settle,
                   .dynamics = settings.run.skinning.dynamics,
                   .gravity = settings.has_gravity,
                   .collisions = settings.run.skinning.collisions == SkinCollisions::Global};
    const Body body = read_archive(settings.mesh);
    job.poses = read_pose_track(body, settings.motion,
                                settings.reading.options(skeleton_options(settings)));
    add_retarget_report(job.poses.report, result);
    if (!settings.activations.empty()) {
        job.activations =
            ActivationTrack(body, read_motion_table(settings.activations), settings.activations);
        if (!job.activations.unknown().empty()) {
            context.progress.warn(fmt::format("{}: no muscle of the body is meant by {}",
                                              settings.activations,
                                              join(job.activations.unknown(), ", ")));
        }
    }
    SkinRunWriter writer(settings.output, written_layers(body, job.layers), body_frame_times(job),
                         settings.sequence);
    const BodyRun run = run_body_motion(body, job, context.progress, [&](const Frame& frame) {
        writer.add(joined_points(frame, job.layers));
        note_kept(writer.kept());
    });
    writer.commit();
    return run.numbers;
}

// All methods side by side, as a picture and as numbers.
void compare(const SkinSettings& settings, const Character& character,
             const CharacterMotion& motion, const SkinRunOptions& options, const Context& context,
             nlohmann::ordered_json& result) {
    const SkinComparison comparison =
        compare_skinning(character, motion, {.run = options}, context.progress);
    write_file_bytes(settings.compare, encode_png(comparison.strip));
    for (const ComparedMethod& method : comparison.methods) {
        nlohmann::ordered_json frames = nlohmann::ordered_json::array();
        for (const ComparedFrame& frame : method.frames) {
            frames.push_back({{"time", frame.time},
                              {"volume_ratio", frame.volume_ratio},
                              {"enclosed_vertices", frame.enclosed},
                              {"mean_penetration_mm", 1e3 * frame.mean_depth}});
        }
        result["comparison"][method.name] = std::move(frames);
    }
}

SkinRun move_character(const SkinSettings& settings, const Context& context,
                       nlohmann::ordered_json& result) {
    if (settings.layers != "skin" || !settings.activations.empty() || settings.has_gravity) {
        throw InputError({.where = settings.mesh,
                          .found = "a character with options of bodies",
                          .needs = "a body (.sinew) for --layers, --activations and --gravity",
                          .remedy = "leave these out, or make a body with 'sinew build'"});
    }
    const ReadOptions read = skeleton_options(settings);
    Character character =
        read_character(settings.mesh, settings.skeleton, settings.files.read_options(), read);
    if (settings.motion.empty() && !is_scene_file(settings.mesh)) {
        throw InputError({.where = settings.mesh,
                          .found = "no motion",
                          .needs = "a .glb, .gltf or .fbx file with an animation, or a motion",
                          .remedy = "give one with --motion"});
    }
    MotionOptions how = settings.reading.options(read);
    how.retarget.ground = character.mesh.points.col(1).minCoeff();
    const RetargetedCharacter retargeted = read_character_motion(
        settings.motion.empty() ? settings.mesh : settings.motion, character.skeleton, how);
    const CharacterMotion& motion = retargeted.motion;
    add_retarget_report(retargeted.report, result);
    SkinRunOptions options = settings.run;
    options.method = settings.method == "lbs"   ? SkinMethod::Linear
                     : settings.method == "dqs" ? SkinMethod::DualQuaternions
                                                : SkinMethod::Projective;
    if (!settings.is_uncached) {
        options.cache = settings.cache.empty() ? BodyCache::default_folder()
                                               : std::filesystem::path(settings.cache);
    }
    SkinRunWriter writer(settings.output, character, skin_frame_times(motion, options),
                         settings.sequence);
    SkinRun run = run_skinning(character, motion, options, context.progress, [&](Points frame) {
        writer.add(std::move(frame));
        note_kept(writer.kept());
    });
    writer.commit();
    if (!settings.compare.empty()) {
        compare(settings, character, motion, options, context, result);
    }
    return run;
}

// What a rig does not have is refused rather than passed over.
void require_rig_options(const SkinSettings& settings) {
    if (lower(std::filesystem::path(settings.output).extension().string()) != ".glb") {
        throw bad_value("skin", "--output", settings.output, "a .glb file for --rig");
    }
    if (!settings.compare.empty() || settings.layers != "skin" || !settings.activations.empty() ||
        settings.has_gravity || settings.method == "dqs" || settings.run.simulate_vertices > 0) {
        throw InputError({.where = "--rig",
                          .found = "options of a simulation",
                          .needs = "a skin, a skeleton and a motion: a rig is moved by its weights",
                          .remedy = "leave out --compare, --layers, --activations, --gravity, "
                                    "--method dqs and --simulate-vertices"});
    }
}

GltfScene rig_of_body(const SkinSettings& settings, nlohmann::ordered_json& result) {
    if (!settings.skeleton.empty()) {
        throw InputError({.where = settings.mesh,
                          .found = "a body with --skeleton",
                          .needs = "a body alone: it has joints of its own",
                          .remedy = "leave --skeleton out"});
    }
    const Body body = read_archive(settings.mesh);
    RigMotion moving;
    if (!settings.motion.empty()) {
        const PoseTrack track = read_pose_track(
            body, settings.motion, settings.reading.options(skeleton_options(settings)));
        add_retarget_report(track.report, result);
        moving = {.times = frame_times(track.seconds, settings.run.rate, settings.run.frames),
                  .at = track.at};
    }
    return rig_of(body, moving);
}

GltfScene rig_of_character(const SkinSettings& settings, nlohmann::ordered_json& result) {
    const ReadOptions read = skeleton_options(settings);
    const Character character =
        read_character(settings.mesh, settings.skeleton, settings.files.read_options(), read);
    RigMotion moving;
    if (!settings.motion.empty()) {
        MotionOptions how = settings.reading.options(read);
        how.retarget.ground = character.mesh.points.col(1).minCoeff();
        const RetargetedCharacter retargeted =
            read_character_motion(settings.motion, character.skeleton, how);
        add_retarget_report(retargeted.report, result);
        moving.times = skin_frame_times(retargeted.motion, settings.run);
        moving.at = [motion = retargeted.motion, skeleton = character.skeleton](double time) {
            return pose_of(skeleton, sample(motion, motion.times.front() + time));
        };
    }
    return rig_of(character, moving);
}

// Skeleton, weights and motion instead of frames of vertices.
int write_rig(const SkinSettings& settings, const Context& context,
              nlohmann::ordered_json& result) {
    require_rig_options(settings);
    nlohmann::ordered_json more = nlohmann::ordered_json::object();
    const bool is_body = std::filesystem::path(settings.mesh).extension() == ".sinew";
    const GltfScene scene =
        is_body ? rig_of_body(settings, more) : rig_of_character(settings, more);
    write_glb(settings.output, scene);
    const std::size_t frames =
        scene.animations.empty() ? 0 : scene.animations[0].tracks[0].times.size();
    result["output"] = settings.output;
    result["method"] = "rig";
    result["joints"] = scene.nodes.size();
    result["vertices"] = scene.parts[0].part.mesh.points.rows();
    result["frames"] = frames;
    result.update(more);
    if (context.tells()) {
        fmt::print("{}: a rig of {} joints, {} vertices with four weights each, {} frames\n",
                   settings.output, scene.nodes.size(), scene.parts[0].part.mesh.points.rows(),
                   frames);
    }
    return kOk;
}

// Said before anything is missed that another file would bring.
void require_skin_input(const SkinSettings& settings) {
    std::error_code ignored;
    if (!std::filesystem::exists(settings.mesh, ignored)) {
        throw InputError({.where = settings.mesh,
                          .found = "no such file",
                          .needs = "a file that exists",
                          .remedy = "check the spelling and the folder"});
    }
    const std::string& moves = settings.motion.empty() ? settings.mesh : settings.motion;
    if (!settings.reading.animation.empty() && !is_scene_file(moves)) {
        throw InputError({.where = "--animation",
                          .found = fmt::format("'{}', which holds one motion", moves),
                          .needs = "a .glb, .gltf or .fbx file, whose animations have names",
                          .remedy = "leave --animation out"});
    }
}

int run_skin(const SkinSettings& settings, const Context& context, nlohmann::ordered_json& result) {
    require_skin_input(settings);
    require_skin_output(settings.output);
    if (!settings.compare.empty()) {
        if (lower(std::filesystem::path(settings.compare).extension().string()) != ".png") {
            throw bad_value("skin", "--compare", settings.compare, "a name that ends in .png");
        }
        require_writable_place(settings.compare);
    }
    if (settings.is_rig) {
        return write_rig(settings, context, result);
    }
    const bool is_body = std::filesystem::path(settings.mesh).extension() == ".sinew";
    nlohmann::ordered_json more = nlohmann::ordered_json::object();
    const SkinRun done =
        is_body ? move_body(settings, context, more) : move_character(settings, context, more);
    SkinSummary summary = summary_of(done);
    summary.output = settings.output;
    summary.method = settings.method;
    add_fields(summary, result);
    result.update(more);
    if (context.tells()) {
        fmt::print(
            "{}: {} frames; {} simulated vertices, {} tetrahedra, {:.0f} frames/s ({:.0f} shown), "
            "ready after {:.2f} s;\n  deepest penetration {:.1f} mm, least volume {:.1f} %\n",
            settings.output, done.times.size(), done.simulated_vertices, done.tets, done.fps,
            done.shown_fps, done.preprocess_s, 1e3 * done.max_penetration,
            1e2 * done.volume_ratio_min);
        if (!settings.compare.empty()) {
            fmt::print("{}: three methods side by side\n", settings.compare);
        }
    }
    return kOk;
}

void add_skeleton_options(std::vector<Option>& options, SkinSettings& settings) {
    options.push_back({.name = "--skeleton-unit",
                       .help = "of skeleton and motion files that do not say theirs; without "
                               "it that of the skin",
                       .target = &settings.skeleton_unit,
                       .choices = {"m", "cm", "mm"}});
    options.push_back({.name = "--skeleton-up",
                       .help = "axis that points up in skeleton and motion files; without it "
                               "that of the skin",
                       .target = &settings.skeleton_up,
                       .choices = {"y", "z"}});
}

}  // namespace

Verb skin_verb() {
    auto settings = std::make_shared<SkinSettings>();
    Verb verb{
        .name = "skin",
        .summary = "Move any character by its bones: no weights, flesh that bulges and slides",
        .examples =
            "  sinew skin man.ply --skeleton man.json --motion wave.json -o wave.glb\n"
            "  sinew skin character.glb --motion dance.bvh -o out.glb\n"
            "  sinew skin body.sinew --motion squat.json -o squat.glb\n"
            "  sinew skin body.sinew --motion walk --layers skin,muscles,bones -o walk.glb\n"
            "  sinew skin man.ply --skeleton man.json --motion squat.json --collisions global "
            "--compare strip.png -o squat.glb\n"
            "  sinew skin man.ply --skeleton walk.bvh --motion walk.bvh -o walk.usda\n"
            "  sinew skin man.ply --skeleton man.json --motion wave.json --simulate-vertices "
            "4600 -o frames\n"
            "  sinew skin man.ply --skeleton man.json --motion walk.bvh --rig -o man.glb\n"
            "Skeletons and motions are described in docs/skinning.md.",
        .options =
            {{.name = "mesh",
              .help = "the skin, in any format that `sinew info` reads, or a body (.sinew), "
                      "which moves by its own bones, muscle and fat",
              .target = &settings->mesh,
              .metavar = "MESH",
              .is_required = true},
             {.name = "--skeleton",
              .help = "joints with parents and positions: .json, .bvh, .glb, .gltf, .fbx or .skel; "
                      "without it those of the skin's own file",
              .target = &settings->skeleton,
              .metavar = "FILE"},
             {.name = "--motion",
              .help = "key frames in .json, a .bvh or .anim file, or the animation of a .glb, "
                      ".gltf or .fbx file; without it that of the skin's own file; of a body "
                      "also wave, walk, or its coordinates (.mot, .sto)",
              .target = &settings->motion,
              .metavar = "FILE"},
             {.name = "-o,--output",
              .help = ".glb, .usda, .pc2, .mdd, or a folder for a sequence of files",
              .target = &settings->output,
              .metavar = "OUT",
              .is_required = true},
             {.name = "--method",
              .help = "projective: simulated flesh; to compare with, linear blend and dual "
                      "quaternion skinning with automatic weights",
              .target = &settings->method,
              .choices = {"projective", "lbs", "dqs"}},
             {.name = "--rig",
              .help =
                  "no simulation: skeleton, weights and motion as a rigged .glb for Blender and "
                  "engines, with the weights of linear blend skinning; --motion may be absent",
              .target = &settings->is_rig},
             {.name = "--compare",
              .help = "a picture too: frames of all three methods side by side, with volume and "
                      "penetration of each",
              .target = &settings->compare,
              .metavar = "FILE.png"},
             {.name = "--layers",
              .help = "of a body, with commas in between: skin, muscles, bones, envelope, tissues, "
                      "tet_skin (the skin of its tetrahedra)",
              .target = &settings->layers,
              .metavar = "NAMES"},
             {.name = "--activations",
              .help = "of a body: how active muscles are over time, a .sto or .mot table with "
                      "names of muscles or groups as columns and values from 0 to 1",
              .target = &settings->activations,
              .metavar = "FILE"},
             {.name = "--gravity",
              .help = "of a body: flesh hangs",
              .target = &settings->has_gravity},
             {.name = "--sequence",
              .help = "format of a sequence of files",
              .target = &settings->sequence,
              .choices = {"obj", "ply"}},
             {.name = "--simulate-vertices",
              .help = "simulate a coarser skin of about so many vertices and show the whole one, "
                      "kept out of itself with --collisions global; 0: simulate the skin",
              .target = &settings->run.simulate_vertices,
              .metavar = "N",
              .range = {.min = 0}},
             {.name = "--frames",
              .help = "number of frames; 0: the whole motion",
              .target = &settings->run.frames,
              .metavar = "N",
              .range = {.min = 0}},
             {.name = "--rate",
              .help = "frames per second",
              .target = &settings->run.rate,
              .metavar = "HZ",
              .range = {.max = 1e6, .above = 0}},
             {.name = "--settle",
              .help = "frames in the first pose before the motion starts",
              .target = &settings->run.settle,
              .metavar = "N"},
             {.name = "--cache",
              .help = "folder where weights of fine skins are kept; default ~/.cache/sinew",
              .target = &settings->cache,
              .metavar = "DIR"},
             {.name = "--no-cache",
              .help = "compute these weights and keep none",
              .target = &settings->is_uncached}},
        .run = {}};
    settings->files.add_to(verb.options);
    add_skeleton_options(verb.options, *settings);
    settings->reading.add_to(verb.options);
    add_field_options(verb.options, settings->run.skinning);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", SkinSummary{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        return run_skin(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
