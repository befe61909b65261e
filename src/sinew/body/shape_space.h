#pragma once

#include "sinew/body/anatomy.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Shapes of people of one sex at rest, as a mean and principal components: displacements of a
/// reference skin and of joint centres. One unit of a component is one standard deviation.
struct ShapeSpace {
    struct Component {
        Points skin = Points(0, 3);    ///< m per standard deviation, one row per reference point
        Points joints = Points(0, 3);  ///< the same of joint centres
    };
    std::string name;
    std::string source;  ///< whose shapes, and under which licence
    Sex sex = Sex::Unknown;
    int people = 0;               ///< how many shapes it was made of
    TriangleMesh reference = {};  ///< the skin of the body that it belongs to, at rest
    std::vector<std::string> joint_names = {};
    Points mean_skin = Points(0, 3);    ///< displacement from the reference to the mean, m
    Points mean_joints = Points(0, 3);  ///< from the body's centres, m
    std::vector<Component> components = {};
    std::vector<Landmark> landmarks = {};  ///< on the reference; skin_vertex the next to it
};

/// @throws InputError  when numbers of rows differ or a number is not finite
void require_valid(const ShapeSpace& space, std::string_view where);

/// Displacements of the reference's vertices, carried to another skin near to it: those of the
/// closest points.
Points carried_to(const ShapeSpace& space, const Points& displacement, const Points& skin);

}  // namespace sinew
