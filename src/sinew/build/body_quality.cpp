#include "sinew/body/summary.h"
#include "sinew/build/body_builder.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/meshing/health.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

/// Surface of all parts, sampled by area: how much of it the envelope holds.
void measure_enclosure(const Body& body, int samples, BodyQuality& q) {
    constexpr double kNear = 0.001;  // m
    const SignedDistance envelope(body.envelope.mesh);
    double area = 0.0;
    for (const Bone& bone : body.bones) {
        area += surface_area(bone.mesh);
    }
    for (const Muscle& muscle : body.muscles) {
        area += surface_area(muscle.mesh);
    }
    long count = 0;
    long near = 0;
    long inside = 0;
    const auto add = [&](const TriangleMesh& mesh) {
        const double share = surface_area(mesh) / area;
        const auto n = static_cast<Eigen::Index>(std::ceil(share * samples));
        const Eigen::VectorXd d = envelope.at_all(
            sample_surface(mesh, n, Seed{static_cast<std::uint64_t>(count)}).points);
        count += n;
        near += (d.array() <= kNear).count();
        inside += (d.array() <= 0.0).count();
    };
    for (const Bone& bone : body.bones) {
        add(bone.mesh);
    }
    for (const Muscle& muscle : body.muscles) {
        add(muscle.mesh);
    }
    q.enclosed = static_cast<double>(near) / static_cast<double>(std::max(count, 1L));
    q.enclosed_exactly = static_cast<double>(inside) / static_cast<double>(std::max(count, 1L));
}

void measure_layers(const Body& body, BodyQuality& q) {
    const SignedDistance skin(body.skin.mesh);
    const Eigen::VectorXd d = skin.at_all(body.envelope.mesh.points);
    std::vector<double> depth(d.data(), d.data() + d.size());
    std::sort(depth.begin(), depth.end());
    q.least_fat = -depth.back();
    q.median_fat = -depth[depth.size() / 2];
    const long met =
        static_cast<long>(find_intersections(body.skin.mesh, body.envelope.mesh).pairs.size());
    const SurfaceHealth health = check_health(body.skin.mesh);
    q.skin_genus = health.measures.genus;
    q.skin_intersections =
        met + health.measures.intersections +
        static_cast<long>(find_self_intersections(body.envelope.mesh).pairs.size());
    q.is_envelope_inside = q.least_fat > 0.0 && met == 0;
}

void measure_volumes(const Body& body, BodyQuality& q) {
    if (body.shares.start.size() <= 1) {
        return;
    }
    const std::vector<double> stored = muscle_volumes_in_tets(body);
    std::vector<double> errors;
    constexpr double kSmall = 1e-6;  // m^3
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const TriangleMesh& mesh = body.muscles[i].mesh;
        const double volume = enclosed_volume(mesh);
        const double error = std::abs(stored[i] / volume - 1.0);
        errors.push_back(error);
        if (volume >= kSmall) {
            q.worst_volume_error = std::max(q.worst_volume_error, error);
        }
    }
    if (!errors.empty()) {
        std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2),
                         errors.end());
        q.median_volume_error = errors[errors.size() / 2];
    }
}

}  // namespace

BodyQuality measure_quality(const Body& body, int samples) {
    BodyQuality q;
    const TetQuality tets = tet_quality(body.tets);
    q.smallest_dihedral = tets.smallest_dihedral;
    q.largest_dihedral = tets.largest_dihedral;
    q.largest_radius_edge = tets.largest_radius_edge;
    q.mean_radius_edge = tets.mean_radius_edge;
    q.inverted = static_cast<long>(tets.inverted);
    if (body.envelope.mesh.points.rows() > 0) {
        measure_enclosure(body, samples, q);
        measure_layers(body, q);
    }
    measure_volumes(body, q);
    return q;
}

}  // namespace sinew
