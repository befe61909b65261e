#include "sinew/motion/model_shapes.h"

#include "sinew/base/units.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/passive_forces.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

// A model as surfaces to look at: meshes or boxes of bodies, muscles as tubes along their paths, as
// thick as they are strong. Counts of vertices are the same in every pose, so that poses can be
// played as shape keys.

namespace sinew {

namespace {

constexpr int kSides = 8;
constexpr int kRings = 24;                  // along a muscle
constexpr double kSmallBox = 0.02;          // m, edges of bodies without a shape
constexpr double kStrongestDrawn = 3000.0;  // N; as thick as tubes get
constexpr double kThinnestTube = 0.0015;    // m, radius
constexpr double kThickest = 0.006;         // m, radius

TriangleMesh box(const Placement& T, const Vec3& size) {
    TriangleMesh mesh;
    mesh.points.resize(8, 3);
    for (int i = 0; i < 8; ++i) {
        const Vec3 corner((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5,
                          (i & 4) != 0 ? 0.5 : -0.5);
        mesh.points.row(i) = (T * Vec3(corner.cwiseProduct(size))).transpose();
    }
    mesh.triangles.resize(12, 3);
    mesh.triangles << 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4,
        2, 2, 4, 6, 1, 3, 5, 3, 7, 5;
    return mesh;
}

// A closed tube; its cross-section is carried along without twist.
TriangleMesh tube(const std::vector<Vec3>& line, double radius) {
    const auto n = static_cast<Eigen::Index>(line.size());
    TriangleMesh mesh;
    mesh.points.resize(n * kSides + 2, 3);
    mesh.triangles.resize(2 * kSides * (n - 1) + 2 * kSides, 3);
    Vec3 across = (line[1] - line[0]).unitOrthogonal();
    Eigen::Index t = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vec3 along =
            (line[std::min(k + 1, line.size() - 1)] - line[k > 0 ? k - 1 : 0]).normalized();
        across = (across - across.dot(along) * along).normalized();
        const Vec3 other = along.cross(across);
        for (int s = 0; s < kSides; ++s) {
            const double a = 2.0 * kPi * s / kSides;
            mesh.points.row(i * kSides + s) =
                (line[k] + radius * (std::cos(a) * across + std::sin(a) * other)).transpose();
            if (i + 1 < n) {
                const Index p = static_cast<Index>(i * kSides + s);
                const Index q = static_cast<Index>(i * kSides + (s + 1) % kSides);
                mesh.triangles.row(t++) << p, q, p + kSides;
                mesh.triangles.row(t++) << q, q + kSides, p + kSides;
            }
        }
    }
    const auto begin = static_cast<Index>(n * kSides);
    mesh.points.row(begin) = line.front().transpose();
    mesh.points.row(begin + 1) = line.back().transpose();
    for (int s = 0; s < kSides; ++s) {
        const Index next = (s + 1) % kSides;
        mesh.triangles.row(t++) << begin, next, s;
        const auto last = static_cast<Index>((n - 1) * kSides);
        mesh.triangles.row(t++) << begin + 1, last + s, last + next;
    }
    return mesh;
}

// As many points for every path in every pose, so that shapes can be animated.
std::vector<Vec3> evenly(const std::vector<Vec3>& route) {
    std::vector<double> place = {0.0};
    for (std::size_t k = 1; k < route.size(); ++k) {
        place.push_back(place.back() + (route[k] - route[k - 1]).norm());
    }
    std::vector<Vec3> line;
    std::size_t k = 1;
    for (int i = 0; i < kRings; ++i) {
        const double s = place.back() * i / (kRings - 1);
        while (k + 1 < route.size() && place[k] < s) {
            ++k;
        }
        const double d = place[k] - place[k - 1];
        line.push_back(route[k - 1] +
                       (d > 0.0 ? (s - place[k - 1]) / d : 0.0) * (route[k] - route[k - 1]));
    }
    return line;
}

std::string shape_name(const MusculoskeletalModel& model, const BodyShape& shape) {
    const std::string body = shape.body < 0 ? "ground" : model.bodies[at(shape.body)].name;
    return shape.name.empty() || shape.name == body ? body : body + "_" + shape.name;
}

TriangleMesh placed_mesh(const TriangleMesh& mesh, const Placement& T, const Vec3& scale) {
    TriangleMesh out{.points = mesh.points, .triangles = mesh.triangles};
    for (Eigen::Index v = 0; v < out.points.rows(); ++v) {
        const Vec3 p = out.points.row(v).transpose();
        out.points.row(v) = (T * Vec3(p.cwiseProduct(scale))).transpose();
    }
    if (scale.prod() < 0.0) {
        out.triangles.col(1).swap(out.triangles.col(2));
    }
    return out;
}

// Bands run as muscles do.
void add_ligaments(const MusculoskeletalModel& model, const KinematicTree& tree,
                   const ModelPlacement& place, std::vector<MeshPart>& parts) {
    const MusculoskeletalModel bands = ligaments_as_muscles(model);
    const MusclePaths paths(bands, tree);
    for (std::size_t k = 0; k < bands.muscles.size(); ++k) {
        std::vector<Vec3> route;
        for (const PathState::Node& node : paths.route(k, place)) {
            route.push_back(node.position);
        }
        parts.push_back({.name = bands.muscles[k].name,
                         .mesh = tube(evenly(route), kThinnestTube),
                         .kind = "ligament",
                         .colour = {0.90f, 0.88f, 0.82f, 1.0f}});
    }
}

}  // namespace

std::vector<MeshPart> model_shapes(const MusculoskeletalModel& model, std::span<const double> q) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const ModelPlacement place = tree.place(q);
    std::vector<MeshPart> parts;
    std::vector<bool> has_mesh(model.bodies.size(), false);
    for (const BodyShape& shape : model.shapes) {
        if (!shape.mesh) {
            continue;
        }
        const Placement T =
            shape.body < 0 ? shape.placement : place.bodies[at(shape.body)] * shape.placement;
        parts.push_back({.name = shape_name(model, shape),
                         .mesh = placed_mesh(*shape.mesh, T, shape.scale),
                         .kind = "bone",
                         .colour = shape.colour});
        if (shape.body >= 0) {
            has_mesh[at(shape.body)] = true;
        }
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        if (has_mesh[b]) {
            continue;
        }
        const RigidBody& body = model.bodies[b];
        const bool has_box = body.box.minCoeff() > 0.0;
        const Placement T = place.bodies[b] *
                            (has_box ? body.box_placement : Placement{Mat3::Identity(), body.com});
        parts.push_back({.name = body.name,
                         .mesh = box(T, has_box ? body.box : Vec3(Vec3::Constant(kSmallBox))),
                         .kind = "bone",
                         .colour = {0.85f, 0.80f, 0.70f, 1.0f}});
    }
    add_ligaments(model, tree, place, parts);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        std::vector<Vec3> route;
        for (const PathState::Node& node : paths.route(m, place)) {
            route.push_back(node.position);
        }
        const std::vector<Vec3> line = evenly(route);
        const double share =
            std::sqrt(std::clamp(model.muscles[m].fmax / kStrongestDrawn, 0.0, 1.0));
        parts.push_back({.name = model.muscles[m].name,
                         .mesh = tube(line, kThinnestTube + share * (kThickest - kThinnestTube)),
                         .kind = "muscle",
                         .colour = {0.55f, 0.09f, 0.07f, 1.0f}});
    }
    return parts;
}

}  // namespace sinew
