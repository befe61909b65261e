#pragma once

#include "sinew/body/body.h"
#include "sinew/geometry/surface_tree.h"

#include <memory>
#include <vector>

namespace sinew {

/// Lines through the middles of a body's muscles, from bone to bone.
///
/// A line is made of means of the muscle's surface between neighbouring fractions of the path from
/// origin to insertion. Where fibres run askew to it (sheets), it follows them through the middle
/// instead; where a muscle has strands with paths of their own (toes), it goes over the surface
/// from the end furthest from the insertion. Where it ends short of its insertion it goes on along
/// a tendon that is a part of its own, and where it ends short of its bone all the same, straight
/// to the point of the bone that is near its course.
class MuscleLines {
public:
    /// `body` must outlive this.
    /// @param points  of each line, >= 2
    MuscleLines(const Body& body, int points);

    /// From origin to insertion, world frame at rest, m. Fewer than two points where the mesh is
    /// too coarse. The muscle must have both ends on bones.
    std::vector<Vec3> line(const Muscle& muscle) const;

    /// Bones that the line ends on: the muscle's own, or where its volume ends far from one (the
    /// fascia that carries it on is no part of the body), the bone that is nearest.
    struct Ends {
        Index origin = -1;
        Index insertion = -1;
    };
    Ends ends(const Muscle& muscle) const;

private:
    std::vector<Vec3> middle(const Muscle& muscle) const;
    std::vector<double> shares_between_bones(const Muscle& muscle) const;
    Index nearest_vertex(const Points& points, Index bone) const;
    Index bone_near(const Vec3& end, Index bone) const;
    const SurfaceTree& tree_of(Index bone) const;
    void follow_tendon(std::vector<Vec3>& line, const Muscle& muscle) const;
    void reach_bone(std::vector<Vec3>& line, Index bone, bool at_begin) const;

    const Body& body_;
    int points_;
    mutable std::vector<std::unique_ptr<SurfaceTree>> trees_ = {};
};

}  // namespace sinew
