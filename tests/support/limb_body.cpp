#include "tests/support/limb_body.h"

#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <cmath>

#include "tests/support/shapes.h"

namespace sinew::support {

namespace {

// Square cross-sections to discs: rings of the square become circles.
TetMesh round_limb(const LimbOptions& o) {
    TetMesh mesh = box_of_tets({o.across, o.along, o.across}, {2.0, o.length, 2.0});
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        const double x = mesh.points(i, 0) - 1.0;
        const double z = mesh.points(i, 2) - 1.0;
        const double ring = std::max(std::abs(x), std::abs(z));
        const double scale = ring > 0.0 ? o.radius * ring / std::hypot(x, z) : 0.0;
        mesh.points(i, 0) = x * scale;
        mesh.points(i, 2) = z * scale;
    }
    return mesh;
}

Vec3 centre_of(const TetMesh& mesh, Eigen::Index t) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
        sum += point(mesh.points, mesh.tets(t, k));
    }
    return sum / 4.0;
}

TetSurface surface_around(const TetMesh& mesh, const std::vector<Eigen::Index>& inside) {
    Tets tets(static_cast<Eigen::Index>(inside.size()), 4);
    for (Eigen::Index i = 0; i < tets.rows(); ++i) {
        tets.row(i) = mesh.tets.row(inside[static_cast<std::size_t>(i)]);
    }
    const Compacted c = without_unused_points(mesh.points, boundary_triangles(tets));
    return {.mesh = {.points = c.points, .triangles = c.triangles}, .tet_vertex = c.old_index};
}

// Vertices of a surface, each in a tetrahedron it is a corner of.
EmbeddedPoints at_corners(const TetMesh& mesh, const std::vector<Index>& vertices) {
    const Lists around = tets_of_vertices(mesh.tets, mesh.points.rows());
    EmbeddedPoints e;
    e.weights = Weights4::Zero(static_cast<Eigen::Index>(vertices.size()), 4);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Index t = around[static_cast<std::size_t>(vertices[i])][0];
        e.tet.push_back(t);
        for (int k = 0; k < 4; ++k) {
            e.weights(static_cast<Eigen::Index>(i), k) = mesh.tets(t, k) == vertices[i] ? 1.0 : 0.0;
        }
    }
    return e;
}

TetSurface twice(const TetSurface& one, double apart, Index points) {
    TetSurface two = one;
    const Eigen::Index rows = one.mesh.points.rows();
    two.mesh.points.conservativeResize(2 * rows, 3);
    two.mesh.points.bottomRows(rows) = one.mesh.points.rowwise() + Eigen::RowVector3d(apart, 0, 0);
    two.mesh.triangles.conservativeResize(2 * one.mesh.triangles.rows(), 3);
    two.mesh.triangles.bottomRows(one.mesh.triangles.rows()) =
        one.mesh.triangles.array() + static_cast<Index>(rows);
    for (const Index v : one.tet_vertex) {
        two.tet_vertex.push_back(v + points);
    }
    return two;
}

// Appends a list to itself, with something added where it is not negative.
void repeat(std::vector<Index>& list, Index more) {
    const std::size_t count = list.size();
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(list[i] < 0 ? list[i] : list[i] + more);
    }
}

// The same for the ends of lists.
void repeat_starts(std::vector<Index>& start) {
    const std::size_t count = start.size();
    const Index last = start.back();
    for (std::size_t i = 1; i < count; ++i) {
        start.push_back(last + start[i]);
    }
}

Points twice(const Points& one, const Eigen::RowVector3d& moved) {
    Points two(2 * one.rows(), 3);
    two << one, one.rowwise() + moved;
    return two;
}

}  // namespace

Body limb_body(const LimbOptions& o) {
    Body body;
    body.name = "limb";
    body.tets = round_limb(o);
    body.materials = {{"generic", Tissue::Generic, 1000.0},
                      {"muscle", Tissue::Muscle, 1060.0},
                      {"fat", Tissue::Fat, 900.0},
                      {"bone", Tissue::Bone, 1900.0},
                      {"tendon", Tissue::Tendon, 1120.0}};
    std::vector<Eigen::Index> all;
    std::vector<Eigen::Index> inner;
    std::vector<std::vector<Eigen::Index>> of_bone(2);
    std::vector<std::vector<Eigen::Index>> of_muscle(2);
    std::vector<Vec3> fibres;
    body.fibres.start = {0};
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        all.push_back(t);
        // The ring a tetrahedron lies in, by its outermost corner: exact on these grids.
        double ring = 0.0;
        for (int k = 0; k < 4; ++k) {
            const Vec3 p = point(body.tets.points, body.tets.tets(t, k));
            ring = std::max(ring, std::hypot(p.x(), p.z()) / o.radius);
        }
        const Vec3 c = centre_of(body.tets, t);
        const double way = c.y() / o.length;
        Index material = 2;
        Index part = -1;
        if (ring <= o.envelope + 1e-9) {
            inner.push_back(t);
            if (ring <= o.bone + 1e-9) {
                material = 3;
                part = way < 0.5 ? 0 : 1;
                of_bone[static_cast<std::size_t>(part)].push_back(t);
            } else {
                part = c.x() > 0.0 ? 0 : 1;
                material = o.has_tendons && (way < 0.2 || way > 0.8) ? 4 : 1;
                of_muscle[static_cast<std::size_t>(part)].push_back(t);
                body.fibres.muscle.push_back(part);
                fibres.push_back(Vec3::UnitY());
            }
        }
        body.shares.material.push_back(material);
        body.shares.part.push_back(part);
        body.shares.fraction.push_back(1.0);
        body.shares.start.push_back(static_cast<Index>(t + 1));
        body.fibres.start.push_back(static_cast<Index>(fibres.size()));
    }
    body.fibres.direction.resize(static_cast<Eigen::Index>(fibres.size()), 3);
    for (std::size_t i = 0; i < fibres.size(); ++i) {
        body.fibres.direction.row(static_cast<Eigen::Index>(i)) = fibres[i].transpose();
    }
    body.skin = surface_around(body.tets, all);
    body.envelope = surface_around(body.tets, inner);
    body.skeleton.segments = {{.name = "lower", .mass = 1.0}, {.name = "upper", .mass = 1.0}};
    body.skeleton.joints = {
        {.name = "root", .parent = -1, .child = 0, .centre = Vec3::Zero(), .type = JointType::Free},
        {.name = "elbow_l",
         .parent = 0,
         .child = 1,
         .centre = Vec3(0, o.length / 2, 0),
         .type = JointType::Hinge}};
    for (std::size_t b = 0; b < 2 && o.bone > 0.0; ++b) {
        const TetSurface s = surface_around(body.tets, of_bone[b]);
        body.bones.push_back({.name = b == 0 ? "humerus_l" : "ulna_l",
                              .segment = static_cast<Index>(b),
                              .mesh = s.mesh});
        body.bone_embeddings.push_back(at_corners(body.tets, s.tet_vertex));
        const EmbeddedPoints& e = body.bone_embeddings.back();
        const Eigen::Index old = body.attachments.points.weights.rows();
        body.attachments.points.tet.insert(body.attachments.points.tet.end(), e.tet.begin(),
                                           e.tet.end());
        body.attachments.points.weights.conservativeResize(old + e.weights.rows(), 4);
        body.attachments.points.weights.bottomRows(e.weights.rows()) = e.weights;
        body.attachments.bone.insert(body.attachments.bone.end(), e.tet.size(),
                                     static_cast<Index>(b));
    }
    for (std::size_t m = 0; m < 2; ++m) {
        const TetSurface s = surface_around(body.tets, of_muscle[m]);
        body.muscles.push_back({.name = m == 0 ? "biceps_brachii_l" : "triceps_brachii_l",
                                .group = m == 0 ? "biceps" : "triceps",
                                .mesh = s.mesh,
                                .fmax = 600.0});
        body.muscle_embeddings.push_back(at_corners(body.tets, s.tet_vertex));
    }
    body.landmarks = {{.name = "top", .position = Vec3(0, o.length, 0), .skin_vertex = -1}};
    return body;
}

Body two_limbs(double apart, const LimbOptions& options) {
    const Body one = limb_body(options);
    const Eigen::RowVector3d aside(apart, 0, 0);
    const auto points = static_cast<Index>(one.tets.points.rows());
    const auto tets = static_cast<Index>(one.tets.tets.rows());
    Body two = one;
    two.name = "two limbs";
    two.tets.points = twice(one.tets.points, aside);
    two.tets.tets.resize(2 * tets, 4);
    two.tets.tets << one.tets.tets, one.tets.tets.array() + points;
    two.skin = twice(one.skin, apart, points);
    two.envelope = twice(one.envelope, apart, points);
    repeat(two.shares.material, 0);
    repeat(two.shares.part, 2);
    two.shares.fraction.resize(two.shares.material.size(), 1.0);
    repeat_starts(two.shares.start);
    repeat(two.fibres.muscle, 2);
    repeat_starts(two.fibres.start);
    two.fibres.direction = twice(one.fibres.direction, Eigen::RowVector3d::Zero());
    repeat(two.attachments.points.tet, tets);
    two.attachments.points.weights.resize(2 * one.attachments.points.weights.rows(), 4);
    two.attachments.points.weights << one.attachments.points.weights,
        one.attachments.points.weights;
    repeat(two.attachments.bone, static_cast<Index>(one.bones.size()));
    const auto to_the_right = [](std::string name) {
        return name.substr(0, name.size() - 1) + "r";
    };
    for (Bone bone : one.bones) {
        bone.name = to_the_right(bone.name);
        bone.mesh.points.rowwise() += aside;
        two.bones.push_back(std::move(bone));
    }
    for (Muscle& muscle : two.muscles) {
        muscle.mesh = {};
    }
    for (std::size_t m = 0; m < one.muscles.size(); ++m) {
        two.muscles.push_back(two.muscles[m]);
        two.muscles.back().name = to_the_right(two.muscles[m].name);
    }
    two.bone_embeddings = {};
    two.muscle_embeddings = {};
    return two;
}

}  // namespace sinew::support
