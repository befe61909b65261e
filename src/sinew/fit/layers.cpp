#include "sinew/fit/layers.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/body_parts.h"
#include "sinew/body/names.h"
#include "sinew/fit/layer_order.h"
#include "sinew/fit/layers_skeleton.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/prism_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// Three surfaces of one triangulation, skin S, muscle surface M and skeleton surface B [Komaritzan,
// section 4.2.2]: prisms between S and M are fat, between M and B muscle. S and M exist already
// (skin and envelope of the body); B is found by shrinking onto a wrap of the bones
// (layers_skeleton.h). Head, hands and feet are kept: there B is M and both follow the skin.
//
// What is measured along the line from S to B: how much of it lies in muscles, in those of which
// group, and how deep the bone is.

namespace sinew {

namespace {

constexpr std::size_t kLayerPiece = 256;  // vertices per piece of parallel work

// Many meshes as one; owner[t] is the mesh that triangle t came from.
struct JoinedMeshes {
    TriangleMesh mesh;
    std::vector<Index> owner;
};

template <class Parts>
JoinedMeshes joined(const Parts& parts) {
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    for (const auto& part : parts) {
        points += part.mesh.points.rows();
        triangles += part.mesh.triangles.rows();
    }
    JoinedMeshes all;
    all.mesh.points.resize(points, 3);
    all.mesh.triangles.resize(triangles, 3);
    points = triangles = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const TriangleMesh& mesh = parts[i].mesh;
        all.mesh.points.middleRows(points, mesh.points.rows()) = mesh.points;
        all.mesh.triangles.middleRows(triangles, mesh.triangles.rows()) =
            mesh.triangles.array() + static_cast<Index>(points);
        all.owner.insert(all.owner.end(), at(mesh.triangles.rows()), static_cast<Index>(i));
        points += mesh.points.rows();
        triangles += mesh.triangles.rows();
    }
    return all;
}

void require_layers(const Body& body) {
    const auto refuse = [&](const std::string& found, const std::string& needs) {
        throw InputError({.where = fmt::format("layers of '{}'", body.name),
                          .found = found,
                          .needs = needs,
                          .remedy = "make the body with 'sinew build'"});
    };
    if (body.tets.tets.rows() == 0 || body.skin.mesh.triangles.rows() == 0) {
        refuse("no tetrahedra or no skin", "a body for simulation");
    }
    if (body.envelope.mesh.triangles.rows() != body.skin.mesh.triangles.rows() ||
        body.envelope.mesh.triangles != body.skin.mesh.triangles) {
        refuse("an envelope whose triangles are not those of the skin",
               "one triangulation for skin and envelope");
    }
    if (body.bones.empty()) {
        refuse("no bones", "bones under the muscles");
    }
}

// How much of the line from skin to bone lies in muscles, and in those of which group most.
void measure_muscles_above(const Body& body, LayeredTemplate& layers) {
    const auto count = at(layers.skin.rows());
    layers.muscle_thickness.assign(count, 0.0);
    layers.group.assign(count, -1);
    if (body.muscles.empty()) {
        return;
    }
    const JoinedMeshes muscles = joined(body.muscles);
    const SurfaceTree tree(muscles.mesh);
    const std::span<const std::string> groups = muscle_groups();
    parallel_for(count, kLayerPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Vec3 from = point(layers.skin, row);
            const Vec3 line = point(layers.bone, row) - from;
            const double length = line.norm();
            if (!(length > 0.0)) {
                continue;
            }
            // Per muscle, where the line went in; open stretches count to the line's end.
            std::map<Index, double> entered;
            std::map<std::string, double> in_group;
            double covered = 0.0;
            double since = 0.0;
            const auto leave = [&](Index m, double t) {
                in_group[body.muscles[at(m)].group] += (t - entered.at(m)) * length;
                entered.erase(m);
                covered += entered.empty() ? (t - since) * length : 0.0;
            };
            for (const RayHit& hit :
                 tree.all_hits({.origin = from, .direction = line, .t_max = 1.0})) {
                const Index m = muscles.owner[at(hit.triangle)];
                if (entered.contains(m)) {
                    leave(m, hit.t);
                } else {
                    since = entered.empty() ? hit.t : since;
                    entered.emplace(m, hit.t);
                }
            }
            while (!entered.empty()) {
                leave(entered.begin()->first, 1.0);
            }
            layers.muscle_thickness[i] = covered;
            double most = 0.0;
            for (const auto& [name, amount] : in_group) {
                const auto found = std::find(groups.begin(), groups.end(), name);
                if (amount > most && found != groups.end()) {
                    most = amount;
                    layers.group[i] = static_cast<Index>(found - groups.begin());
                }
            }
        }
    });
}

}  // namespace

std::vector<char> kept_vertices(const Body& body, const Points& points) {
    const std::vector<BodyPart> parts = body_parts(body);
    std::vector<char> is_kept_segment(body.skeleton.segments.size(), 0);
    for (const BodyPart& part : parts) {
        const std::string stem = split_side(part.name).stem;
        for (const Index s : part.segments) {
            is_kept_segment[at(s)] = stem == "head" || stem == "hand" || stem == "foot" ? 1 : 0;
        }
    }
    const JoinedMeshes bones = joined(body.bones);
    const std::vector<ClosestPoint> nearest = SurfaceTree(bones.mesh).closest_points(points);
    std::vector<char> is_kept(nearest.size(), 0);
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        const Bone& bone = body.bones[at(bones.owner[at(nearest[i].triangle)])];
        is_kept[i] = is_kept_segment[at(bone.segment)];
    }
    return is_kept;
}

TriangleMesh skeleton_wrap(const Body& body, const LayerOptions& options) {
    const auto solid = [&](const std::vector<Bone>& bones, double closing) {
        const double reach = std::ceil(closing / options.wrap_voxel);
        return LevelSet::from_mesh(joined(bones).mesh, {.voxel = options.wrap_voxel,
                                                        .half_width = std::max(3.0, reach + 2.0)})
            .closed(closing);
    };
    LevelSet wrap = solid(body.bones, options.wrap_closing);
    // Chest and pelvis are filled: nothing of theirs is to be found from outside.
    std::vector<Bone> trunk;
    for (const BodyPart& part : body_parts(body)) {
        for (const Bone& bone : body.bones) {
            const bool is_in = std::find(part.segments.begin(), part.segments.end(),
                                         bone.segment) != part.segments.end();
            if (is_in && (part.name == "trunk" || part.name == "pelvis")) {
                trunk.push_back(bone);
            }
        }
    }
    if (!trunk.empty() && options.trunk_closing > options.wrap_closing) {
        wrap = wrap.united(solid(trunk, options.trunk_closing));
    }
    const TriangleMesh all = wrap.to_mesh();
    // Cavities are components that look inward.
    const Components pieces = connected_components(all.triangles, all.points.rows());
    std::vector<double> volume(at(pieces.count), 0.0);
    for (Eigen::Index t = 0; t < all.triangles.rows(); ++t) {
        volume[at(pieces.of_triangle[at(t)])] +=
            point(all.points, all.triangles(t, 0))
                .dot(point(all.points, all.triangles(t, 1))
                         .cross(point(all.points, all.triangles(t, 2)))) /
            6.0;
    }
    Triangles outer(all.triangles.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < all.triangles.rows(); ++t) {
        if (volume[at(pieces.of_triangle[at(t)])] > 0.0) {
            outer.row(count++) = all.triangles.row(t);
        }
    }
    outer.conservativeResize(count, 3);
    const Compacted used = without_unused_points(all.points, outer);
    return {.points = used.points, .triangles = used.triangles};
}

LayeredTemplate build_layers(const Body& body, const LayerOptions& options,
                             const Progress& progress) {
    check_ranges(options, "options of layers");
    require_layers(body);
    LayeredTemplate layers;
    layers.triangles = body.skin.mesh.triangles;
    layers.skin = body.skin.mesh.points;
    layers.muscle = body.envelope.mesh.points;
    layers.is_kept = kept_vertices(body, layers.muscle);
    layers.wrap = skeleton_wrap(body, options);
    layers.bone = shrink_to_wrap(body, layers, options, progress);
    const Points outer = vertex_normals(layers.skin, layers.triangles);
    const Points inner = vertex_normals(layers.bone, layers.triangles);
    for (Eigen::Index i = 0; i < outer.rows(); ++i) {
        layers.alignment_error.push_back(
            layers.is_kept[at(i)] != 0 ? 0.0
                                       : alignment_error(point(layers.skin, i), point(outer, i),
                                                         point(layers.bone, i), point(inner, i)));
    }
    const Eigen::VectorXd depth =
        -SignedDistance({.points = layers.skin, .triangles = layers.triangles}).at_all(layers.bone);
    layers.bone_depth.assign(depth.data(), depth.data() + depth.size());
    measure_muscles_above(body, layers);
    return layers;
}

double alignment_error(const Vec3& outer, const Vec3& outer_normal, const Vec3& inner,
                       const Vec3& inner_normal) {
    const Vec3 normal = outer_normal + inner_normal;
    const Vec3 line = outer - inner;
    const double size = normal.norm() * line.norm();
    return size > 0.0 ? std::abs(normal.dot(line) / size - 1.0) : 0.0;
}

double volume_between(const Points& outer, const Points& inner, const Triangles& triangles) {
    // The columns fill what is between; with shared side walls only the two surfaces count.
    return enclosed_volume(outer, triangles) - enclosed_volume(inner, triangles);
}

Eigen::Index count_crossings(const Points& outer, const Points& inner, const Triangles& triangles,
                             double tolerance) {
    const SignedDistance distance({.points = outer, .triangles = triangles});
    return (distances_above(distance, inner, std::min(0.0, tolerance)).array() > tolerance).count();
}

TetMesh layers_as_tets(const LayeredTemplate& layers) {
    const Eigen::Index n = layers.skin.rows();
    TetMesh mesh;
    mesh.points.resize(3 * n, 3);
    mesh.points << layers.skin, layers.muscle, layers.bone;
    const Tets columns = prism_columns(layers.triangles, n);
    mesh.tets.resize(2 * columns.rows(), 4);
    Attribute layer{.name = "layer", .components = 1, .values = {}};
    Eigen::Index count = 0;
    for (Index below = 0; below < 2; ++below) {
        const Tets shifted = columns.array() + below * static_cast<Index>(n);
        const Eigen::VectorXd volumes = tet_volumes(mesh.points, shifted);
        for (Eigen::Index t = 0; t < shifted.rows(); ++t) {
            if (volumes[t] > 0.0) {
                mesh.tets.row(count++) = shifted.row(t);
                layer.values.push_back(below);
            }
        }
    }
    mesh.tets.conservativeResize(count, 4);
    mesh.tet_data.push_back(std::move(layer));
    const auto three_times = [&](const char* name, const auto& values) {
        Attribute data{.name = name, .components = 1, .values = {}};
        for (int k = 0; k < 3; ++k) {
            data.values.insert(data.values.end(), values.begin(), values.end());
        }
        mesh.point_data.push_back(std::move(data));
    };
    three_times("alignment_error", layers.alignment_error);
    three_times("muscle_thickness", layers.muscle_thickness);
    three_times("kept", layers.is_kept);
    return mesh;
}

}  // namespace sinew
