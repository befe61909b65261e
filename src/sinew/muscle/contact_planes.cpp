#include "sinew/muscle/contact_planes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

double height(const ContactPlanes::Plane& p, const Points& x) {
    Vec3 from = p.origin;
    if (p.support[0] >= 0) {
        for (int i = 0; i < 3; ++i) {
            from += p.weight[i] * point(x, p.support[static_cast<std::size_t>(i)]);
        }
    }
    return p.normal.dot(point(x, p.vertex) - from);
}

}  // namespace

ContactPlanes::ContactPlanes(std::vector<Plane> planes) : planes_(std::move(planes)) {}

double ContactPlanes::value(const Points& x) const {
    double sum = 0.0;
    for (const Plane& p : planes_) {
        const double h = std::min(0.0, height(p, x));
        sum += 0.5 * p.stiffness * h * h;
    }
    return sum;
}

void ContactPlanes::add_gradient(const Points& x, Points& gradient) const {
    for (const Plane& p : planes_) {
        const double h = height(p, x);
        if (h >= 0.0) {
            continue;
        }
        const Vec3 pull = p.stiffness * h * p.normal;
        gradient.row(p.vertex) += pull.transpose();
        if (p.support[0] >= 0) {
            for (int i = 0; i < 3; ++i) {
                gradient.row(p.support[static_cast<std::size_t>(i)]) -=
                    p.weight[i] * pull.transpose();
            }
        }
    }
}

void ContactPlanes::add_pattern(BlockPattern& pattern) const {
    for (const Plane& p : planes_) {
        if (p.support[0] >= 0 && p.is_coupled) {
            pattern.couple(std::array{p.vertex, p.support[0], p.support[1], p.support[2]});
        }
    }
}

void ContactPlanes::add_hessian(const Points& x, Tangent /*kind*/, BlockHessian& H) const {
    for (const Plane& p : planes_) {
        if (height(p, x) >= 0.0) {
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

}  // namespace sinew
