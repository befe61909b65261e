#include "sinew/muscle/contact_planes.h"

#include <algorithm>

namespace sinew {

namespace {

double height(const ContactPlanes::Plane& p, const Points& x) {
    return p.normal.dot(point(x, p.vertex) - p.origin);
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
        const double h = std::min(0.0, height(p, x));
        gradient.row(p.vertex) += p.stiffness * h * p.normal.transpose();
    }
}

void ContactPlanes::add_pattern(BlockPattern& /*pattern*/) const {}  // the diagonal is always there

void ContactPlanes::add_hessian(const Points& x, Tangent /*kind*/, BlockHessian& H) const {
    for (const Plane& p : planes_) {
        if (height(p, x) < 0.0) {
            H.add(p.vertex, p.vertex, p.stiffness * p.normal * p.normal.transpose());
        }
    }
}

double ContactPlanes::deepest(const Points& x) const {
    double depth = 0.0;
    for (const Plane& p : planes_) {
        depth = std::max(depth, -height(p, x));
    }
    return depth;
}

}  // namespace sinew
