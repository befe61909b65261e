#include "sinew/pipeline/body_display.h"

#include "sinew/body/tissue_cells.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/decimate.h"
#include "sinew/render/fibre_lines.h"

namespace sinew {

namespace {

void append(DisplayMesh& all, const TriangleMesh& mesh, DisplayPart part) {
    const Eigen::Index points = all.points.rows();
    part.first = all.triangles.rows();
    part.count = mesh.triangles.rows();
    all.points.conservativeResize(points + mesh.points.rows(), 3);
    all.points.bottomRows(mesh.points.rows()) = mesh.points;
    all.triangles.conservativeResize(part.first + part.count, 3);
    all.triangles.bottomRows(part.count) = mesh.triangles.array() + static_cast<Index>(points);
    all.parts.push_back(std::move(part));
}

// One mesh of many parts, without growing it part by part.
DisplayMesh joined(const std::vector<std::pair<const TriangleMesh*, DisplayPart>>& parts) {
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
        all.points.middleRows(points, mesh->points.rows()) = mesh->points;
        all.triangles.middleRows(triangles, part.count) =
            mesh->triangles.array() + static_cast<Index>(points);
        points += mesh->points.rows();
        triangles += part.count;
        all.parts.push_back(std::move(part));
    }
    return all;
}

// Faces between tetrahedra of different tissues, and of the outside; each tissue has its own.
DisplayMesh tissue_faces(const Body& body) {
    static constexpr int kFace[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    DisplayMesh all;
    if (body.tets.tets.rows() == 0) {
        return all;
    }
    const std::vector<Attribute> cells = tissue_cells(body);
    const Attribute* tissue = find_attribute(cells, "tissue");
    const Tets across = tet_neighbours(body.tets.tets);
    for (int kind = 0; kind < kTissueCount && tissue != nullptr; ++kind) {
        const auto is_kind = [&](Eigen::Index t) {
            return static_cast<int>(tissue->values[static_cast<std::size_t>(t)]) == kind;
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
        if (faces.empty()) {
            continue;
        }
        TriangleMesh mesh;
        mesh.points.resize(static_cast<Eigen::Index>(used.size()), 3);
        for (std::size_t i = 0; i < used.size(); ++i) {
            mesh.points.row(static_cast<Eigen::Index>(i)) = body.tets.points.row(used[i]);
        }
        mesh.triangles.resize(static_cast<Eigen::Index>(faces.size()), 3);
        for (std::size_t i = 0; i < faces.size(); ++i) {
            mesh.triangles.row(static_cast<Eigen::Index>(i)) << faces[i][0], faces[i][1],
                faces[i][2];
        }
        const std::string name(name_of(static_cast<Tissue>(kind)));
        append(all, mesh, {.name = name, .kind = name});
    }
    return all;
}

EmbeddedPoints embedded_in(const Points& points, const TetLocator& locator) {
    constexpr double kFarOutside = 0.1;  // m; two resolutions of a person differ by millimetres
    TetEmbedding found = embed(points, locator, {.max_outside = kFarOutside});
    return {.tet = std::move(found.tet), .weights = std::move(found.weights)};
}

}  // namespace

TriangleMesh shown_skin(const Body& body, const BodyDisplayOptions& options) {
    const bool has_display = body.display_skin.triangles.rows() > 0;
    const TriangleMesh& skin = has_display ? body.display_skin : body.skin.mesh;
    return skin.triangles.rows() > options.skin_triangles
               ? decimated(skin, {.target_triangles = options.skin_triangles})
               : skin;
}

BodyDisplay::BodyDisplay(const Body& body, const BodyDisplayOptions& options)
    : BodyDisplay(body, shown_skin(body, options)) {}

BodyDisplay::BodyDisplay(const Body& body, const TriangleMesh& skin) {
    const auto layer = [&](DisplayLayer which) -> DisplayMesh& {
        return meshes_[static_cast<std::size_t>(which)];
    };
    layer(DisplayLayer::Skin) = joined({{&skin, {.name = "skin", .kind = "skin"}}});
    std::vector<std::pair<const TriangleMesh*, DisplayPart>> parts;
    for (const Muscle& muscle : body.muscles) {
        parts.push_back({&muscle.mesh,
                         {.name = muscle.name,
                          .kind = muscle.is_passive ? "tendon" : "muscle",
                          .group = muscle.group}});
    }
    layer(DisplayLayer::Muscles) = joined(parts);
    parts.clear();
    for (const Bone& bone : body.bones) {
        parts.push_back({&bone.mesh, {.name = bone.name, .kind = std::string(name_of(bone.kind))}});
    }
    layer(DisplayLayer::Bones) = joined(parts);
    layer(DisplayLayer::Envelope) =
        joined({{&body.envelope.mesh, {.name = "envelope", .kind = "envelope"}}});
    layer(DisplayLayer::Tissues) = tissue_faces(body);
}

void BodyDisplay::make_fibres(const Body& body) {
    fibres_ = {};
    std::vector<Vec3> points;
    for (const SceneLines& bundle : fibre_lines(body)) {
        const Rgb8 c = rgb8_from_colour(bundle.colour);
        const std::array<unsigned char, 4> colour = {c[0], c[1], c[2], 255};
        for (const std::vector<Vec3>& line : bundle.lines) {
            for (std::size_t i = 0; i < line.size(); ++i) {
                if (i > 0) {
                    const auto n = static_cast<Index>(points.size());
                    fibres_.pairs.push_back({n - 1, n});
                }
                points.push_back(line[i]);
                fibres_.colours.push_back(colour);
            }
        }
    }
    fibres_.points.resize(static_cast<Eigen::Index>(points.size()), 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
        fibres_.points.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
    }
}

DisplayDriver::DisplayDriver(const BodyDisplay& display, const Body& body) : tets_(body.tets.tets) {
    const TetLocator locator(body.tets);
    for (int k = 0; k < kDisplayLayers; ++k) {
        const Points& rest = display.mesh(static_cast<DisplayLayer>(k)).points;
        Layer& layer = layers_[static_cast<std::size_t>(k)];
        layer.embedded = embedded_in(rest, locator);
        layer.offset = rest - positions_of(layer.embedded, body.tets.points, tets_);
    }
    const DisplayMesh& skin = display.mesh(DisplayLayer::Skin);
    const SurfaceTree tree(skin.points, skin.triangles);
    for (const ClosestPoint& nearest : tree.closest_points(body.skin.mesh.points)) {
        int corner = 0;
        nearest.barycentric.maxCoeff(&corner);
        skin_vertex_.push_back(skin.triangles(nearest.triangle, corner));
    }
}

Points DisplayDriver::moved(DisplayLayer layer, const Points& x) const {
    const Layer& l = layers_[static_cast<std::size_t>(layer)];
    return positions_of(l.embedded, x, tets_) + l.offset;
}

std::vector<double> DisplayDriver::on_body_skin(const std::vector<double>& display_values) const {
    std::vector<double> values;
    for (const Index v : skin_vertex_) {
        values.push_back(display_values[static_cast<std::size_t>(v)]);
    }
    return values;
}

}  // namespace sinew
