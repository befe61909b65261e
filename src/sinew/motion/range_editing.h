#pragma once

#include "sinew/base/fields.h"
#include "sinew/motion/maximal_lengths.h"

#include <concepts>
#include <string>
#include <type_traits>

namespace sinew {

/// How a joint's range is to change [Ryu2021, 4.3]. Balls: the cone of directions of the shaft is
/// tilted and made wider or narrower about its centre, the interval of twists scaled about 0 and
/// shifted. Other joints: the interval of each rotation is scaled about its middle and shifted.
struct RangeEdit {
    double tilt = 0.0;         ///< deg
    double direction = 0.0;    ///< deg
    double width = 1.0;        ///< of the cone's angle, > 0
    double twist_width = 1.0;  ///< > 0
    double twist_shift = 0.0;  ///< deg
    double scale = 1.0;        ///< s, > 0
    double shift = 0.0;        ///< t, deg
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RangeEdit>
void visit_fields(Options& o, Visitor&& v) {
    v(o.tilt, Field{.name = "tilt",
                    .help = "of a ball's cone of directions",
                    .unit = "deg",
                    .min = -180.0,
                    .max = 180.0});
    v(o.direction, Field{.name = "tilt_direction",
                         .help = "of the axis that the cone tilts about, from the joint's first "
                                 "axis across the shaft",
                         .unit = "deg",
                         .min = -360.0,
                         .max = 360.0});
    v(o.width,
      Field{.name = "width", .help = "factor of the cone's angle", .min = 0.1, .max = 4.0});
    v(o.twist_width, Field{.name = "twist_width",
                           .help = "factor of a ball's interval of twists",
                           .min = 0.1,
                           .max = 4.0});
    v(o.twist_shift, Field{.name = "twist_shift",
                           .help = "of a ball's interval of twists",
                           .unit = "deg",
                           .min = -180.0,
                           .max = 180.0});
    v(o.scale, Field{.name = "scale",
                     .help = "factor of the range of a hinge or of each turn of other joints",
                     .min = 0.1,
                     .max = 4.0});
    v(o.shift,
      Field{.name = "shift", .help = "of that range", .unit = "deg", .min = -180.0, .max = 180.0});
}

struct EditedRange {
    MusculoskeletalModel model = {};
    double valid_before = 0.0;  ///< fraction of the joint's poses that the reference allows
    double valid_wished = 0.0;  ///< that the wish allows
    double valid = 0.0;         ///< that the new muscles allow
    double error = 0.0;         ///< fraction on which the last two differ
};

/// Gives muscles across a joint the maximal lengths with which its range is the wished one, as near
/// as lengths can make it. A ball's poses are the cells of map_ball_range; others are sampled.
/// @param joint  index of the model's joint
/// @throws InputError  for a joint whose poses no muscle bounds
EditedRange edit_range(const MusculoskeletalModel& reference, std::size_t joint,
                       const RangeEdit& edit, const RangeFitOptions& options = {});

}  // namespace sinew
