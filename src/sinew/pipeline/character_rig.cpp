#include "sinew/pipeline/character_rig.h"

#include "sinew/base/error.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/pipeline/coarse_skin.h"
#include "sinew/skinning/blend_skinning.h"

#include <algorithm>
#include <numeric>

// A character as a rig for other programs: nodes, inverse bind matrices, four weights per vertex,
// rotations over time. Frames of nodes have the world's axes at rest, hence T_world_node =
// translate(c) and a node in its parent is W_parent^-1 W_node. Of a rigged file its own weights are
// kept; others are those of heat equilibrium [Baran2007].

namespace sinew {

namespace {

struct RigWeights {
    Joints4 joints = Joints4(0, 4);
    Weights4 weights = Weights4(0, 4);
};

// The four largest weights of each vertex, which sum to 1 again.
RigWeights four_largest(const BlendSkinning& blend, std::span<const Index> joint_of_bone,
                        std::span<const Index> vertices) {
    const auto rows = static_cast<Eigen::Index>(vertices.size());
    RigWeights rig{.joints = Joints4::Zero(rows, 4), .weights = Weights4::Zero(rows, 4)};
    for (Eigen::Index i = 0; i < rows; ++i) {
        std::vector<BlendSkinning::Weight> all = blend.weights(vertices[at(i)]);
        std::sort(all.begin(), all.end(),
                  [](const auto& a, const auto& b) { return a.value > b.value; });
        all.resize(std::min<std::size_t>(4, all.size()));
        for (std::size_t k = 0; k < all.size(); ++k) {
            const auto column = static_cast<Eigen::Index>(k);
            rig.joints(i, column) = joint_of_bone[at(all[k].bone)];
            rig.weights(i, column) = all[k].value;
        }
        rig.weights.row(i) /= rig.weights.row(i).sum();
    }
    return rig;
}

// Frames of nodes have the world's axes at rest: T_world_node = translate(c), B = translate(-c).
void add_skeleton(GltfScene& scene, const CharacterSkeleton& skeleton, const std::string& name) {
    GltfSkin skin{.name = name};
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const CharacterJoint& joint = skeleton.joints[j];
        const Vec3 from =
            joint.parent < 0 ? Vec3::Zero().eval() : skeleton.joints[at(joint.parent)].position;
        scene.nodes.push_back(
            {.name = joint.name, .parent = joint.parent, .translation = joint.position - from});
        Eigen::Matrix4d inverse_bind = Eigen::Matrix4d::Identity();
        inverse_bind.topRightCorner<3, 1>() = -joint.position;
        skin.joints.push_back(static_cast<Index>(j));
        skin.inverse_bind.push_back(inverse_bind);
    }
    scene.skins.push_back(std::move(skin));
}

// With W_j = T_j translate(c_j), a node stands at W_parent^-1 W_j in its parent.
void add_rig_motion(GltfScene& scene, const CharacterSkeleton& skeleton, const RigMotion& motion) {
    std::vector<GltfTrack> turns(skeleton.size());
    std::vector<GltfTrack> shifts(skeleton.size());
    std::vector<Eigen::Quaterniond> last(skeleton.size(), Eigen::Quaterniond::Identity());
    for (const double time : motion.times) {
        const CharacterPose pose = motion.at(time);
        const auto world = [&](Index joint) {
            const auto j = static_cast<std::size_t>(joint);
            return Eigen::Isometry3d(pose[j] * Eigen::Translation3d(skeleton.joints[j].position));
        };
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
            const Index parent = skeleton.joints[j].parent;
            const Eigen::Isometry3d own = world(static_cast<Index>(j));
            const Eigen::Isometry3d local = parent < 0 ? own : world(parent).inverse() * own;
            Eigen::Quaterniond q(local.linear());
            q.normalize();
            // q and -q are the same rotation; the nearer one fades without a detour.
            if (q.dot(last[j]) < 0.0) {
                q.coeffs() = -q.coeffs();
            }
            last[j] = q;
            turns[j].times.push_back(time);
            turns[j].values.insert(turns[j].values.end(), {q.x(), q.y(), q.z(), q.w()});
            const Vec3 t = local.translation();
            shifts[j].times.push_back(time);
            shifts[j].values.insert(shifts[j].values.end(), {t.x(), t.y(), t.z()});
        }
    }
    GltfAnimation animation{.name = "motion"};
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        turns[j].path = GltfPath::Rotation;
        turns[j].node = static_cast<Index>(j);
        animation.tracks.push_back(std::move(turns[j]));
        // Joints turn; what carries the character along is a root, or slides.
        constexpr double kStands = 1e-6;  // m
        const Vec3 rest = scene.nodes[j].translation;
        bool moves = false;
        for (std::size_t v = 0; v < shifts[j].values.size(); ++v) {
            moves =
                moves || std::abs(shifts[j].values[v] - rest[static_cast<int>(v % 3)]) > kStands;
        }
        if (moves) {
            shifts[j].path = GltfPath::Translation;
            shifts[j].node = static_cast<Index>(j);
            animation.tracks.push_back(std::move(shifts[j]));
        }
    }
    scene.animations.push_back(std::move(animation));
}

GltfScene rigged(MeshPart part, const CharacterSkeleton& skeleton, RigWeights weights,
                 const RigMotion& motion) {
    GltfScene scene;
    add_skeleton(scene, skeleton, part.name);
    scene.parts.push_back({.part = std::move(part),
                           .skin = 0,
                           .joints = std::move(weights.joints),
                           .weights = std::move(weights.weights)});
    if (!motion.times.empty()) {
        add_rig_motion(scene, skeleton, motion);
    }
    return scene;
}

// The joint that each segment hangs on.
std::vector<Index> joint_of_segment(const Skeleton& skeleton) {
    std::vector<Index> joints(skeleton.segments.size(), 0);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        joints[at(skeleton.joints[j].child)] = static_cast<Index>(j);
    }
    return joints;
}

// Of every vertex the nearest point of a bone, and the segment of that bone. Flesh without its
// tetrahedra, which weights do not ask for.
FleshPrisms on_bones(const Body& body, const TriangleMesh& skin) {
    std::vector<Index> segment_of_triangle;
    std::vector<MeshPart> parts;
    for (const Bone& bone : body.bones) {
        if (bone.mesh.triangles.rows() > 0) {
            segment_of_triangle.insert(segment_of_triangle.end(),
                                       static_cast<std::size_t>(bone.mesh.triangles.rows()),
                                       bone.segment);
            parts.push_back({.name = bone.name, .mesh = bone.mesh});
        }
    }
    if (parts.empty()) {
        throw InputError({.where = "body",
                          .found = "no bone with a surface",
                          .needs = "bones that the skin can follow",
                          .remedy = "build the body with 'sinew build'"});
    }
    const TriangleMesh bones = merged(parts);
    FleshPrisms flesh;
    flesh.skin_vertices = static_cast<Index>(skin.points.rows());
    flesh.points = skin.points;
    flesh.triangles = skin.triangles;
    flesh.base_points.resize(skin.points.rows(), 3);
    const SurfaceTree tree(bones);
    Eigen::Index row = 0;
    for (const ClosestPoint& nearest : tree.closest_points(skin.points)) {
        flesh.base_points.row(row++) = nearest.point.transpose();
        flesh.bone.push_back(segment_of_triangle[at(nearest.triangle)]);
    }
    return flesh;
}

// The parts of a character's file again, each with its rows of the weights, and their materials.
void take_apart(const GltfScene& looks, GltfScene& rig) {
    if (looks.parts.empty()) {
        return;
    }
    const GltfPart whole = std::move(rig.parts[0]);
    rig.parts.clear();
    rig.looks = looks.looks;
    Eigen::Index first = 0;
    for (const GltfPart& part : looks.parts) {
        const Eigen::Index rows = part.part.mesh.points.rows();
        rig.parts.push_back(part);
        rig.parts.back().skin = 0;
        rig.parts.back().joints = whole.joints.middleRows(first, rows);
        rig.parts.back().weights = whole.weights.middleRows(first, rows);
        first += rows;
    }
}

GltfScene plain_rig(const Character& character, const RigMotion& motion) {
    MeshPart part{.name = character.name, .mesh = character.mesh, .kind = "skin"};
    // A rigged file keeps its own weights.
    const PointBinding& own = character.binding;
    if (own.weights.rows() > 0 && (own.weights.rowwise().sum().array() > 0.5).all()) {
        return rigged(std::move(part), character.skeleton, {own.joints, own.weights}, motion);
    }
    // Rows that close holes are behind those of the character's skin.
    const ProjectiveSkinning skinning = skinning_of(character, without_holes(character.skin), {});
    // From the axes of the bones, as the paper has it: flesh in a simulation begins at their
    // surfaces, which are so near to the skin that weights would change within an edge.
    FleshPrisms flesh = skinning.flesh();
    for (Index i = 0; i < flesh.skin_vertices; ++i) {
        const auto v = static_cast<std::size_t>(i);
        const BoneVolume& bone = skinning.bones().bones[at(flesh.bone[v])];
        flesh.base_points.row(i) = bone.at(flesh.along[v]).transpose();
    }
    const BlendSkinning blend(flesh, skinning.bones());
    std::vector<Index> joint_of_bone;
    for (const BoneVolume& bone : skinning.bones().bones) {
        joint_of_bone.push_back(bone.first);
    }
    std::vector<Index> vertices = character.skin_vertex;
    std::replace(vertices.begin(), vertices.end(), Index{-1}, Index{0});
    RigWeights weights = four_largest(blend, joint_of_bone, vertices);
    for (Eigen::Index i = 0; i < weights.weights.rows(); ++i) {
        if (character.skin_vertex[at(i)] < 0) {
            weights.joints.row(i) = own.joints.row(i);
            weights.weights.row(i) = own.weights.row(i);
        }
    }
    return rigged(std::move(part), character.skeleton, std::move(weights), motion);
}

}  // namespace

GltfScene rig_of(const Character& character, const RigMotion& motion) {
    GltfScene rig = plain_rig(character, motion);
    take_apart(character.looks, rig);
    return rig;
}

GltfScene rig_of(const Body& body, const RigMotion& motion) {
    const TriangleMesh& skin =
        body.display_skin.triangles.rows() > 0 ? body.display_skin : body.skin.mesh;
    const std::vector<Index> joint_of_bone = joint_of_segment(body.skeleton);
    BoneVolumes segments;
    for (const Index joint : joint_of_bone) {
        segments.bones.push_back({.first = joint});
    }
    const BlendSkinning blend(on_bones(body, skin), segments);
    std::vector<Index> vertices(static_cast<std::size_t>(skin.points.rows()));
    std::iota(vertices.begin(), vertices.end(), Index{0});
    return rigged({.name = "skin", .mesh = skin, .kind = "skin", .colour = colour_of_kind("skin")},
                  skeleton_of(body.skeleton), four_largest(blend, joint_of_bone, vertices), motion);
}

}  // namespace sinew
