#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/archive_header.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/hdf5_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

using detail::Hdf5Reader;

constexpr std::uint64_t kMaxCount = 0x7fffffff;

template <class Matrix>
Matrix rows_of(const std::vector<typename Matrix::Scalar>& values) {
    return Eigen::Map<const Matrix>(
        values.data(), static_cast<Eigen::Index>(values.size()) / Matrix::ColsAtCompileTime,
        Matrix::ColsAtCompileTime);
}

/// A table's columns must have the same number of rows.
template <class... Columns>
void require_same_rows(const Hdf5Reader& in, const std::string& place, std::size_t rows,
                       const Columns... columns) {
    if (((columns != rows) || ...)) {
        in.refuse(place, "columns of different lengths", fmt::format("{} rows in each", rows));
    }
}

template <class Enum>
Enum enum_from(const Hdf5Reader& in, const std::string& place, const std::string& word,
               std::initializer_list<Enum> values) {
    for (const Enum value : values) {
        if (word == name_of(value)) {
            return value;
        }
    }
    in.refuse(place, fmt::format("'{}'", word.substr(0, 40)), "one of the known words");
}

/// Names of a group's children in the order of their attribute "index".
std::vector<std::string> ordered_children(const Hdf5Reader& in, const std::string& group) {
    const std::vector<std::string> names = in.children(group);
    std::vector<std::string> ordered(names.size());
    for (const std::string& name : names) {
        const std::string path = group + "/" + name;
        const std::uint64_t index = in.count_attribute(path, "index", names.size() - 1);
        if (!ordered[index].empty()) {
            in.refuse(path, fmt::format("index {} twice", index), "every index once");
        }
        ordered[index] = name;
    }
    return ordered;
}

std::vector<Attribute> read_attributes(const Hdf5Reader& in, const std::string& group) {
    std::vector<Attribute> attributes;
    for (const std::string& link : ordered_children(in, group)) {
        const std::string path = group + "/" + link;
        const std::size_t columns = in.columns(path);
        attributes.push_back({.name = in.text_attribute(path, "name"),
                              .components = static_cast<int>(columns),
                              .values = in.doubles(path, columns),
                              .unit = in.text_attribute(path, "unit")});
    }
    return attributes;
}

TriangleMesh read_mesh(const Hdf5Reader& in, const std::string& group) {
    TriangleMesh mesh;
    mesh.points = rows_of<Points>(in.doubles(group + "/points", 3));
    mesh.triangles = rows_of<Triangles>(in.indices(group + "/triangles", 3));
    mesh.point_data = read_attributes(in, group + "/point_data");
    mesh.triangle_data = read_attributes(in, group + "/triangle_data");
    return mesh;
}

EmbeddedPoints read_embedding(const Hdf5Reader& in, const std::string& group) {
    EmbeddedPoints e;
    e.tet = in.indices(group + "/tet", 1);
    e.weights = rows_of<Weights4>(in.doubles(group + "/weights", 4));
    return e;
}

TetSurface read_tet_surface(const Hdf5Reader& in, const std::string& group) {
    return {.mesh = read_mesh(in, group), .tet_vertex = in.indices(group + "/tet_vertex", 1)};
}

std::vector<Alias> read_aliases(const Hdf5Reader& in, const std::string& group) {
    std::vector<Alias> aliases;
    if (!in.has(group + "/alias_scheme")) {
        return aliases;
    }
    const auto schemes = in.texts(group + "/alias_scheme");
    const auto names = in.texts(group + "/alias_name");
    require_same_rows(in, group + "/alias_name", schemes.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        aliases.push_back({schemes[i], names[i]});
    }
    return aliases;
}

TetMesh read_tets(const Hdf5Reader& in) {
    TetMesh mesh;
    mesh.points = rows_of<Points>(in.doubles("/tets/points", 3));
    mesh.tets = rows_of<Tets>(in.indices("/tets/tets", 4));
    if (in.has("/tets/region")) {
        const std::vector<Index> region = in.indices("/tets/region", 1);
        mesh.region.assign(region.begin(), region.end());
    }
    mesh.point_data = read_attributes(in, "/tets/point_data");
    mesh.tet_data = read_attributes(in, "/tets/tet_data");
    return mesh;
}

void read_tissues(const Hdf5Reader& in, Body& body) {
    const auto names = in.texts("/materials/name");
    const auto tissue = in.indices("/materials/tissue", 1);
    const auto density = in.doubles("/materials/density", 1);
    require_same_rows(in, "/materials", names.size(), tissue.size(), density.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (tissue[i] < 0 || tissue[i] >= kTissueCount) {
            in.refuse("/materials/tissue", fmt::format("{}", tissue[i]), "0 to 4");
        }
        body.materials.push_back({names[i], static_cast<Tissue>(tissue[i]), density[i]});
    }
    body.shares.start = in.indices("/fractions/start", 1);
    body.shares.material = in.indices("/fractions/material", 1);
    body.shares.part = in.indices("/fractions/part", 1);
    body.shares.fraction = in.doubles("/fractions/fraction", 1);
    body.fibres.start = in.indices("/fibres/start", 1);
    body.fibres.muscle = in.indices("/fibres/muscle", 1);
    body.fibres.direction = rows_of<Points>(in.doubles("/fibres/direction", 3));
    for (const auto* start : {&body.shares.start, &body.fibres.start}) {
        if (start->empty()) {
            in.refuse("/fractions or /fibres, start", "nothing", "at least the number 0");
        }
    }
    body.attachments.points = read_embedding(in, "/attachments");
    body.attachments.bone = in.indices("/attachments/bone", 1);
}

std::vector<Segment> read_segments(const Hdf5Reader& in) {
    const std::string s = "/skeleton/segment_";
    const auto names = in.texts(s + "name");
    const auto mass = in.doubles(s + "mass", 1);
    const auto com = in.doubles(s + "com", 3);
    const auto inertia = in.doubles(s + "inertia", 9);
    require_same_rows(in, "/skeleton", names.size(), mass.size(), com.size() / 3,
                      inertia.size() / 9);
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < names.size(); ++i) {
        segments.push_back({.name = names[i],
                            .mass = mass[i],
                            .com = Vec3(com.data() + 3 * i),
                            .inertia = Mat3(inertia.data() + 9 * i)});
    }
    return segments;
}

Skeleton read_skeleton(const Hdf5Reader& in) {
    Skeleton skeleton;
    skeleton.segments = read_segments(in);
    const std::string j = "/skeleton/joint_";
    const auto names = in.texts(j + "name");
    const auto type = in.texts(j + "type");
    const auto motions = in.texts(j + "motion");
    const auto parent = in.indices(j + "parent", 1);
    const auto child = in.indices(j + "child", 1);
    const auto centre = in.doubles(j + "centre", 3);
    const auto axes = in.doubles(j + "axes", 9);
    const auto limits = in.doubles(j + "limits", 6, true);
    const auto rest = in.doubles(j + "rest", 3);
    require_same_rows(in, "/skeleton", names.size(), type.size(), motions.size() / 3, parent.size(),
                      child.size(), centre.size() / 3, axes.size() / 9, limits.size() / 6,
                      rest.size() / 3);
    for (std::size_t i = 0; i < names.size(); ++i) {
        Joint joint;
        joint.name = names[i];
        joint.type = enum_from(in, j + "type", type[i],
                               {JointType::Free, JointType::Ball, JointType::Universal,
                                JointType::Hinge, JointType::Fixed});
        joint.parent = parent[i];
        joint.child = child[i];
        joint.centre = Vec3(centre.data() + 3 * i);
        for (std::size_t k = 0; k < 3; ++k) {
            joint.axes[k] = Vec3(axes.data() + 9 * i + 3 * k);
            joint.limits[k] = {limits[6 * i + 2 * k], limits[6 * i + 2 * k + 1]};
            joint.rest[k] = rest[3 * i + k];
            joint.motions[k] = motions[3 * i + k];
        }
        skeleton.joints.push_back(std::move(joint));
    }
    return skeleton;
}

void read_bones(const Hdf5Reader& in, Body& body) {
    for (const std::string& name : ordered_children(in, "/bones")) {
        const std::string group = "/bones/" + name;
        Bone bone;
        bone.name = name;
        bone.kind = enum_from(in, group, in.text_attribute(group, "kind"),
                              {BoneKind::Bone, BoneKind::Cartilage, BoneKind::Disc});
        bone.segment = static_cast<Index>(in.count_attribute(group, "segment", kMaxCount));
        bone.mesh = read_mesh(in, group);
        bone.aliases = read_aliases(in, group);
        if (in.has(group + "/embedding")) {
            body.bone_embeddings.push_back(read_embedding(in, group + "/embedding"));
        }
        body.bones.push_back(std::move(bone));
    }
}

Index bone_index(const Hdf5Reader& in, const std::string& place, const std::string& name,
                 const std::vector<Bone>& bones) {
    if (name.empty()) {
        return -1;
    }
    const auto found = std::find_if(bones.begin(), bones.end(),
                                    [&](const Bone& bone) { return bone.name == name; });
    if (found == bones.end()) {
        in.refuse(place, fmt::format("the bone '{}'", name.substr(0, 40)), "a bone of this body");
    }
    return static_cast<Index>(found - bones.begin());
}

void read_muscles(const Hdf5Reader& in, Body& body) {
    for (const std::string& name : ordered_children(in, "/muscles")) {
        const std::string group = "/muscles/" + name;
        Muscle muscle;
        muscle.name = name;
        muscle.group = in.text_attribute(group, "group");
        muscle.origin = bone_index(in, group, in.text_attribute(group, "origin"), body.bones);
        muscle.insertion = bone_index(in, group, in.text_attribute(group, "insertion"), body.bones);
        muscle.belly_begin = in.number_attribute(group, "belly_begin");
        muscle.belly_end = in.number_attribute(group, "belly_end");
        muscle.volume = in.number_attribute(group, "volume");
        muscle.fmax = in.number_attribute(group, "fmax");
        muscle.pennation = in.number_attribute(group, "pennation");
        muscle.is_passive = in.count_attribute(group, "is_passive", 1) == 1;
        muscle.mesh = read_mesh(in, group);
        muscle.aliases = read_aliases(in, group);
        if (in.has(group + "/embedding")) {
            body.muscle_embeddings.push_back(read_embedding(in, group + "/embedding"));
        }
        body.muscles.push_back(std::move(muscle));
    }
}

std::vector<Landmark> read_landmarks(const Hdf5Reader& in) {
    const auto names = in.texts("/landmarks/name");
    const auto position = in.doubles("/landmarks/position", 3);
    const auto vertex = in.indices("/landmarks/skin_vertex", 1);
    require_same_rows(in, "/landmarks", names.size(), position.size() / 3, vertex.size());
    std::vector<Landmark> landmarks;
    for (std::size_t i = 0; i < names.size(); ++i) {
        landmarks.push_back({names[i], Vec3(position.data() + 3 * i), vertex[i]});
    }
    return landmarks;
}

std::string only_text(const Hdf5Reader& in, const std::string& path) {
    const std::vector<std::string> texts = in.texts(path);
    return texts.empty() ? "" : texts.front();
}

Sex read_sex(const Hdf5Reader& in) {
    return enum_from(in, "/meta", in.text_attribute("/meta", "sex"),
                     {Sex::Unknown, Sex::Female, Sex::Male});
}

Provenance read_provenance(const Hdf5Reader& in) {
    Provenance p;
    p.program = in.text_attribute("/meta", "program");
    p.seed = in.count_attribute("/meta", "seed");
    p.command = only_text(in, "/meta/command");
    p.attribution = only_text(in, "/meta/attribution");
    p.notes = in.texts("/meta/notes");
    const auto names = in.texts("/meta/input_name");
    const auto hashes = in.texts("/meta/input_hash");
    require_same_rows(in, "/meta/input_hash", names.size(), hashes.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        p.inputs.push_back({names[i], hashes[i]});
    }
    return p;
}

BodySummary read_summary(const Hdf5Reader& in) {
    const std::string g = "/meta/summary";
    BodySummary s;
    s.name = in.text_attribute("/meta", "name");
    s.sex = read_sex(in);
    s.points = in.count_attribute(g, "points", kMaxCount);
    s.tets = in.count_attribute(g, "tets", kMaxCount);
    s.skin_vertices = in.count_attribute(g, "skin_vertices", kMaxCount);
    s.skin_triangles = in.count_attribute(g, "skin_triangles", kMaxCount);
    const auto scalars = in.doubles(g + "/scalars", 1);
    const auto tissue = in.doubles(g + "/tissue_volume", 1);
    const auto bounds = in.doubles(g + "/bounds", 3);
    if (scalars.size() != 5 || tissue.size() != kTissueCount || bounds.size() != 6) {
        in.refuse(g, "a summary of another size", "5 scalars, 5 tissues and 2 corners");
    }
    s.stature = scalars[0];
    s.volume = scalars[1];
    s.mass = scalars[2];
    s.body_fat = scalars[3];
    s.skin_area = scalars[4];
    std::copy(tissue.begin(), tissue.end(), s.tissue_volume.begin());
    s.low = Vec3(bounds.data());
    s.high = Vec3(bounds.data() + 3);
    s.bones = in.texts(g + "/bone_name");
    const auto names = in.texts(g + "/muscle_name");
    const auto groups = in.texts(g + "/muscle_group");
    const auto volumes = in.doubles(g + "/muscle_volume", 1);
    require_same_rows(in, g, names.size(), groups.size(), volumes.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        s.muscles.push_back({.name = names[i], .group = groups[i], .volume = volumes[i]});
    }
    const auto segments = in.texts(g + "/segment_name");
    const auto mass = in.doubles(g + "/segment_mass", 1);
    const auto com = in.doubles(g + "/segment_com", 3);
    require_same_rows(in, g, segments.size(), mass.size(), com.size() / 3);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        s.segments.push_back(
            {.name = segments[i], .group = {}, .mass = mass[i], .com = Vec3(com.data() + 3 * i)});
    }
    return s;
}

}  // namespace

Body parse_archive(std::string_view bytes, const std::string& where) {
    detail::require_sealed_archive(bytes, where);
    Body body;
    {
        const Hdf5Reader in(bytes, where);
        body.name = in.text_attribute("/meta", "name");
        body.sex = read_sex(in);
        body.provenance = read_provenance(in);
        body.tets = read_tets(in);
        body.skin = read_tet_surface(in, "/skin");
        body.envelope = read_tet_surface(in, "/envelope");
        read_tissues(in, body);
        body.skeleton = read_skeleton(in);
        read_bones(in, body);
        read_muscles(in, body);
        body.landmarks = read_landmarks(in);
        if (in.has("/display_skin")) {
            body.display_skin = read_mesh(in, "/display_skin");
            body.display_skin_embedding = read_embedding(in, "/display_skin");
        }
        body.maps = read_attributes(in, "/maps");
    }
    require_valid(body, where);
    return body;
}

ArchiveSummary parse_archive_summary(std::string_view bytes, const std::string& where) {
    ArchiveSummary summary;
    summary.version = detail::require_sealed_archive(bytes, where);
    summary.file_bytes = bytes.size();
    const Hdf5Reader in(bytes, where);
    summary.body = read_summary(in);
    summary.provenance = read_provenance(in);
    return summary;
}

Body read_archive(const std::filesystem::path& path) {
    return parse_archive(read_file_bytes(path), path.string());
}

ArchiveSummary read_archive_summary(const std::filesystem::path& path) {
    return parse_archive_summary(read_file_bytes(path), path.string());
}

}  // namespace sinew
