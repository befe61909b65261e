#pragma once

#include "sinew/muscle/fibre_field.h"
#include "sinew/muscle/muscle_tets.h"

#include <array>
#include <optional>
#include <vector>

namespace sinew {

/// A solid as a tensor product of cubic B-splines with clamped uniform knots [Teran2003,
/// section 6]:
///
///   F(u, v, w) = sum_ijk B_i(u) B_j(v) B_k(w) q_ijk,   u, v, w in [0, 1]
class SplineSolid {
public:
    /// @param counts   control points along u, v, w, each >= 4
    /// @param control  counts[0] * counts[1] * counts[2] rows, u fastest
    /// @throws InputError  when the numbers do not fit
    SplineSolid(std::array<int, 3> counts, Points control);

    Vec3 position(const Vec3& uvw) const;
    /// Columns dF/du, dF/dv, dF/dw.
    Mat3 derivative(const Vec3& uvw) const;

    /// Root of F(u, v, w) = x by Newton's method with step halving, from the nearest of a grid of
    /// samples.
    struct Inverse {
        Vec3 uvw = Vec3::Constant(0.5);
        double error = 0.0;  ///< |F(uvw) - x|, m
        int iterations = 0;
        bool has_converged = false;  ///< error <= tolerance with uvw inside
    };
    Inverse invert(const Vec3& x, double tolerance = 1e-6) const;

    const std::array<int, 3>& counts() const {
        return counts_;
    }
    /// Where control point i of n stands best for a value: the mean of the knots it spans.
    static double greville(int i, int n);

private:
    std::array<int, 3> counts_;
    Points control_;
    std::vector<Vec3> sample_uvw_ = {};
    Points samples_ = Points(0, 3);
};

/// How fibres lie in the solid.
enum class FibreArrangement {
    Fusiform,   ///< along w, from end to end, following the muscle's outline
    Pennate,    ///< rotated from w towards u by the pennation angle
    Bipennate,  ///< rotated towards u on one side and against it on the other
    Fan         ///< along w, through sections that are as wide as they are at each end
};

struct SplineFibreOptions {
    FibreArrangement arrangement = FibreArrangement::Fusiform;
    double pennation = 0.0;  ///< rad, [0, pi/2)
    int sections = 14;       ///< control points along the muscle, >= 4
    int across = 6;          ///< control points across it, >= 4
    double margin = 1.25;    ///< the solid's section over the muscle's, >= 1
};

/// Fibres from a solid that is fitted to a muscle: sections across the path from origin to
/// insertion give its centre line, principal axes and outline; the direction at a point is that of
/// the material coordinate there,
///
///   X(x) = dF/dm (F^-1(x)) / |dF/dm (F^-1(x))|                       [Teran2003, section 6]
class SplineFibres final : public FibreField {
public:
    /// @throws InputError  for a volume without shares, or options out of range
    explicit SplineFibres(const MuscleVolume& volume, const SplineFibreOptions& options = {});

    Vec3 direction(const Vec3& at) const override;
    const SplineSolid& solid() const {
        return solid_;
    }

private:
    SplineFibreOptions options_;
    SplineSolid solid_;
};

/// How well the inverse map does at the centroids of tetrahedra.
struct InverseMapReport {
    double converged = 0.0;      ///< fraction of centroids
    double largest_error = 0.0;  ///< m, of those
    double mean_iterations = 0.0;
};
InverseMapReport check_inverse_map(const SplineSolid& solid, const TetMesh& mesh);

}  // namespace sinew
