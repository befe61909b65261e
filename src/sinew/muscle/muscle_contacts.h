#pragma once

#include "sinew/energy/planes.h"
#include "sinew/muscle/muscle_simulator.h"

#include <memory>
#include <span>
#include <vector>

namespace sinew {

/// Finds where muscles touch bones and each other. Surfaces that overlap at rest may do so: a
/// vertex may be as deep as it was.
class MuscleContacts {
public:
    MuscleContacts(const MuscleScene& scene, const MuscleSimulatorOptions& options);
    ~MuscleContacts();
    MuscleContacts(MuscleContacts&&) noexcept;
    MuscleContacts& operator=(MuscleContacts&&) noexcept;

    /// Planes at positions x: of bones where they are, of muscles going along with them. The latter
    /// have half the stiffness: each of two that meet holds up the other.
    std::vector<Planes::Plane> find(const Points& x,
                                    std::span<const Eigen::Isometry3d> frames) const;
    /// Neighbours of a vertex on its muscle's surface.
    std::span<const Index> around(Index vertex) const;
    /// For each muscle and each muscle or bone that it overlaps more than at rest, its deepest
    /// vertex.
    std::vector<MuscleOverlap> overlaps(const Points& x,
                                        std::span<const Eigen::Isometry3d> frames) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
