#include "sinew/energy/shape_contact.h"

#include "sinew/base/error.h"

#include <algorithm>

namespace sinew {

ShapeContact::ShapeContact(MovingShape shape, std::vector<Index> vertices, std::vector<double> area,
                           double stiffness)
    : shape_(std::move(shape)),
      vertices_(std::move(vertices)),
      area_(std::move(area)),
      stiffness_(stiffness) {
    SINEW_ASSERT(vertices_.size() == area_.size(), "{} vertices, {} areas", vertices_.size(),
                 area_.size());
}

double ShapeContact::value(const Points& x) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        const double d = std::min(0.0, shape_distance(shape_, point(x, vertices_[i])).distance);
        sum += 0.5 * stiffness_ * area_[i] * d * d;
    }
    return sum;
}

void ShapeContact::add_gradient(const Points& x, Points& gradient) const {
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        const ShapeDistance d = shape_distance(shape_, point(x, vertices_[i]));
        if (d.distance < 0.0) {
            gradient.row(vertices_[i]) +=
                stiffness_ * area_[i] * d.distance * d.gradient.transpose();
        }
    }
}

void ShapeContact::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        const ShapeDistance d = shape_distance(shape_, point(x, vertices_[i]));
        if (d.distance < 0.0) {
            Mat3 K = d.gradient * d.gradient.transpose();
            if (kind == Tangent::Exact) {
                K += d.distance * d.hessian;
            }
            H.add(vertices_[i], vertices_[i], stiffness_ * area_[i] * K);
        }
    }
}

ShapeContact::Touch ShapeContact::touch(const Points& x) const {
    Touch t;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        const ShapeDistance d = shape_distance(shape_, point(x, vertices_[i]));
        if (d.distance < 0.0) {
            t.force += stiffness_ * area_[i] * d.distance * d.gradient;
            t.depth = std::max(t.depth, -d.distance);
            t.area += area_[i];
        }
    }
    return t;
}

}  // namespace sinew
