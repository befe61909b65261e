#include "sinew/pipeline/skin_job.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/posable_joints.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/character_files.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/settings_json.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/character_rig.h"
#include "sinew/pipeline/skin_comparison.h"
#include "sinew/render/png.h"

#include <fmt/format.h>

#include <algorithm>

// `sinew skin` as a job: what is asked for is checked first, against what a body, a character or a
// rig can do, before anything is read for long; then the one or the other is moved, and frames are
// written while they are made (skin_run.h), so that memory does not grow with the motion.

namespace sinew {

namespace {

ReadOptions mesh_options(const SkinJob& job) {
    return {.unit = job.unit, .up = job.up};
}

// Of skeleton and motion: as the skin is, unless said otherwise.
ReadOptions skeleton_options(const SkinJob& job) {
    return {.unit = job.skeleton_unit.value_or(job.unit), .up = job.skeleton_up.value_or(job.up)};
}

MotionOptions motion_options(const SkinJob& job) {
    MotionOptions options{
        .read = skeleton_options(job), .animation = job.animation, .joint_names = job.joint_names};
    options.retarget.rests = job.rest;
    options.retarget.keep_contacts = job.feet == FeetRule::Keep;
    return options;
}

std::string ending_of(const std::string& file) {
    return lower(std::filesystem::path(file).extension().string());
}

bool shows_skin_only(const SkinJob& job) {
    return job.layers == std::vector<std::string>{"skin"};
}

std::string sequence_of(const SkinJob& job) {
    return job.sequence == FrameFormat::Ply ? "ply" : "obj";
}

// Said before anything is missed that another file would bring.
void require_input(const SkinJob& job) {
    std::error_code ignored;
    if (!std::filesystem::exists(job.mesh, ignored)) {
        throw InputError({.where = job.mesh.empty() ? "mesh" : job.mesh,
                          .found = job.mesh.empty() ? "nothing" : "no such file",
                          .needs = "a file that exists",
                          .remedy = "check the spelling and the folder"});
    }
    const std::string& moves = job.motion.empty() ? job.mesh : job.motion;
    if (!job.animation.empty() && !is_scene_file(moves)) {
        throw InputError({.where = "--animation",
                          .found = fmt::format("'{}', which holds one motion", moves),
                          .needs = "a .glb, .gltf or .fbx file, whose animations have names",
                          .remedy = "leave --animation out"});
    }
}

void require_output(const SkinJob& job) {
    require_skin_output(job.output);
    if (!job.compare.empty()) {
        if (ending_of(job.compare) != ".png") {
            throw InputError({.where = "--compare",
                              .found = fmt::format("'{}'", job.compare),
                              .needs = "a name that ends in .png",
                              .remedy = "rename it"});
        }
        require_writable_place(job.compare);
    }
}

void require_body_options(const SkinJob& job) {
    if (job.motion.empty()) {
        throw InputError({.where = job.mesh,
                          .found = "no motion",
                          .needs = "a file, or walk or wave",
                          .remedy = "give one with --motion; --rig does without"});
    }
    if (!job.skeleton.empty() || job.method != SkinMethod::Projective ||
        job.simulate_vertices > 0 || !job.compare.empty() ||
        job.skinning.collisions == SkinCollisions::Local) {
        throw InputError({.where = job.mesh,
                          .found = "a body with options of other characters",
                          .needs = "--collisions none or global; skeleton and flesh are the "
                                   "body's own",
                          .remedy = "leave out --skeleton, --method, --compare, --collisions local "
                                    "and --simulate-vertices"});
    }
}

void require_character_options(const SkinJob& job) {
    if (!shows_skin_only(job) || !job.activations.empty() || job.gravity) {
        throw InputError({.where = job.mesh,
                          .found = "a character with options of bodies",
                          .needs = "a body (.sinew) for --layers, --activations and --gravity",
                          .remedy = "leave these out, or make a body with 'sinew build'"});
    }
    if (job.motion.empty() && !job.rig && !is_scene_file(job.mesh)) {
        throw InputError({.where = job.mesh,
                          .found = "no motion",
                          .needs = "a .glb, .gltf or .fbx file with an animation, or a motion",
                          .remedy = "give one with --motion"});
    }
}

// What a rig does not have is refused rather than passed over.
void require_rig_options(const SkinJob& job) {
    if (ending_of(job.output) != ".glb") {
        throw InputError({.where = "--output",
                          .found = fmt::format("'{}'", job.output),
                          .needs = "a .glb file for --rig",
                          .remedy = "see 'sinew skin --help'"});
    }
    if (!job.compare.empty() || !shows_skin_only(job) || !job.activations.empty() || job.gravity ||
        job.method == SkinMethod::DualQuaternions || job.simulate_vertices > 0 ||
        job.skinning.collisions != SkinJob{}.skinning.collisions) {
        throw InputError({.where = "--rig",
                          .found = "options of a simulation",
                          .needs = "a skin, a skeleton and a motion: a rig is moved by its weights",
                          .remedy = "leave out --compare, --layers, --activations, --gravity, "
                                    "--collisions, --method dqs and --simulate-vertices"});
    }
    if (job.is_body() && !job.skeleton.empty()) {
        throw InputError({.where = job.mesh,
                          .found = "a body with --skeleton",
                          .needs = "a body alone: it has joints of its own",
                          .remedy = "leave --skeleton out"});
    }
}

// A body of bones, muscle and fat moves by what it is made of.
SkinSummary move_body(const SkinJob& job, const SkinJobRun& run, const Progress& progress) {
    require_body_options(job);
    BodyMotionJob moving;
    moving.layers = layers_from_names(join(job.layers, ","), "--layers");
    moving.options = {.iterations = job.skinning.iterations,
                      .rate = job.rate,
                      .frames = job.frames,
                      .settle = job.settle,
                      .dynamics = job.skinning.dynamics,
                      .gravity = job.gravity,
                      .collisions = job.skinning.collisions == SkinCollisions::Global};
    const Body body = read_archive(job.mesh);
    moving.poses = read_pose_track(body, job.motion, motion_options(job));
    if (!job.activations.empty()) {
        moving.activations =
            ActivationTrack(body, read_motion_table(job.activations), job.activations);
        if (!moving.activations.unknown().empty()) {
            progress.warn(fmt::format("{}: no muscle of the body is meant by {}", job.activations,
                                      join(moving.activations.unknown(), ", ")));
        }
    }
    SkinRunWriter writer(job.output, written_layers(body, moving.layers), body_frame_times(moving),
                         sequence_of(job));
    const BodyRun done = run_body_motion(body, moving, progress, [&](const Frame& frame) {
        writer.add(joined_points(frame, moving.layers));
        if (run.kept) {
            run.kept(writer.kept());
        }
    });
    writer.commit();
    SkinSummary summary = summary_of(done.numbers);
    summary.recording = recording_summary(moving.poses.report);
    return summary;
}

struct MovedCharacter {
    Character character;
    RetargetedCharacter motion;  // empty without one
};

MovedCharacter read_moved_character(const SkinJob& job) {
    require_character_options(job);
    MovedCharacter moved{.character = read_character(job.mesh, job.skeleton, mesh_options(job),
                                                     skeleton_options(job))};
    const std::string& file = job.motion.empty() && !job.rig ? job.mesh : job.motion;
    if (!file.empty()) {
        MotionOptions how = motion_options(job);
        how.retarget.ground = moved.character.mesh.points.col(1).minCoeff();
        moved.motion = read_character_motion(file, moved.character.skeleton, how);
    }
    return moved;
}

// All methods side by side, as a picture and as numbers.
void compare_methods(const SkinJob& job, const MovedCharacter& moved, const SkinRunOptions& options,
                     const Progress& progress, SkinSummary& summary) {
    const SkinComparison comparison =
        compare_skinning(moved.character, moved.motion.motion, {.run = options}, progress);
    write_file_bytes(job.compare, encode_png(comparison.strip));
    summary.comparison.emplace();
    for (const ComparedMethod& method : comparison.methods) {
        std::vector<SkinSummary::Compared> frames;
        for (const ComparedFrame& frame : method.frames) {
            frames.push_back({.time = frame.time,
                              .volume_ratio = frame.volume_ratio,
                              .enclosed_vertices = frame.enclosed,
                              .mean_penetration = 1e3 * frame.mean_depth});
        }
        summary.comparison->emplace_back(method.name, std::move(frames));
    }
}

SkinSummary move_character(const SkinJob& job, const SkinJobRun& run, const Progress& progress) {
    const MovedCharacter moved = read_moved_character(job);
    const SkinRunOptions options{.method = job.method,
                                 .skinning = job.skinning,
                                 .simulate_vertices = job.simulate_vertices,
                                 .frames = job.frames,
                                 .rate = job.rate,
                                 .settle = job.settle,
                                 .cache = run.cache};
    SkinRunWriter writer(job.output, moved.character,
                         skin_frame_times(moved.motion.motion, options), sequence_of(job));
    const SkinRun done =
        run_skinning(moved.character, moved.motion.motion, options, progress, [&](Points frame) {
            writer.add(std::move(frame));
            if (run.kept) {
                run.kept(writer.kept());
            }
        });
    writer.commit();
    SkinSummary summary = summary_of(done);
    summary.recording = recording_summary(moved.motion.report);
    if (!job.compare.empty()) {
        compare_methods(job, moved, options, progress, summary);
    }
    return summary;
}

// Skeleton, weights and motion instead of frames of vertices.
SkinSummary write_rig(const SkinJob& job) {
    require_rig_options(job);
    RigMotion moving;
    GltfScene scene;
    RetargetReport report;
    if (job.is_body()) {
        const Body body = read_archive(job.mesh);
        if (!job.motion.empty()) {
            PoseTrack track = read_pose_track(body, job.motion, motion_options(job));
            report = std::move(track.report);
            moving = {.times = frame_times(track.seconds, job.rate, job.frames), .at = track.at};
        }
        scene = rig_of(body, moving);
    } else {
        const MovedCharacter moved = read_moved_character(job);
        report = moved.motion.report;
        if (!job.motion.empty()) {
            const CharacterMotion& motion = moved.motion.motion;
            moving.times =
                skin_frame_times(motion, SkinRunOptions{.frames = job.frames, .rate = job.rate});
            moving.at = [&](double time) {
                return pose_of(moved.character.skeleton,
                               sample(motion, motion.times.front() + time));
            };
        }
        scene = rig_of(moved.character, moving);
    }
    write_glb(job.output, scene);
    SkinSummary summary{
        .joints = scene.nodes.size(),
        .vertices = scene.parts[0].part.mesh.points.rows(),
        .frames = scene.animations.empty() ? 0 : scene.animations[0].tracks[0].times.size()};
    summary.recording = recording_summary(report);
    return summary;
}

}  // namespace

SkinJob read_skin_job(const std::filesystem::path& path) {
    SkinJob job = read_job<SkinJob>(path);
    const std::vector<std::string> built_in = built_in_motions();
    if (!job.motion.empty() &&
        std::find(built_in.begin(), built_in.end(), job.motion) == built_in.end()) {
        job.motion = (path.parent_path() / job.motion).string();
    }
    return job;
}

SkinSummary run_skin_job(const SkinJob& job, const SkinJobRun& run, const Progress& progress) {
    check_ranges(job, "skin");
    require_input(job);
    require_output(job);
    SkinSummary summary = job.rig         ? write_rig(job)
                          : job.is_body() ? move_body(job, run, progress)
                                          : move_character(job, run, progress);
    summary.output = job.output;
    summary.method = job.rig                                     ? "rig"
                     : job.method == SkinMethod::Linear          ? "lbs"
                     : job.method == SkinMethod::DualQuaternions ? "dqs"
                                                                 : "projective";
    return summary;
}

}  // namespace sinew
