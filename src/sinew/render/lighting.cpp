#include "sinew/render/lighting.h"

#include "sinew/base/units.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew::detail {

namespace {

constexpr auto kPiFloat = static_cast<float>(kPi);
/// Reflectance at normal incidence of water-like matter (index of refraction 1.4).
constexpr float kF0 = 0.028f;

/// Fresnel reflectance, Schlick's approximation [Schlick1994].
float fresnel(float cosine) {
    const float m = std::clamp(1.0f - cosine, 0.0f, 1.0f);
    return kF0 + (1.0f - kF0) * m * m * m * m * m;
}

/// Microfacet highlight, D G F / (4 n.l n.v) times n.l, with the GGX distribution and the
/// height-correlated shadowing of Smith [Walter2007, GGX].
float highlight(const Vec3f& n, const Vec3f& v, const Vec3f& l, float roughness) {
    const float nl = n.dot(l);
    const float nv = std::max(n.dot(v), 1e-3f);
    if (nl <= 0.0f) {
        return 0.0f;
    }
    const Vec3f h = (l + v).normalized();
    const float a2 = std::pow(roughness, 4.0f);
    const float nh = n.dot(h);
    const float d = nh * nh * (a2 - 1.0f) + 1.0f;
    const float density = a2 / (kPiFloat * d * d);
    const float shadow =
        nl * std::sqrt(nv * nv * (1.0f - a2) + a2) + nv * std::sqrt(nl * nl * (1.0f - a2) + a2);
    return density * fresnel(h.dot(v)) * 0.5f / shadow * nl * kPiFloat;
}

struct Frame {
    Vec3f x;
    Vec3f y;
};

/// Two directions across n, without a seam that would matter [Duff2017].
Frame across(const Vec3f& n) {
    const float s = std::copysign(1.0f, n.z());
    const float a = -1.0f / (s + n.z());
    const float b = n.x() * n.y() * a;
    return {Vec3f(1.0f + s * n.x() * n.x() * a, s * b, -s * n.x()),
            Vec3f(b, s + n.y() * n.y() * a, -n.y())};
}

/// Square to disc that keeps neighbours together [Shirley1997].
Eigen::Vector2f disc(float u, float v) {
    const float a = 2.0f * u - 1.0f;
    const float b = 2.0f * v - 1.0f;
    if (a == 0.0f && b == 0.0f) {
        return Eigen::Vector2f::Zero();
    }
    const bool is_wide = std::abs(a) > std::abs(b);
    const float r = is_wide ? a : b;
    const float phi =
        is_wide ? 0.25f * kPiFloat * b / a : 0.5f * kPiFloat - 0.25f * kPiFloat * a / b;
    return {r * std::cos(phi), r * std::sin(phi)};
}

}  // namespace

Colour Studio::room(const Vec3f& direction) const {
    return base + slope * direction.dot(up) + front * direction.dot(to_viewer);
}

Colour Studio::room_on(const Vec3f& normal) const {
    return base + (2.0f / 3.0f) * (slope * normal.dot(up) + front * normal.dot(to_viewer));
}

Studio studio_for(const Camera& camera, double exposure) {
    const Vec3f right = camera.right.cast<float>();
    const Vec3f back = -camera.forward.cast<float>();
    // From above, the room's up is the picture's up, so that the light stays at the upper left.
    const bool is_steep = std::abs(camera.forward.y()) > 0.9;
    const Vec3f up = is_steep ? Vec3f(camera.up.cast<float>()) : Vec3f(Vec3f::UnitY());
    const auto e = static_cast<float>(exposure);
    Studio s;
    s.up = up;
    s.to_viewer = back;
    s.key = {.direction = (-0.76f * right + 0.72f * up + 0.60f * back).normalized(),
             .spread = 0.20f,
             .colour = e * Colour(1.02f, 0.98f, 0.91f)};
    s.rim = {.direction = (0.80f * right + 0.42f * up - 0.62f * back).normalized(),
             .spread = 0.16f,
             .colour = e * Colour(0.50f, 0.55f, 0.64f)};
    s.base = e * Colour(0.300f, 0.312f, 0.330f);
    s.slope = e * Colour(0.095f, 0.103f, 0.115f);
    s.front = e * Colour(0.085f, 0.083f, 0.080f);
    return s;
}

Reflected reflect(const Studio& studio, const Hit& hit, const Vec3f& to_viewer) {
    Reflected result;
    const auto lamp = [&](const Lamp& l) -> Colour {
        const float nl = std::max(0.0f, hit.normal.dot(l.direction));
        // Powers below 1 carry red light a little past the terminator, as flesh does.
        const Colour diffuse =
            hit.albedo.array() * Eigen::Array3f(nl).pow(hit.finish.falloff.array());
        const float shine =
            hit.finish.gloss * highlight(hit.normal, to_viewer, l.direction, hit.finish.roughness);
        return l.colour.cwiseProduct(diffuse + Colour::Constant(shine));
    };
    result.key = lamp(studio.key);
    result.rim = lamp(studio.rim);
    // The room mirrors in every surface, most at its outline: a soft sheen.
    const float facing = std::max(0.0f, hit.normal.dot(to_viewer));
    const Vec3f mirror = 2.0f * facing * hit.normal - to_viewer;
    const float sheen = hit.finish.gloss * (1.0f - 0.7f * hit.finish.roughness) * fresnel(facing);
    result.room = hit.albedo.cwiseProduct(studio.room_on(hit.normal)) +
                  std::min(sheen, 0.35f) * studio.room(mirror);
    return result;
}

Vec3f towards(const Lamp& lamp, float u, float v) {
    const Frame f = across(lamp.direction);
    const Eigen::Vector2f d = lamp.spread * disc(u, v);
    return (lamp.direction + d.x() * f.x + d.y() * f.y).normalized();
}

Vec3f around(const Vec3f& n, float u, float v) {
    const Frame f = across(n);
    const Eigen::Vector2f d = disc(u, v);
    const float height = std::sqrt(std::max(0.0f, 1.0f - d.squaredNorm()));
    return (d.x() * f.x + d.y() * f.y + height * n).normalized();
}

float layer_opacity(const Hit& hit, const Vec3f& to_viewer) {
    // A ray at an angle has a longer way through: T = (1 - opacity)^(1 / cos) [Beer-Lambert].
    const float cosine = std::clamp(hit.normal.dot(to_viewer), 0.12f, 1.0f);
    const float alpha = 1.0f - std::pow(1.0f - hit.opacity, 1.0f / cosine);
    return hit.is_back ? 0.35f * alpha : alpha;
}

Colour filmic(const Colour& light) {
    constexpr float kKnee = 0.5f;
    Colour result;
    for (int c = 0; c < 3; ++c) {
        const float x = std::max(0.0f, light[c]);
        result[c] = x <= kKnee
                        ? x
                        : kKnee + (1.0f - kKnee) * (1.0f - std::exp(-(x - kKnee) / (1.0f - kKnee)));
    }
    return result;
}

}  // namespace sinew::detail
