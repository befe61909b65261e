#pragma once

#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/tet_mesh.h"

#include <vector>

namespace sinew {

/// The rest shape of linear tetrahedra as the finite volume method sees it [Teran2003, section 4]:
/// for each corner i of a tetrahedron
///
///   b_i = (A_1 N_1 + A_2 N_2 + A_3 N_3) / 3
///
/// over the three faces that meet there (area times outward normal, at rest). The force of a stress
/// P on the corner is -P b_i, and since b_i is the volume times the gradient of the corner's shape
/// function, that is the finite element force [Teran2003, section 4.2].
class FiniteVolumeTets {
public:
    /// @throws InputError  when a rest tetrahedron has volume <= 0
    explicit FiniteVolumeTets(const TetMesh& rest);

    Eigen::Index count() const {
        return tets_.rows();
    }
    Eigen::Index vertices() const {
        return vertices_;
    }
    const Tets& tets() const {
        return tets_;
    }
    double volume(Eigen::Index t) const {
        return volume_[at(t)];
    }
    /// B_m = (b_1, b_2, b_3), m^2; b_0 = -(b_1 + b_2 + b_3).
    const Mat3& normals(Eigen::Index t) const {
        return normals_[at(t)];
    }

    /// F = D_s D_m^-1 with D_m^-1 = B_m^T / V.
    Mat3 deformation_gradient(const Points& x, Eigen::Index t) const;

    /// nodal(v) += sum over the corners of v of -G_t column; `corner_forces` holds G = P B_m of
    /// each tetrahedron. Adds the energy gradient, i.e. minus the force; sums in a fixed order.
    void add_to_vertices(const std::vector<Mat3>& corner_forces, Points& nodal) const;

private:
    Tets tets_;
    Eigen::Index vertices_;
    std::vector<double> volume_;
    std::vector<Mat3> normals_;
    Lists corners_of_vertices_;  // 4 t + corner
};

/// Twice-used edges of one tetrahedron: columns x_1 - x_0, x_2 - x_0, x_3 - x_0.
Mat3 edge_matrix(const Points& x, const Tets& tets, Eigen::Index t);

/// Deformed tetrahedra with volume <= 0.
Eigen::Index count_inverted(const Points& x, const Tets& tets);

}  // namespace sinew
