#pragma once

#include "sinew/body/body.h"
#include "sinew/energy/projective_constraints.h"

#include <span>
#include <vector>

namespace sinew {

/// Contact of skin that faces skin. Skin that has grown through other skin goes back until it has
/// not (skin_separation.h) and is held there, as if it stuck:
///
///   E(x) = sum_i k_i / 2 |x_i - o_i|^2     over the vertices i that are held
///
/// All vertices that could meet other skin are in its matrix, held or not, so that nothing is
/// factorised when one is held or let go. Sticking instead of sliding is what converges: the matrix
/// is exact where it matters, and no vertex slides into a fold.
class SkinLimits final : public ProjectiveConstraints {
public:
    /// @param rest       its skin does not cross itself; must outlive this object
    /// @param stiffness  N/m per m^2 of skin
    SkinLimits(const Body& rest, double stiffness);

    /// Lets all vertices go.
    void reset();
    /// Holds what crosses at x, and lets go what pulls away from where it is held.
    /// @param x  points of all tets
    /// @returns  whether anything changed
    bool hold(const Points& x);

    std::size_t held() const;

private:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

    const Body& rest_;
    std::vector<Index> vertex_ = {};  // of the tets
    std::vector<char> is_held_ = {};
    Points hold_ = Points(0, 3);
    Points free_side_ = Points(0, 3);  // unit vectors, from where it was to where it is held
};

}  // namespace sinew
