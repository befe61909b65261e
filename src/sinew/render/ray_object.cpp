#include "sinew/render/ray_object.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::detail {

namespace {

/// Every edge is used equally often in both directions: a ray that enters also leaves.
bool is_closed(const TriangleMesh& mesh) {
    std::vector<std::uint64_t> edges;
    edges.reserve(3 * static_cast<std::size_t>(mesh.triangles.rows()));
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const auto a = static_cast<std::uint64_t>(mesh.triangles(t, k));
            const auto b = static_cast<std::uint64_t>(mesh.triangles(t, (k + 1) % 3));
            // Undirected edge in the upper bits, direction in the lowest.
            edges.push_back((std::min(a, b) << 33) | (std::max(a, b) << 1) | (a < b ? 1u : 0u));
        }
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
        std::int64_t balance = 0;
        const std::uint64_t edge = edges[i] >> 1;
        for (; i < edges.size() && (edges[i] >> 1) == edge; ++i) {
            balance += (edges[i] & 1u) != 0 ? 1 : -1;
        }
        if (balance != 0) {
            return false;
        }
    }
    return !edges.empty();
}

std::vector<Colour> colours_of(const std::vector<Attribute>& data) {
    std::vector<Colour> colours;
    if (const Attribute* a = find_attribute(data, kColourAttribute)) {
        const auto n = static_cast<std::size_t>(a->components);
        for (std::size_t i = 0; i < a->count(); ++i) {
            const Eigen::Vector3d c(a->values[n * i], a->values[n * i + 1], a->values[n * i + 2]);
            colours.emplace_back(
                (c.allFinite() ? c : Eigen::Vector3d::Constant(0.5)).cast<float>().cwiseMax(0.0f));
        }
    }
    return colours;
}

std::vector<float> scalars_of(const std::vector<Attribute>& data, const ScalarMap& map,
                              const ScalarRange& range) {
    std::vector<float> scalars;
    const Attribute* a = find_attribute(data, map.attribute);
    if (a != nullptr && a->components == 1) {
        for (const double v : a->values) {
            const double t = (v - range.low) / (range.high - range.low);
            scalars.push_back(std::isnan(t) ? std::numeric_limits<float>::quiet_NaN()
                                            : static_cast<float>(std::clamp(t, 0.0, 1.0)));
        }
    }
    return scalars;
}

/// Muscles may say where they are tendon (point data "tendon", 0 to 1): they turn pale there.
std::vector<Colour> tendon_blend(const std::vector<Attribute>& data, const Colour& belly) {
    std::vector<Colour> colours;
    const Attribute* a = find_attribute(data, "tendon");
    if (a != nullptr && a->components == 1) {
        const Colour tendon = anatomical_colour(PartKind::Tendon, "");
        for (const double v : a->values) {
            const auto t = static_cast<float>(std::clamp(std::isnan(v) ? 0.0 : v, 0.0, 1.0));
            colours.emplace_back((1.0f - t) * belly + t * tendon);
        }
    }
    return colours;
}

}  // namespace

int depth_rank(PartKind kind) {
    switch (kind) {
        case PartKind::Tooth:
            return 0;
        case PartKind::Bone:
            return 1;
        case PartKind::Cartilage:
            return 2;
        case PartKind::Fat:
            return 8;
        case PartKind::Skin:
            return 9;
        case PartKind::Tendon:
        case PartKind::Muscle:
        case PartKind::Organ:
        case PartKind::Vessel:
        case PartKind::Nerve:
        case PartKind::Other:
            break;
    }
    return 4;
}

RayObject build_object(const SceneSurface& surface, const ScalarMap* map, const ScalarRange& range,
                       const UnitFrame& frame, const RaySceneOptions& options) {
    RayObject o;
    o.kind = part_kind(surface.kind, surface.name);
    o.finish = finish_of(o.kind);
    o.colour = surface.colour.value_or(anatomical_colour(o.kind, surface.name));
    const double skin = o.kind == PartKind::Skin ? options.skin_opacity : 1.0;
    o.opacity = static_cast<float>(surface.opacity * skin);
    if (surface.mesh.triangles.rows() == 0 || o.opacity <= 0.0f) {
        return o;
    }
    o.is_flat = surface.is_flat;
    o.show_edges = surface.show_edges || options.wireframe;
    o.is_cut = options.cut && is_in_layers(surface.kind, surface.name, options.cut_layers);
    o.is_closed = o.is_cut && is_closed(surface.mesh);
    const auto count = static_cast<std::size_t>(surface.mesh.points.rows());
    o.points.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        o.points.push_back(frame.unit(point(surface.mesh.points, static_cast<Eigen::Index>(i))));
    }
    const Index* corners = surface.mesh.triangles.data();
    o.corners.assign(corners, corners + surface.mesh.triangles.size());
    if (!o.is_flat) {
        o.normals = corner_normals(surface.mesh, options.crease_angle);
    }
    if (map != nullptr) {
        o.point_scalars = scalars_of(surface.mesh.point_data, *map, range);
        o.face_scalars = scalars_of(surface.mesh.triangle_data, *map, range);
    }
    o.point_colours = colours_of(surface.mesh.point_data);
    o.face_colours = colours_of(surface.mesh.triangle_data);
    if (o.point_colours.empty() && o.kind == PartKind::Muscle) {
        o.point_colours = tendon_blend(surface.mesh.point_data, o.colour);
    }
    return o;
}

RayObject build_object(const SceneLines& lines, const UnitFrame& frame,
                       const RaySceneOptions& options) {
    RayObject o;
    o.form = Form::Tubes;
    o.kind = part_kind(lines.kind, lines.name);
    o.finish = finish_of(o.kind);
    o.colour = lines.colour;
    o.is_cut = options.cut && is_in_layers(lines.kind, lines.name, options.cut_layers);
    for (std::size_t i = 0; i < lines.lines.size(); ++i) {
        for (std::size_t k = 0; k < lines.lines[i].size(); ++k) {
            if (k + 1 < lines.lines[i].size()) {
                o.corners.push_back(static_cast<std::uint32_t>(o.points.size()));
            }
            o.points.push_back(frame.unit(lines.lines[i][k]));
            if (!lines.colours.empty()) {
                o.point_colours.push_back(lines.colours[i][k]);
            }
        }
    }
    o.radius = static_cast<float>(lines.radius / frame.radius);
    return o;
}

RayObject build_object(const SceneDots& dots, const UnitFrame& frame,
                       const RaySceneOptions& options) {
    RayObject o;
    o.form = Form::Balls;
    o.kind = part_kind(dots.kind, dots.name);
    o.finish = finish_of(o.kind);
    o.colour = dots.colour;
    o.is_cut = options.cut && is_in_layers(dots.kind, dots.name, options.cut_layers);
    for (const Vec3& p : dots.points) {
        o.points.push_back(frame.unit(p));
    }
    o.point_colours = dots.colours;
    o.radius = static_cast<float>(dots.radius / frame.radius);
    return o;
}

Colour albedo(const RayObject& o, const ColourTable& table, unsigned primitive, float u, float v) {
    const std::size_t p = primitive;
    const auto mapped = [&](float t) {
        return std::isnan(t) ? map_colour(ColourMap::Viridis, std::nan(""))
                             : table[static_cast<std::size_t>(t * (kMapSteps - 1) + 0.5f)];
    };
    if (!o.face_scalars.empty()) {
        return mapped(o.face_scalars[p]);
    }
    if (o.form == Form::Mesh) {
        const std::uint32_t* c = &o.corners[3 * p];
        const auto blend = [&](const auto& values) {
            return (1.0f - u - v) * values[c[0]] + u * values[c[1]] + v * values[c[2]];
        };
        if (!o.point_scalars.empty()) {
            return mapped(blend(o.point_scalars));
        }
        if (!o.point_colours.empty()) {
            return blend(o.point_colours);
        }
    } else if (!o.point_colours.empty()) {
        if (o.form == Form::Balls) {
            return o.point_colours[p];
        }
        const std::uint32_t first = o.corners[p];
        return (1.0f - u) * o.point_colours[first] + u * o.point_colours[first + 1];
    }
    return o.face_colours.empty() ? o.colour : o.face_colours[p];
}

Vec3f lifted_point(const RayObject& o, std::size_t triangle, float u, float v, const Vec3f& p,
                   float side) {
    const float weight[3] = {1.0f - u - v, u, v};
    Vec3f result = Vec3f::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3f n = side * o.normals[3 * triangle + k];
        const Vec3f d = p - o.points[o.corners[3 * triangle + k]];
        result += weight[k] * (p - std::min(0.0f, d.dot(n)) * n);
    }
    return result;
}

float distance_to_edges(const RayObject& o, std::size_t triangle, float u, float v) {
    Vec3f p[3];
    for (std::size_t k = 0; k < 3; ++k) {
        p[k] = o.points[o.corners[3 * triangle + k]];
    }
    const float twice_area = (p[1] - p[0]).cross(p[2] - p[0]).norm();
    const float weight[3] = {1.0f - u - v, u, v};
    float least = 1e30f;
    for (std::size_t k = 0; k < 3; ++k) {
        const float edge = (p[(k + 2) % 3] - p[(k + 1) % 3]).norm();
        least = std::min(least, weight[k] * twice_area / std::max(edge, 1e-30f));
    }
    return least;
}

}  // namespace sinew::detail
