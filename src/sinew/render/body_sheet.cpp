#include "sinew/render/body_sheet.h"

#include "sinew/base/units.h"
#include "sinew/body/tissue_cells.h"
#include "sinew/geometry/measure.h"
#include "sinew/render/body_scene.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/fibre_lines.h"

#include <algorithm>
#include <array>

namespace sinew {

namespace {

Scene bones_of(const Body& body) {
    Scene scene = scene_from_body(body);
    std::erase_if(scene.surfaces,
                  [](const SceneSurface& s) { return s.kind != "bone" && s.kind != "cartilage"; });
    return scene;
}

Scene fibres_of(const Body& body) {
    Scene scene = bones_of(body);
    scene.lines = fibre_lines(body);
    return scene;
}

/// Tetrahedra in the colour of what most of them is, without those before the middle of the body.
Scene cutaway_of(const Body& body) {
    static const std::array<std::uint32_t, kTissueCount> kColours = {0xd8b7a0, 0xa63d40, 0xf2cf6b,
                                                                     0xf3eee0, 0xc9d6df};
    TetMesh mesh;
    mesh.points = body.tets.points;
    mesh.tets = body.tets.tets;
    const std::vector<Attribute> cells = tissue_cells(body);
    Attribute colours{.name = std::string(kColourAttribute), .components = 3, .values = {}};
    for (const double tissue : cells.front().values) {
        const Colour c = colour_from_hex(kColours[static_cast<std::size_t>(tissue)]);
        for (int k = 0; k < 3; ++k) {
            colours.values.push_back(static_cast<double>(c[k]));
        }
    }
    mesh.tet_data.push_back(std::move(colours));
    const double middle = bounds(body.tets.points).centre().z();
    return scene_from_tets(
        mesh, {.cut = CutPlane{.normal = Vec3::UnitZ(), .offset = middle}, .show_edges = false});
}

}  // namespace

std::vector<BodyPanel> body_panels(const Body& body) {
    const Scene all = scene_from_body(body);
    std::vector<BodyPanel> panels;
    Scene skin = all;
    std::erase_if(skin.surfaces, [](const SceneSurface& s) { return s.kind != "skin"; });
    panels.push_back({.caption = "skin", .scene = std::move(skin)});
    if (body.envelope.mesh.triangles.rows() > 0) {
        Scene envelope;
        envelope.surfaces.push_back({.name = "envelope",
                                     .kind = "muscle",
                                     .mesh = body.envelope.mesh,
                                     .colour = colour_from_hex(0xb87a70)});
        panels.push_back({.caption = "muscle envelope", .scene = std::move(envelope)});
    }
    if (!body.muscles.empty()) {
        Scene flesh = all;
        std::erase_if(flesh.surfaces, [](const SceneSurface& s) { return s.kind == "skin"; });
        panels.push_back({.caption = "muscles and bones", .scene = std::move(flesh)});
    }
    if (!body.bones.empty()) {
        panels.push_back({.caption = "skeleton", .scene = bones_of(body)});
    }
    if (!body.fibres.muscle.empty()) {
        panels.push_back({.caption = "fibres", .scene = fibres_of(body)});
    }
    if (body.shares.start.size() > 1) {
        panels.push_back({.caption = "tissues, cut open", .scene = cutaway_of(body)});
    }
    return panels;
}

Image body_sheet(const Body& body, const RenderOptions& options, const Progress& progress) {
    const std::vector<BodyPanel> panels = body_panels(body);
    std::vector<Vec3> points;
    const Points& skin = body.skin.mesh.points;
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        points.push_back(point(skin, i));
    }
    RenderOptions each = options;
    if (!each.camera) {
        ViewAngles angles = angles_of(options.view);
        angles.azimuth += options.turn * kDegree;
        angles.elevation += options.tilt * kDegree;
        each.camera =
            fit_camera(points, angles, options.field_of_view * kDegree,
                       static_cast<double>(options.width) / options.height, options.margin);
    }
    std::vector<SheetPicture> pictures;
    for (const BodyPanel& panel : panels) {
        pictures.push_back(
            {.image = render(panel.scene, each, progress), .caption = panel.caption});
    }
    return contact_sheet(pictures, {.columns = 3});
}

}  // namespace sinew
