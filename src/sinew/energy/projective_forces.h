#pragma once

#include "sinew/energy/projective_term.h"

#include <vector>

namespace sinew {

/// Dead loads such as gravity (see gravity_forces in masses.h): E(x) = -sum_i f_i . x_i.
class ProjectiveLoad final : public ProjectiveTerm {
public:
    /// @param forces  one row per vertex, N
    explicit ProjectiveLoad(Points forces);

    void add_quadratic(Triplets& A) const override;
    double add_force(const Points& x, Points& force) override;
    double energy(const Points& x) const override;

private:
    Points forces_;
};

/// Pressure on a closed surface, following its normals: E(x) = -p V(x), V the enclosed volume.
/// The force on each corner of a triangle is p times a third of its area along the normal, made
/// exact by the derivative of V.
class ProjectivePressure final : public ProjectiveTerm {
public:
    /// @param triangles  closed, outward
    /// @param pressure   Pa; > 0 inflates
    ProjectivePressure(Triangles triangles, double pressure);

    void set_pressure(double pressure);

    void add_quadratic(Triplets& A) const override;
    double add_force(const Points& x, Points& force) override;
    double energy(const Points& x) const override;

private:
    Triangles triangles_;
    double pressure_;
};

}  // namespace sinew
