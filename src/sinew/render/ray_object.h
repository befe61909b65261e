#pragma once

#include "sinew/render/ray_scene.h"

#include <array>
#include <cstdint>
#include <vector>

// Inner part of ray_scene.h: one part of the scene, ready for the rays. Not for use elsewhere.

namespace sinew::detail {

/// Scales the scene to the unit ball.
struct UnitFrame {
    Vec3 centre = Vec3::Zero();  ///< m
    double radius = 1.0;         ///< m

    Vec3f unit(const Vec3& p) const {
        return ((p - centre) / radius).cast<float>();
    }
};

/// The scalar map's colours, from low to high.
inline constexpr std::size_t kMapSteps = 1024;
using ColourTable = std::array<Colour, kMapSteps>;

enum class Form { Mesh, Tubes, Balls };

struct RayObject {
    Form form = Form::Mesh;
    PartKind kind = PartKind::Other;
    Finish finish = {};
    Colour colour = Colour::Ones();
    float opacity = 1.0f;
    float radius = 0.0f;  ///< of tubes and balls
    bool is_cut = false;
    bool is_closed = false;  ///< known for parts that are cut
    bool is_flat = false;
    bool show_edges = false;
    std::vector<Vec3f> points = {};
    std::vector<std::uint32_t> corners = {};  ///< three per triangle; one per tube segment
    std::vector<Vec3f> normals = {};          ///< one per corner
    std::vector<Colour> point_colours = {};
    std::vector<Colour> face_colours = {};
    std::vector<float> point_scalars = {};  ///< already in [0, 1]
    std::vector<float> face_scalars = {};

    bool is_empty() const {
        return opacity <= 0.0f || points.empty() || (form != Form::Balls && corners.empty());
    }
};

RayObject build_object(const SceneSurface& surface, const ScalarMap* map, const ScalarRange& range,
                       const UnitFrame& frame, const RaySceneOptions& options);
RayObject build_object(const SceneLines& lines, const UnitFrame& frame,
                       const RaySceneOptions& options);
RayObject build_object(const SceneDots& dots, const UnitFrame& frame,
                       const RaySceneOptions& options);

/// Colour at barycentric place (u, v) of a triangle, or u along a tube.
Colour albedo(const RayObject& o, const ColourTable& table, unsigned primitive, float u, float v);

/// Where rays to the lights start, so that facets do not shade themselves at the terminator: the
/// point is lifted to the tangent planes of the corners and blended [Hanika2021].
Vec3f lifted_point(const RayObject& o, std::size_t triangle, float u, float v, const Vec3f& p,
                   float side);
float distance_to_edges(const RayObject& o, std::size_t triangle, float u, float v);

/// Kinds from inside out: where parts overlap, the cut shows the one that comes first.
int depth_rank(PartKind kind);

}  // namespace sinew::detail
