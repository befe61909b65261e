#include "sinew/body/surface.h"

namespace sinew {

std::vector<MeshPart> parts_of(const Body& body) {
    std::vector<MeshPart> parts;
    const bool has_display = body.display_skin.triangles.rows() > 0;
    const TriangleMesh& skin = has_display ? body.display_skin : body.skin.mesh;
    if (skin.triangles.rows() > 0) {
        parts.push_back({.name = "skin", .mesh = skin, .kind = "skin"});
    }
    for (const Muscle& muscle : body.muscles) {
        if (muscle.mesh.triangles.rows() > 0) {
            parts.push_back({.name = muscle.name,
                             .mesh = muscle.mesh,
                             .kind = muscle.is_passive ? "tendon" : "muscle"});
        }
    }
    for (const Bone& bone : body.bones) {
        if (bone.mesh.triangles.rows() > 0) {
            parts.push_back(
                {.name = bone.name, .mesh = bone.mesh, .kind = std::string(name_of(bone.kind))});
        }
    }
    return parts;
}

}  // namespace sinew
