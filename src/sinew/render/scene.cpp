#include "sinew/render/scene.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sinew {

namespace {

bool is_default_grey(const std::array<float, 4>& colour) {
    const MeshPart blank;
    return std::equal(colour.begin(), colour.begin() + 3, blank.colour.begin());
}

/// Distinct, calm colours for regions without one: hues a golden angle apart.
Colour region_colour(int region) {
    static constexpr std::uint32_t kColours[] = {0xe8ddc3, 0xb0423a, 0xeccf7d, 0xe0b096, 0x7fa7c4,
                                                 0x8fb28a, 0xa98bb5, 0xc98f63, 0x6f8f9c, 0xd8a9b4};
    const auto n = static_cast<int>(std::size(kColours));
    return colour_from_hex(kColours[((region % n) + n) % n]);
}

/// Tetrahedra that remain, by row.
std::vector<Index> kept_tets(const TetMesh& mesh, const std::optional<CutPlane>& cut) {
    std::vector<Index> kept;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        Vec3 middle = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            middle += 0.25 * point(mesh.points, mesh.tets(t, k));
        }
        if (!cut || cut->normal.dot(middle) <= cut->offset) {
            kept.push_back(static_cast<Index>(t));
        }
    }
    return kept;
}

/// Outer faces of the kept tetrahedra with the row of the tetrahedron each belongs to.
struct OuterFaces {
    Triangles triangles;
    std::vector<Index> tet;
};

OuterFaces outer_faces(const TetMesh& mesh, const std::vector<Index>& kept) {
    Tets tets(static_cast<Eigen::Index>(kept.size()), 4);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        tets.row(static_cast<Eigen::Index>(i)) = mesh.tets.row(kept[i]);
    }
    const Tets across = tet_neighbours(tets);
    // Face opposite corner k, seen counter-clockwise from outside.
    static constexpr int kFace[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    std::vector<std::array<Index, 3>> faces;
    OuterFaces result;
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        for (int k = 0; k < 4; ++k) {
            if (across(t, k) < 0) {
                faces.push_back({tets(t, kFace[k][0]), tets(t, kFace[k][1]), tets(t, kFace[k][2])});
                result.tet.push_back(kept[at(t)]);
            }
        }
    }
    result.triangles.resize(static_cast<Eigen::Index>(faces.size()), 3);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        result.triangles.row(static_cast<Eigen::Index>(i)) << faces[i][0], faces[i][1], faces[i][2];
    }
    return result;
}

Attribute picked(const Attribute& all, const std::vector<Index>& rows) {
    Attribute result{
        .name = all.name, .components = all.components, .values = {}, .unit = all.unit};
    const auto n = static_cast<std::size_t>(all.components);
    result.values.reserve(rows.size() * n);
    for (const Index row : rows) {
        for (std::size_t c = 0; c < n; ++c) {
            result.values.push_back(all.values[static_cast<std::size_t>(row) * n + c]);
        }
    }
    return result;
}

Attribute colours_by_region(const TetMesh& mesh, const std::vector<Index>& tets,
                            const std::map<int, Colour>& given) {
    Attribute colours{.name = std::string(kColourAttribute), .components = 3, .values = {}};
    for (const Index t : tets) {
        const int region = mesh.region.empty() ? 0 : mesh.region[at(t)];
        const auto found = given.find(region);
        const Colour c = found != given.end() ? found->second : region_colour(region);
        colours.values.insert(colours.values.end(), {c[0], c[1], c[2]});
    }
    return colours;
}

[[noreturn]] void refuse(std::string where, std::string found, std::string needs) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "leave this part out of the picture or mend it"});
}

void require_colour_attributes(const std::vector<Attribute>& data, const std::string& where) {
    const Attribute* colour = find_attribute(data, kColourAttribute);
    if (colour != nullptr && colour->components != 3 && colour->components != 4) {
        refuse(where, fmt::format("colours of {} components", colour->components),
               "3 (RGB) or 4 (RGBA)");
    }
}

template <class Things>
void require_finite(const Things& points, double radius, const std::string& where) {
    if (!(radius > 0.0) || !std::isfinite(radius)) {
        refuse(where, fmt::format("radius {}", radius), "a radius > 0 in metres");
    }
    for (const Vec3& p : points) {
        if (!p.allFinite()) {
            refuse(where, fmt::format("point ({}, {}, {})", p[0], p[1], p[2]), "finite numbers");
        }
    }
}

}  // namespace

Scene scene_from_parts(std::span<const MeshPart> parts) {
    Scene scene;
    for (const MeshPart& part : parts) {
        SceneSurface surface{.name = part.name, .kind = part.kind, .mesh = part.mesh};
        if (!is_default_grey(part.colour)) {
            surface.colour = Colour(part.colour[0], part.colour[1], part.colour[2]);
        }
        surface.opacity = part.colour[3];
        scene.surfaces.push_back(std::move(surface));
    }
    return scene;
}

Scene scene_from_tets(const TetMesh& mesh, const TetSceneOptions& options) {
    require_valid(mesh, "tetrahedral mesh of the picture");
    const OuterFaces faces = outer_faces(mesh, kept_tets(mesh, options.cut));
    const Compacted compact = without_unused_points(mesh.points, faces.triangles);

    SceneSurface surface{.name = "tetrahedra", .kind = "tets"};
    surface.mesh.points = compact.points;
    surface.mesh.triangles = compact.triangles;
    surface.is_flat = true;
    surface.show_edges = options.show_edges;
    for (const Attribute& a : mesh.point_data) {
        if (a.components == 1) {
            surface.mesh.point_data.push_back(picked(a, compact.old_index));
        }
    }
    for (const Attribute& a : mesh.tet_data) {
        if (a.components == 1 || a.name == kColourAttribute) {
            surface.mesh.triangle_data.push_back(picked(a, faces.tet));
        }
    }
    if (find_attribute(surface.mesh.triangle_data, kColourAttribute) == nullptr) {
        surface.mesh.triangle_data.push_back(
            colours_by_region(mesh, faces.tet, options.region_colours));
    }
    Scene scene;
    scene.surfaces.push_back(std::move(surface));
    return scene;
}

bool is_in_layers(std::string_view kind, std::string_view name, std::string_view layers) {
    static constexpr std::pair<std::string_view, PartKind> kLayers[] = {
        {"bones", PartKind::Bone},          {"teeth", PartKind::Tooth},
        {"cartilage", PartKind::Cartilage}, {"tendons", PartKind::Tendon},
        {"muscles", PartKind::Muscle},      {"fat", PartKind::Fat},
        {"skin", PartKind::Skin},           {"organs", PartKind::Organ},
        {"vessels", PartKind::Vessel},      {"nerves", PartKind::Nerve},
        {"other", PartKind::Other}};
    const PartKind own = part_kind(kind, name);
    bool shown = layers.empty();
    for (const std::string& raw : split(layers, ',')) {
        std::string word = lower(raw);
        std::erase(word, ' ');
        if (word == "all") {
            shown = true;
            continue;
        }
        if (word.empty()) {
            continue;
        }
        const auto* found =
            std::find_if(std::begin(kLayers), std::end(kLayers),
                         [&](const auto& l) { return l.first == word || l.first == word + "s"; });
        if (found == std::end(kLayers)) {
            std::vector<std::string> names = {"all"};
            for (const auto& [layer, unused] : kLayers) {
                names.emplace_back(layer);
            }
            throw InputError({.where = fmt::format("layers '{}'", layers),
                              .found = fmt::format("'{}'{}", word, did_you_mean(word, names)),
                              .needs = fmt::format("a list of {}", join(names, ", ")),
                              .remedy = "write the layers as in skin,muscles,bones"});
        }
        const PartKind layer = found->second;
        shown =
            shown || own == layer ||
            (layer == PartKind::Bone && (own == PartKind::Tooth || own == PartKind::Cartilage)) ||
            (layer == PartKind::Muscle && own == PartKind::Tendon);
    }
    return shown;
}

void require_valid(const Scene& scene) {
    for (const SceneSurface& s : scene.surfaces) {
        const std::string where = fmt::format("part '{}' of the picture", s.name);
        require_valid(s.mesh, where);
        require_colour_attributes(s.mesh.point_data, where);
        require_colour_attributes(s.mesh.triangle_data, where);
        if (!(s.opacity >= 0.0 && s.opacity <= 1.0)) {
            refuse(where, fmt::format("opacity {}", s.opacity), "a number from 0 to 1");
        }
        if (s.colour && !s.colour->allFinite()) {
            refuse(where, "a colour that is not finite", "three finite numbers");
        }
    }
    for (const SceneLines& l : scene.lines) {
        const std::string where = fmt::format("lines '{}' of the picture", l.name);
        for (std::size_t i = 0; i < l.lines.size(); ++i) {
            require_finite(l.lines[i], l.radius, where);
            if (l.lines[i].size() < 2) {
                refuse(where, fmt::format("line {} of {} points", i, l.lines[i].size()),
                       "at least two points");
            }
            if (!l.colours.empty() &&
                (l.colours.size() != l.lines.size() || l.colours[i].size() != l.lines[i].size())) {
                refuse(where, "colours that do not match the points", "one colour per point");
            }
        }
    }
    for (const SceneDots& d : scene.dots) {
        const std::string where = fmt::format("dots '{}' of the picture", d.name);
        require_finite(d.points, d.radius, where);
        if (!d.colours.empty() && d.colours.size() != d.points.size()) {
            refuse(where, "colours that do not match the points", "one colour per point");
        }
    }
}

ScalarRange scalar_range(const Scene& scene) {
    SINEW_ASSERT(scene.scalar.has_value(), "no scalar map");
    const ScalarMap& map = *scene.scalar;
    ScalarRange range{.low = std::numeric_limits<double>::infinity(),
                      .high = -std::numeric_limits<double>::infinity(),
                      .unit = map.unit};
    bool found = false;
    std::set<std::string> known;
    for (const SceneSurface& s : scene.surfaces) {
        for (const auto* data : {&s.mesh.point_data, &s.mesh.triangle_data}) {
            for (const Attribute& one : *data) {
                if (one.components == 1) {
                    known.insert(one.name);
                }
            }
            const Attribute* a = find_attribute(*data, map.attribute);
            if (a == nullptr || a->components != 1) {
                continue;
            }
            found = true;
            range.unit = range.unit.empty() ? a->unit : range.unit;
            for (const double v : a->values) {
                if (std::isfinite(v)) {
                    range.low = std::min(range.low, v);
                    range.high = std::max(range.high, v);
                }
            }
        }
    }
    if (!found) {
        throw InputError(
            {.where = "scalar map of the picture",
             .found = fmt::format("no part with one-component data '{}'", map.attribute),
             .needs = "point or triangle data of that name",
             .remedy = known.empty()
                           ? std::string("choose a file with data, such as .ply with 'quality'")
                           : "name one of " +
                                 join(std::vector<std::string>(known.begin(), known.end()), ", ")});
    }
    range.low = map.low.value_or(std::isfinite(range.low) ? range.low : 0.0);
    range.high = map.high.value_or(std::isfinite(range.high) ? range.high : 1.0);
    if (!(range.high > range.low)) {
        range.high = range.low + std::max(1e-12, 1e-6 * std::abs(range.low));
    }
    return range;
}

}  // namespace sinew
