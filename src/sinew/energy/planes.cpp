#include "sinew/energy/planes.h"

#include "sinew/energy/projective_checks.h"

#include <algorithm>
#include <cmath>

namespace sinew {

Planes::Planes(std::vector<Plane> planes) : ProjectiveConstraints(1) {
    set_planes(std::move(planes));
}

void Planes::set_planes(std::vector<Plane> planes) {
    clear();
    planes_ = std::move(planes);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        Plane& p = planes_[i];
        const double length = p.normal.norm();
        if (!(length > 0.0) || !std::isfinite(length)) {
            throw InputError({.where = fmt::format("plane for vertex {}", p.vertex),
                              .found = fmt::format("a normal of length {}", length),
                              .needs = "a direction",
                              .remedy = "give the plane's normal, e.g. 0 1 0 for the ground"});
        }
        p.normal /= length;
        const double weight = detail::checked_weight("planes", i, p.stiffness);
        // One row: the vertex relative to what its plane goes along with.
        const Index vertices[4] = {p.vertex, p.support[0], p.support[1], p.support[2]};
        const double row[4] = {1.0, -p.weight[0], -p.weight[1], -p.weight[2]};
        const std::size_t count = p.support[0] >= 0 ? 4 : 1;
        add({vertices, count}, {row, count}, weight);
    }
    finish();
}

void Planes::project(std::size_t i, const Rows& q, Rows& p) const {
    const Plane& plane = planes_[i];
    const double h = plane.normal.dot(q.row(0).transpose() - plane.origin);
    if (!plane.is_one_sided || h < 0.0) {
        p.row(0) = q.row(0) - h * plane.normal.transpose();
    }
}

double Planes::height(const Plane& plane, const Points& x) const {
    Vec3 from = plane.origin;
    if (plane.support[0] >= 0) {
        for (int k = 0; k < 3; ++k) {
            from += plane.weight[k] * point(x, plane.support[at(k)]);
        }
    }
    return plane.normal.dot(point(x, plane.vertex) - from);
}

void Planes::add_pattern(BlockPattern& pattern) const {
    for (const Plane& p : planes_) {
        if (p.support[0] >= 0 && p.is_coupled) {
            pattern.couple(std::array{p.vertex, p.support[0], p.support[1], p.support[2]});
        }
    }
}

void Planes::add_hessian(const Points& x, Tangent /*kind*/, BlockHessian& H) const {
    for (const Plane& p : planes_) {
        if (p.is_one_sided && height(p, x) >= 0.0) {
            continue;
        }
        const Mat3 block = p.stiffness * p.normal * p.normal.transpose();
        if (p.support[0] < 0) {
            H.add(p.vertex, p.vertex, block);
            continue;
        }
        const std::array<Index, 4> vertex = {p.vertex, p.support[0], p.support[1], p.support[2]};
        const std::array<double, 4> part = {1.0, -p.weight[0], -p.weight[1], -p.weight[2]};
        for (std::size_t i = 0; i < 4; ++i) {
            if (!p.is_coupled) {
                H.add(vertex[i], vertex[i], 2.0 * std::abs(part[i]) * block);
                continue;
            }
            for (std::size_t j = 0; j <= i; ++j) {
                H.add(vertex[i], vertex[j], part[i] * part[j] * block);
            }
        }
    }
}

std::vector<Planes::Plane> planes_at(std::span<const RigidContact> contacts, double stiffness) {
    std::vector<Planes::Plane> planes;
    planes.reserve(contacts.size());
    for (const RigidContact& c : contacts) {
        planes.push_back({.vertex = c.vertex,
                          .origin = c.point,
                          .normal = c.normal,
                          .stiffness = stiffness,
                          .is_one_sided = true});
    }
    return planes;
}

}  // namespace sinew
