#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/archive_header.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/hdf5_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sinew {

namespace {

using detail::Hdf5Writer;

constexpr int kMaxComponents = 1024;

template <class Matrix>
auto flat(const Matrix& matrix) {
    return std::span(matrix.data(), static_cast<std::size_t>(matrix.size()));
}

template <class Items, class Get>
std::vector<std::string> texts_of(const Items& items, Get&& get) {
    std::vector<std::string> texts;
    for (const auto& item : items) {
        texts.emplace_back(get(item));
    }
    return texts;
}

void write_attributes(Hdf5Writer& out, const std::string& group,
                      const std::vector<Attribute>& attributes, std::string_view meaning) {
    if (attributes.empty()) {
        return;
    }
    out.add_group(group);
    std::set<std::string> used;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        const Attribute& a = attributes[i];
        if (a.components > kMaxComponents ||
            !std::all_of(a.values.begin(), a.values.end(),
                         [](double value) { return std::isfinite(value); })) {
            throw InputError({.where = fmt::format("{}, data '{}'", group, a.name),
                              .found = "a number that is not finite, or too many components",
                              .needs = "finite numbers in at most 1024 components",
                              .remedy = "drop this data or mend it"});
        }
        // A name that cannot be a link is kept as an attribute alone.
        std::string link = a.name;
        if (link.empty() || link == "." ||
            link.find_first_of(std::string_view("/\0", 2)) != link.npos ||
            !used.insert(link).second) {
            link = fmt::format("data {}", i);
            used.insert(link);
        }
        const std::string path = group + "/" + link;
        out.add(path, a.values, static_cast<std::size_t>(a.components),
                {a.unit.empty() ? "1" : a.unit, meaning});
        out.set(path, "name", a.name);
        out.set(path, "unit", a.unit);
        out.set(path, "index", std::uint64_t{i});
    }
}

void write_mesh(Hdf5Writer& out, const std::string& group, const TriangleMesh& mesh) {
    out.add(group + "/points", flat(mesh.points), 3, {"m", "positions at rest: x, y, z"});
    out.add(group + "/triangles", flat(mesh.triangles), 3,
            {"1", "rows of points, counter-clockwise seen from outside"});
    write_attributes(out, group + "/point_data", mesh.point_data, "values per point");
    write_attributes(out, group + "/triangle_data", mesh.triangle_data, "values per triangle");
}

void write_embedding(Hdf5Writer& out, const std::string& group, const EmbeddedPoints& e) {
    out.add(group + "/tet", e.tet, 1, {"1", "row of /tets/tets that holds each point"});
    out.add(group + "/weights", flat(e.weights), 4,
            {"1", "barycentric weights of the tetrahedron's corners, sum 1"});
}

void write_tet_surface(Hdf5Writer& out, const std::string& group, const TetSurface& surface) {
    out.add_group(group);
    write_mesh(out, group, surface.mesh);
    out.add(group + "/tet_vertex", surface.tet_vertex, 1,
            {"1", "row of /tets/points that each point is"});
}

void write_aliases(Hdf5Writer& out, const std::string& group, const std::vector<Alias>& aliases) {
    if (aliases.empty()) {
        return;
    }
    out.add(group + "/alias_scheme", texts_of(aliases, [](const Alias& a) { return a.scheme; }),
            {"1", "catalogue of each alias"});
    out.add(group + "/alias_name", texts_of(aliases, [](const Alias& a) { return a.name; }),
            {"1", "name in that catalogue"});
}

void write_tets(Hdf5Writer& out, const TetMesh& mesh) {
    out.add_group("/tets");
    out.add("/tets/points", flat(mesh.points), 3, {"m", "positions at rest: x, y, z"});
    out.add("/tets/tets", flat(mesh.tets), 4,
            {"1", "rows of points a b c d with det(b-a, c-a, d-a) > 0"});
    if (!mesh.region.empty()) {
        const std::vector<Index> region(mesh.region.begin(), mesh.region.end());
        out.add("/tets/region", region, 1, {"1", "label per tetrahedron"});
    }
    write_attributes(out, "/tets/point_data", mesh.point_data, "values per point");
    write_attributes(out, "/tets/tet_data", mesh.tet_data, "values per tetrahedron");
}

void write_tissues(Hdf5Writer& out, const Body& body) {
    out.add_group("/materials");
    out.add("/materials/name",
            texts_of(body.materials, [](const TissueMaterial& m) { return m.name; }),
            {"1", "name per material"});
    std::vector<Index> tissue;
    std::vector<double> density;
    for (const TissueMaterial& material : body.materials) {
        tissue.push_back(static_cast<Index>(material.tissue));
        density.push_back(material.density);
    }
    out.add("/materials/tissue", tissue, 1, {"1", "0 generic, 1 muscle, 2 fat, 3 bone, 4 tendon"});
    out.add("/materials/density", density, 1, {"kg/m^3", "density per material"});

    out.add_group("/fractions");
    out.add("/fractions/start", body.shares.start, 1,
            {"1", "entries start[t] to start[t+1] belong to tetrahedron t"});
    out.add("/fractions/material", body.shares.material, 1, {"1", "row of /materials per entry"});
    out.add("/fractions/part", body.shares.part, 1,
            {"1", "index of the muscle (muscle, tendon) or bone (bone) per entry, or -1"});
    out.add("/fractions/fraction", body.shares.fraction, 1,
            {"1", "share of the tetrahedron's volume, sum 1 per tetrahedron"});

    out.add_group("/fibres");
    out.add("/fibres/start", body.fibres.start, 1,
            {"1", "entries start[t] to start[t+1] belong to tetrahedron t"});
    out.add("/fibres/muscle", body.fibres.muscle, 1, {"1", "index of the muscle per entry"});
    out.add("/fibres/direction", flat(body.fibres.direction), 3,
            {"1", "unit vector at rest, from origin to insertion"});

    out.add_group("/attachments");
    write_embedding(out, "/attachments", body.attachments.points);
    out.add("/attachments/bone", body.attachments.bone, 1, {"1", "index of the bone per point"});
}

void write_skeleton(Hdf5Writer& out, const Skeleton& skeleton) {
    out.add_group("/skeleton");
    std::vector<double> mass, com, inertia, centre, axes, limits, rest;
    std::vector<Index> parent, child;
    std::vector<std::string> type, motions;
    for (const Segment& s : skeleton.segments) {
        mass.push_back(s.mass);
        com.insert(com.end(), s.com.data(), s.com.data() + 3);
        inertia.insert(inertia.end(), s.inertia.data(), s.inertia.data() + 9);
    }
    for (const Joint& j : skeleton.joints) {
        parent.push_back(j.parent);
        child.push_back(j.child);
        type.emplace_back(name_of(j.type));
        centre.insert(centre.end(), j.centre.data(), j.centre.data() + 3);
        for (std::size_t k = 0; k < 3; ++k) {
            axes.insert(axes.end(), j.axes[k].data(), j.axes[k].data() + 3);
            limits.insert(limits.end(), {j.limits[k].low, j.limits[k].high});
            motions.push_back(j.motions[k]);
        }
        rest.insert(rest.end(), j.rest.begin(), j.rest.end());
    }
    const std::string s = "/skeleton/segment_";
    out.add(s + "name", texts_of(skeleton.segments, [](const Segment& x) { return x.name; }),
            {"1", "name per segment"});
    out.add(s + "mass", mass, 1, {"kg", "mass per segment"});
    out.add(s + "com", com, 3, {"m", "centre of mass at rest"});
    out.add(s + "inertia", inertia, 9,
            {"kg m^2", "3 x 3 inertia about the centre of mass, world axes"});
    const std::string j = "/skeleton/joint_";
    out.add(j + "name", texts_of(skeleton.joints, [](const Joint& x) { return x.name; }),
            {"1", "name per joint"});
    out.add(j + "type", type, {"1", "free, ball, universal, hinge or fixed"});
    out.add(j + "parent", parent, 1, {"1", "index of the parent segment, -1 for the root"});
    out.add(j + "child", child, 1, {"1", "index of the segment that moves"});
    out.add(j + "centre", centre, 3, {"m", "centre at rest"});
    out.add(j + "axes", axes, 9, {"1", "three unit axes at rest"});
    out.add(j + "limits", limits, 6, {"rad", "lowest and highest angle about each axis"});
    out.add(j + "rest", rest, 3, {"rad", "anatomical angle about each axis in the rest pose"});
    out.add(j + "motion", motions, {"1", "what a positive angle does, three per joint"});
}

void write_bones(Hdf5Writer& out, const Body& body) {
    out.add_group("/bones");
    for (std::size_t i = 0; i < body.bones.size(); ++i) {
        const Bone& bone = body.bones[i];
        const std::string group = "/bones/" + bone.name;
        out.add_group(group);
        out.set(group, "index", std::uint64_t{i});
        out.set(group, "kind", std::string(name_of(bone.kind)));
        out.set(group, "segment", static_cast<std::uint64_t>(bone.segment));
        write_mesh(out, group, bone.mesh);
        write_aliases(out, group, bone.aliases);
        if (!body.bone_embeddings.empty()) {
            out.add_group(group + "/embedding");
            write_embedding(out, group + "/embedding", body.bone_embeddings[i]);
        }
    }
}

void write_muscles(Hdf5Writer& out, const Body& body) {
    out.add_group("/muscles");
    for (std::size_t i = 0; i < body.muscles.size(); ++i) {
        const Muscle& muscle = body.muscles[i];
        const std::string group = "/muscles/" + muscle.name;
        out.add_group(group);
        out.set(group, "index", std::uint64_t{i});
        out.set(group, "group", muscle.group);
        out.set(group, "origin", muscle.origin < 0 ? "" : body.bones[at(muscle.origin)].name);
        out.set(group, "insertion",
                muscle.insertion < 0 ? "" : body.bones[at(muscle.insertion)].name);
        out.set(group, "belly_begin", muscle.belly_begin);
        out.set(group, "belly_end", muscle.belly_end);
        out.set(group, "volume", muscle.volume);
        out.set(group, "fmax", muscle.fmax);
        out.set(group, "pennation", muscle.pennation);
        out.set(group, "is_passive", std::uint64_t{muscle.is_passive ? 1u : 0u});
        write_mesh(out, group, muscle.mesh);
        write_aliases(out, group, muscle.aliases);
        if (!body.muscle_embeddings.empty()) {
            out.add_group(group + "/embedding");
            write_embedding(out, group + "/embedding", body.muscle_embeddings[i]);
        }
    }
}

void write_landmarks(Hdf5Writer& out, const std::vector<Landmark>& landmarks) {
    std::vector<double> position;
    std::vector<Index> vertex;
    for (const Landmark& landmark : landmarks) {
        position.insert(position.end(), landmark.position.data(), landmark.position.data() + 3);
        vertex.push_back(landmark.skin_vertex);
    }
    out.add_group("/landmarks");
    out.add("/landmarks/name", texts_of(landmarks, [](const Landmark& l) { return l.name; }),
            {"1", "name per landmark"});
    out.add("/landmarks/position", position, 3, {"m", "place at rest"});
    out.add("/landmarks/skin_vertex", vertex, 1, {"1", "row of /skin/points, or -1"});
}

void write_meta(Hdf5Writer& out, const Body& body) {
    const Provenance& p = body.provenance;
    out.add_group("/meta");
    out.set("/meta", "format", "sinew body");
    out.set("/meta", "version", std::uint64_t{kArchiveVersion});
    out.set("/meta", "name", body.name);
    out.set("/meta", "sex", std::string(name_of(body.sex)));
    out.set("/meta", "program", p.program);
    out.set("/meta", "seed", p.seed);
    out.add("/meta/command", std::vector{p.command}, {"1", "the command that made this body"});
    out.add("/meta/attribution", std::vector{p.attribution},
            {"1", "sources and licences of the anatomy"});
    out.add("/meta/notes", p.notes, {"1", "what happened on the way"});
    out.add("/meta/input_name", texts_of(p.inputs, [](const auto& i) { return i.name; }),
            {"1", "files it was made from"});
    out.add("/meta/input_hash", texts_of(p.inputs, [](const auto& i) { return i.hash; }),
            {"1", "XXH64 of each file, hexadecimal"});
}

/// The numbers of `sinew info`, so that it need not read the arrays.
void write_summary(Hdf5Writer& out, const Body& body) {
    const BodySummary s = summarise(body);
    const std::string g = "/meta/summary";
    out.add_group(g);
    out.set(g, "points", std::uint64_t{s.points});
    out.set(g, "tets", std::uint64_t{s.tets});
    out.set(g, "skin_vertices", std::uint64_t{s.skin_vertices});
    out.set(g, "skin_triangles", std::uint64_t{s.skin_triangles});
    const std::vector<double> scalars = {s.stature, s.volume, s.mass, s.body_fat, s.skin_area};
    out.add(g + "/scalars", scalars, 1,
            {"m, m^3, kg, 1, m^2", "stature, volume, mass, body fat, area of the skin"});
    out.add(g + "/tissue_volume", s.tissue_volume, 1,
            {"m^3", "volume of generic, muscle, fat, bone, tendon"});
    const std::vector<double> bounds = {s.low.x(),  s.low.y(),  s.low.z(),
                                        s.high.x(), s.high.y(), s.high.z()};
    out.add(g + "/bounds", bounds, 3, {"m", "lowest and highest corner"});
    out.add(g + "/bone_name", s.bones, {"1", "name per bone"});
    std::vector<double> volume, mass, com;
    for (const BodySummary::Part& muscle : s.muscles) {
        volume.push_back(muscle.volume);
    }
    for (const BodySummary::Part& segment : s.segments) {
        mass.push_back(segment.mass);
        com.insert(com.end(), segment.com.data(), segment.com.data() + 3);
    }
    const auto name = [](const BodySummary::Part& part) { return part.name; };
    out.add(g + "/muscle_name", texts_of(s.muscles, name), {"1", "name per muscle"});
    out.add(g + "/muscle_group", texts_of(s.muscles, [](const auto& m) { return m.group; }),
            {"1", "group per muscle"});
    out.add(g + "/muscle_volume", volume, 1, {"m^3", "volume per muscle"});
    out.add(g + "/segment_name", texts_of(s.segments, name), {"1", "name per segment"});
    out.add(g + "/segment_mass", mass, 1, {"kg", "mass per segment"});
    out.add(g + "/segment_com", com, 3, {"m", "centre of mass per segment"});
}

}  // namespace

std::string archive_bytes(const Body& body) {
    require_valid(body, "body to be written");
    Hdf5Writer out;
    write_meta(out, body);
    write_summary(out, body);
    write_tets(out, body.tets);
    write_tet_surface(out, "/skin", body.skin);
    write_tet_surface(out, "/envelope", body.envelope);
    write_tissues(out, body);
    write_skeleton(out, body.skeleton);
    write_bones(out, body);
    write_muscles(out, body);
    write_landmarks(out, body.landmarks);
    if (body.display_skin.points.rows() > 0) {
        out.add_group("/display_skin");
        write_mesh(out, "/display_skin", body.display_skin);
        write_embedding(out, "/display_skin", body.display_skin_embedding);
    }
    write_attributes(out, "/maps", body.maps, "values per skin vertex");
    std::string bytes = out.bytes();
    detail::seal_archive(bytes);
    return bytes;
}

void write_archive(const std::filesystem::path& path, const Body& body) {
    write_file_bytes(path, archive_bytes(body));
}

}  // namespace sinew
