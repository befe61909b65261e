#pragma once

#include "sinew/geometry/measure.h"
#include "sinew/muscle/muscle_tets.h"
#include "sinew/solver/newton.h"

#include <memory>
#include <vector>

#include "tests/support/shapes.h"

namespace sinew::support {

/// Force of a soft block of 6 n^3 tetrahedra squeezed by a tenth between plates it sticks to, N.
/// @param patch_tets  tetrahedra that keep their volume together; 1: each its own
inline double squeeze_force(int n, int patch_tets) {
    MuscleVolume v;
    v.mesh = box_of_tets({n, n, n}, Vec3(0.03, 0.03, 0.03));
    const auto tets = static_cast<std::size_t>(v.mesh.tets.rows());
    v.muscle.assign(tets, 0);
    v.fibre = Points::Zero(v.mesh.tets.rows(), 3);
    v.fibre.col(0).setOnes();
    v.tendon.assign(tets, 0.0);
    v.strength.assign(tets, 0.0);
    MuscleConstants soft = muscle_constants();
    soft.fibre.passive_stress = 0.0;
    auto term = std::make_shared<MuscleTets>(v, soft, tendon_constants(),
                                             DilatationOptions{.patch_tets = patch_tets});
    VertexConstraints held;
    const Bounds box = bounds(v.mesh.points);
    std::vector<Index> top;
    for (Eigen::Index i = 0; i < v.mesh.points.rows(); ++i) {
        const Vec3 p = point(v.mesh.points, i);
        if (p.y() < box.low.y() + 1e-9) {
            held.fix(static_cast<Index>(i), p);
        } else if (p.y() > box.high.y() - 1e-9) {
            held.fix(static_cast<Index>(i), p - Vec3(0.0, 0.1 * box.size().y(), 0.0));
            top.push_back(static_cast<Index>(i));
        }
    }
    const NewtonResult result = minimise({term}, held, v.mesh.points);
    Points g = Points::Zero(v.mesh.points.rows(), 3);
    term->add_gradient(result.x, g);
    double force = 0.0;
    for (const Index i : top) {
        force -= g(i, 1);
    }
    return force;
}

}  // namespace sinew::support
