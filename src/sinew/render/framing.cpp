#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/render/ray_scene.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::detail {

std::vector<Vec3> visible_points(const Scene& scene, const RaySceneOptions& options,
                                 const std::vector<std::string>& focus) {
    std::vector<Vec3> points;
    std::vector<std::string> names;
    const auto wanted = [&](const std::string& name) {
        return focus.empty() || std::any_of(focus.begin(), focus.end(), [&](const std::string& f) {
                   return name == f || name == f + "_l" || name == f + "_r";
               });
    };
    const auto add = [&](const Vec3& p, bool is_cut, double radius) {
        if (is_cut && options.cut && options.cut->normal.dot(p) > options.cut->offset) {
            return;
        }
        points.push_back(p);
        if (radius > 0.0) {
            for (int axis = 0; axis < 3; ++axis) {
                points.push_back(p + radius * Vec3::Unit(axis));
                points.push_back(p - radius * Vec3::Unit(axis));
            }
        }
    };
    const auto cuts = [&](const auto& item) {
        return options.cut && is_in_layers(item.kind, item.name, options.cut_layers);
    };
    for (const SceneSurface& s : scene.surfaces) {
        names.push_back(s.name);
        if (!is_in_layers(s.kind, s.name, options.layers) || !wanted(s.name)) {
            continue;
        }
        const bool is_cut = cuts(s);
        for (Eigen::Index i = 0; i < s.mesh.points.rows(); ++i) {
            add(point(s.mesh.points, i), is_cut, 0.0);
        }
    }
    for (const SceneLines& l : scene.lines) {
        names.push_back(l.name);
        for (const auto& line : l.lines) {
            for (const Vec3& p : line) {
                if (wanted(l.name)) {
                    add(p, cuts(l), l.radius);
                }
            }
        }
    }
    for (const SceneDots& d : scene.dots) {
        names.push_back(d.name);
        for (const Vec3& p : d.points) {
            if (wanted(d.name)) {
                add(p, cuts(d), d.radius);
            }
        }
    }
    if (points.empty() && !focus.empty()) {
        if (std::find(names.begin(), names.end(), focus[0]) != names.end()) {
            throw InputError({.where = "picture, focus",
                              .found = fmt::format("'{}', which is not drawn", focus[0]),
                              .needs = "a part that is shown",
                              .remedy = "add its kind to the layers"});
        }
        throw InputError({.where = "picture, focus",
                          .found = fmt::format("'{}', which no shown part is called{}",
                                               join(focus, ","), did_you_mean(focus[0], names)),
                          .needs = "the name of a part that is shown",
                          .remedy = "name parts as the files do, separated by commas"});
    }
    return points;
}

}  // namespace sinew::detail
