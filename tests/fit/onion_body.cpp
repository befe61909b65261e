#include "tests/fit/onion_body.h"

#include "sinew/geometry/embedding.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/prism_columns.h"

#include <numeric>

#include "tests/support/shapes.h"

namespace sinew::support {

namespace {

// Semi-axes of the layers, m.
const Vec3 kSkinAxes(0.07, 0.30, 0.07);
const Vec3 kMuscleAxes(0.055, 0.285, 0.055);
const Vec3 kCoreAxes(0.02, 0.22, 0.02);

Points stretched(const Points& sphere, const Vec3& axes) {
    Points result = sphere;
    for (int k = 0; k < 3; ++k) {
        result.col(k) *= axes[k];
    }
    return result;
}

EmbeddedPoints embedded(const Points& points, const TetMesh& tets) {
    TetEmbedding e = embed(points, tets);
    return {.tet = std::move(e.tet), .weights = std::move(e.weights)};
}

// Skin, muscle surface, core, and a point in the middle.
TetMesh shells(const TriangleMesh& ball) {
    const Eigen::Index n = ball.points.rows();
    TetMesh mesh;
    mesh.points.resize(3 * n + 1, 3);
    mesh.points << stretched(ball.points, kSkinAxes), stretched(ball.points, kMuscleAxes),
        stretched(ball.points, kCoreAxes), Eigen::RowVector3d::Zero();
    const Tets columns = prism_columns(ball.triangles, n);
    const Eigen::Index c = columns.rows();
    mesh.tets.resize(2 * c + ball.triangles.rows(), 4);
    mesh.tets.topRows(c) = columns;
    mesh.tets.middleRows(c, c) = columns.array() + static_cast<Index>(n);
    for (Eigen::Index t = 0; t < ball.triangles.rows(); ++t) {
        const auto core = static_cast<Index>(2 * n);
        mesh.tets.row(2 * c + t) << static_cast<Index>(3 * n), core + ball.triangles(t, 0),
            core + ball.triangles(t, 1), core + ball.triangles(t, 2);
    }
    return mesh;
}

TetSurface shell(const TetMesh& tets, const Triangles& triangles, Eigen::Index n, Index first) {
    TetSurface surface;
    surface.mesh.points = tets.points.middleRows(first, n);
    surface.mesh.triangles = triangles;
    surface.tet_vertex.resize(at(n));
    std::iota(surface.tet_vertex.begin(), surface.tet_vertex.end(), first);
    return surface;
}

}  // namespace

Body onion_body(int levels) {
    const TriangleMesh ball = sphere(levels, 1.0);
    const Eigen::Index n = ball.points.rows();
    Body body;
    body.name = "onion";
    body.tets = shells(ball);
    body.skin = shell(body.tets, ball.triangles, n, 0);
    body.envelope = shell(body.tets, ball.triangles, n, static_cast<Index>(n));
    body.materials = tissue_materials();
    const Eigen::Index columns = 3 * ball.triangles.rows();
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        const Tissue tissue = t < columns       ? Tissue::Fat
                              : t < 2 * columns ? Tissue::Muscle
                                                : Tissue::Bone;
        body.shares.material.push_back(static_cast<Index>(tissue));
        body.shares.part.push_back(tissue == Tissue::Fat ? -1 : 0);
        body.shares.fraction.push_back(1.0);
        body.shares.start.push_back(static_cast<Index>(t + 1));
        body.fibres.start.push_back(body.fibres.start.back() + (tissue == Tissue::Muscle ? 1 : 0));
    }
    body.fibres.muscle.assign(at(columns), 0);
    body.fibres.direction = Points::Zero(columns, 3);
    body.fibres.direction.col(1).setOnes();

    body.skeleton.segments = {{.name = "femur_l", .mass = 1.0, .inertia = Mat3::Identity()}};
    body.skeleton.joints = {{.name = "root",
                             .parent = -1,
                             .child = 0,
                             .centre = Vec3(0.0, 0.2, 0.0),
                             .type = JointType::Free}};
    Bone bone{.name = "femur_l", .segment = 0, .mesh = sphere(3, 1.0)};
    bone.mesh.points = stretched(bone.mesh.points, Vec3(0.018, 0.215, 0.018));
    body.bones = {bone};
    Muscle muscle{.name = "vastus_l", .group = "quadriceps", .mesh = sphere(3, 1.0), .fmax = 1000};
    muscle.mesh.points = stretched(muscle.mesh.points, Vec3(0.05, 0.27, 0.05));
    muscle.volume = enclosed_volume(muscle.mesh);
    body.muscles = {muscle};
    body.bone_embeddings = {embedded(bone.mesh.points, body.tets)};
    body.muscle_embeddings = {embedded(muscle.mesh.points, body.tets)};
    body.attachments.points = embedded(bone.mesh.points, body.tets);
    body.attachments.bone.assign(at(bone.mesh.points.rows()), 0);
    return body;
}

}  // namespace sinew::support
