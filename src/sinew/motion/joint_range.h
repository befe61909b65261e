#pragma once

#include "sinew/motion/range_of_motion.h"

#include <array>
#include <span>
#include <vector>

namespace sinew {

/// isValid of one joint [Ryu2021, eq. 5], all others held: exact, and a few hundred nanoseconds a
/// pose. What hangs on the joint moves as one body, so a straight path's points are c + R d + w t,
/// and only the pieces between points that move differently change their length.
class JointRange {
public:
    /// @param joint  that only turns, about one axis or three, by its own coordinates
    /// @param held   one value per coordinate; empty: at rest
    /// @throws InputError  for other joints, and where a muscle that crosses it runs over surfaces
    ///                     or has points that move or come and go
    JointRange(const MusculoskeletalModel& model, std::size_t joint, std::vector<double> held = {},
               const StretchLimits& limits = {});

    /// Coordinates of the joint, in the order of is_valid's values.
    const std::vector<Index>& coordinates() const {
        return coordinates_;
    }
    /// Muscles that cross the joint and are asked.
    std::size_t muscle_count() const {
        return muscles_.size();
    }
    bool is_valid(std::span<const double> values) const;

private:
    /// Length of u + R v, R the turn of the joint; about its centre, so t is part of u and v.
    struct Piece {
        std::array<double, 3> u;
        std::array<double, 3> v;
    };
    struct Muscle {
        std::size_t begin = 0;
        std::size_t end = 0;
        double least = 0.0;  ///< what the pieces may measure together, m
    };

    std::vector<Index> coordinates_ = {};
    std::vector<Vec3> axes_ = {};
    std::vector<double> rates_ = {};  ///< of the turns about them, per unit of the coordinate
    std::vector<Piece> pieces_ = {};
    std::vector<Muscle> muscles_ = {};
    bool is_always_invalid_ = false;  ///< a muscle that the joint does not move is too long
};

}  // namespace sinew
