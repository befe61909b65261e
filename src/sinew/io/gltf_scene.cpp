#include "sinew/base/error.h"
#include "sinew/io/gltf.h"
#include "sinew/io/part_looks.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

Points morphed_points(const GltfPart& part) {
    Points shape = part.part.mesh.points;
    for (const GltfMorph& morph : part.morphs) {
        if (morph.weight != 0.0) {
            shape += morph.weight * morph.displacement;
        }
    }
    return shape;
}

/// T_world_joint B_joint for every joint of a skin.
std::vector<Eigen::Matrix4d> joint_transforms(const std::vector<Eigen::Affine3d>& world,
                                              const GltfSkin& skin) {
    std::vector<Eigen::Matrix4d> T;
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        T.push_back(world[at(skin.joints[j])].matrix() * skin.inverse_bind[j]);
    }
    return T;
}

/// p' = sum_j w_j T_j p
Points skinned_points(const GltfPart& part, const std::vector<Eigen::Matrix4d>& T) {
    const Points shape = morphed_points(part);
    Points posed = Points::Zero(shape.rows(), 3);
    for (Eigen::Index i = 0; i < shape.rows(); ++i) {
        const Vec4 p(shape(i, 0), shape(i, 1), shape(i, 2), 1.0);
        for (int k = 0; k < 4; ++k) {
            if (part.weights(i, k) != 0.0) {
                posed.row(i) +=
                    part.weights(i, k) * (T[at(part.joints(i, k))] * p).head<3>().transpose();
            }
        }
    }
    return posed;
}

}  // namespace

GltfScene scene_of(std::span<const MeshPart> parts) {
    GltfScene scene;
    for (const MeshPart& part : parts) {
        scene.parts.push_back({.part = part});
        colour_by_tendon(scene.parts.back().part.mesh);
    }
    return scene;
}

std::vector<Eigen::Affine3d> world_transforms(const GltfScene& scene) {
    std::vector<Eigen::Affine3d> world;
    for (const GltfNode& node : scene.nodes) {
        Eigen::Affine3d T = Eigen::Affine3d::Identity();
        T.linear() = node.rotation.toRotationMatrix() * node.scale.asDiagonal();
        T.translation() = node.translation;
        world.push_back(node.parent < 0 ? T : world[at(node.parent)] * T);
    }
    return world;
}

Points posed_points(const GltfScene& scene, const GltfPart& part) {
    if (part.skin < 0) {
        return morphed_points(part);
    }
    return skinned_points(part,
                          joint_transforms(world_transforms(scene), scene.skins[at(part.skin)]));
}

Points posed_points(const GltfScene& scene, const GltfPart& part,
                    const std::vector<Eigen::Affine3d>& world) {
    if (part.skin >= 0) {
        return skinned_points(part, joint_transforms(world, scene.skins[at(part.skin)]));
    }
    const Points shape = morphed_points(part);
    if (part.node < 0) {
        return shape;
    }
    const auto node = static_cast<std::size_t>(part.node);
    const Eigen::Affine3d own = world_transforms(scene)[node];
    if (own.matrix() == world[node].matrix()) {
        return shape;
    }
    const Eigen::Matrix4d moved = world[node].matrix() * own.inverse().matrix();
    // What a node has squeezed flat has no place of its own to come from.
    if (!moved.allFinite()) {
        return shape;
    }
    return (shape * moved.topLeftCorner<3, 3>().transpose()).rowwise() +
           moved.topRightCorner<3, 1>().transpose();
}

std::vector<MeshPart> rest_parts(const GltfScene& scene, std::string_view where) {
    const std::vector<Eigen::Affine3d> world = world_transforms(scene);
    std::vector<std::vector<Eigen::Matrix4d>> skins;
    for (const GltfSkin& skin : scene.skins) {
        skins.push_back(joint_transforms(world, skin));
    }
    std::vector<MeshPart> parts;
    for (const GltfPart& part : scene.parts) {
        MeshPart rest = part.part;
        rest.mesh.points =
            part.skin < 0 ? morphed_points(part) : skinned_points(part, skins[at(part.skin)]);
        // Finite matrices can still move finite points beyond what a double holds.
        require_valid(rest.mesh, fmt::format("{}, part '{}' at rest", where, rest.name));
        parts.push_back(std::move(rest));
    }
    return parts;
}

void add_vertex_animation(GltfScene& scene, Index part_index, std::span<const double> times,
                          std::vector<Points> frames) {
    GltfPart& part = scene.parts[at(part_index)];
    const std::string where = fmt::format("animation of '{}'", part.part.name);
    const auto refuse = [&](std::string found, std::string needs) {
        throw InputError({.where = where,
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "give one shape of the same mesh for every time"});
    };
    if (times.empty() || times.size() != frames.size()) {
        refuse(fmt::format("{} times and {} shapes", times.size(), frames.size()),
               "as many times as shapes");
    }
    const std::size_t before = part.morphs.size();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (frames[i].rows() != part.part.mesh.points.rows()) {
            refuse(fmt::format("a shape of {} points", frames[i].rows()),
                   fmt::format("{} points", part.part.mesh.points.rows()));
        }
        frames[i] -= part.part.mesh.points;
        part.morphs.push_back(
            {.name = fmt::format("frame_{}", i + 1), .displacement = std::move(frames[i])});
    }
    GltfTrack track{.path = GltfPath::MorphWeights, .part = part_index};
    track.times.assign(times.begin(), times.end());
    track.values.assign(times.size() * part.morphs.size(), 0.0);
    for (std::size_t i = 0; i < times.size(); ++i) {
        track.values[i * part.morphs.size() + before + i] = 1.0;
    }
    // Parts play together: viewers show one animation of a file.
    const auto playing =
        std::find_if(scene.animations.begin(), scene.animations.end(), [](const auto& animation) {
            return !animation.tracks.empty() && animation.tracks[0].path == GltfPath::MorphWeights;
        });
    if (playing != scene.animations.end()) {
        playing->tracks.push_back(std::move(track));
        return;
    }
    scene.animations.push_back({.name = scene.parts.size() == 1 ? part.part.name : "motion",
                                .tracks = {std::move(track)}});
}

Index add_motion(GltfScene& scene, const MotionClip& clip) {
    require_valid(clip, "motion");
    const auto first = static_cast<Index>(scene.nodes.size());
    for (const MotionJoint& joint : clip.joints) {
        scene.nodes.push_back({.name = joint.name,
                               .parent = joint.parent < 0 ? -1 : first + joint.parent,
                               .translation = joint.offset});
    }
    GltfAnimation animation{.name = clip.name.empty() ? "motion" : clip.name};
    std::vector<GltfTrack> turns(clip.joints.size());
    std::vector<GltfTrack> shifts(clip.joints.size());
    std::vector<Eigen::Quaterniond> last(clip.joints.size(), Eigen::Quaterniond::Identity());
    for (std::size_t frame = 0; frame < clip.frame_count; ++frame) {
        const auto world = forward_kinematics(clip, frame);
        for (std::size_t j = 0; j < clip.joints.size(); ++j) {
            const Index parent = clip.joints[j].parent;
            const Eigen::Isometry3d local =
                parent < 0 ? world[j] : world[at(parent)].inverse() * world[j];
            Eigen::Quaterniond q(local.linear());
            // q and -q are the same turn; the nearer one fades without a detour.
            if (q.dot(last[j]) < 0) {
                q.coeffs() = -q.coeffs();
            }
            last[j] = q;
            const double time = static_cast<double>(frame) * clip.frame_time;
            turns[j].times.push_back(time);
            turns[j].values.insert(turns[j].values.end(), {q.x(), q.y(), q.z(), q.w()});
            shifts[j].times.push_back(time);
            const Vec3 t = local.translation();
            shifts[j].values.insert(shifts[j].values.end(), {t.x(), t.y(), t.z()});
        }
    }
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
        bool has_turn = false;
        bool has_shift = false;
        for (const Channel channel : clip.joints[j].channels) {
            (channel >= Channel::XRotation ? has_turn : has_shift) = clip.frame_count > 0;
        }
        const Index node = first + static_cast<Index>(j);
        if (has_turn) {
            turns[j].path = GltfPath::Rotation;
            turns[j].node = node;
            animation.tracks.push_back(std::move(turns[j]));
        }
        if (has_shift) {
            shifts[j].path = GltfPath::Translation;
            shifts[j].node = node;
            animation.tracks.push_back(std::move(shifts[j]));
        }
    }
    if (!animation.tracks.empty()) {
        scene.animations.push_back(std::move(animation));
    }
    return first;
}

}  // namespace sinew
