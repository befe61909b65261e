#include "sinew/build/body_builder.h"

#include "sinew/base/error.h"
#include "sinew/base/run_both.h"
#include "sinew/base/version.h"
#include "sinew/build/anatomy_solid.h"
#include "sinew/build/body_skin.h"
#include "sinew/build/body_tets.h"
#include "sinew/build/bone_attachments.h"
#include "sinew/build/envelope.h"
#include "sinew/build/segment_masses.h"
#include "sinew/build/tissue_shares.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/meshing/tetrahedralise.h"

#include <fmt/format.h>

#include <array>
#include <numeric>

namespace sinew {

namespace {

/// What a resolution means for the steps.
struct Sizes {
    double skin_vertices;
    double vertices;
    double smallest_edge;       ///< of the skin, over the largest
    double field_cells;         ///< that a muscle is divided into for its fibres
    double line_spacing;        ///< of the sampling of tissues, m
    double attachment_spacing;  ///< m
};

const Sizes& sizes_of(BodyResolution resolution) {
    static constexpr std::array<Sizes, 3> kSizes = {{{3400, 10000, 0.22, 600, 0.0014, 0.012},
                                                     {22000, 76000, 0.25, 2000, 0.0007, 0.006},
                                                     {58000, 200000, 0.3, 3000, 0.0007, 0.006}}};
    return kSizes[at(resolution)];
}

Body anatomy_without_tets(const Template& anatomy) {
    Body body;
    body.name = anatomy.name;
    body.sex = anatomy.sex;
    body.materials = anatomy.materials;
    body.skeleton = anatomy.skeleton;
    body.bones = anatomy.bones;
    body.muscles = anatomy.muscles;
    body.landmarks = anatomy.landmarks;
    body.display_skin.points = anatomy.skin.points;
    body.display_skin.triangles = anatomy.skin.triangles;
    body.display_skin.triangle_data = anatomy.skin.triangle_data;
    body.provenance = anatomy.provenance;
    body.provenance.program = fmt::format("sinew {}", version());
    return body;
}

TetSurface surface_at(const TriangleMesh& mesh, Index first) {
    TetSurface surface;
    surface.mesh.points = mesh.points;
    surface.mesh.triangles = mesh.triangles;
    surface.tet_vertex.resize(static_cast<std::size_t>(mesh.points.rows()));
    std::iota(surface.tet_vertex.begin(), surface.tet_vertex.end(), first);
    return surface;
}

/// Landmarks keep their places on the display skin; their vertex is the nearest of the tets' skin.
void attach_landmarks(Body& body) {
    if (body.landmarks.empty()) {
        return;
    }
    const SurfaceTree tree(body.skin.mesh);
    for (Landmark& landmark : body.landmarks) {
        const ClosestPoint c = tree.closest_point(landmark.position);
        int corner = 0;
        c.barycentric.maxCoeff(&corner);
        landmark.skin_vertex = body.skin.mesh.triangles(c.triangle, corner);
    }
}

void add_fat_map(Body& body) {
    const SurfaceTree tree(body.envelope.mesh);
    Attribute fat{.name = "fat_thickness", .components = 1, .values = {}, .unit = "m"};
    for (const ClosestPoint& c : tree.closest_points(body.skin.mesh.points)) {
        fat.values.push_back(c.distance);
    }
    body.maps.push_back(std::move(fat));
}

Body skin_to_tets(const Template& anatomy, const TriangleMesh& plain_skin, const Sizes& sizes,
                  const Progress& progress) {
    const AnatomySolid solid(anatomy);
    const TriangleMesh skin = resampled_skin(
        plain_skin.triangles.rows() > 0 ? plain_skin : anatomy.skin, solid,
        {.vertices = sizes.skin_vertices, .smallest_edge = sizes.smallest_edge}, progress);
    // Only a vehicle for the skin's shrinking: quality matters little.
    const TetMesh flesh =
        tetrahedralise({skin}, {.radius_edge = 2.0, .min_dihedral = 0.05}, progress);
    const Envelope envelope = shrink_envelope(skin, flesh, solid, {}, progress);

    Body body = anatomy_without_tets(anatomy);
    body.tets = fill_body(skin, envelope.mesh, {.vertices = sizes.vertices}, progress);
    body.skin = surface_at(skin, 0);
    body.envelope = surface_at(envelope.mesh, static_cast<Index>(skin.points.rows()));
    add_fat_map(body);
    attach_landmarks(body);
    const TetLocator locator(body.tets);
    body.bone_embeddings = embed_parts(body.bones, locator);
    body.muscle_embeddings = embed_parts(body.muscles, locator);
    // The few vertices of a preview may end a thin finger early: 21 mm on a fitted person.
    constexpr double kShortFinger = 0.04;  // m
    body.display_skin_embedding = embed_points(body.display_skin.points, locator, kShortFinger);
    return body;
}

}  // namespace

BodyVolume build_volume(const Template& anatomy, const BodyOptions& options,
                        const Progress& progress) {
    return build_volume(anatomy, TriangleMesh(), options, progress);
}

BodyVolume build_volume(const Template& anatomy, const TriangleMesh& plain_skin,
                        const BodyOptions& options, const Progress& progress) {
    check_ranges(options, "body options");
    require_valid(anatomy, "anatomy");
    const Sizes& sizes = sizes_of(options.resolution);
    BodyVolume volume;
    // Says nothing, and is cancelled with the other.
    Progress silent;
    silent = progress_from_callback([&](const ProgressEvent&) {
        if (progress.is_cancelled()) {
            silent.cancel();
        }
    });
    run_both([&] { volume.body = skin_to_tets(anatomy, plain_skin, sizes, progress); },
             [&] {
                 volume.fields = compute_muscle_fields(anatomy.muscles, anatomy.bones,
                                                       {.cells = sizes.field_cells}, silent);
             });
    return volume;
}

Body fill_volume(BodyVolume volume, const BodyOptions& options, const Progress& progress) {
    const Sizes& sizes = sizes_of(options.resolution);
    Body body = std::move(volume.body);
    const std::vector<MuscleField> fields =
        volume.fields.empty() ? compute_muscle_fields(body.muscles, body.bones,
                                                      {.cells = sizes.field_cells}, progress)
                              : std::move(volume.fields);
    TissueSampling tissues =
        sample_tissues(body.tets, body.muscles, fields, body.bones, body.materials,
                       {.spacing = sizes.line_spacing, .seed = options.seed}, progress);
    body.shares = std::move(tissues.shares);
    body.fibres = std::move(tissues.fibres);

    auto stage = progress.stage("attachments and masses", 2);
    const TetLocator locator(body.tets);
    body.attachments = sample_bone_attachments(
        body.bones, locator, {.spacing = sizes.attachment_spacing, .seed = options.seed});
    stage.advance();
    body.skeleton.segments = weigh_segments(body);
    body.provenance.seed = static_cast<std::uint64_t>(options.seed);
    require_valid(body, "built body");
    stage.advance();
    return body;
}

Body build_body(const Template& anatomy, const BodyOptions& options, const Progress& progress) {
    return build_body(anatomy, TriangleMesh(), options, progress);
}

Body build_body(const Template& anatomy, const TriangleMesh& plain_skin, const BodyOptions& options,
                const Progress& progress) {
    return fill_volume(build_volume(anatomy, plain_skin, options, progress), options, progress);
}

}  // namespace sinew
