#include "sinew/pipeline/body_in_motion.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/body/names.h"
#include "sinew/body/posable_joints.h"
#include "sinew/pipeline/coarse_skin.h"
#include "sinew/pipeline/muscle_scene.h"
#include "sinew/skinning/body_flesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// A body in motion, for every door. A track gives the pose of the joints at any time (a recording
// that was retargeted, a built-in motion, coordinates), another the activations; BodyInMotion steps
// the one flesh (skinning/body_skinning.h) through them and hands out surfaces of the State. The
// command runs it to the end, the studio asks for one frame after the other: the same calls in the
// same order, hence the same bytes.
//
// A skin that is finer than that of the tetrahedra is bound to their triangles and, with
// collisions, kept out of itself by its own triangles.

namespace sinew {

namespace {

BodySkinningOptions flesh_options(const BodyMotionOptions& options) {
    check_ranges(options, "motion");
    return {.iterations = options.iterations,
            .step = 1.0 / options.rate,
            .dynamics = options.dynamics,
            .gravity = options.gravity ? Vec3(0.0, -kGravity, 0.0) : Vec3(Vec3::Zero()),
            .collisions = options.collisions};
}

// All but a skin that is finer than that of the tetrahedra, which is kept out of itself.
DisplayMeshes without_fine_skin(const Body& body, const DisplayMeshes& shown) {
    DisplayMeshes others = shown;
    const auto skin = others.find(DisplayLayer::Skin);
    if (skin != others.end() && (skin->second.points.rows() != body.skin.mesh.points.rows() ||
                                 skin->second.points != body.skin.mesh.points)) {
        others.erase(skin);
    }
    return others;
}

}  // namespace

CharacterPose joint_motions(const Skeleton& skeleton, const Pose& pose) {
    const std::vector<Eigen::Isometry3d> segments = segment_motions(skeleton, pose);
    CharacterPose joints;
    for (const Joint& joint : skeleton.joints) {
        joints.push_back(segments[static_cast<std::size_t>(joint.child)]);
    }
    return joints;
}

PoseTrack pose_track(const Body& body, CharacterMotion motion) {
    const double begin = motion.times.front();
    return {.seconds = motion.times.back() - begin,
            .at = [begin, motion = std::move(motion), skeleton = skeleton_of(body.skeleton)](
                      double time) { return pose_of(skeleton, sample(motion, begin + time)); }};
}

PoseTrack built_in_track(const Body& body, std::string_view name) {
    constexpr double kOnce = 6.0;  // s
    const std::vector<std::string> known = built_in_motions();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw InputError(
            {.where = "motion",
             .found = fmt::format("unknown motion '{}'{}", name, did_you_mean(name, known)),
             .needs = "a built-in motion or a file",
             .remedy = fmt::format("choose one of {}, or a file", join(known, ", "))});
    }
    return {.seconds = kOnce,
            .is_endless = true,
            .at = [name = std::string(name), joints = posable_joints(body),
                   skeleton = body.skeleton](double time) {
                Body bones;
                bones.skeleton = skeleton;
                return joint_motions(skeleton,
                                     pose_from_angles(bones, joints, built_in_motion(name, time)));
            }};
}

PoseTrack read_pose_track(const Body& body, const std::filesystem::path& motion,
                          const MotionOptions& options) {
    const std::vector<std::string> built_in = built_in_motions();
    if (std::find(built_in.begin(), built_in.end(), motion.string()) != built_in.end()) {
        return built_in_track(body, motion.string());
    }
    RetargetedCharacter read = read_body_motion(motion, body.skeleton, options);
    PoseTrack track = pose_track(body, std::move(read.motion));
    track.report = std::move(read.report);
    return track;
}

// A column may name a muscle, a pair or a group; the word that means fewest muscles counts, as in
// growth plans.
ActivationTrack::ActivationTrack(const Body& body, MotionTable table, std::string_view where)
    : table_(std::move(table)), column_(body.muscles.size(), -1) {
    std::vector<std::size_t> meant(body.muscles.size(), body.muscles.size() + 1);
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
        std::vector<Index> found;
        try {
            found = find_muscles(body.muscles, table_.columns[c], where);
        } catch (const InputError&) {
            unknown_.push_back(table_.columns[c]);
            continue;
        }
        for (std::size_t row = 0; row < table_.times.size(); ++row) {
            if (!(table_.at(row, c) >= 0.0 && table_.at(row, c) <= 1.0)) {
                throw InputError({.where = fmt::format("{}, column '{}', time {:g} s", where,
                                                       table_.columns[c], table_.times[row]),
                                  .found = fmt::format("{:g}", table_.at(row, c)),
                                  .needs = "an activation from 0 to 1",
                                  .remedy = "scale the table"});
            }
        }
        for (const Index m : found) {
            const auto k = static_cast<std::size_t>(m);
            if (found.size() < meant[k]) {
                meant[k] = found.size();
                column_[k] = static_cast<Index>(c);
            }
        }
    }
    if (unknown_.size() == table_.columns.size() || table_.times.empty()) {
        throw InputError({.where = std::string(where),
                          .found = "a table without any muscle of the body",
                          .needs = "columns with names of muscles or groups, and rows",
                          .remedy = "name columns as in biceps_l; `sinew info` lists muscles"});
    }
}

Activation ActivationTrack::at(double time) const {
    Activation now;
    for (const Index c : column_) {
        now.values.push_back(c < 0 ? 0.0 : value_at(table_, static_cast<std::size_t>(c), time));
    }
    return now;
}

BodyInMotion::BodyInMotion(const Body& body, const DisplayMeshes& shown,
                           const BodyMotionOptions& options)
    : options_(options),
      skinning_(body, flesh_options(options)),
      surfaces_(body, without_fine_skin(body, shown)) {
    if (shown.contains(DisplayLayer::Skin) && !surfaces_.has(DisplayLayer::Skin)) {
        const Timer timer;
        const DisplayMesh& skin = shown.at(DisplayLayer::Skin);
        const TriangleMesh closed =
            without_holes(TriangleMesh{.points = skin.points, .triangles = skin.triangles});
        fine_points_ = skin.points.rows();
        fine_.emplace(bind_to_triangles(body.skin.mesh, closed), skinning_.skin_on_joints(), closed,
                      options.collisions);
        seconds_shown_ = timer.seconds();
    }
    pose_ = rest_pose(skinning_.skeleton());
}

// Flesh starts settled in the first pose, so that the first frames do not swing into it.
void BodyInMotion::begin(PoseTrack poses, ActivationTrack activations) {
    poses_ = std::move(poses);
    activations_ = std::move(activations);
    skinning_.set_activation(activations_.at(0.0));
    frame_ = 0;
    pose_ = poses_.at(0.0);
    skinning_.reset(pose_, options_.settle);
    is_fine_now_ = false;
    if (fine_) {
        fine_->forget();
    }
}

int BodyInMotion::frame_count() const {
    return static_cast<int>(frame_times(poses_.seconds, options_.rate, options_.frames).size());
}

BodyFrameReport BodyInMotion::next() {
    const double time = frame_ / options_.rate;
    ++frame_;
    return step(poses_.at(time), activations_.at(time));
}

BodyFrameReport BodyInMotion::step(const CharacterPose& pose, const Activation& activation) {
    skinning_.set_activation(activation);
    pose_ = pose;
    is_fine_now_ = false;
    return skinning_.step(pose);
}

Points BodyInMotion::points(DisplayLayer layer) {
    if (layer != DisplayLayer::Skin || !fine_) {
        return surfaces_.at(layer, skinning_.state());
    }
    if (!is_fine_now_) {
        fine_->show(skinning_.skin(), pose_);
        is_fine_now_ = true;
    }
    return fine_->points().topRows(fine_points_);
}

SkinPenetration BodyInMotion::penetration() {
    return fine_ ? fine_->penetration() : skinning_.penetration();
}

std::vector<double> body_frame_times(const BodyMotionJob& job) {
    check_ranges(job.options, "motion");
    return frame_times(job.poses.seconds, job.options.rate, job.options.frames);
}

std::vector<WrittenLayer> written_layers(const Body& body, std::span<const DisplayLayer> layers) {
    std::vector<WrittenLayer> all;
    for (const DisplayLayer layer : layers) {
        const DisplayMesh mesh = display_mesh(body, layer);
        all.push_back({.name = std::string(name_of(layer)), .parts = parts_of(mesh, mesh.points)});
    }
    return all;
}

Points joined_points(const Frame& frame, std::span<const DisplayLayer> layers) {
    Eigen::Index rows = 0;
    for (const DisplayLayer layer : layers) {
        rows += frame.points.at(layer).rows();
    }
    Points all(rows, 3);
    rows = 0;
    for (const DisplayLayer layer : layers) {
        const Points& points = frame.points.at(layer);
        all.middleRows(rows, points.rows()) = points;
        rows += points.rows();
    }
    return all;
}

BodyRun run_body_motion(const Body& body, const BodyMotionJob& job, const Progress& progress,
                        const BodyFrameSink& sink) {
    BodyRun run;
    run.numbers.times = body_frame_times(job);
    const Timer prepare;
    BodyInMotion moving(body, display_meshes(body, job.layers), job.options);
    run.numbers.upsampling_s = moving.seconds_shown();
    run.numbers.preprocess_s = prepare.seconds() - moving.seconds_shown();
    run.numbers.simulated_vertices = body.tets.points.rows();
    run.numbers.tets = body.tets.tets.rows();

    moving.begin(job.poses, job.activations);
    RunTotals totals;
    auto stage = progress.stage("skinning", run.numbers.times.size());
    for (const double time : run.numbers.times) {
        const double seconds = moving.next().seconds;
        const Timer timer;
        Frame frame{.time = time};
        for (const DisplayLayer layer : job.layers) {
            frame.points[layer] = moving.points(layer);
        }
        const double seconds_shown = timer.seconds();
        totals.add(seconds, seconds_shown, moving.volume_ratio(), moving.penetration());
        if (sink) {
            sink(std::move(frame));
        } else {
            run.frames.push_back(std::move(frame));
        }
        stage.advance();
    }
    totals.write_to(run.numbers);
    return run;
}

}  // namespace sinew
