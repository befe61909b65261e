#pragma once

#include "sinew/body/body.h"

#include <string>
#include <vector>

namespace sinew::bench {

/// How well the fibres of one muscle follow what it was made of, in two measures.
struct FibreCourse {
    std::string muscle;
    /// Between the fibres and the strokes nearest to them (the centre line where those are not
    /// known), on average over the muscle's volume, degrees.
    double stroke_angle = 0.0;
    /// Between the way from end to end of streamlines and that of the centre line beside them, on
    /// average over the lines, degrees; negative where the muscle is too small for lines.
    double end_to_end_angle = -1.0;
};

/// All muscles that have fibres and whose mesh tells its ends (data "share"), in their order.
std::vector<FibreCourse> measure_fibres(const Body& body);

/// Middles of the sections of a muscle, from origin to insertion, by the data "share" of its mesh.
std::vector<Vec3> centre_line(const TriangleMesh& mesh);

}  // namespace sinew::bench
