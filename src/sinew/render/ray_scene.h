#pragma once

#include "sinew/render/scene.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Inner part of render.h: the scene as the rays see it. Not for use elsewhere.

namespace sinew::detail {

using Vec3f = Eigen::Vector3f;

struct Ray {
    Vec3f origin;
    Vec3f direction;  ///< unit
    float near = 0.0f;
    float far = 1e30f;
};

/// What a ray meets. Normals point towards the side the ray came from.
struct Hit {
    float distance = 0.0f;
    Vec3f position = Vec3f::Zero();
    Vec3f origin = Vec3f::Zero();  ///< where rays to the lights start
    Vec3f normal = Vec3f::Zero();  ///< smooth
    Vec3f face_normal = Vec3f::Zero();
    Colour albedo = Colour::Zero();
    Finish finish = {};
    float opacity = 1.0f;
    float edge_distance = 1e30f;  ///< to the triangle's nearest edge, where edges are drawn
    int object = -1;
    bool is_back = false;  ///< the inner side of a surface
    bool is_cap = false;   ///< a face made by the cut
};

struct RaySceneOptions {
    std::string layers = {};
    double skin_opacity = 1.0;
    std::optional<CutPlane> cut = {};
    std::string cut_layers = {};
    bool wireframe = false;
    double crease_angle = 1.3;  ///< rad
};

/// The shown parts in acceleration structures. Inside, lengths are scaled so that the scene fits
/// the unit ball: `to_unit` is the only way in.
class RayScene {
public:
    RayScene(const Scene& scene, const RaySceneOptions& options);
    ~RayScene();
    RayScene(const RayScene&) = delete;
    RayScene& operator=(const RayScene&) = delete;

    Vec3f to_unit(const Vec3& p) const;
    double unit_length() const;  ///< m
    /// Lowest point of what is shown, in unit coordinates.
    float floor() const;
    Vec3f low() const;
    Vec3f high() const;

    /// Nearest opaque surface, faces made by the cut included.
    bool nearest(const Ray& ray, Hit& hit) const;
    /// Transparent surfaces before ray.far, front to back.
    void transparent(const Ray& ray, std::vector<Hit>& hits) const;
    bool has_transparent() const;
    bool is_occluded(const Ray& ray) const;
    /// Colour and normal only, for light that has bounced once.
    bool bounce(const Ray& ray, Colour& albedo, Vec3f& normal) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// One normal per triangle corner: the average of the faces around the vertex, weighted by their
/// angle there, over those faces that turn less than `crease` (rad) from the corner's own.
std::vector<Vec3f> corner_normals(const TriangleMesh& mesh, double crease);

/// Points that a camera should hold: the shown parts, without what is cut away.
std::vector<Vec3> visible_points(const Scene& scene, const RaySceneOptions& options,
                                 const std::vector<std::string>& focus);

}  // namespace sinew::detail
