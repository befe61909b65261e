#include "sinew/build/figure.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/version.h"
#include "sinew/body/names.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/figure_proportions.h"
#include "sinew/build/figure_rig.h"
#include "sinew/build/figure_skin.h"
#include "sinew/build/joint_tree.h"
#include "sinew/build/muscle_course.h"
#include "sinew/build/skin_atlas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace sinew {

namespace {

bool is_flesh(FigureKind kind) {
    return kind == FigureKind::Muscle || kind == FigureKind::Tendon;
}

/// "fibre" is the direction of the nearest stroke, or of the fibres of the nearest sheet.
void add_tendon_data(const FigurePart& part, TriangleMesh& mesh) {
    const std::vector<FigureShape> shapes = shapes_of(part);
    std::vector<double> share;
    Attribute fibre{.name = "fibre", .components = 3, .values = {}};
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        const Vec3 x = point(mesh.points, i);
        const FigureShape* nearest = &shapes.front();
        double least = std::numeric_limits<double>::infinity();
        for (const FigureShape& shape : shapes) {
            const double d = shapes.size() > 1 ? shape.distance(x, FigureLayer::Part) : 0.0;
            if (d < least) {
                least = d;
                nearest = &shape;
            }
        }
        const FigureShape::Way way = nearest->way_along(x);
        share.push_back(way.share);
        fibre.values.insert(fibre.values.end(), way.direction.begin(), way.direction.end());
    }
    set_share(std::move(share), part.belly_begin, part.belly_end, mesh);
    mesh.point_data.push_back(std::move(fibre));
}

/// Surfaces of all parts of the table, in its order; empty ones for those that only shape the skin.
std::vector<TriangleMesh> mesh_parts(const FigureTable& table, const FigureOptions& options,
                                     const Progress& progress) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < table.parts.size(); ++i) {
        if (is_rigid(table.parts[i].kind) || is_flesh(table.parts[i].kind)) {
            order.push_back(i);
        }
    }
    std::vector<TriangleMesh> meshes(table.parts.size());
    auto stage = progress.stage("bones and muscles", order.size());
    std::mutex advancing;
    parallel_for(order.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
            const FigurePart& part = table.parts[order[k]];
            TriangleMesh& mesh = meshes[order[k]];
            mesh = mesh_part(part,
                             {.cell = options.part_cell,
                              .smallest_cell = std::min(options.thin_part_cell, options.part_cell),
                              .volume = part.volume,
                              .simplify = options.simplify});
            if (is_flesh(part.kind)) {
                add_tendon_data(part, mesh);
            }
            const std::lock_guard lock(advancing);
            stage.advance();
        }
    });
    return meshes;
}

void add_bone(const FigurePart& part, const std::string& name, TriangleMesh mesh,
              const std::vector<Alias>& aliases, const JointTree& tree, Template& result) {
    const BoneKind kind = part.kind == FigureKind::Bone   ? BoneKind::Bone
                          : part.kind == FigureKind::Disc ? BoneKind::Disc
                                                          : BoneKind::Cartilage;
    result.bones.push_back({.name = name,
                            .kind = kind,
                            .segment = tree.segment_of.at(name),
                            .mesh = std::move(mesh),
                            .aliases = aliases});
}

void add_muscle(const FigurePart& part, const std::string& name, bool is_right, TriangleMesh mesh,
                const std::vector<Alias>& aliases, Template& result) {
    const auto bone = [&](const std::string& left) -> Index {
        const auto index_of = [&](const std::string& word) {
            const auto found = std::find_if(result.bones.begin(), result.bones.end(),
                                            [&](const Bone& b) { return b.name == word; });
            return found == result.bones.end() ? Index{-1}
                                               : static_cast<Index>(found - result.bones.begin());
        };
        const Index mirrored = is_right ? index_of(mirrored_name(left)) : Index{-1};
        return mirrored >= 0 ? mirrored : index_of(left);
    };
    const double volume = enclosed_volume(mesh.points, mesh.triangles);
    std::string group = group_from_atlas(part.group);
    if (group.empty()) {
        group = part.name.starts_with("calcaneal") ? "calves" : "hips";  // tendons of their own
    }
    result.muscles.push_back({.name = name,
                              .group = std::move(group),
                              .mesh = std::move(mesh),
                              .origin = bone(part.origin),
                              .insertion = bone(part.insertion),
                              .belly_begin = part.belly_begin,
                              .belly_end = part.belly_end,
                              .volume = volume,
                              .fmax = part.fmax,
                              .pennation = part.pennation,
                              .is_passive = part.kind == FigureKind::Tendon,
                              .aliases = aliases});
}

/// Bones first, so that muscles can name them.
void add_parts(const FigureTable& table, std::vector<TriangleMesh> meshes, const JointTree& tree,
               Template& result) {
    for (const bool bones : {true, false}) {
        for (std::size_t i = 0; i < table.parts.size(); ++i) {
            const FigurePart& part = table.parts[i];
            if ((bones && !is_rigid(part.kind)) || (!bones && !is_flesh(part.kind))) {
                continue;
            }
            const auto add = [&](const std::string& name, bool is_right, TriangleMesh mesh,
                                 const std::vector<Alias>& aliases) {
                if (bones) {
                    add_bone(part, name, std::move(mesh), aliases, tree, result);
                } else {
                    add_muscle(part, name, is_right, std::move(mesh), aliases, result);
                }
            };
            if (part.mirror) {
                add(part.name, false, meshes[i], part.aliases);
                add(right_name(part.name), true, reflected(meshes[i]), part.right_aliases);
            } else {
                add(part.name, false, std::move(meshes[i]), part.aliases);
            }
        }
    }
}

Eigen::Index nearest_vertex(const Points& points, const Vec3& to) {
    Eigen::Index nearest = 0;
    (points.rowwise() - to.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
    return nearest;
}

/// Landmarks of both sides, where the nearest vertex of the plain skin is.
void add_landmarks(const FigureTable& table, const TriangleMesh& plain_skin, Template& result) {
    const auto add = [&](const std::string& name, const Vec3& near) {
        Landmark landmark{.name = name};
        landmark.position = point(plain_skin.points, nearest_vertex(plain_skin.points, near));
        landmark.skin_vertex =
            static_cast<Index>(nearest_vertex(result.skin.points, landmark.position));
        result.landmarks.push_back(std::move(landmark));
    };
    for (const Landmark& landmark : table.landmarks) {
        add(landmark.name, landmark.position);
        const SidedName sided = split_side(landmark.name);
        if (sided.side == Side::Left) {
            add(with_side(sided.stem, Side::Right),
                Vec3(-landmark.position.x(), landmark.position.y(), landmark.position.z()));
        }
    }
}

/// Lifts everything until the soles of the plain skin stand on y = 0.
void stand_on_ground(Template& result, TriangleMesh& plain_skin) {
    const double lift = -plain_skin.points.col(1).minCoeff();
    const auto raise = [&](TriangleMesh& mesh) { mesh.points.col(1).array() += lift; };
    raise(plain_skin);
    raise(result.skin);
    // The soles of finer toes are nowhere lower.
    result.skin.points.col(1) = result.skin.points.col(1).cwiseMax(0.0);
    for (Bone& bone : result.bones) {
        raise(bone.mesh);
    }
    for (Muscle& muscle : result.muscles) {
        raise(muscle.mesh);
    }
    for (Joint& joint : result.skeleton.joints) {
        joint.centre.y() += lift;
    }
    for (Landmark& landmark : result.landmarks) {
        landmark.position.y() += lift;
    }
}

const FigureStance& stance_of(const FigureTable& table, FigurePose pose) {
    const std::string name = pose == FigurePose::A ? "a" : "measured";
    for (const FigureStance& stance : table.stances) {
        if (stance.name == name) {
            return stance;
        }
    }
    throw InputError({.where = "figure table '" + table.name + "'",
                      .found = "no stance '" + name + "'",
                      .needs = "the stances 'a' and 'measured'",
                      .remedy = "add it to figure.json"});
}

bool stands(const FigureOptions& options) {
    return options.pose != FigurePose::Measured || options.stature > 0.0;
}

SkinOptions skin_options(const FigureOptions& options) {
    constexpr double kDigitCell = 0.0016;     // m
    constexpr double kCoarsestSkin = 0.0061;  // m: on coarser ones fingers are not worth it
    return {.cell = options.skin_cell,
            .digit_cell =
                options.skin_cell < kCoarsestSkin ? std::min(kDigitCell, options.skin_cell) : 0.0};
}

}  // namespace

FigureTable shape_figure(const FigureTable& table, const FigureOptions& options) {
    check_ranges(options, "figure options");
    FigureTable shaped = table;
    if (options.sex == FigureSex::Female) {
        apply_variant(shaped, Sex::Female);
    }
    stretch_limbs(shaped, {.arm_length = options.arm_length, .leg_length = options.leg_length});
    if (options.stature > 0.0) {
        if (options.stature < 0.5) {
            throw InputError({.where = "figure options, stature",
                              .found = fmt::format("{} m", options.stature),
                              .needs = "0.5 to 2.5 m, or 0 for the table's",
                              .remedy = "give the stature in metres"});
        }
        scale_figure(shaped, options.stature / shaped.stature);
    }
    apply_stance(shaped, stance_of(shaped, options.pose));
    return shaped;
}

Template build_figure(const FigureTable& table, const FigureOptions& options,
                      const Progress& progress) {
    return build_figure_with_plain_skin(table, options, progress).figure;
}

TriangleMesh plain_figure_skin(const FigureTable& table, const FigureOptions& options) {
    SkinOptions plain = skin_options(options);
    plain.digit_cell = 0.0;
    TriangleMesh skin = mesh_skin(shape_figure(table, options), plain);
    if (stands(options)) {
        skin.points.col(1).array() -= skin.points.col(1).minCoeff();
    }
    return skin;
}

FigureWithPlainSkin build_figure_with_plain_skin(const FigureTable& table,
                                                 const FigureOptions& options,
                                                 const Progress& progress) {
    const FigureTable shaped = shape_figure(table, options);
    Template result;
    TriangleMesh plain_skin;
    result.name = options.sex == FigureSex::Male ? "figure_male" : "figure_female";
    result.sex = options.sex == FigureSex::Male ? Sex::Male : Sex::Female;
    std::vector<TriangleMesh> meshes = mesh_parts(shaped, options, progress);
    {
        auto stage = progress.stage("skin", 1);
        SkinMeshes skins = mesh_skins(shaped, skin_options(options));
        result.skin = std::move(skins.detailed);
        plain_skin = std::move(skins.plain);
        stage.advance();
    }
    const JointTree tree = build_joint_tree(shaped.root, joints_of(shaped), "figure table");
    result.skeleton = tree.skeleton;
    add_parts(shaped, std::move(meshes), tree, result);
    {
        auto stage = progress.stage("texture coordinates", 1);
        result.skin.triangle_data.push_back(skin_texture_coordinates(result));
        stage.advance();
    }
    add_landmarks(shaped, plain_skin, result);
    if (stands(options)) {
        stand_on_ground(result, plain_skin);
    }
    result.materials = tissue_materials();
    result.provenance.program = fmt::format("sinew {}", version());
    result.provenance.attribution = shaped.attribution;
    return {.figure = std::move(result), .plain_skin = std::move(plain_skin)};
}

}  // namespace sinew
