#pragma once

#include "sinew/motion/examination.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/passive_forces.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// How a muscle resists at one angle of a test.
struct Resistance {
    std::size_t muscle = 0;
    double length = 0.0;  ///< m
    double slope = 0.0;   ///< dl/dtheta along the test, m/rad; > 0: it is stretched
};

/// Force of a passive muscle, fibre and tendon in balance, N.
double passive_pull(const MuscleUnit& unit, double length);

/// A model on the couch, for the tests of examination.h. Angles are in rad and those of the moved
/// limb; what the model's muscles can bear is handed in, for paths do not depend on it.
class Couch {
public:
    /// `model` must outlive this.
    explicit Couch(const MusculoskeletalModel& model);

    /// Whether the model has the joints of a test.
    bool can(const ClinicalTest& test, BodySide side) const;

    /// Poses the model at an angle of the movement and finds everything that resists.
    /// @param tilt  of the pelvis, forward
    void place(const ClinicalTest& test, BodySide side, double tilt, double angle);

    const std::vector<Resistance>& resistances() const {
        return resistances_;
    }
    /// Of ligaments, stops and springs, against the movement, N m.
    double other() const {
        return other_;
    }
    /// All of them, N m.
    double torque(std::span<const MuscleUnit> units) const;
    /// The coordinate whose range the pose leaves as the limb moves; -1: none.
    Index beyond() const;
    std::string most_resisting(std::span<const MuscleUnit> units) const;

    /// The whole test: the end of the movement. @param threshold  N m
    ExamReading read(std::span<const MuscleUnit> units, const ClinicalTest& test, BodySide side,
                     double tilt, double threshold);
    /// How far the pelvis goes forward when the other leg lies flat, rad: by what its hip lacks of
    /// extension, as the table has it, else as the model does the test of Thomas.
    double pelvic_tilt(std::span<const MuscleUnit> units, const ClinicalTest& test,
                       const ExamRow& row, std::span<const ExamRow> rows);

private:
    std::vector<double> pose(const ClinicalTest& test, BodySide side, double tilt,
                             double angle) const;

    const MusculoskeletalModel& model_;
    KinematicTree tree_;
    MusclePaths paths_;
    PassiveForces passive_;
    LimbPoser poser_;
    std::vector<double> dense_;
    std::vector<double> q_ = {};
    std::vector<double> rate_ = {};  ///< dq/dtheta, theta along the test
    std::vector<double> moments_ = {};
    ModelPlacement placement_ = {};
    PathState state_ = {};
    std::vector<Resistance> resistances_ = {};
    double other_ = 0.0;
};

/// The torque that ends a row's test, N m.
double threshold_of(const ExamRow& row, const ClinicalTest& test);

}  // namespace sinew
