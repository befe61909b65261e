#pragma once

#include "sinew/motion/model_doctor.h"
#include "sinew/motion/muscle_paths.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// A model under examination: what every part of the doctor looks at, and what they found.
struct ModelExam {
    ModelExam(const MusculoskeletalModel& examined, std::span<const TriangleMesh> bones)
        : model(examined),
          shapes(bones),
          tree(examined),
          paths(examined, tree),
          rest(tree.place(rest_coordinates(examined))),
          state(paths.evaluate(rest)) {}

    void add(ModelFinding finding) {
        findings.push_back(std::move(finding));
    }
    /// Where a path point lies at rest, m; of moving points, their first position.
    Vec3 world(const PathPoint& point, const ModelPlacement& place) const;
    /// dl/dq of every muscle by one coordinate in a pose.
    std::vector<double> slopes(std::span<const double> q, std::size_t coordinate) const;

    const MusculoskeletalModel& model;
    std::span<const TriangleMesh> shapes;
    KinematicTree tree;
    MusclePaths paths;
    ModelPlacement rest;
    PathState state;
    std::vector<ModelFinding> findings = {};
};

/// "point 3 ('psoas_r-P3') on body 'femur_r'".
std::string point_text(const MusculoskeletalModel& model, const MuscleUnit& unit, std::size_t k);

void examine_bodies(ModelExam& exam);
void examine_coordinates(ModelExam& exam);
void examine_muscles(ModelExam& exam);
void examine_arms(ModelExam& exam);
void examine_ranges(ModelExam& exam);
/// Left against right, where both have the same names.
void examine_sides(ModelExam& exam);
/// Against what anatomy knows of muscles of that name, and muscles of one action among themselves.
void examine_known(ModelExam& exam);

}  // namespace sinew
