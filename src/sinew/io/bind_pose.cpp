#include "sinew/io/bind_pose.h"

#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {
namespace {

constexpr double kSameTurn = 1e-3;   // of a matrix, and of the skeleton's size: files round
constexpr double kSameScale = 0.01;  // share by which two scales may differ

double scale_of(const Eigen::Affine3d& T) {
    return std::cbrt(std::abs(T.linear().determinant()));
}

// B^-1 for matrices that have one.
std::optional<Eigen::Affine3d> inverse_of(const Eigen::Matrix4d& B) {
    const Eigen::Affine3d T(B);
    const double size = T.linear().norm();
    if (!B.allFinite() || !(std::abs(T.linear().determinant()) > 1e-9 * size * size * size)) {
        return std::nullopt;
    }
    const Eigen::Affine3d inverse = T.inverse();
    return inverse.matrix().allFinite() ? std::optional<Eigen::Affine3d>(inverse) : std::nullopt;
}

// One skin of the scene with what its joints say of M.
struct Binding {
    const GltfSkin* skin = nullptr;
    std::vector<std::optional<Eigen::Affine3d>> bound = {};  // B_j^-1
    std::size_t top = 0;                                     // uppermost joint that has one
    bool has_top = false;
};

Binding binding_of(const GltfSkin& skin) {
    Binding binding{.skin = &skin};
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        binding.bound.push_back(inverse_of(skin.inverse_bind[j]));
        // Nodes stand in the scene with parents first.
        if (binding.bound[j] && (!binding.has_top || skin.joints[j] < skin.joints[binding.top])) {
            binding.top = j;
            binding.has_top = true;
        }
    }
    return binding;
}

// M as a joint's node says it.
Eigen::Affine3d said_by(const Binding& binding, std::size_t joint,
                        const std::vector<Eigen::Affine3d>& world) {
    return world[at(binding.skin->joints[joint])] *
           Eigen::Affine3d(binding.skin->inverse_bind[joint]);
}

// Whether all nodes stand as M has them bound.
bool stands_as_bound(const Binding& binding, const Eigen::Affine3d& M,
                     const std::vector<Eigen::Affine3d>& world) {
    const std::vector<Index>& joints = binding.skin->joints;
    const Vec3 origin = world[at(joints[binding.top])].translation();
    double size = 0.0;
    for (const Index joint : joints) {
        size = std::max(size, (world[at(joint)].translation() - origin).norm());
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
        if (!binding.bound[j] || j == binding.top) {
            continue;
        }
        const Eigen::Affine3d& T = world[at(joints[j])];
        const Eigen::Affine3d bound = M * *binding.bound[j];
        if ((T.linear() - bound.linear()).norm() > kSameTurn * T.linear().norm() ||
            (T.translation() - bound.translation()).norm() > kSameTurn * size) {
            return false;
        }
    }
    return true;
}

double angle_between(const Eigen::Affine3d& a, const Eigen::Affine3d& b) {
    return Eigen::AngleAxisd(Mat3(a.rotation() * b.rotation().transpose())).angle();
}

// Where nodes are posed, the uppermost joint may be too (hips that lean): programs store points in
// the frame of the world, of the node that carries them, or of the node above the skeleton.
Eigen::Affine3d placement(const GltfScene& scene, const Binding& binding,
                          const std::vector<Eigen::Affine3d>& world) {
    const Eigen::Affine3d by_top = said_by(binding, binding.top, world);
    std::vector<Eigen::Affine3d> candidates = {Eigen::Affine3d::Identity()};
    for (const GltfPart& part : scene.parts) {
        if (part.node >= 0 && part.skin >= 0 && &scene.skins[at(part.skin)] == binding.skin) {
            candidates.push_back(world[at(part.node)]);
        }
    }
    const std::vector<Index>& joints = binding.skin->joints;
    Index above = joints[binding.top];
    while (above >= 0 && std::find(joints.begin(), joints.end(), above) != joints.end()) {
        above = scene.nodes[at(above)].parent;
    }
    if (above >= 0) {
        candidates.push_back(world[at(above)]);
    }
    // The least turned one, and of those the nearest.
    const Eigen::Affine3d* best = &by_top;
    double angle = INFINITY;
    double distance = INFINITY;
    for (const Eigen::Affine3d& M : candidates) {
        if (!(std::abs(scale_of(M) / scale_of(by_top) - 1.0) < kSameScale) ||
            M.linear().determinant() * by_top.linear().determinant() < 0.0) {
            continue;
        }
        const double turn = angle_between(M, by_top);
        const double way = ((M * *binding.bound[binding.top]).translation() -
                            world[at(joints[binding.top])].translation())
                               .norm();
        if (turn < angle - kSameTurn || (turn < angle + kSameTurn && way < distance)) {
            best = &M;
            angle = turn;
            distance = way;
        }
    }
    return *best;
}

}  // namespace

std::vector<Eigen::Affine3d> bind_transforms(const GltfScene& scene) {
    const std::vector<Eigen::Affine3d> world = world_transforms(scene);
    std::vector<Binding> bindings;
    bool is_posed = false;
    for (const GltfSkin& skin : scene.skins) {
        Binding binding = binding_of(skin);
        if (binding.has_top) {
            is_posed =
                is_posed || !stands_as_bound(binding, said_by(binding, binding.top, world), world);
            bindings.push_back(std::move(binding));
        }
    }
    if (!is_posed) {
        return world;
    }
    std::stable_sort(bindings.begin(), bindings.end(), [](const Binding& a, const Binding& b) {
        return a.skin->joints.size() > b.skin->joints.size();
    });
    std::vector<std::optional<Eigen::Affine3d>> bound(scene.nodes.size());
    for (const Binding& binding : bindings) {
        const std::vector<Index>& joints = binding.skin->joints;
        // Joints that stand already say where the skin is.
        std::optional<Eigen::Affine3d> M;
        for (std::size_t j = 0; j < joints.size() && !M; ++j) {
            if (bound[at(joints[j])] && binding.bound[j]) {
                M = *bound[at(joints[j])] * Eigen::Affine3d(binding.skin->inverse_bind[j]);
            }
        }
        if (!M) {
            M = placement(scene, binding, world);
        }
        for (std::size_t j = 0; j < joints.size(); ++j) {
            std::optional<Eigen::Affine3d>& T = bound[at(joints[j])];
            if (!T && binding.bound[j]) {
                T = *M * *binding.bound[j];
            }
        }
    }
    std::vector<Eigen::Affine3d> all;
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        const GltfNode& node = scene.nodes[n];
        Eigen::Affine3d local = Eigen::Affine3d::Identity();
        local.linear() = node.rotation.toRotationMatrix() * node.scale.asDiagonal();
        local.translation() = node.translation;
        const Eigen::Affine3d follows = node.parent < 0 ? local : all[at(node.parent)] * local;
        const bool is_bound = bound[n] && bound[n]->matrix().allFinite();
        all.push_back(is_bound ? *bound[n] : follows);
    }
    return all;
}

std::vector<MeshPart> bound_parts(const GltfScene& scene, std::string_view where) {
    const std::vector<Eigen::Affine3d> bound = bind_transforms(scene);
    std::vector<MeshPart> parts;
    for (const GltfPart& part : scene.parts) {
        MeshPart own = part.part;
        own.mesh.points = posed_points(scene, part, bound);
        require_valid(own.mesh, fmt::format("{}, part '{}' as bound", where, own.name));
        parts.push_back(std::move(own));
    }
    return parts;
}

}  // namespace sinew
