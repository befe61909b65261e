#pragma once

#include "sinew/body/body.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// What the measures of a body are taken from. A shape that is being fitted fills it without
/// making a whole Body.
struct MeasuredShape {
    Sex sex = Sex::Unknown;
    Points skin = Points(0, 3);
    Triangles triangles = Triangles(0, 3);
    std::map<std::string, Vec3> joints = {};     ///< centres
    std::map<std::string, Vec3> landmarks = {};  ///< on the skin
    /// On the bones: the outermost points of both acromia, the lowest of both ischia; left, right.
    std::array<Vec3, 2> acromion = {Vec3::Zero(), Vec3::Zero()};
    std::array<Vec3, 2> ischium = {Vec3::Zero(), Vec3::Zero()};
};

/// @throws InputError  naming the joint, landmark or bone that the measures need and that is
/// missing
MeasuredShape measured_shape(const Body& body);
/// Whether measured_shape has all it needs.
bool has_person_measures(const Body& body);

/// Measures of the survey ANSUR II by its names [Gordon2014], in the order of person_measures:
/// girths, then breadths, then heights and lengths.
std::span<const std::string> person_measure_names();

/// All of them, m. Taken off the skin in the stance at rest, by the survey's definitions as far as
/// a still body allows. Departs: arms are rotated down about the shoulders where the survey has
/// them hang (shoulder girth, bideltoid breadth, upper arm length); arms are left out of sections
/// of the trunk; girths of flexed arms are those of relaxed ones times 1.07 and 1.03 (men), 1.04
/// and 1.02 (women); the seat of the sitting height is 10 mm below the ischia.
std::vector<double> person_measures(const MeasuredShape& shape);
std::vector<double> person_measures(const Body& body);

}  // namespace sinew
