#pragma once

#include "sinew/render/lighting.h"

#include <cstdint>
#include <vector>

// Inner part of render.h: pixels before they become bytes. Not for use elsewhere.

namespace sinew::detail {

/// What is noisy about a pixel: how much of each light arrives. Kept apart from colour and shape so
/// that smoothing it leaves both sharp.
struct Arrival {
    float key = 0.0f;
    float rim = 0.0f;
    Colour room = Colour::Zero();  ///< relative to the open room; bounced light included
};

/// Sums over a pixel's samples, divided by their number before filtering.
struct Pixel {
    Reflected light = {};            ///< as if nothing were in the way
    Colour clear = Colour::Zero();   ///< transparent layers
    Colour shaded = Colour::Zero();  ///< opaque surfaces with each sample's own arrival
    Arrival arrival = {};
    Vec3f normal = Vec3f::Zero();
    Vec3f position = Vec3f::Zero();
    float cover = 0.0f;         ///< fraction hidden from the backdrop
    float ground = 0.0f;        ///< fraction of the backdrop that is floor
    float ground_shade = 0.0f;  ///< that fraction, each sample times its light
    float footprint = 0.0f;     ///< width of a pixel at the surface
    int object = -1;            ///< of the first sample; -1 backdrop, -2 floor
    std::uint16_t samples = 0;
    std::uint16_t surfaces = 0;  ///< samples that met a surface or the floor
    bool is_mixed = false;       ///< samples met different things
};

/// Rows [first, first + rows) of a picture, as wide as the picture.
struct Film {
    int width = 0;
    int first = 0;
    int rows = 0;
    std::vector<Pixel> pixels = {};

    Pixel& at(int x, int y) {
        return pixels[static_cast<std::size_t>(y - first) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
    const Pixel& at(int x, int y) const {
        return const_cast<Film*>(this)->at(x, y);
    }
};

/// Pixels around a pixel that smooth_arrival looks at, in each direction.
inline constexpr int kSmoothReach = 14;

/// Averages arrival over neighbours on the same smooth piece of surface: three passes of a 5 x 5
/// kernel with steps 1, 2, 4, edges kept by normal and by distance from the tangent plane
/// [Dammertz2010].
void smooth_arrival(Film& film);

}  // namespace sinew::detail
