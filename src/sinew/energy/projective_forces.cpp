#include "sinew/energy/projective_forces.h"

#include "sinew/energy/projective_checks.h"

#include <Eigen/Geometry>

namespace sinew {

ProjectiveLoad::ProjectiveLoad(Points forces) : forces_(std::move(forces)) {}

void ProjectiveLoad::add_quadratic(Triplets&) const {}

double ProjectiveLoad::add_force(const Points& x, Points& force) {
    detail::check_count("rows of a load", forces_.rows(), x.rows());
    force += forces_;
    return energy(x);
}

double ProjectiveLoad::energy(const Points& x) const {
    return -forces_.cwiseProduct(x).sum();
}

ProjectivePressure::ProjectivePressure(Triangles triangles, double pressure)
    : triangles_(std::move(triangles)), pressure_(pressure) {}

void ProjectivePressure::set_pressure(double pressure) {
    pressure_ = pressure;
}

void ProjectivePressure::add_quadratic(Triplets&) const {}

// V = sum over triangles of a . (b x c) / 6; its derivative by a is (b x c) / 6.
double ProjectivePressure::add_force(const Points& x, Points& force) {
    for (Eigen::Index t = 0; t < triangles_.rows(); ++t) {
        const Vec3 a = point(x, triangles_(t, 0));
        const Vec3 b = point(x, triangles_(t, 1));
        const Vec3 c = point(x, triangles_(t, 2));
        force.row(triangles_(t, 0)) += pressure_ / 6.0 * b.cross(c).transpose();
        force.row(triangles_(t, 1)) += pressure_ / 6.0 * c.cross(a).transpose();
        force.row(triangles_(t, 2)) += pressure_ / 6.0 * a.cross(b).transpose();
    }
    return energy(x);
}

double ProjectivePressure::energy(const Points& x) const {
    double volume = 0.0;
    for (Eigen::Index t = 0; t < triangles_.rows(); ++t) {
        const Vec3 a = point(x, triangles_(t, 0));
        volume += a.dot(point(x, triangles_(t, 1)).cross(point(x, triangles_(t, 2)))) / 6.0;
    }
    return -pressure_ * volume;
}

}  // namespace sinew
