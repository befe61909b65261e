#include "sinew/render/body_scene.h"

namespace sinew {

namespace {

void add_parts(Scene& scene, const std::vector<Bone>& bones, const std::vector<Muscle>& muscles) {
    for (const Bone& bone : bones) {
        const bool is_bone = bone.kind == BoneKind::Bone;
        scene.surfaces.push_back(
            {.name = bone.name, .kind = is_bone ? "bone" : "cartilage", .mesh = bone.mesh});
    }
    for (const Muscle& muscle : muscles) {
        scene.surfaces.push_back({.name = muscle.name,
                                  .kind = muscle.is_passive ? "tendon" : "muscle",
                                  .mesh = muscle.mesh});
    }
}

}  // namespace

Scene scene_from_body(const Body& body) {
    Scene scene;
    SceneSurface skin{.name = "skin", .kind = "skin"};
    if (body.display_skin.points.rows() > 0) {
        skin.mesh = body.display_skin;
    } else {
        skin.mesh = body.skin.mesh;
        skin.mesh.point_data.insert(skin.mesh.point_data.end(), body.maps.begin(), body.maps.end());
    }
    scene.surfaces.push_back(std::move(skin));
    add_parts(scene, body.bones, body.muscles);
    return scene;
}

Scene scene_from_template(const Template& anatomy) {
    Scene scene;
    scene.surfaces.push_back({.name = "skin", .kind = "skin", .mesh = anatomy.skin});
    add_parts(scene, anatomy.bones, anatomy.muscles);
    return scene;
}

}  // namespace sinew
