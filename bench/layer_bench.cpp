#include "bench/layer_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/body/posable_joints.h"
#include "sinew/fit/person_fit.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/fat_growth.h"
#include "sinew/growth/harmonic_fields.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/render/body_sheet.h"
#include "sinew/render/render.h"
#include "sinew/skinning/body_skinning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace sinew::bench {

namespace {

constexpr int kTimedFrames = 60;
constexpr int kSettleFrames = 20;
constexpr double kFatFactor = 2.5;
constexpr double kBentBack = 30.0;  // degrees

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

CharacterPose pose_of(const Body& body, const PosedAngles& angles) {
    return joint_motions(body.skeleton, pose_from_angles(body, posable_joints(body), angles));
}

void add_picture(LayerBench& bench, const Scene& scene, std::string caption,
                 View view = View::ThreeQuarter) {
    RenderOptions options;
    options.width = 360;
    options.height = 560;
    options.view = view;
    options.backdrop = Backdrop::White;
    options.ground = false;
    bench.pictures.push_back({.image = render(scene, options), .caption = std::move(caption)});
}

Scene surface_scene(const Points& points, const Triangles& triangles, const char* kind) {
    Scene scene;
    scene.surfaces.push_back(
        {.name = kind, .kind = kind, .mesh = {.points = points, .triangles = triangles}});
    return scene;
}

Scene flesh_scene(const Body& body) {
    for (BodyPanel& panel : body_panels(body)) {
        if (panel.caption == "muscles and bones") {
            return std::move(panel.scene);
        }
    }
    return {};
}

void time_animation(const Body& body, LayerBench& bench) {
    BodySkinning skinning(body);
    skinning.reset(pose_of(body, built_in_motion("walk", 0.0)), kSettleFrames);
    std::vector<double> seconds;
    const double before = cpu_seconds();
    for (int i = 0; i < kTimedFrames; ++i) {
        const CharacterPose pose = pose_of(body, built_in_motion("walk", i / 30.0));
        const Timer timer;
        skinning.step(pose);
        seconds.push_back(timer.seconds());
    }
    bench.cpu_ms = 1e3 * (cpu_seconds() - before) / kTimedFrames;
    std::sort(seconds.begin(), seconds.end());
    bench.frames_per_second = 1.0 / seconds[seconds.size() / 2];
    bench.vertices = body.tets.points.rows();
    bench.tets = body.tets.tets.rows();
    bench.threads = thread_count();
}

double mean_alignment(const LayeredTemplate& layers) {
    double sum = 0.0;
    int count = 0;
    for (std::size_t i = 0; i < layers.alignment_error.size(); ++i) {
        if (layers.is_kept[i] == 0) {
            sum += layers.alignment_error[i];
            ++count;
        }
    }
    return sum / std::max(1, count);
}

void add_alignment(const LayeredTemplate& layers, const char* caption, LayerBench& bench) {
    Scene scene = surface_scene(layers.bone, layers.triangles, "bone");
    scene.surfaces[0].mesh.point_data.push_back(
        {.name = "alignment_error", .values = layers.alignment_error});
    scene.scalar = ScalarMap{.attribute = "alignment_error", .low = 0.0, .high = 0.5};
    add_picture(bench, std::move(scene), caption);
}

double bone_volume(const Body& body) {
    double sum = 0.0;
    for (const Bone& bone : body.bones) {
        sum += enclosed_volume(bone.mesh);
    }
    return sum;
}

double muscle_volume(const Body& body) {
    double sum = 0.0;
    for (const Muscle& muscle : body.muscles) {
        sum += enclosed_volume(muscle.mesh);
    }
    return sum;
}

// The anatomy carried by a harmonic map of space that knows the skin alone [Dicko2013].
Body warped_by_skin(const Body& body, const Points& skin) {
    Body loose = body;
    loose.attachments = {};
    const HarmonicField field(loose, Eigen::VectorXd::Ones(body.tets.tets.rows()),
                              body.skin.tet_vertex);
    const Points motion = field.displacement(skin - body.skin.mesh.points);
    Body result = body;
    result.tets.points += motion;
    for (std::size_t b = 0; b < body.bones.size(); ++b) {
        result.bones[b].mesh.points =
            positions_of(body.bone_embeddings[b], result.tets.points, body.tets.tets);
    }
    for (std::size_t m = 0; m < body.muscles.size(); ++m) {
        result.muscles[m].mesh.points =
            positions_of(body.muscle_embeddings[m], result.tets.points, body.tets.tets);
    }
    return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<Eigen::Index>(a.size());
    const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(a.data(), n).array() -
                              Eigen::Map<const Eigen::VectorXd>(a.data(), n).mean();
    const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(b.data(), n).array() -
                              Eigen::Map<const Eigen::VectorXd>(b.data(), n).mean();
    return x.dot(y) / std::sqrt(x.squaredNorm() * y.squaredNorm());
}

// The same body with more fat, by one of the two models, and how the gain goes with what was there.
Body fattened(const Body& body, FatModel model, double& gain, const Progress& progress) {
    FatPlan plan;
    plan.regions.push_back({.name = "uniform",
                            .map = std::vector<double>(at(body.skin.mesh.points.rows()), 1.0),
                            .factor = kFatFactor});
    plan.model = model;
    Body fat = grow_fat(body, plan, {}, progress).body;
    const std::vector<double> before = FatLayer(body).thickness();
    std::vector<double> more;
    for (Eigen::Index i = 0; i < fat.skin.mesh.points.rows(); ++i) {
        more.push_back((fat.skin.mesh.points.row(i) - body.skin.mesh.points.row(i)).norm());
    }
    gain = correlation(before, more);
    return fat;
}

double stretched_edges(const Body& body, const Points& skin) {
    std::vector<double> ratio;
    const Triangles& triangles = body.skin.mesh.triangles;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index a = triangles(t, k);
            const Index b = triangles(t, (k + 1) % 3);
            ratio.push_back((skin.row(a) - skin.row(b)).norm() /
                            (body.skin.mesh.points.row(a) - body.skin.mesh.points.row(b)).norm());
        }
    }
    std::sort(ratio.begin(), ratio.end());
    return ratio[ratio.size() * 99 / 100];
}

double bend_back(const Body& body, double sliding, const char* caption, LayerBench& bench) {
    BodySkinningOptions options;
    options.sliding = sliding;
    options.dynamics = false;
    BodySkinning skinning(body, options);
    PosedAngles angles;
    for (const PosableJoint& joint : posable_joints(body)) {
        if (joint.name == "loins") {
            angles[joint.name] = {-kBentBack * kDegree, 0.0, 0.0};
        }
    }
    skinning.reset(pose_of(body, angles), kSettleFrames);
    add_picture(bench, surface_scene(skinning.skin(), body.skin.mesh.triangles, "skin"), caption,
                View::Left);
    return stretched_edges(body, skinning.skin());
}

}  // namespace

LayerBench run_layer_bench(const Body& body, const Progress& progress) {
    LayerBench bench;
    time_animation(body, bench);

    const LayeredTemplate plain = build_layers(body, {.aligns = false}, progress);
    const LayeredTemplate layers = build_layers(body, {}, progress);
    bench.alignment_without = mean_alignment(plain);
    bench.alignment_with = mean_alignment(layers);
    add_alignment(plain, "no fixed targets (4.6)", bench);
    add_alignment(layers, "fixed targets (4.6)", bench);

    const Body pressed = fattened(body, FatModel::Pressure, bench.gain_by_pressure, progress);
    const Body scaled = fattened(body, FatModel::Volume, bench.gain_by_volume, progress);
    add_picture(bench, surface_scene(body.skin.mesh.points, body.skin.mesh.triangles, "skin"),
                "before (4.19)");
    add_picture(bench, surface_scene(pressed.skin.mesh.points, body.skin.mesh.triangles, "skin"),
                "fat x 2.5 by pressure (4.19)");
    add_picture(bench, surface_scene(scaled.skin.mesh.points, body.skin.mesh.triangles, "skin"),
                "fat x 2.5 by volume (4.19)");

    const Body by_skin = warped_by_skin(body, pressed.skin.mesh.points);
    const double fat_kg =
        body.materials[at(Tissue::Fat)].density *
        volume_between(pressed.skin.mesh.points, body.envelope.mesh.points, layers.triangles);
    const FittedPerson by_layers =
        fit_person(body, layers, pressed.skin.mesh.points, {.fat_kg = fat_kg}, {}, progress);
    bench.bones_by_skin = bone_volume(by_skin) / bone_volume(body);
    bench.bones_by_layers = bone_volume(by_layers.body) / bone_volume(body);
    bench.muscles_by_skin = muscle_volume(by_skin) / muscle_volume(body);
    bench.muscles_by_layers = muscle_volume(by_layers.body) / muscle_volume(body);
    add_picture(bench, flesh_scene(by_skin), "warped by skin (4.13)");
    add_picture(bench, flesh_scene(by_layers.body), "three layers (4.13)");

    bench.stretch_without_sliding = bend_back(body, 0.0, "bent back, held (4.18)", bench);
    bench.stretch_with_sliding =
        bend_back(body, BodySkinningOptions{}.sliding, "bent back, sliding (4.18)", bench);
    return bench;
}

}  // namespace sinew::bench
