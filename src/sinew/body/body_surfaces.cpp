#include "sinew/body/body_surfaces.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/body/tissue_cells.h"
#include "sinew/geometry/uv_atlas.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace sinew {

namespace {

constexpr std::size_t kSurfacePiece = 8192;  // points per piece of parallel work

constexpr std::pair<DisplayLayer, std::string_view> kLayerNames[] = {
    {DisplayLayer::Skin, "skin"},       {DisplayLayer::Muscles, "muscles"},
    {DisplayLayer::Bones, "bones"},     {DisplayLayer::Envelope, "envelope"},
    {DisplayLayer::Tissues, "tissues"}, {DisplayLayer::TetSkin, "tet_skin"},
};

using NamedMeshes = std::vector<std::pair<const TriangleMesh*, DisplayPart>>;

// One mesh of many parts, without growing it part by part.
DisplayMesh joined(const NamedMeshes& parts) {
    DisplayMesh all;
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    for (const auto& [mesh, part] : parts) {
        points += mesh->points.rows();
        triangles += mesh->triangles.rows();
    }
    all.points.resize(points, 3);
    all.triangles.resize(triangles, 3);
    points = 0;
    triangles = 0;
    for (const auto& [mesh, named] : parts) {
        DisplayPart part = named;
        part.first = triangles;
        part.count = mesh->triangles.rows();
        part.first_point = points;
        part.point_count = mesh->points.rows();
        all.points.middleRows(points, part.point_count) = mesh->points;
        all.triangles.middleRows(triangles, part.count) =
            mesh->triangles.array() + static_cast<Index>(points);
        points += part.point_count;
        triangles += part.count;
        all.parts.push_back(std::move(part));
    }
    if (parts.size() == 1) {
        const std::vector<Attribute>& data = parts[0].first->triangle_data;
        std::copy_if(data.begin(), data.end(), std::back_inserter(all.corner_uv),
                     [](const Attribute& a) { return a.name == kCornerUv; });
    }
    return all;
}

// The faces of the tetrahedra of one tissue that lead out of it.
TriangleMesh outside_of_tissue(const Body& body, const Attribute& tissue, const Tets& across,
                               int kind) {
    static constexpr int kFace[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const auto is_kind = [&](Eigen::Index t) {
        return static_cast<int>(tissue.values[static_cast<std::size_t>(t)]) == kind;
    };
    std::vector<Index> number(static_cast<std::size_t>(body.tets.points.rows()), -1);
    std::vector<Index> used;
    std::vector<std::array<Index, 3>> faces;
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        for (int k = 0; k < 4 && is_kind(t); ++k) {
            if (const Index o = across(t, k); o >= 0 && is_kind(o)) {
                continue;
            }
            std::array<Index, 3> face{};
            for (std::size_t c = 0; c < 3; ++c) {
                const Index v = body.tets.tets(t, kFace[k][c]);
                Index& n = number[static_cast<std::size_t>(v)];
                if (n < 0) {
                    n = static_cast<Index>(used.size());
                    used.push_back(v);
                }
                face[c] = n;
            }
            faces.push_back(face);
        }
    }
    TriangleMesh mesh;
    mesh.points = positions_of(TetSurface{.tet_vertex = used}, body.tets.points);
    mesh.triangles.resize(static_cast<Eigen::Index>(faces.size()), 3);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        mesh.triangles.row(static_cast<Eigen::Index>(i)) << faces[i][0], faces[i][1], faces[i][2];
    }
    return mesh;
}

// Faces between tetrahedra of different tissues, and of the outside; each tissue has its own.
DisplayMesh tissue_faces(const Body& body) {
    if (body.tets.tets.rows() == 0) {
        return {};
    }
    const std::vector<Attribute> cells = tissue_cells(body);
    const Attribute* tissue = find_attribute(cells, "tissue");
    const Tets across = tet_neighbours(body.tets.tets);
    std::vector<TriangleMesh> meshes(kTissueCount);
    NamedMeshes parts;
    for (int kind = 0; kind < kTissueCount && tissue != nullptr; ++kind) {
        TriangleMesh& mesh = meshes[static_cast<std::size_t>(kind)];
        mesh = outside_of_tissue(body, *tissue, across, kind);
        if (mesh.triangles.rows() > 0) {
            const std::string name(name_of(static_cast<Tissue>(kind)));
            parts.push_back({&mesh, {.name = name, .kind = name}});
        }
    }
    return joined(parts);
}

// Embeddings that the body keeps, one after another; nothing where it keeps none.
EmbeddedPoints joined_embeddings(const std::vector<EmbeddedPoints>& parts) {
    EmbeddedPoints all;
    for (const EmbeddedPoints& part : parts) {
        all.tet.insert(all.tet.end(), part.tet.begin(), part.tet.end());
    }
    all.weights.resize(static_cast<Eigen::Index>(all.tet.size()), 4);
    Eigen::Index row = 0;
    for (const EmbeddedPoints& part : parts) {
        all.weights.middleRows(row, part.weights.rows()) = part.weights;
        row += part.weights.rows();
    }
    return all;
}

bool is_same(const Points& a, const Points& b) {
    return a.rows() == b.rows() && a == b;
}

// Places surfaces in the tetrahedra of one body.
class Tying {
public:
    explicit Tying(const Body& body) : body_(body) {}

    EmbeddedPoints embedded(DisplayLayer layer, const Points& rest) {
        // What the body itself keeps is as good, and there at once.
        if (layer == DisplayLayer::Muscles || layer == DisplayLayer::Bones) {
            EmbeddedPoints own = joined_embeddings(
                layer == DisplayLayer::Muscles ? body_.muscle_embeddings : body_.bone_embeddings);
            if (own.size() == static_cast<std::size_t>(rest.rows()) &&
                is_same(rest, display_mesh(body_, layer).points)) {
                return own;
            }
        }
        // Two resolutions of a person differ by millimetres.
        constexpr double kFarOutside = 0.1;  // m
        if (!locator_) {
            locator_.emplace(body_.tets);
        }
        TetEmbedding found = embed(rest, *locator_, {.max_outside = kFarOutside});
        return {.tet = std::move(found.tet), .weights = std::move(found.weights)};
    }

    // The segment of each point of the bones, by the names of their parts.
    std::vector<Index> segments(const DisplayMesh& mesh) const {
        std::map<std::string_view, Index> segment_of;
        for (const Bone& bone : body_.bones) {
            segment_of[bone.name] = bone.segment;
        }
        std::vector<Index> segment(static_cast<std::size_t>(mesh.points.rows()), 0);
        for (const DisplayPart& part : mesh.parts) {
            const auto found = segment_of.find(part.name);
            std::fill_n(segment.begin() + part.first_point, part.point_count,
                        found == segment_of.end() ? Index{0} : found->second);
        }
        return segment;
    }

private:
    const Body& body_;
    std::optional<TetLocator> locator_ = {};
};

}  // namespace

std::string_view name_of(DisplayLayer layer) {
    return kLayerNames[static_cast<std::size_t>(layer)].second;
}

std::vector<DisplayLayer> layers_from_names(std::string_view names, std::string_view where) {
    std::vector<std::string> known;
    for (const auto& [layer, name] : kLayerNames) {
        known.emplace_back(name);
    }
    std::vector<DisplayLayer> layers;
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        const std::string word(names.substr(begin, end - begin));
        const auto found = std::find(known.begin(), known.end(), word);
        const auto layer = static_cast<DisplayLayer>(found - known.begin());
        if (found == known.end() ||
            std::find(layers.begin(), layers.end(), layer) != layers.end()) {
            throw InputError(
                {.where = std::string(where),
                 .found = found == known.end()
                              ? fmt::format("unknown layer '{}'{}", word, did_you_mean(word, known))
                              : fmt::format("layer '{}' twice", word),
                 .needs = "names of layers, with commas in between",
                 .remedy = fmt::format("choose from {}", join(known, ", "))});
        }
        layers.push_back(layer);
        begin = end + 1;
    }
    return layers;
}

DisplayMesh display_mesh(const TriangleMesh& mesh, DisplayPart part) {
    return joined({{&mesh, std::move(part)}});
}

DisplayMesh display_mesh(const Body& body, DisplayLayer layer) {
    const bool has_display = body.display_skin.triangles.rows() > 0;
    NamedMeshes parts;
    switch (layer) {
        case DisplayLayer::Skin:
            parts.push_back({has_display ? &body.display_skin : &body.skin.mesh,
                             {.name = "skin", .kind = "skin"}});
            break;
        case DisplayLayer::Muscles:
            for (const Muscle& muscle : body.muscles) {
                parts.push_back({&muscle.mesh,
                                 {.name = muscle.name,
                                  .kind = muscle.is_passive ? "tendon" : "muscle",
                                  .group = muscle.group}});
            }
            break;
        case DisplayLayer::Bones:
            for (const Bone& bone : body.bones) {
                parts.push_back(
                    {&bone.mesh, {.name = bone.name, .kind = std::string(name_of(bone.kind))}});
            }
            break;
        case DisplayLayer::Envelope:
            parts.push_back({&body.envelope.mesh, {.name = "envelope", .kind = "envelope"}});
            break;
        case DisplayLayer::Tissues:
            return tissue_faces(body);
        case DisplayLayer::TetSkin:
            parts.push_back({&body.skin.mesh, {.name = "tet_skin", .kind = "skin"}});
            break;
    }
    return joined(parts);
}

DisplayMeshes display_meshes(const Body& body, std::span<const DisplayLayer> layers) {
    DisplayMeshes meshes;
    for (const DisplayLayer layer : layers) {
        meshes[layer] = display_mesh(body, layer);
    }
    return meshes;
}

std::array<float, 4> colour_of_kind(std::string_view kind) {
    static const std::map<std::string_view, std::array<float, 4>> kColours = {
        {"skin", {0.80f, 0.52f, 0.40f, 1.0f}},      {"bone", {0.86f, 0.79f, 0.63f, 1.0f}},
        {"cartilage", {0.62f, 0.74f, 0.80f, 1.0f}}, {"disc", {0.62f, 0.74f, 0.80f, 1.0f}},
        {"muscle", {0.55f, 0.09f, 0.07f, 1.0f}},    {"tendon", {0.82f, 0.76f, 0.66f, 1.0f}}};
    const auto found = kColours.find(kind);
    return found == kColours.end() ? MeshPart{}.colour : found->second;
}

std::vector<MeshPart> parts_of(const DisplayMesh& mesh, const Points& points) {
    std::vector<MeshPart> parts;
    for (const DisplayPart& part : mesh.parts) {
        MeshPart& out = parts.emplace_back(MeshPart{
            .name = part.name, .mesh = {}, .kind = part.kind, .colour = colour_of_kind(part.kind)});
        out.mesh.points = points.middleRows(part.first_point, part.point_count);
        out.mesh.triangles = mesh.triangles.middleRows(part.first, part.count).array() -
                             static_cast<Index>(part.first_point);
        out.mesh.triangle_data = mesh.corner_uv;
    }
    return parts;
}

BodySurfaces::BodySurfaces(const Body& body, const DisplayMeshes& meshes)
    : tets_(body.tets.tets), skin_(body.skin) {
    Tying tying(body);
    for (const auto& [which, mesh] : meshes) {
        Layer& layer = layers_[which];
        const bool is_skin = which == DisplayLayer::Skin || which == DisplayLayer::TetSkin;
        if (is_skin && is_same(mesh.points, body.skin.mesh.points)) {
            layer.row = body.skin.tet_vertex;
        } else if (is_skin) {
            layer.on_skin = attach(mesh.points, body.skin.mesh);
        } else if (which == DisplayLayer::Envelope &&
                   is_same(mesh.points, body.envelope.mesh.points)) {
            layer.row = body.envelope.tet_vertex;
        } else {
            layer.embedded = tying.embedded(which, mesh.points);
        }
        if (which == DisplayLayer::Bones) {
            layer.rest = mesh.points;
            layer.segment = tying.segments(mesh);
        }
    }
}

Points BodySurfaces::follow(const Layer& layer, const Points& tet_points) const {
    if (!layer.row.empty()) {
        return positions_of(TetSurface{.tet_vertex = layer.row}, tet_points);
    }
    if (layer.on_skin.size() > 0) {
        return apply(layer.on_skin, positions_of(skin_, tet_points));
    }
    return positions_of(layer.embedded, tet_points, tets_);
}

Points BodySurfaces::at(DisplayLayer which, const State& state) const {
    const Layer& layer = layers_.at(which);
    if (which != DisplayLayer::Bones) {
        return follow(layer, state.positions);
    }
    Points result = layer.rest;
    if (state.segments.empty()) {
        return result;
    }
    parallel_for(layer.segment.size(), kSurfacePiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const auto& T = state.segments[static_cast<std::size_t>(layer.segment[i])];
            result.row(row) = (T * point(layer.rest, row)).transpose();
        }
    });
    return result;
}

Points BodySurfaces::reshaped(DisplayLayer which, const Points& tet_points) const {
    return follow(layers_.at(which), tet_points);
}

std::vector<MeshPart> surfaces_at(const Body& body, const State& state,
                                  std::span<const DisplayLayer> layers) {
    const DisplayMeshes meshes = display_meshes(body, layers);
    const BodySurfaces surfaces(body, meshes);
    std::vector<MeshPart> all;
    for (const DisplayLayer layer : layers) {
        for (MeshPart& part : parts_of(meshes.at(layer), surfaces.at(layer, state))) {
            if (part.mesh.triangles.rows() > 0) {
                all.push_back(std::move(part));
            }
        }
    }
    return all;
}

}  // namespace sinew
