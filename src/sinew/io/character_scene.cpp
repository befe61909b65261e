#include "sinew/io/character_scene.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/bind_pose.h"
#include "sinew/io/fbx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sinew {
namespace {

constexpr std::size_t kMostKeys = 100000;
constexpr double kTipReach = 1.8;   // from a joint past the middle of what it holds
constexpr int kFewestVertices = 8;  // that make a tip worth having

// Whether a mesh hangs on a node as it is, without a skin.
bool hangs(const GltfPart& part) {
    return part.skin < 0 && part.node >= 0;
}

// Nodes above meshes without a skin that some animation moves, up to the next joint. Without skins
// meshes hang on joints only where several nodes carry some: one alone is a character to be moved.
void add_carriers(const GltfScene& scene, std::vector<char>& is_joint) {
    std::vector<char> is_moved(scene.nodes.size(), 0);
    for (const GltfAnimation& animation : scene.animations) {
        for (const GltfTrack& track : animation.tracks) {
            if (track.node >= 0 && track.path != GltfPath::Scale) {
                is_moved[at(track.node)] = 1;
            }
        }
    }
    for (const GltfPart& part : scene.parts) {
        for (Index n = hangs(part) ? part.node : -1; n >= 0 && is_joint[at(n)] == 0;
             n = scene.nodes[at(n)].parent) {
            is_joint[at(n)] = is_moved[at(n)];
        }
    }
}

// The joint at or above the node of each part that hangs on one; -1 for flesh.
std::vector<Index> carrying_nodes(const GltfScene& scene, const std::vector<char>& is_joint) {
    std::vector<Index> carrier;
    std::set<Index> used;
    for (const GltfPart& part : scene.parts) {
        Index n = hangs(part) ? part.node : -1;
        while (n >= 0 && is_joint[at(n)] == 0) {
            n = scene.nodes[at(n)].parent;
        }
        carrier.push_back(n);
        used.insert(n);
    }
    used.erase(-1);
    if (scene.skins.empty() && used.size() < 2) {
        carrier.assign(scene.parts.size(), -1);
    }
    return carrier;
}

// Which nodes are joints.
std::vector<char> joint_nodes(const GltfScene& scene) {
    std::vector<char> is_joint(scene.nodes.size(), 0);
    for (const GltfSkin& skin : scene.skins) {
        for (const Index node : skin.joints) {
            is_joint[at(node)] = 1;
        }
    }
    if (scene.skins.empty()) {
        for (const GltfAnimation& animation : scene.animations) {
            for (const GltfTrack& track : animation.tracks) {
                if (track.node >= 0 && track.path == GltfPath::Rotation) {
                    is_joint[at(track.node)] = 1;
                }
            }
        }
    }
    add_carriers(scene, is_joint);
    return is_joint;
}

// Names of all nodes that are joints, made different from each other.
std::vector<std::string> joint_names(const GltfScene& scene, const std::vector<char>& is_joint) {
    std::vector<std::string> names(scene.nodes.size());
    std::set<std::string> used;
    for (std::size_t n = 0; n < names.size(); ++n) {
        if (is_joint[n] == 0) {
            continue;
        }
        const std::string first = scene.nodes[n].name.empty() ? "joint" : scene.nodes[n].name;
        names[n] = first;
        for (int k = 2; used.count(names[n]) > 0; ++k) {
            names[n] = fmt::format("{}_{}", first, k);
        }
        used.insert(names[n]);
    }
    return names;
}

// Middle of the vertices that each node holds most of.
struct Held {
    Vec3 sum = Vec3::Zero();
    int count = 0;
};
std::vector<Held> held_by_nodes(const GltfScene& scene, const std::vector<Eigen::Affine3d>& bound) {
    std::vector<Held> held(scene.nodes.size());
    for (const GltfPart& part : scene.parts) {
        if (part.skin < 0 || part.joints.rows() != part.part.mesh.points.rows()) {
            continue;
        }
        const Points x = posed_points(scene, part, bound);
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            Eigen::Index k = 0;
            part.weights.row(i).maxCoeff(&k);
            const GltfSkin& skin = scene.skins[at(part.skin)];
            Held& h = held[at(skin.joints[at(part.joints(i, k))])];
            h.sum += point(x, i);
            ++h.count;
        }
    }
    return held;
}

// Joints that a character is moved by: those that hold vertices or carry meshes, those between
// them, and the tip of a last one. Files list what animators pull at too: a root on the floor,
// targets of inverse kinematics, poles in front of the knees. The skin would hang on bones to
// these.
std::vector<char> moving_joints(const GltfScene& scene, std::vector<char> is_joint) {
    constexpr double kHeld = 0.01;  // weight
    std::vector<char> holds(scene.nodes.size(), 0);
    for (const GltfPart& part : scene.parts) {
        for (Eigen::Index i = 0; part.skin >= 0 && i < part.joints.rows(); ++i) {
            for (int k = 0; k < 4; ++k) {
                if (part.weights(i, k) > kHeld) {
                    holds[at(scene.skins[at(part.skin)].joints[at(part.joints(i, k))])] = 1;
                }
            }
        }
    }
    for (const Index node : carrying_nodes(scene, is_joint)) {
        if (node >= 0) {
            holds[at(node)] = 1;
        }
    }
    // Without weights, every joint may hold something.
    if (scene.skins.empty() || std::count(holds.begin(), holds.end(), 1) < 2) {
        return is_joint;
    }
    const std::size_t count = scene.nodes.size();
    std::vector<char> below(count, 0);  // something is held at or below
    std::vector<char> above(count, 0);  // or above
    for (std::size_t n = count; n-- > 0;) {
        const Index parent = scene.nodes[n].parent;
        below[n] = below[n] != 0 || holds[n] != 0 ? 1 : 0;
        if (parent >= 0 && below[n] != 0) {
            below[at(parent)] = 1;
        }
    }
    std::vector<char> is_limb(count, 0);  // something is held below, not counting the node itself
    for (std::size_t n = 0; n < count; ++n) {
        const Index parent = scene.nodes[n].parent;
        if (parent >= 0) {
            above[n] = above[at(parent)] != 0 || holds[at(parent)] != 0 ? 1 : 0;
            is_limb[at(parent)] = is_limb[at(parent)] != 0 || below[n] != 0 ? 1 : 0;
        }
    }
    for (std::size_t n = 0; n < count; ++n) {
        const Index parent = scene.nodes[n].parent;
        const bool is_between = above[n] != 0 && below[n] != 0;
        const bool is_tip = parent >= 0 && holds[at(parent)] != 0 && is_limb[at(parent)] == 0;
        if (holds[n] == 0 && !is_between && !is_tip) {
            is_joint[n] = 0;
        }
    }
    return is_joint;
}

double lerp(double a, double b, double t) {
    return a + t * (b - a);
}

// Value of a track at a time [Khronos2021, appendix C].
Eigen::Vector4d sampled(const GltfTrack& track, double time) {
    const std::size_t width = track.path == GltfPath::Rotation ? 4 : 3;
    const bool is_cubic = track.interpolation == GltfInterpolation::CubicSpline;
    const std::size_t stride = is_cubic ? 3 * width : width;
    const auto value = [&](std::size_t key, std::size_t which) {  // in, value, out
        Eigen::Vector4d v = Eigen::Vector4d::Zero();
        for (std::size_t c = 0; c < width; ++c) {
            v[static_cast<Eigen::Index>(c)] =
                track.values[key * stride + (is_cubic ? which * width : 0) + c];
        }
        return v;
    };
    const auto after = std::upper_bound(track.times.begin(), track.times.end(), time);
    const auto next = static_cast<std::size_t>(after - track.times.begin());
    if (next == 0 || next == track.times.size()) {
        return value(next == 0 ? 0 : next - 1, 1);
    }
    const double span = track.times[next] - track.times[next - 1];
    const double t = span > 0.0 ? (time - track.times[next - 1]) / span : 1.0;
    const Eigen::Vector4d a = value(next - 1, 1);
    const Eigen::Vector4d b = value(next, 1);
    if (track.interpolation == GltfInterpolation::Step) {
        return a;
    }
    if (is_cubic) {
        const double t2 = t * t;
        const double t3 = t2 * t;
        return (2 * t3 - 3 * t2 + 1) * a + span * (t3 - 2 * t2 + t) * value(next - 1, 2) +
               (-2 * t3 + 3 * t2) * b + span * (t3 - t2) * value(next, 0);
    }
    if (width == 4) {
        const Eigen::Quaterniond qa(a);
        return qa.slerp(t, Eigen::Quaterniond(b)).coeffs();
    }
    return Eigen::Vector4d(lerp(a[0], b[0], t), lerp(a[1], b[1], t), lerp(a[2], b[2], t), 0.0);
}

GltfScene posed_scene(const GltfScene& nodes, const GltfAnimation& animation, double time) {
    GltfScene now = nodes;
    for (const GltfTrack& track : animation.tracks) {
        if (track.node < 0 || track.times.empty()) {
            continue;
        }
        GltfNode& node = now.nodes[at(track.node)];
        const Eigen::Vector4d v = sampled(track, time);
        if (track.path == GltfPath::Rotation && v.norm() > 0.0) {
            node.rotation = Eigen::Quaterniond(v).normalized();
        } else if (track.path == GltfPath::Translation) {
            node.translation = v.head<3>();
        }
    }
    return now;
}

// Times at which great circles between poses follow the track: its keys, places on curves between
// them, and the ends of steps.
void add_times(const GltfTrack& track, std::vector<double>& times) {
    constexpr double kCurveRate = 60.0;  // per second
    constexpr double kStepTime = 1e-4;   // s, that a step takes
    for (std::size_t k = 0; k < track.times.size() && times.size() <= kMostKeys; ++k) {
        const double start = track.times[k];
        times.push_back(start);
        const double span = k + 1 < track.times.size() ? track.times[k + 1] - start : 0.0;
        if (track.interpolation == GltfInterpolation::CubicSpline) {
            const double steps = std::min(std::ceil(span * kCurveRate), double{kMostKeys});
            for (double i = 1.0; i < steps; i += 1.0) {
                times.push_back(start + i / steps * span);
            }
        } else if (track.interpolation == GltfInterpolation::Step && span > 2.0 * kStepTime) {
            times.push_back(start + span - kStepTime);
        }
    }
}

std::vector<double> key_times(const GltfAnimation& animation, const std::string& where) {
    std::vector<double> times;
    for (const GltfTrack& track : animation.tracks) {
        if (track.node >= 0) {
            add_times(track, times);
        }
    }
    if (!times.empty()) {
        times.push_back(0.0);
    }
    std::sort(times.begin(), times.end());
    times.erase(
        std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < 1e-6; }),
        times.end());
    if (times.empty() || times.size() > kMostKeys) {
        throw InputError({.where = where,
                          .found = fmt::format("an animation with {} times", times.size()),
                          .needs = fmt::format("1 to {} of joints", kMostKeys),
                          .remedy = "give another motion with --motion"});
    }
    return times;
}

// The joints of a scene and the node of each.
struct SceneJoints {
    CharacterSkeleton skeleton;
    std::vector<std::size_t> node;  // that a joint turns with
    std::vector<Index> number;      // of the nearest joint at or above each node; -1: none
};

// @param has_tips  of a skin: joints that move it, with the ends of leaves that hold vertices
SceneJoints joints_of_scene(const GltfScene& scene, bool has_tips) {
    std::vector<char> is_joint = joint_nodes(scene);
    const std::vector<std::string> names = joint_names(scene, is_joint);
    if (has_tips) {
        is_joint = moving_joints(scene, std::move(is_joint));
    }
    const std::vector<Eigen::Affine3d> world = bind_transforms(scene);
    const std::vector<Held> held =
        has_tips ? held_by_nodes(scene, world) : std::vector<Held>(scene.nodes.size());
    std::vector<Index> number(scene.nodes.size(), -1);  // of the nearest joint at or above
    std::vector<char> has_child(scene.nodes.size(), 0);
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        if (is_joint[n] != 0) {
            for (Index up = scene.nodes[n].parent; up >= 0; up = scene.nodes[at(up)].parent) {
                has_child[at(up)] = 1;
            }
        }
    }
    SceneJoints all;
    const auto add = [&](std::size_t node, const std::string& name, const Vec3& place) {
        all.skeleton.joints.push_back({.name = name, .parent = number[node], .position = place});
        all.node.push_back(node);
    };
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        const Index parent = scene.nodes[n].parent;
        number[n] = parent < 0 ? -1 : number[at(parent)];
        if (is_joint[n] == 0) {
            continue;
        }
        const Vec3 place = world[n].translation();
        add(n, names[n], place);
        number[n] = static_cast<Index>(all.skeleton.joints.size()) - 1;
        if (has_child[n] == 0 && held[n].count >= kFewestVertices) {
            const Vec3 middle = held[n].sum / held[n].count;
            add(n, names[n] + "_end", place + kTipReach * (middle - place));
        }
    }
    all.number = std::move(number);
    return all;
}

}  // namespace

bool is_scene_file(const std::filesystem::path& path) {
    const std::string ending = lower(path.extension().string());
    return ending == ".glb" || ending == ".gltf" || ending == ".fbx";
}

GltfScene read_scene(const std::filesystem::path& path) {
    return lower(path.extension().string()) == ".fbx" ? read_fbx(path, FbxPoints::OfFile)
                                                      : read_gltf(path);
}

CharacterSkeleton skeleton_of(const GltfScene& scene, const std::string& where) {
    CharacterSkeleton skeleton = joints_of_scene(scene, true).skeleton;
    if (skeleton.joints.empty()) {
        throw InputError({.where = where,
                          .found = "no joints",
                          .needs = "a skin with joints, or an animation of nodes",
                          .remedy = "give a skeleton with --skeleton"});
    }
    require_valid(skeleton, where);
    return skeleton;
}

PointBinding point_binding(const GltfScene& scene) {
    const std::vector<Index> number = joints_of_scene(scene, true).number;
    const std::vector<Index> carrier = carrying_nodes(scene, joint_nodes(scene));
    Eigen::Index rows = 0;
    for (const GltfPart& part : scene.parts) {
        rows += part.part.mesh.points.rows();
    }
    PointBinding binding{.joints = Joints4::Zero(rows, 4), .weights = Weights4::Zero(rows, 4)};
    Eigen::Index row = 0;
    for (std::size_t p = 0; p < scene.parts.size(); ++p) {
        const GltfPart& part = scene.parts[p];
        const Index on = carrier[p] < 0 ? -1 : number[at(carrier[p])];
        for (Eigen::Index i = 0; i < part.part.mesh.points.rows(); ++i, ++row) {
            binding.is_rigid.push_back(on >= 0 ? 1 : 0);
            if (on >= 0) {
                binding.joints(row, 0) = on;
                binding.weights(row, 0) = 1.0;
            }
            for (int k = 0; part.skin >= 0 && k < 4; ++k) {
                const Index node = scene.skins[at(part.skin)].joints[at(part.joints(i, k))];
                // What a root without a bone holds (next to nothing) goes with the first joint.
                binding.joints(row, k) = std::max<Index>(0, number[at(node)]);
                binding.weights(row, k) = part.weights(i, k);
            }
        }
    }
    return binding;
}

std::size_t find_animation(const GltfScene& scene, std::string_view name,
                           const std::string& where) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < scene.animations.size(); ++i) {
        const GltfAnimation& animation = scene.animations[i];
        const bool moves_nodes =
            std::any_of(animation.tracks.begin(), animation.tracks.end(),
                        [](const GltfTrack& track) { return track.node >= 0; });
        // Programs put the name of the rig before that of the animation: "Armature|Walk".
        const std::string_view own = animation.name;
        const std::size_t bar = own.find_last_of('|');
        if (moves_nodes && (name.empty() || own == name ||
                            (bar != std::string_view::npos && own.substr(bar + 1) == name))) {
            return i;
        }
        if (moves_nodes) {
            names.push_back("'" + animation.name + "'");
        }
    }
    if (names.empty()) {
        throw InputError(
            {.where = where,
             .found = "no animation of joints",
             .needs = "a motion",
             .remedy = "give one with --motion, or export the file with its animation"});
    }
    throw InputError({.where = where,
                      .found = fmt::format("no animation '{}'", name),
                      .needs = "one of " + join(names, ", "),
                      .remedy = "choose one of these with --animation"});
}

Recording recording_of(const GltfScene& scene, std::size_t animation, const std::string& where) {
    if (animation >= scene.animations.size()) {
        throw InputError({.where = where,
                          .found = fmt::format("{} animations", scene.animations.size()),
                          .needs = fmt::format("number {}", animation),
                          .remedy = "give a motion with --motion"});
    }
    const GltfAnimation& tracks = scene.animations[animation];
    const SceneJoints source = joints_of_scene(scene, false);
    GltfScene nodes;
    nodes.nodes = scene.nodes;
    const std::vector<Eigen::Affine3d> rest = bind_transforms(scene);
    Recording recording{.name = where, .skeleton = source.skeleton};
    recording.times = key_times(tracks, where);
    for (const double time : recording.times) {
        const std::vector<Eigen::Affine3d> now = world_transforms(posed_scene(nodes, tracks, time));
        CharacterPose pose;
        for (const std::size_t node : source.node) {
            Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
            T.linear() = now[node].rotation() * rest[node].rotation().transpose();
            T.translation() = now[node].translation() - T.linear() * rest[node].translation();
            pose.push_back(T);
        }
        recording.poses.push_back(std::move(pose));
    }
    return recording;
}

}  // namespace sinew
