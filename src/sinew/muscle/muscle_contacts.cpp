#include "sinew/muscle/muscle_contacts.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <cmath>

// Where muscles touch. Every surface vertex that is not held asks each other surface nearby for its
// height above it. Within contact_reach a plane is laid at the nearest point, at the height that
// the vertex had at rest if that was less than the gap: anatomies overlap a little at rest, and to
// part them would be a force from nothing.
//
// Planes on bones move with the bone; planes on muscles hang on the three corners of the nearest
// triangle, so both sides feel the contact (Newton's third law) and the pair is coupled in the
// matrix, if it is likely to be reached in this step.
//
// Vertices are asked in fixed pieces and answers are joined in order: the same planes for any
// number of threads.

namespace sinew {

namespace {

/// Height of a point above the nearest place of a surface, negative inside, and the direction in
/// which it grows.
struct Height {
    bool is_near = false;
    double height = 0.0;
    Vec3 normal = Vec3::UnitY();
    ClosestPoint nearest = {};
};

/// Whether a closed surface has p inside, by the majority of three rays: one may graze an edge,
/// which counts twice.
bool is_enclosed(const SurfaceTree& tree, const Vec3& p) {
    int votes = 0;
    for (const Vec3& direction :
         {Vec3(0.31, 0.87, 0.38), Vec3(-0.72, 0.11, 0.69), Vec3(0.45, -0.53, 0.72)}) {
        votes += static_cast<int>(tree.count_hits({.origin = p, .direction = direction}) % 2);
    }
    return votes >= 2;
}

// The sign of a distance is the hard part. Blended normals are right on smooth surfaces; where they
// and the direction to the nearest point disagree (crests, grooves) three rays decide.
Height height_over(const SurfaceTree& tree, const Points& normals, const Triangles& triangles,
                   const Vec3& p, double reach) {
    const ClosestPoint c = tree.closest_point(p, reach);
    if (c.triangle < 0) {
        return {};
    }
    // Normals of the corners blended tell the side, and the direction where p lies on the surface.
    Vec3 n = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
        n += c.barycentric[k] * point(normals, triangles(c.triangle, k));
    }
    if (!(n.norm() > 1e-9)) {
        return {};
    }
    n.normalize();
    constexpr double kOnSurface = 1e-5;
    const Vec3 away = p - c.point;
    bool is_inside = n.dot(away) < 0.0;
    if (c.distance > kOnSurface) {
        // Beside crests and in grooves blended normals may name the wrong side.
        constexpr double kClear = 0.7;
        if (std::abs(n.dot(away)) < kClear * c.distance) {
            is_inside = is_enclosed(tree, p);
        }
        n = (is_inside ? -1.0 : 1.0) / c.distance * away;
    }
    return {true, n.dot(away), n, c};
}

/// Planes at most so far below their vertex are likely to be reached within a step, m.
constexpr double kLikelyReached = 0.002;

/// A muscle's vertex near something else.
struct Near {
    std::size_t place;  // in the list of all vertices on surfaces
    Height at;
};

}  // namespace

struct MuscleContacts::Data {
    struct Bone {
        SurfaceTree tree;
        Points normals;
        Triangles triangles;
        Bounds box;
        Index frame;
        std::vector<double> allowed = {};  // height of each vertex of the list
    };
    struct Muscle {
        Triangles triangles;               // scene's vertex numbers
        std::vector<double> allowed = {};  // height of each vertex of the list
    };
    struct Vertex {
        Index vertex;
        Index muscle;
    };
    MuscleSimulatorOptions options;
    std::vector<Bone> bones;
    std::vector<Muscle> muscles;
    std::vector<Vertex> vertices;  // on the surface, not held
    Lists around;                  // neighbours on the surface, per vertex of the scene

    Eigen::Isometry3d motion(Index frame, std::span<const Eigen::Isometry3d> frames) const {
        return frame < 0 ? Eigen::Isometry3d::Identity() : frames[at(frame)];
    }

    /// Vertices for which `height_of` finds something near, in their order.
    template <class HeightOf>
    std::vector<Near> near(const HeightOf& height_of) const {
        constexpr std::size_t kGrain = 256;
        std::vector<std::vector<Near>> parts((vertices.size() + kGrain - 1) / kGrain);
        parallel_for(vertices.size(), kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if (const Height h = height_of(vertices[i]); h.is_near) {
                    parts[begin / kGrain].push_back({i, h});
                }
            }
        });
        std::vector<Near> all;
        for (const std::vector<Near>& part : parts) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }

    /// In the bone's own coordinates.
    std::vector<Near> near_bone(const Bone& bone, const Points& x,
                                std::span<const Eigen::Isometry3d> frames, double reach) const {
        const Eigen::Isometry3d back = motion(bone.frame, frames).inverse();
        return near([&](const Vertex& v) {
            const Vec3 p = back * point(x, v.vertex);
            return bone.box.contains(p)
                       ? height_over(bone.tree, bone.normals, bone.triangles, p, reach)
                       : Height();
        });
    }

    std::vector<Near> near_muscle(std::size_t m, const Points& x, double reach) const {
        const Triangles& triangles = muscles[m].triangles;
        Bounds box;
        for (const Vertex& v : vertices) {
            if (static_cast<std::size_t>(v.muscle) == m) {
                box.add(point(x, v.vertex));
            }
        }
        box.low.array() -= options.contact_reach;
        box.high.array() += options.contact_reach;
        const SurfaceTree tree(x, triangles);
        const Points normals = vertex_normals(x, triangles);
        return near([&](const Vertex& v) {
            const Vec3 p = point(x, v.vertex);
            return static_cast<std::size_t>(v.muscle) != m && box.contains(p)
                       ? height_over(tree, normals, triangles, p, reach)
                       : Height();
        });
    }

    std::vector<Planes::Plane> planes_on_bone(std::size_t b, const Points& x,
                                              std::span<const Eigen::Isometry3d> frames) const {
        const Bone& bone = bones[b];
        const Eigen::Isometry3d T = motion(bone.frame, frames);
        std::vector<Planes::Plane> planes;
        for (const Near& n : near_bone(bone, x, frames, options.contact_reach)) {
            planes.push_back(
                {.vertex = vertices[n.place].vertex,
                 .origin = T * (n.at.nearest.point + bone.allowed[n.place] * n.at.normal),
                 .normal = T.linear() * n.at.normal,
                 .stiffness = options.contact_stiffness,
                 .is_one_sided = true});
        }
        return planes;
    }

    std::vector<Planes::Plane> planes_on_muscle(std::size_t m, const Points& x) const {
        const Muscle& muscle = muscles[m];
        std::vector<Planes::Plane> planes;
        for (const Near& n : near_muscle(m, x, options.contact_reach)) {
            const auto corners = muscle.triangles.row(n.at.nearest.triangle);
            planes.push_back(
                {.vertex = vertices[n.place].vertex,
                 .origin = muscle.allowed[n.place] * n.at.normal,
                 .normal = n.at.normal,
                 .stiffness = 0.5 * options.contact_stiffness,
                 .is_one_sided = true,
                 .support = {corners[0], corners[1], corners[2]},
                 .weight = n.at.nearest.barycentric,
                 .is_coupled = n.at.height < muscle.allowed[n.place] + kLikelyReached});
        }
        return planes;
    }

    void add_muscles(const MuscleScene& scene);
    void allow_rest(const MuscleScene& scene);
};

void MuscleContacts::Data::add_muscles(const MuscleScene& scene) {
    const auto count = static_cast<std::size_t>(scene.volume.mesh.points.rows());
    std::vector<char> is_watched(count, 0);
    const Triangles surface = boundary_triangles(scene.volume.mesh.tets);
    muscles.resize(scene.names.size());
    std::vector<std::vector<Index>> rows(muscles.size());
    for (Eigen::Index t = 0; t < surface.rows(); ++t) {
        const auto next =
            std::upper_bound(scene.first_vertex.begin(), scene.first_vertex.end(), surface(t, 0));
        rows[static_cast<std::size_t>(next - scene.first_vertex.begin()) - 1].push_back(
            static_cast<Index>(t));
        for (int c = 0; c < 3; ++c) {
            is_watched[at(surface(t, c))] = 1;
        }
    }
    for (const auto* list : {&scene.volume.origin, &scene.volume.insertion}) {
        for (const Index v : *list) {
            is_watched[at(v)] = 0;
        }
    }
    around = neighbours_of_vertices(surface, scene.volume.mesh.points.rows());
    for (std::size_t m = 0; m < muscles.size(); ++m) {
        muscles[m].triangles = surface(rows[m], Eigen::all);
        for (Index v = scene.first_vertex[m]; v < scene.first_vertex[m + 1]; ++v) {
            if (is_watched[at(v)] != 0) {
                vertices.push_back({v, static_cast<Index>(m)});
            }
        }
    }
}

// One height per vertex and surface, measured at rest for all pairs.
void MuscleContacts::Data::allow_rest(const MuscleScene& scene) {
    const Points& x = scene.volume.mesh.points;
    const std::vector<Eigen::Isometry3d> frames(static_cast<std::size_t>(scene.frames),
                                                Eigen::Isometry3d::Identity());
    // Deeper than is watched later: a tendon that runs through a joint's head at rest may come up.
    constexpr double kDeepest = 0.05;
    const auto allow = [&](const std::vector<Near>& found) {
        std::vector<double> allowed(vertices.size(), options.contact_gap);
        for (const Near& n : found) {
            allowed[n.place] = std::min(allowed[n.place], n.at.height);
        }
        return allowed;
    };
    for (Bone& bone : bones) {
        bone.allowed = allow(near_bone(bone, x, frames, kDeepest));
    }
    for (std::size_t m = 0; m < muscles.size(); ++m) {
        muscles[m].allowed = allow(near_muscle(m, x, kDeepest));
    }
}

MuscleContacts::MuscleContacts(const MuscleScene& scene, const MuscleSimulatorOptions& options)
    : data_(std::make_unique<Data>()) {
    data_->options = options;
    data_->add_muscles(scene);
    for (const MuscleScene::Obstacle& o : scene.obstacles) {
        Bounds box = bounds(o.mesh.points);
        box.low.array() -= options.contact_reach;
        box.high.array() += options.contact_reach;
        data_->bones.push_back(
            {SurfaceTree(o.mesh), vertex_normals(o.mesh), o.mesh.triangles, box, o.frame});
    }
    data_->allow_rest(scene);
}

MuscleContacts::~MuscleContacts() = default;
MuscleContacts::MuscleContacts(MuscleContacts&&) noexcept = default;
MuscleContacts& MuscleContacts::operator=(MuscleContacts&&) noexcept = default;

std::span<const Index> MuscleContacts::around(Index vertex) const {
    return data_->around[at(vertex)];
}

std::vector<Planes::Plane> MuscleContacts::find(const Points& x,
                                                std::span<const Eigen::Isometry3d> frames) const {
    const Data& d = *data_;
    if (!(d.options.contact_stiffness > 0.0)) {
        return {};
    }
    // Surfaces side by side, in lists of their own that are joined in order.
    const std::size_t bones = d.bones.size();
    std::vector<std::vector<Planes::Plane>> lists(bones + d.muscles.size());
    parallel_for(lists.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            lists[s] =
                s < bones ? d.planes_on_bone(s, x, frames) : d.planes_on_muscle(s - bones, x);
        }
    });
    std::vector<Planes::Plane> planes;
    for (const std::vector<Planes::Plane>& list : lists) {
        planes.insert(planes.end(), list.begin(), list.end());
    }
    return planes;
}

// Depth beyond what rest had, so that a scene at rest reports none.
std::vector<MuscleOverlap> MuscleContacts::overlaps(
    const Points& x, std::span<const Eigen::Isometry3d> frames) const {
    const Data& d = *data_;
    std::vector<MuscleOverlap> found;
    const auto add = [&](const std::vector<Near>& near, const std::vector<double>& allowed,
                         Index other, Index bone) {
        std::vector<MuscleOverlap> deepest(d.muscles.size());
        for (const Near& n : near) {
            const Data::Vertex& v = d.vertices[n.place];
            MuscleOverlap& o = deepest[at(v.muscle)];
            const double depth = std::min(0.0, allowed[n.place]) - n.at.height;
            if (depth > o.depth) {
                o = {depth, v.muscle, v.vertex, other, bone};
            }
        }
        std::copy_if(deepest.begin(), deepest.end(), std::back_inserter(found),
                     [](const MuscleOverlap& o) { return o.depth > 0.0; });
    };
    for (std::size_t b = 0; b < d.bones.size(); ++b) {
        add(d.near_bone(d.bones[b], x, frames, d.options.contact_reach), d.bones[b].allowed, -1,
            static_cast<Index>(b));
    }
    for (std::size_t m = 0; m < d.muscles.size(); ++m) {
        add(d.near_muscle(m, x, d.options.contact_reach), d.muscles[m].allowed,
            static_cast<Index>(m), -1);
    }
    return found;
}

}  // namespace sinew
