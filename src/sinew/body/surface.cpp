#include "sinew/body/surface.h"

#include "sinew/body/body_surfaces.h"

namespace sinew {

std::vector<MeshPart> parts_of(const Body& body) {
    std::vector<MeshPart> parts;
    const auto add = [&](const std::string& name, const TriangleMesh& mesh, std::string_view kind) {
        parts.push_back({.name = name,
                         .mesh = mesh,
                         .kind = std::string(kind),
                         .colour = colour_of_kind(kind)});
    };
    const bool has_display = body.display_skin.triangles.rows() > 0;
    const TriangleMesh& skin = has_display ? body.display_skin : body.skin.mesh;
    if (skin.triangles.rows() > 0) {
        add("skin", skin, "skin");
    }
    for (const Muscle& muscle : body.muscles) {
        if (muscle.mesh.triangles.rows() > 0) {
            add(muscle.name, muscle.mesh, muscle.is_passive ? "tendon" : "muscle");
        }
    }
    for (const Bone& bone : body.bones) {
        if (bone.mesh.triangles.rows() > 0) {
            add(bone.name, bone.mesh, name_of(bone.kind));
        }
    }
    return parts;
}

}  // namespace sinew
