#pragma once

#include "sinew/motion/body_load.h"
#include "sinew/motion/muscle_paths.h"

#include <span>
#include <vector>

namespace sinew {

/// Tension of a ligament, N.
/// @param length  of its path, m
/// @param speed   of lengthening, m/s
double ligament_tension(const Ligament& ligament, double length, double speed);

/// Generalised force of a stop, N m or N.
double limit_force(const CoordinateLimit& limit, double q, double speed);

/// The ligaments of a model as the muscles of another that has its surfaces and nothing else: they
/// run over points and surfaces as muscles do (MusclePaths).
MusculoskeletalModel ligaments_as_muscles(const MusculoskeletalModel& model);

/// Forces of a model that need no muscle: ligaments, stops and springs of coordinates, bushings.
class PassiveForces {
public:
    /// Keeps copies; `tree` must be that of the same model and outlive this.
    PassiveForces(const MusculoskeletalModel& model, const KinematicTree& tree);

    bool is_empty() const {
        return ligaments_.empty() && limits_.empty() && springs_.empty() && bushings_.empty();
    }

    /// Adds what all of them do to each coordinate, N m or N; of those that follow others to their
    /// own entries.
    void add_moments(const ModelPlacement& placement, std::span<const double> speed,
                     std::span<double> moments) const;

    /// Adds what ligaments and bushings do to bodies, for reactions of joints. Stops and springs
    /// act inside joints.
    void add_loads(const ModelPlacement& placement, std::span<const double> speed,
                   std::vector<BodyLoad>& out) const;

    /// Tension of each ligament, N.
    std::vector<double> tensions(const ModelPlacement& placement,
                                 std::span<const double> speed) const;

private:
    void add_bushing(const Bushing& bushing, const ModelPlacement& placement,
                     std::span<const double> speed, std::vector<BodyLoad>& out) const;
    std::vector<double> tensions(const ModelPlacement& placement, std::span<const double> speed,
                                 const PathState& state) const;

    const KinematicTree* tree_;
    std::vector<Ligament> ligaments_;
    std::vector<CoordinateLimit> limits_;
    std::vector<CoordinateSpring> springs_;
    std::vector<Bushing> bushings_;
    MusclePaths paths_;  ///< of the ligaments
};

}  // namespace sinew
