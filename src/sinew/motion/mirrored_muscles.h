#pragma once

#include "sinew/body/musculoskeletal.h"

#include <optional>
#include <vector>

namespace sinew {

/// Left and right of a model: which muscle is the counterpart of which, by their names, and where
/// the points of one lie when they are mirrored onto the other at rest.
class MirroredMuscles {
public:
    explicit MirroredMuscles(const MusculoskeletalModel& model);

    /// The muscle on the other side with as many points on paired bodies; none without.
    std::optional<std::size_t> counterpart(std::size_t muscle) const;
    /// Points of `muscle` of which `from` are the counterpart's, mirrored; weights, names and
    /// bodies stay `muscle`'s.
    MuscleUnit mirrored(const MuscleUnit& muscle, const MuscleUnit& from) const;

private:
    Index other_body(Index body) const {
        return body < 0 ? body : other_body_[at(body)];
    }

    std::vector<Index> other_body_ = {};  // of each body; itself in the middle
    std::vector<Placement> rest_ = {};
    Vec3 normal_ = Vec3::Zero();  // of the median plane; zero: there is none
    double offset_ = 0.0;
    std::vector<std::optional<std::size_t>> counterpart_ = {};
};

}  // namespace sinew
