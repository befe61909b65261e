#include "sinew/muscle/muscle_contacts.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <map>

namespace sinew {

namespace {

/// Height of p above the nearest place of a surface, with its outward normal.
struct Height {
    bool is_near = false;
    double height = 0.0;
    Vec3 origin = Vec3::Zero();
    Vec3 normal = Vec3::UnitY();
};

Height height_over(const SurfaceTree& tree, const Points& normals, const Triangles& triangles,
                   const Vec3& p, double reach) {
    const ClosestPoint c = tree.closest_point(p, reach);
    if (c.triangle < 0) {
        return {};
    }
    // Normals of the corners blended, so that edges have one too.
    Vec3 n = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
        n += c.barycentric[k] * point(normals, triangles(c.triangle, k));
    }
    if (!(n.norm() > 1e-9)) {
        return {};
    }
    n.normalize();
    return {true, n.dot(p - c.point), c.point, n};
}

}  // namespace

struct MuscleContacts::Data {
    struct Bone {
        SurfaceTree tree;
        Points normals;
        Triangles triangles;
        Bounds box;
        Index frame;
    };
    struct Muscle {
        Triangles triangles;          // scene's vertex numbers
        std::vector<Index> vertices;  // on the surface, not held
    };
    MuscleSimulatorOptions options;
    std::vector<Bone> bones;
    std::vector<Muscle> muscles;
    // Heights at rest below the gap, by (vertex, bone) and (vertex, muscle).
    std::map<std::pair<Index, Index>, double> rest_bone, rest_muscle;

    double allowed(const std::map<std::pair<Index, Index>, double>& rest, Index v,
                   Index other) const {
        const auto found = rest.find({v, other});
        return found == rest.end() ? options.contact_gap : found->second;
    }
    void find_on_bones(const Points& x, std::span<const Eigen::Isometry3d> frames,
                       std::vector<ContactPlanes::Plane>& planes,
                       std::map<std::pair<Index, Index>, double>* rest) const;
    void find_on_muscles(const Points& x, std::vector<ContactPlanes::Plane>& planes,
                         std::map<std::pair<Index, Index>, double>* rest) const;
};

void MuscleContacts::Data::find_on_bones(const Points& x, std::span<const Eigen::Isometry3d> frames,
                                         std::vector<ContactPlanes::Plane>& planes,
                                         std::map<std::pair<Index, Index>, double>* rest) const {
    for (std::size_t b = 0; b < bones.size(); ++b) {
        const Bone& bone = bones[b];
        const Eigen::Isometry3d T = bone.frame < 0 ? Eigen::Isometry3d::Identity()
                                                   : frames[static_cast<std::size_t>(bone.frame)];
        const Eigen::Isometry3d back = T.inverse();
        for (const Muscle& m : muscles) {
            for (const Index v : m.vertices) {
                const Vec3 p = back * point(x, v);
                if (!bone.box.contains(p)) {
                    continue;
                }
                const Height h =
                    height_over(bone.tree, bone.normals, bone.triangles, p, options.contact_reach);
                if (!h.is_near) {
                    continue;
                }
                if (rest != nullptr) {
                    if (h.height < options.contact_gap) {
                        (*rest)[{v, static_cast<Index>(b)}] = h.height;
                    }
                    continue;
                }
                const double keep = allowed(rest_bone, v, static_cast<Index>(b));
                planes.push_back({v, T * (h.origin + keep * h.normal), T.linear() * h.normal,
                                  options.contact_stiffness});
            }
        }
    }
}

void MuscleContacts::Data::find_on_muscles(const Points& x,
                                           std::vector<ContactPlanes::Plane>& planes,
                                           std::map<std::pair<Index, Index>, double>* rest) const {
    std::vector<Bounds> boxes(muscles.size());
    for (std::size_t m = 0; m < muscles.size(); ++m) {
        for (const Index v : muscles[m].vertices) {
            boxes[m].add(point(x, v));
        }
        boxes[m].low.array() -= options.contact_reach;
        boxes[m].high.array() += options.contact_reach;
    }
    for (std::size_t b = 0; b < muscles.size(); ++b) {
        const SurfaceTree tree(x, muscles[b].triangles);
        const Points normals = vertex_normals(x, muscles[b].triangles);
        for (std::size_t a = 0; a < muscles.size(); ++a) {
            if (a == b) {
                continue;
            }
            for (const Index v : muscles[a].vertices) {
                const Vec3 p = point(x, v);
                if (!boxes[b].contains(p)) {
                    continue;
                }
                const Height h =
                    height_over(tree, normals, muscles[b].triangles, p, options.contact_reach);
                if (!h.is_near) {
                    continue;
                }
                if (rest != nullptr) {
                    if (h.height < options.contact_gap) {
                        (*rest)[{v, static_cast<Index>(b)}] = h.height;
                    }
                    continue;
                }
                const double keep = allowed(rest_muscle, v, static_cast<Index>(b));
                // Both sides give way: half of what is missing is left to the other.
                const double missing = std::max(0.0, keep - h.height);
                planes.push_back({v, h.origin + (keep - 0.5 * missing) * h.normal, h.normal,
                                  0.5 * options.contact_stiffness});
            }
        }
    }
}

MuscleContacts::MuscleContacts(const MuscleScene& scene, const MuscleSimulatorOptions& options)
    : data_(std::make_unique<Data>()) {
    data_->options = options;
    const Points& x = scene.volume.mesh.points;
    std::vector<char> is_held(static_cast<std::size_t>(x.rows()), 0);
    for (const auto* list : {&scene.volume.origin, &scene.volume.insertion}) {
        for (const Index v : *list) {
            is_held[static_cast<std::size_t>(v)] = 1;
        }
    }
    const Triangles surface = boundary_triangles(scene.volume.mesh.tets);
    for (std::size_t m = 0; m + 1 < scene.first_vertex.size(); ++m) {
        Data::Muscle muscle;
        std::vector<char> is_used(static_cast<std::size_t>(x.rows()), 0);
        std::vector<Index> rows;
        for (Eigen::Index t = 0; t < surface.rows(); ++t) {
            const Index v = surface(t, 0);
            if (v >= scene.first_vertex[m] && v < scene.first_vertex[m + 1]) {
                rows.push_back(static_cast<Index>(t));
            }
        }
        muscle.triangles.resize(static_cast<Eigen::Index>(rows.size()), 3);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            muscle.triangles.row(static_cast<Eigen::Index>(r)) = surface.row(rows[r]);
            for (int c = 0; c < 3; ++c) {
                is_used[static_cast<std::size_t>(surface(rows[r], c))] = 1;
            }
        }
        for (std::size_t v = 0; v < is_used.size(); ++v) {
            if (is_used[v] != 0 && is_held[v] == 0) {
                muscle.vertices.push_back(static_cast<Index>(v));
            }
        }
        data_->muscles.push_back(std::move(muscle));
    }
    for (const MuscleScene::Obstacle& o : scene.obstacles) {
        Bounds box = bounds(o.mesh.points);
        box.low.array() -= options.contact_reach;
        box.high.array() += options.contact_reach;
        data_->bones.push_back(
            {SurfaceTree(o.mesh), vertex_normals(o.mesh), o.mesh.triangles, box, o.frame});
    }
    std::vector<ContactPlanes::Plane> none;
    const std::vector<Eigen::Isometry3d> rest(static_cast<std::size_t>(scene.frames),
                                              Eigen::Isometry3d::Identity());
    std::map<std::pair<Index, Index>, double> on_bone;
    std::map<std::pair<Index, Index>, double> on_muscle;
    data_->find_on_bones(x, rest, none, &on_bone);
    data_->find_on_muscles(x, none, &on_muscle);
    data_->rest_bone = std::move(on_bone);
    data_->rest_muscle = std::move(on_muscle);
}

MuscleContacts::~MuscleContacts() = default;
MuscleContacts::MuscleContacts(MuscleContacts&&) noexcept = default;
MuscleContacts& MuscleContacts::operator=(MuscleContacts&&) noexcept = default;

std::vector<ContactPlanes::Plane> MuscleContacts::find(
    const Points& x, std::span<const Eigen::Isometry3d> frames) const {
    std::vector<ContactPlanes::Plane> planes;
    if (data_->options.contact_stiffness > 0.0) {
        data_->find_on_bones(x, frames, planes, nullptr);
        data_->find_on_muscles(x, planes, nullptr);
    }
    return planes;
}

}  // namespace sinew
