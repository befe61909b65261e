#pragma once

#include "sinew/render/camera.h"
#include "sinew/render/ray_scene.h"

// Inner part of render.h: lamps and how surfaces answer them. Not for use elsewhere.

namespace sinew::detail {

/// A far, round lamp.
struct Lamp {
    Vec3f direction = Vec3f::UnitY();  ///< towards the lamp
    float spread = 0.2f;               ///< tangent of its angular radius
    Colour colour = Colour::Ones();    ///< light returned by a white surface that faces it
};

/// A photographer's studio that turns with the camera: a large key light at the upper left, a rim
/// light behind on the right, and a bright room whose light changes linearly with direction,
/// L(d) = base + slope (d . up) + front (d . to_viewer).
struct Studio {
    Lamp key;
    Lamp rim;
    Colour base = Colour::Zero();
    Colour slope = Colour::Zero();
    Colour front = Colour::Zero();
    Vec3f up = Vec3f::UnitY();
    Vec3f to_viewer = Vec3f::UnitZ();

    Colour room(const Vec3f& direction) const;
    /// Cosine-weighted mean of the room's light around n: for a light a + b . d it is
    /// a + 2/3 b . n (the integral of (n.d) d over the hemisphere is 2 pi / 3 n).
    Colour room_on(const Vec3f& normal) const;
};
Studio studio_for(const Camera& camera, double exposure);

/// Light towards the beholder, split by what may be in its way.
struct Reflected {
    Colour key = Colour::Zero();
    Colour rim = Colour::Zero();
    Colour room = Colour::Zero();
};
/// @param to_viewer  unit
Reflected reflect(const Studio& studio, const Hit& hit, const Vec3f& to_viewer);

/// A direction in the lamp's disc. @param u,v  in [0, 1)
Vec3f towards(const Lamp& lamp, float u, float v);
/// A direction around n, likelier near n (probability cos/pi).
Vec3f around(const Vec3f& n, float u, float v);

/// Opacity of a thin clear layer: more where it is seen edge-on.
float layer_opacity(const Hit& hit, const Vec3f& to_viewer);

/// Linear up to a half, then a shoulder that reaches 1 only for endless light.
Colour filmic(const Colour& light);

}  // namespace sinew::detail
