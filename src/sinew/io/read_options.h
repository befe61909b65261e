#pragma once

#include "sinew/mesh/arrays.h"

#include <string>
#include <string_view>

namespace sinew {

enum class Unit { Metre, Centimetre, Millimetre };
enum class UpAxis { Y, Z };

/// How to understand files that do not say their unit or which axis is up. Formats that do say
/// (glTF, FBX, .sinew) ignore both. Sinew works in metres, Y up, +Z forward, +X the body's left.
struct ReadOptions {
    Unit unit = Unit::Metre;
    UpAxis up = UpAxis::Y;
    bool as_bound = false;  ///< rigged files: in the pose of their binding (io/bind_pose.h), not
                            ///< that of their nodes
};

double metres_per(Unit unit);
/// "m", "cm", "mm". @throws InputError on anything else
Unit unit_from_name(std::string_view name);
/// "y", "z". @throws InputError on anything else
UpAxis up_axis_from_name(std::string_view name);

/// Into metres, Y up. Z up: (x, y, z) -> (x, z, -y), a rotation by -90 degrees about X.
void convert_to_metres_y_up(Points& points, const ReadOptions& options);
/// What the conversion did, for a person, or "" when it did nothing.
std::string conversion_note(const ReadOptions& options);

}  // namespace sinew
