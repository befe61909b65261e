#include "sinew/io/motion_files.h"

#include "sinew/base/text.h"
#include "sinew/body/motion_units.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/io/bvh.h"
#include "sinew/io/character_files.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/motion_table.h"

namespace sinew {

namespace {

bool is_table(const std::filesystem::path& path) {
    const std::string ending = lower(path.extension().string());
    return ending == ".mot" || ending == ".sto";
}

// Messages about a motion name its file.
MotionTable named_table(const std::filesystem::path& path) {
    MotionTable table = read_motion_table(path);
    table.name = path.filename().string();
    return table;
}

}  // namespace

bool is_recording(const std::filesystem::path& path) {
    return lower(path.extension().string()) == ".bvh" || is_scene_file(path);
}

Recording read_recording(const std::filesystem::path& path, const MotionOptions& options) {
    const std::string name = path.filename().string();
    if (is_scene_file(path)) {
        const GltfScene scene = read_scene(path);
        return recording_of(scene, find_animation(scene, options.animation, name), name);
    }
    MotionClip clip = read_bvh(path, options.read);
    clip.name = name;
    return recording_of(clip);
}

RetargetedCharacter read_body_motion(const std::filesystem::path& path, const Skeleton& skeleton,
                                     const MotionOptions& options) {
    if (is_recording(path)) {
        const RetargetedPoses moved =
            retarget(read_recording(path, options), skeleton,
                     known_joint_names(options.joint_names), options.retarget);
        return {.motion = motion_of(skeleton, moved.times, moved.poses), .report = moved.report};
    }
    if (is_table(path)) {
        MotionTable table = named_table(path);
        settle_angles(table, kinematic_model(skeleton));
        return {.motion = motion_of(skeleton, table.times, poses_from_table(skeleton, table))};
    }
    return read_character_motion(path, skeleton_of(skeleton), options);
}

RetargetedModel read_model_motion(const std::filesystem::path& path,
                                  const MusculoskeletalModel& model, const MotionOptions& options) {
    if (!is_recording(path)) {
        RetargetedModel read{.motion = named_table(path)};
        settle_angles(read.motion, model);
        return read;
    }
    return retarget(read_recording(path, options), model, known_joint_names(options.joint_names),
                    options.retarget);
}

}  // namespace sinew
