#include "sinew/pipeline/body_display.h"

#include "sinew/geometry/surface_tree.h"
#include "sinew/meshing/decimate.h"
#include "sinew/render/fibre_lines.h"

namespace sinew {

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
    constexpr std::array kOthers = {DisplayLayer::Muscles, DisplayLayer::Bones,
                                    DisplayLayer::Envelope, DisplayLayer::Tissues};
    meshes_ = display_meshes(body, kOthers);
    meshes_[DisplayLayer::Skin] = display_mesh(skin, {.name = "skin", .kind = "skin"});
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

SkinValues::SkinValues(const DisplayMesh& display_skin, const Body& body) {
    const SurfaceTree tree(display_skin.points, display_skin.triangles);
    for (const ClosestPoint& nearest : tree.closest_points(body.skin.mesh.points)) {
        int corner = 0;
        nearest.barycentric.maxCoeff(&corner);
        vertex_.push_back(display_skin.triangles(nearest.triangle, corner));
    }
}

std::vector<double> SkinValues::on_body_skin(const std::vector<double>& display_values) const {
    std::vector<double> values;
    for (const Index v : vertex_) {
        values.push_back(display_values[at(v)]);
    }
    return values;
}

}  // namespace sinew
