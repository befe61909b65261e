#pragma once

#include "sinew/body/musculoskeletal.h"

#include <array>
#include <vector>

namespace sinew {

/// A joint that a line passes, at rest, in the world frame.
struct LineCrossing {
    Index joint = 0;             ///< of the model
    bool to_child = true;        ///< the line goes from the joint's parent to its child
    Vec3 centre = Vec3::Zero();  ///< m
    int axis_count = 0;          ///< rotations, 0 to 3
    std::array<Vec3, 3> axes = {};
    std::array<double, 3> low = {};   ///< rad
    std::array<double, 3> high = {};  ///< rad
    /// What is published about the moment arm, m, without sign, up to an angle; 0: nothing.
    std::array<double, 3> least_arm = {};
    std::array<double, 3> most_arm = {};
    std::array<double, 3> measured_to = {};  ///< rad
    /// How far bone reaches from the joint on the line's side, m; 0 where none is known.
    double bone = 0.0;
};

/// A line and the joints along it; the bodies between them in `bodies`, one more than crossings.
struct CrossedLine {
    std::vector<Vec3> points = {};
    std::vector<Index> bodies = {};
    std::vector<LineCrossing> crossings = {};
};

/// The part of a line that becomes a path: points on bodies, and cylinders that the path may not
/// cut, each between two neighbouring points. World frame at rest.
struct ChosenPath {
    struct Point {
        Vec3 position = Vec3::Zero();
        Index body = 0;
    };
    struct Wrap {
        Index joint = 0;
        WrapObject object = {};  ///< placement in the world at rest, body set, no name
        Index after = 0;         ///< lies between this point and the next
    };
    std::vector<Point> points = {};
    std::vector<Wrap> wraps = {};
    double cost = 0.0;  ///< of the joint that it passes worst; about 1 is good
};

/// How a line passes a joint: the cylinder round the joint that touches the line stands on this.
struct LinePassing {
    Vec3 axis = Vec3::UnitZ();      ///< of a hinge, or across the line; unit
    Vec3 outwards = Vec3::UnitX();  ///< from the axis to the line; unit
    Vec3 onwards = Vec3::UnitY();   ///< the line's course over 2 cm on either side; unit
    Vec3 point = Vec3::Zero();      ///< of the line, nearest to the joint's centre, m
    double distance = 0.0;          ///< from the axis, m
};
LinePassing passing(const CrossedLine& line, std::size_t crossing);

/// Moment arms of the line itself about a crossing's axes, m; positive where its pull raises the
/// angle. The line's course is taken over 2 cm on either side of where it passes the joint.
std::array<double, 3> line_moment_arms(const CrossedLine& line, std::size_t crossing);

/// Bends a line about a joint until its moment arm about one of the joint's axes, times the sign of
/// `arm`, is at least |arm|; ends stay where they are. Lines that have as much already are kept.
/// The bend is a cosine bell across the line, four times as long to either side as it is high, and
/// at least 3 cm.
void lead_past(CrossedLine& line, std::size_t crossing, std::size_t axis, double arm);

/// Chooses which points of a line to keep and where to put cylinders.
///
/// Points belong to the bodies between whose joints they lie. Kept near a joint that rotates far,
/// they would pass each other when it closes; left out, the path would cut the corner. So for each
/// joint with a range over 40 degrees several choices are tried: how far from it points are left
/// out on either side, and whether the path slides over a cylinder a little inside the line or as
/// wide as the bone (round a hinge's axis, or across the line where the joint has several
/// rotations). Each is swept over the joint's range, other joints at rest. The one counts best
/// whose moment arms at rest are those of the line (of the bone, about hinges where the line cuts
/// it), and which keep their sign, neither jump nor leave the published range (where none is known:
/// what the line has), and whose length is the line's.
ChosenPath choose_path(const CrossedLine& line);

}  // namespace sinew
