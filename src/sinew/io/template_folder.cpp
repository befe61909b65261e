#include "sinew/io/template_folder.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/uv_atlas.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/gltf.h"
#include "sinew/io/ply.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <system_error>

namespace sinew {

namespace {

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder)) {
        throw InputError({.where = folder.string(),
                          .found = error ? error.message() : "a file of that name",
                          .needs = "a folder that can be made",
                          .remedy = "choose another place to write to"});
    }
}

std::vector<MeshPart> parts_of(const Template& anatomy) {
    std::vector<MeshPart> parts;
    const auto add = [&](const std::string& name, const TriangleMesh& mesh, std::string_view kind) {
        parts.push_back({.name = name,
                         .mesh = mesh,
                         .kind = std::string(kind),
                         .colour = colour_of_kind(kind)});
    };
    add("skin", anatomy.skin, "skin");
    for (const Bone& bone : anatomy.bones) {
        add(bone.name, bone.mesh, name_of(bone.kind));
    }
    for (const Muscle& muscle : anatomy.muscles) {
        add(muscle.name, muscle.mesh, muscle.is_passive ? "tendon" : "muscle");
    }
    return parts;
}

double millilitres(const TriangleMesh& mesh) {
    return 1e6 * enclosed_volume(mesh.points, mesh.triangles);
}

std::array<double, 3> numbers_of(const Vec3& v) {
    return {v.x(), v.y(), v.z()};
}

nlohmann::ordered_json aliases_of(const std::vector<Alias>& aliases) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Alias& alias : aliases) {
        json[alias.scheme].push_back(alias.name);
    }
    return json;
}

nlohmann::ordered_json muscles_of(const Template& anatomy) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const auto bone = [&](Index i) -> nlohmann::ordered_json {
        return i < 0 ? nlohmann::ordered_json(nullptr)
                     : nlohmann::ordered_json(anatomy.bones[at(i)].name);
    };
    for (const Muscle& muscle : anatomy.muscles) {
        list.push_back({{"name", muscle.name},
                        {"kind", muscle.is_passive ? "tendon" : "muscle"},
                        {"group", muscle.group},
                        {"file", "muscles/" + muscle.name + ".ply"},
                        {"volume_ml", millilitres(muscle.mesh)},
                        {"origin", bone(muscle.origin)},
                        {"insertion", bone(muscle.insertion)},
                        {"belly", {muscle.belly_begin, muscle.belly_end}},
                        {"fmax_n", muscle.fmax},
                        {"aliases", aliases_of(muscle.aliases)}});
    }
    return list;
}

nlohmann::ordered_json bones_of(const Template& anatomy) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Bone& bone : anatomy.bones) {
        const auto segment = static_cast<std::size_t>(bone.segment);
        list.push_back({{"name", bone.name},
                        {"kind", name_of(bone.kind)},
                        {"group", "skeleton"},
                        {"file", "bones/" + bone.name + ".ply"},
                        {"volume_ml", millilitres(bone.mesh)},
                        {"origin", nullptr},
                        {"insertion", nullptr},
                        {"segment", anatomy.skeleton.segments[segment].name},
                        {"aliases", aliases_of(bone.aliases)}});
    }
    return list;
}

nlohmann::ordered_json joints_of(const Skeleton& skeleton) {
    constexpr double kDegrees = 180.0 / kPi;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const auto segment = [&](Index i) -> nlohmann::ordered_json {
        return i < 0 ? nlohmann::ordered_json(nullptr)
                     : nlohmann::ordered_json(skeleton.segments[at(i)].name);
    };
    for (const Joint& joint : skeleton.joints) {
        nlohmann::ordered_json entry = {{"name", joint.name},
                                        {"parent", segment(joint.parent)},
                                        {"child", segment(joint.child)},
                                        {"type", name_of(joint.type)},
                                        {"centre", numbers_of(joint.centre)}};
        const int angles = joint.type == JointType::Free ? 0 : angle_count(joint.type);
        for (std::size_t k = 0; k < static_cast<std::size_t>(angles); ++k) {
            entry["axes"].push_back(numbers_of(joint.axes[k]));
            entry["motions"].push_back(joint.motions[k]);
            entry["limits_deg"].push_back(joint.limits[k].low * kDegrees);
            entry["limits_deg"].push_back(joint.limits[k].high * kDegrees);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

void write_template_folder(const std::filesystem::path& folder, const Template& anatomy) {
    make_folder(folder / "bones");
    make_folder(folder / "muscles");
    const PlyOptions ply{.use_float32 = true};
    std::vector<MeshPart> parts = parts_of(anatomy);
    for (const MeshPart& part : parts) {
        const bool is_flesh = part.kind == "muscle" || part.kind == "tendon";
        const std::filesystem::path place =
            part.kind == "skin" ? folder / "skin.ply"
                                : folder / (is_flesh ? "muscles" : "bones") / (part.name + ".ply");
        write_file_bytes(place, format_ply(std::span(&part, 1), ply));
    }
    for (MeshPart& part : parts) {
        std::erase_if(part.mesh.triangle_data,
                      [](const Attribute& a) { return a.name != kCornerUv; });
    }
    write_glb(folder / "figure.glb", parts);

    nlohmann::ordered_json json = {{"format", "sinew-template-folder"},
                                   {"version", 1},
                                   {"name", anatomy.name},
                                   {"sex", name_of(anatomy.sex)},
                                   {"attribution", anatomy.provenance.attribution},
                                   {"skin",
                                    {{"name", "skin"},
                                     {"kind", "skin"},
                                     {"group", "skin"},
                                     {"file", "skin.ply"},
                                     {"volume_ml", millilitres(anatomy.skin)},
                                     {"origin", nullptr},
                                     {"insertion", nullptr}}},
                                   {"bones", bones_of(anatomy)},
                                   {"muscles", muscles_of(anatomy)},
                                   {"joints", joints_of(anatomy.skeleton)}};
    for (const Landmark& landmark : anatomy.landmarks) {
        json["landmarks"][landmark.name] = numbers_of(landmark.position);
    }
    write_file_bytes(folder / "figure.json", json.dump(1) + "\n");
}

}  // namespace sinew
