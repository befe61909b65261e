#include "sinew/energy/plane_sliding.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

namespace sinew {

PlaneSliding::PlaneSliding(std::vector<Slide> slides) : slides_(std::move(slides)) {
    for (Slide& s : slides_) {
        if (!(s.normal.norm() > 0.0)) {
            throw InputError({.where = fmt::format("plane for vertex {}", s.vertex),
                              .found = "a normal of zero length",
                              .needs = "a direction",
                              .remedy = "give the plane's normal, e.g. 0 1 0 for the ground"});
        }
        s.normal.normalize();
    }
}

double PlaneSliding::value(const Points& x) const {
    double sum = 0.0;
    for (const Slide& s : slides_) {
        const double distance = s.normal.dot(point(x, s.vertex) - s.origin);
        sum += 0.5 * s.stiffness * distance * distance;
    }
    return sum;
}

void PlaneSliding::add_gradient(const Points& x, Points& gradient) const {
    for (const Slide& s : slides_) {
        const double distance = s.normal.dot(point(x, s.vertex) - s.origin);
        gradient.row(s.vertex) += s.stiffness * distance * s.normal.transpose();
    }
}

void PlaneSliding::add_pattern(BlockPattern& /*pattern*/) const {}  // the diagonal is always there

void PlaneSliding::add_hessian(const Points& /*x*/, Tangent /*kind*/, BlockHessian& H) const {
    for (const Slide& s : slides_) {
        H.add(s.vertex, s.vertex, s.stiffness * s.normal * s.normal.transpose());
    }
}

}  // namespace sinew
