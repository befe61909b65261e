#include "tests/support/small_body.h"

#include "sinew/base/random.h"
#include "sinew/mesh/connectivity.h"

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew::support {

namespace {

Vec3 centroid(const TetMesh& mesh, Eigen::Index t) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
        sum += point(mesh.points, mesh.tets(t, k));
    }
    return sum / 4;
}

TetSurface surface_of_tets(const TetMesh& mesh, const Tets& tets) {
    const Compacted compacted = without_unused_points(mesh.points, boundary_triangles(tets));
    TetSurface surface;
    surface.mesh.points = compacted.points;
    surface.mesh.triangles = compacted.triangles;
    surface.tet_vertex = compacted.old_index;
    return surface;
}

Tets inner_tets(const TetMesh& mesh) {
    std::vector<Eigen::Index> inside;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        const Vec3 c = centroid(mesh, t) - Vec3(0.2, 0.8, 0.2);
        if (std::abs(c.x()) < 0.1 && std::abs(c.y()) < 0.7 && std::abs(c.z()) < 0.1) {
            inside.push_back(t);
        }
    }
    Tets result(static_cast<Eigen::Index>(inside.size()), 4);
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
        result.row(i) = mesh.tets.row(inside[static_cast<std::size_t>(i)]);
    }
    return result;
}

EmbeddedPoints some_points(std::size_t count, const TetMesh& mesh, std::uint64_t stream) {
    Random random(Seed{11}, stream);
    EmbeddedPoints embedded;
    embedded.weights.resize(static_cast<Eigen::Index>(count), 4);
    for (std::size_t i = 0; i < count; ++i) {
        embedded.tet.push_back(
            static_cast<Index>(random.below(static_cast<std::uint32_t>(mesh.tets.rows()))));
        Vec4 w(random.uniform(), random.uniform(), random.uniform(), random.uniform() + 0.1);
        embedded.weights.row(static_cast<Eigen::Index>(i)) = (w / w.sum()).transpose();
    }
    return embedded;
}

void fill_tissues(Body& body) {
    body.materials = {{"soft", Tissue::Generic, 1000.0},
                      {"belly", Tissue::Muscle, 1060.0},
                      {"fat", Tissue::Fat, 900.0},
                      {"cortex", Tissue::Bone, 1900.0},
                      {"tendon", Tissue::Tendon, 1120.0}};
    Random random(Seed{5});
    std::vector<Vec3> directions;
    const auto add_share = [&](Index material, Index part, double fraction) {
        body.shares.material.push_back(material);
        body.shares.part.push_back(part);
        body.shares.fraction.push_back(fraction);
    };
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        const double share = static_cast<double>(random.below(65)) / 64;
        const auto muscle = static_cast<Index>(random.below(3));
        if (share > 0 && share < 1) {
            add_share(1, muscle, share);
            add_share(t % 2 == 0 ? 2 : 3, t % 2 == 0 ? -1 : Index{1}, (1 - share) / 2);
            add_share(4, muscle, (1 - share) / 2);
            body.fibres.muscle.push_back(muscle);
            directions.push_back(Vec3(random.normal(), 4, random.normal()).normalized());
        } else {
            add_share(0, -1, 1.0);
        }
        body.shares.start.push_back(static_cast<Index>(body.shares.fraction.size()));
        body.fibres.start.push_back(static_cast<Index>(body.fibres.muscle.size()));
    }
    body.fibres.direction.resize(static_cast<Eigen::Index>(directions.size()), 3);
    for (std::size_t i = 0; i < directions.size(); ++i) {
        body.fibres.direction.row(static_cast<Eigen::Index>(i)) = directions[i].transpose();
    }
}

void fill_skeleton(Body& body) {
    body.skeleton.segments = {{"pelvis", 30.0, {0.2, 0.4, 0.2}, 0.5 * Mat3::Identity()},
                              {"thorax", 40.0, {0.2, 1.2, 0.2}, 0.7 * Mat3::Identity()}};
    Joint root;
    root.name = "root";
    root.type = JointType::Free;
    Joint lumbar;
    lumbar.name = "lumbar";
    lumbar.parent = 0;
    lumbar.child = 1;
    lumbar.centre = Vec3(0.2, 0.8, 0.2);
    lumbar.type = JointType::Hinge;
    lumbar.axes[0] = Vec3(1, 0, 0);
    lumbar.limits[0] = {-0.5, 1.2};
    lumbar.rest = {0.1, 0, 0};
    lumbar.motions = {"flexion", "", ""};
    body.skeleton.joints = {root, lumbar};
}

}  // namespace

Body small_body(int cells) {
    Body body;
    body.name = "box";
    body.sex = Sex::Female;
    body.tets = box_of_tets({cells, 4 * cells, cells}, {0.4, 1.6, 0.4});
    body.tets.region.assign(static_cast<std::size_t>(body.tets.tets.rows()), 3);
    body.skin = surface_of_tets(body.tets, body.tets.tets);
    body.envelope = surface_of_tets(body.tets, inner_tets(body.tets));
    fill_skeleton(body);
    body.bones = {{.name = "sacrum", .segment = 0, .mesh = sphere(1, 0.05, {0.2, 0.6, 0.2})},
                  {.name = "rib_07_l",
                   .kind = BoneKind::Cartilage,
                   .segment = 1,
                   .mesh = sphere(1, 0.04, {0.25, 1.2, 0.2}),
                   .aliases = {{"fma", "FMA8038"}}}};
    body.muscles = {
        {.name = "psoas_major_l",
         .group = "hips",
         .mesh = sphere(2, 0.04, {0.25, 0.9, 0.2}),
         .origin = 0,
         .insertion = 1,
         .belly_begin = 0.1,
         .belly_end = 0.8,
         .volume = 2.5e-4,
         .fmax = 1427.0,
         .pennation = 0.12,
         .aliases = {{"opensim", "psoas_l"}, {"mass", "L_Psoas_Major"}}},
        {.name = "psoas_major_r", .group = "hips", .mesh = sphere(2, 0.04)},
        {.name = "tract_l", .group = "quadriceps", .mesh = sphere(0, 0.02), .is_passive = true}};
    fill_tissues(body);
    body.attachments.points = some_points(20, body.tets, 1);
    body.attachments.bone.assign(20, 1);
    for (std::size_t i = 0; i < body.bones.size(); ++i) {
        body.bone_embeddings.push_back(some_points(
            static_cast<std::size_t>(body.bones[i].mesh.points.rows()), body.tets, 10 + i));
    }
    for (std::size_t i = 0; i < body.muscles.size(); ++i) {
        body.muscle_embeddings.push_back(some_points(
            static_cast<std::size_t>(body.muscles[i].mesh.points.rows()), body.tets, 20 + i));
    }
    body.display_skin = sphere(2, 0.3);
    body.display_skin_embedding =
        some_points(static_cast<std::size_t>(body.display_skin.points.rows()), body.tets, 30);
    body.landmarks = {{"vertex", {0.2, 1.6, 0.2}, 3}, {"navel", {0.2, 0.9, 0.4}, -1}};
    Attribute thickness{.name = "fat_thickness", .components = 1, .values = {}, .unit = "m"};
    for (Eigen::Index i = 0; i < body.skin.mesh.points.rows(); ++i) {
        thickness.values.push_back(0.001 * static_cast<double>(i % 17));
    }
    body.maps = {thickness};
    body.provenance = {.program = "sinew test",
                       .command = "sinew build --resolution preview",
                       .seed = 42,
                       .inputs = {{"figure.json", "00112233445566aa"}},
                       .attribution = "made in code",
                       .notes = {"a box"}};
    return body;
}

MotionClip small_motion() {
    using enum Channel;
    MotionClip clip;
    clip.joints = {{.name = "hips",
                    .parent = -1,
                    .offset = {0, 0.9, 0},
                    .channels = {XPosition, YPosition, ZPosition, ZRotation, XRotation, YRotation}},
                   {.name = "knee_l",
                    .parent = 0,
                    .offset = {0.1, -0.4, 0},
                    .channels = {XRotation},
                    .has_end = true,
                    .end_offset = {0, -0.45, 0}},
                   {.name = "spine",
                    .parent = 0,
                    .offset = {0, 0.2, 0},
                    .channels = {YRotation, ZRotation, XRotation},
                    .has_end = true,
                    .end_offset = {0, 0.5, 0.01}}};
    clip.frame_time = 0.025;
    clip.frame_count = 4;
    Random random(Seed{3});
    for (int i = 0; i < 40; ++i) {
        clip.values.push_back(random.uniform(-1, 1));
    }
    return clip;
}

}  // namespace sinew::support
