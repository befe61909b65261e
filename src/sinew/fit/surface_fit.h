#pragma once

#include "sinew/linalg/cholesky.h"
#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <memory>
#include <vector>

namespace sinew {

/// Draws a point of a surface to a target.
struct SurfacePull {
    Index triangle = 0;
    Vec3 barycentric = Vec3(1, 0, 0);
    Vec3 target = Vec3::Zero();  ///< m
    double weight = 1.0;         ///< m^2: the area that it stands for
};

/// How stiff the surface is, both as the wavelength (m, > 0) below which pulls no longer bend or
/// stretch it.
struct SurfaceStiffness {
    double bending = 0.1;
    double stretch = 0.02;
};

/// A surface that follows pulls and otherwise keeps its shape [Komaritzan, eqs. 4.1-4.3]:
///
///   E(x) = sum_p w_p |x_p - t_p|^2 + b sum_i A_i m_i |L x_i - R_i L x0_i|^2
///                                  + s sum_ij c_ij m_i |(x_i - x_j) - R_i (x0_i - x0_j)|^2
///
/// L is the Laplacian of the start x0 (cotangents, Voronoi areas), R_i the rotation that best takes
/// the edges around i to where they are now. With wavelengths l_b and l_s the weights are
/// b = (l_b / 2 pi)^4 and s = (l_s / 2 pi)^2. Departs: the second term, which keeps triangles well
/// shaped while points slide; rotations come from edges, not from the Laplacian alone.
class SurfaceFit {
public:
    /// @param stiffening  m_i, one per vertex, > 0: where the surface is stiffer than elsewhere
    SurfaceFit(const TriangleMesh& start, std::vector<double> stiffening);
    ~SurfaceFit();

    /// New positions for fixed rotations (those of the positions now), one linear solve.
    /// @returns false, and changes nothing, when the system cannot be factorised
    bool step(const std::vector<SurfacePull>& pulls, const SurfaceStiffness& stiffness, Points& x);
    /// E for fixed rotations R(x_at).
    double energy(const std::vector<SurfacePull>& pulls, const SurfaceStiffness& stiffness,
                  const Points& x_at, const Points& x) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
