#include "sinew/muscle/contact_planes.h"

#include <algorithm>

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

void ContactPlanes::add_pattern(BlockPattern& /*pattern*/) const {}  // the diagonal is always there

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
        H.add(p.vertex, p.vertex, 2.0 * block);
        for (int i = 0; i < 3; ++i) {
            const Index s = p.support[static_cast<std::size_t>(i)];
            H.add(s, s, 2.0 * p.weight[i] * block);
        }
    }
}

}  // namespace sinew
