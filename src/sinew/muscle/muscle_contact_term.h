#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/energy/planes.h"
#include "sinew/muscle/muscle_contacts.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace sinew {

/// What pushes touching surfaces apart, as a potential of the positions alone:
///
///   E(x) = sum_i k_i / 2 min(0, d_i(x) - a_i)^2
///
/// with the signed distance d of vertex i to the nearest point of another surface, wherever that is
/// now, and the distance a that it may have. The derivative of d is the normal n there for the
/// vertex, and -b_j n for the corners of the triangle with barycentric coordinates b: the nearest
/// point moves along the surface, to no effect at first order. The Hessian is k times the square of
/// that derivative; how the normal turns is left out.
///
/// E has corners where the nearest triangle changes inside another body, so minimisers may end at
/// one; held contacts (`hold`) are planes, which have none.
class MuscleContactTerm final : public EnergyTerm {
public:
    /// @param contacts    must outlive the term
    /// @param x  vertices and triangles that are close here get room in the pattern; others that
    /// meet later are held by their diagonal blocks
    MuscleContactTerm(const MuscleContacts& contacts, std::vector<Eigen::Isometry3d> frames,
                      const Points& x);

    /// Bones have moved.
    void set_frames(std::vector<Eigen::Isometry3d> frames);
    /// Room in the pattern for what is close at x, and for what the last call made room for:
    /// surfaces slide back and forth.
    void make_room(const Points& x);

    /// Factor of all stiffnesses, > 0; 1 at first.
    void set_stiffening(double factor);
    /// From now on contacts stay planes where they are at x.
    void hold(const Points& x);
    /// From now on they go along again.
    void release();

    TermOffers offers() const override {
        return {.hessian = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

    /// Fraction of the muscles' contacts that push at x without room in the pattern.
    double stranger_fraction(const Points& x) const;

private:
    std::shared_ptr<const Planes> at(const Points& x) const;
    bool is_coupled(Index i, Index j) const;

    const MuscleContacts& contacts_;
    std::vector<Eigen::Isometry3d> frames_;
    double stiffening_ = 1.0;
    bool is_held_ = false;
    std::vector<std::uint64_t> close_;  // pairs of vertices that the last room was made for, sorted
    std::vector<std::uint64_t> coupled_;  // these and those of the room before, sorted
    // Of the last positions asked for: value, gradient and Hessian come in turn.
    mutable std::mutex mutex_;
    mutable Points last_ = Points(0, 3);
    mutable std::shared_ptr<const Planes> planes_;
};

}  // namespace sinew
