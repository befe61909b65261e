#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/base/units.h"
#include "sinew/body/body.h"
#include "sinew/solver/local_global.h"

#include <concepts>
#include <vector>

namespace sinew {

// Previews of a grown body: what gravity and motion make of it [Saito2015, section 4]. They give
// positions; the rest shape stays free of gravity.

/// Flesh under gravity, and how the solver got there.
struct SaggedFlesh {
    Points points = Points(0, 3);  ///< of all tets
    LocalGlobalReport report = {};
};

/// Where the flesh hangs when the bones stand still, quasi-statically.
/// @param gravity  m/s^2
SaggedFlesh sagged_flesh(const Body& body, const Vec3& gravity = Vec3(0.0, -kGravity, 0.0),
                         const Progress& progress = {});

struct JumpOptions {
    double height = 0.25;   ///< of the jump, m, > 0
    double seconds = 1.6;   ///< shown, s, > 0
    int frames = 30;        ///< per second, >= 10
    double damping = 0.97;  ///< fraction of the velocity kept per step, [0, 1]
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, JumpOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.height, Field{.name = "height", .help = "of the jump", .unit = "m", .max = 3, .above = 0});
    v(o.seconds,
      Field{
          .name = "seconds", .help = "length of the preview", .unit = "s", .max = 60, .above = 0});
    v(o.frames, Field{.name = "frames", .help = "per second", .min = 10, .max = 240});
    v(o.damping,
      Field{
          .name = "damping", .help = "fraction of the velocity that is kept", .min = 0, .max = 1});
}

/// Height of the bones above the ground at a time: a push-off, a flight, a landing on soft knees.
double jump_height_at(double time, const JumpOptions& options);

/// The skin through a jump: bones move as one, flesh lags and jiggles (implicit Euler in time).
/// One entry per frame, points of the body's skin. Starts from sagged_flesh. Frames whose solves
/// did not converge are counted in a warning.
/// @param callback  is handed the points of all tets with every frame
std::vector<Points> jump_preview(const Body& body, const JumpOptions& options = {},
                                 const Progress& progress = {},
                                 const IterationCallback& callback = {});

}  // namespace sinew
