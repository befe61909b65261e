#include "sinew/mesh/validity.h"

#include "sinew/base/error.h"
#include "sinew/body/body.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace sinew {

namespace {

constexpr double kSumTolerance = 1e-6;    // of fractions and barycentric weights
constexpr double kUnitTolerance = 1e-6;   // of fibre directions
constexpr double kPlaceTolerance = 1e-6;  // m, of surface vertices against their tet points

[[noreturn]] void refuse(std::string where, std::string found, std::string needs) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "build the body again, or mend the program that wrote it"});
}

/// Names become groups in files and words on the command line.
template <class Items>
void require_names(const Items& items, std::string_view kind, std::string_view where) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string& name = items[i].name;
        bool is_good = !name.empty() && name != "." && name != ".." && name.size() <= 255;
        for (const char c : name) {
            const auto byte = static_cast<unsigned char>(c);
            is_good = is_good && byte >= 0x20 && byte != 0x7f && c != '/';
        }
        const std::string place = fmt::format("{}, {} {}", where, kind, i);
        if (!is_good) {
            refuse(place, fmt::format("the name '{}'", name.substr(0, 40)),
                   "a name of 1 to 255 characters without '/' or control characters");
        }
        if (!seen.insert(name).second) {
            refuse(place, fmt::format("the name '{}' a second time", name), "different names");
        }
    }
}

void require_index(Index i, std::size_t count, bool may_be_none, const std::string& where,
                   std::string_view kind) {
    if (i < (may_be_none ? -1 : 0) || i >= static_cast<std::int64_t>(count)) {
        refuse(where, fmt::format("{} {} of {}", kind, i, count),
               may_be_none ? "an index below that count, or -1" : "an index below that count");
    }
}

void require_number(double value, double low, double high, const std::string& where,
                    std::string_view what) {
    if (!(value >= low && value <= high && std::isfinite(value))) {
        refuse(where, fmt::format("{} {}", what, value),
               std::isfinite(high) ? fmt::format("a number from {} to {}", low, high)
                                   : fmt::format("a finite number of {} or more", low));
    }
}

/// start[0] = 0 <= ... <= start[n] = entries.
void require_starts(const std::vector<Index>& start, std::size_t lists, std::size_t entries,
                    const std::string& where) {
    bool is_good = start.size() == lists + 1 && start.front() == 0 &&
                   static_cast<std::size_t>(start.back()) == entries;
    for (std::size_t i = 0; is_good && i < lists; ++i) {
        is_good = start[i] <= start[i + 1];
    }
    if (!is_good) {
        refuse(where, fmt::format("{} starts that do not divide {} entries", start.size(), entries),
               fmt::format("{} ascending starts from 0 to {}", lists + 1, entries));
    }
}

void require_embedded(const EmbeddedPoints& e, std::size_t points, std::size_t tets,
                      const std::string& where) {
    if (e.tet.size() != points || at(e.weights.rows()) != points) {
        refuse(where, fmt::format("{} tets and {} weights", e.tet.size(), e.weights.rows()),
               fmt::format("{} of each", points));
    }
    for (std::size_t i = 0; i < points; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        require_index(e.tet[i], tets, false, where, "tetrahedron");
        if (!e.weights.row(row).allFinite() ||
            !(std::abs(e.weights.row(row).sum() - 1.0) <= kSumTolerance)) {
            refuse(fmt::format("{}, point {}", where, i),
                   "barycentric weights that do not sum to 1",
                   "four finite weights with the sum 1");
        }
    }
}

void require_surface(const TetSurface& surface, const TetMesh& tets, const std::string& where) {
    require_valid(surface.mesh, where);
    const auto vertices = at(surface.mesh.points.rows());
    if (tets.tets.rows() == 0 && surface.tet_vertex.empty()) {
        return;
    }
    if (surface.tet_vertex.size() != vertices) {
        refuse(where, fmt::format("{} tet vertices", surface.tet_vertex.size()),
               fmt::format("{}, one per vertex", vertices));
    }
    for (std::size_t i = 0; i < vertices; ++i) {
        const Index v = surface.tet_vertex[i];
        require_index(v, at(tets.points.rows()), false, where, "tet vertex");
        const auto row = static_cast<Eigen::Index>(i);
        if (!((surface.mesh.points.row(row) - tets.points.row(v)).norm() <= kPlaceTolerance)) {
            refuse(fmt::format("{}, vertex {}", where, i), "a place apart from its tet vertex",
                   "the same place");
        }
    }
}

template <class Anatomy>
void require_parts(const Anatomy& body, std::string_view where) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    require_names(body.bones, "bone", where);
    require_names(body.muscles, "muscle", where);
    require_names(body.landmarks, "landmark", where);
    require_names(body.materials, "material", where);
    require_names(body.skeleton.segments, "segment", where);
    require_names(body.skeleton.joints, "joint", where);
    require_valid(body.skeleton, where);
    for (const Bone& bone : body.bones) {
        const std::string place = fmt::format("{}, bone '{}'", where, bone.name);
        require_valid(bone.mesh, place);
        require_index(bone.segment, body.skeleton.segments.size(), false, place, "segment");
    }
    for (const Muscle& muscle : body.muscles) {
        const std::string place = fmt::format("{}, muscle '{}'", where, muscle.name);
        require_valid(muscle.mesh, place);
        require_index(muscle.origin, body.bones.size(), true, place, "origin bone");
        require_index(muscle.insertion, body.bones.size(), true, place, "insertion bone");
        require_number(muscle.belly_end, 0.0, 1.0, place, "end of the belly");
        require_number(muscle.belly_begin, 0.0, muscle.belly_end, place, "begin of the belly");
        require_number(muscle.volume, 0.0, kInfinity, place, "volume");
        require_number(muscle.fmax, 0.0, kInfinity, place, "greatest force");
        require_number(muscle.pennation, 0.0, 1.5707963, place, "pennation");
    }
    for (const TissueMaterial& material : body.materials) {
        const std::string place = fmt::format("{}, material '{}'", where, material.name);
        require_number(material.density, 1e-3, 1e5, place, "density");
    }
    for (const Landmark& landmark : body.landmarks) {
        if (!landmark.position.allFinite()) {
            refuse(fmt::format("{}, landmark '{}'", where, landmark.name),
                   "a position that is not finite", "three finite numbers");
        }
    }
}

void require_positive_tets(const TetMesh& mesh, std::string_view where) {
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        const Vec3 a = point(mesh.points, mesh.tets(t, 0));
        Mat3 edges;
        edges << point(mesh.points, mesh.tets(t, 1)) - a, point(mesh.points, mesh.tets(t, 2)) - a,
            point(mesh.points, mesh.tets(t, 3)) - a;
        if (!(edges.determinant() > 0.0)) {
            refuse(fmt::format("{}, tetrahedron {}", where, t),
                   fmt::format("volume {} m^3", edges.determinant() / 6.0), "a volume > 0");
        }
    }
}

std::size_t parts_of(const Body& body, Tissue tissue) {
    if (tissue == Tissue::Muscle || tissue == Tissue::Tendon) {
        return body.muscles.size();
    }
    return tissue == Tissue::Bone ? body.bones.size() : 0;
}

void require_shares(const Body& body, const std::string& where) {
    const TissueShares& s = body.shares;
    const auto tets = at(body.tets.tets.rows());
    if (s.material.size() != s.fraction.size() || s.part.size() != s.fraction.size()) {
        refuse(where, "arrays of different lengths", "one material, part and fraction per entry");
    }
    if (s.fraction.empty() && s.start.size() == 1) {
        return;
    }
    require_starts(s.start, tets, s.fraction.size(), where);
    for (std::size_t t = 0; t < tets; ++t) {
        double sum = 0.0;
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            const auto i = at(e);
            require_index(s.material[i], body.materials.size(), false, where, "material");
            const Tissue tissue = body.materials[at(s.material[i])].tissue;
            require_index(s.part[i], parts_of(body, tissue), true, where, "part");
            require_number(s.fraction[i], 0.0, 1.0 + kSumTolerance, where, "fraction");
            sum += s.fraction[i];
        }
        if (!(std::abs(sum - 1.0) <= kSumTolerance)) {
            refuse(fmt::format("{}, tetrahedron {}", where, t),
                   fmt::format("fractions that sum to {}", sum), "the sum 1");
        }
    }
}

void require_fibres(const Body& body, const std::string& where) {
    const Fibres& f = body.fibres;
    if (f.muscle.empty() && f.start.size() == 1 && f.direction.rows() == 0) {
        return;
    }
    if (at(f.direction.rows()) != f.muscle.size()) {
        refuse(where, fmt::format("{} directions", f.direction.rows()),
               fmt::format("{}, one per entry", f.muscle.size()));
    }
    require_starts(f.start, at(body.tets.tets.rows()), f.muscle.size(), where);
    for (std::size_t i = 0; i < f.muscle.size(); ++i) {
        require_index(f.muscle[i], body.muscles.size(), false, where, "muscle");
        const double length = f.direction.row(static_cast<Eigen::Index>(i)).norm();
        if (!(std::abs(length - 1.0) <= kUnitTolerance)) {
            refuse(fmt::format("{}, entry {}", where, i),
                   fmt::format("a direction of length {}", length), "a unit vector");
        }
    }
}

template <class Parts>
void require_embeddings(const std::vector<EmbeddedPoints>& embeddings, const Parts& parts,
                        std::size_t tets, std::string_view where) {
    if (!embeddings.empty() && embeddings.size() != parts.size()) {
        refuse(fmt::format("{}, embeddings", where), fmt::format("{}", embeddings.size()),
               fmt::format("{} or none", parts.size()));
    }
    for (std::size_t i = 0; i < embeddings.size(); ++i) {
        require_embedded(embeddings[i], at(parts[i].mesh.points.rows()), tets,
                         fmt::format("{}, embedding of '{}'", where, parts[i].name));
    }
}

}  // namespace

void require_valid(const Template& anatomy, std::string_view where) {
    require_valid(anatomy.skin, fmt::format("{}, skin", where));
    require_parts(anatomy, where);
    for (const Landmark& landmark : anatomy.landmarks) {
        require_index(landmark.skin_vertex, at(anatomy.skin.points.rows()), true,
                      fmt::format("{}, landmark '{}'", where, landmark.name), "skin vertex");
    }
}

void require_valid(const Body& body, std::string_view where) {
    const auto tets = at(body.tets.tets.rows());
    require_valid(body.tets, fmt::format("{}, tets", where));
    require_positive_tets(body.tets, where);
    require_surface(body.skin, body.tets, fmt::format("{}, skin", where));
    require_surface(body.envelope, body.tets, fmt::format("{}, envelope", where));
    require_parts(body, where);
    require_shares(body, fmt::format("{}, fractions", where));
    require_fibres(body, fmt::format("{}, fibres", where));

    const std::string attachments = fmt::format("{}, attachments", where);
    require_embedded(body.attachments.points, body.attachments.bone.size(), tets, attachments);
    for (const Index bone : body.attachments.bone) {
        require_index(bone, body.bones.size(), false, attachments, "bone");
    }
    require_embeddings(body.bone_embeddings, body.bones, tets, where);
    require_embeddings(body.muscle_embeddings, body.muscles, tets, where);
    const std::string display = fmt::format("{}, display skin", where);
    require_valid(body.display_skin, display);
    require_embedded(body.display_skin_embedding, at(body.display_skin.points.rows()), tets,
                     display);

    const Eigen::Index skin_vertices = body.skin.mesh.points.rows();
    for (const Landmark& landmark : body.landmarks) {
        require_index(landmark.skin_vertex, static_cast<std::size_t>(skin_vertices), true,
                      fmt::format("{}, landmark '{}'", where, landmark.name), "skin vertex");
    }
    require_names(body.maps, "map", where);
    for (const Attribute& map : body.maps) {
        if (map.components < 1 ||
            map.values.size() != static_cast<std::size_t>(skin_vertices * map.components)) {
            refuse(fmt::format("{}, map '{}'", where, map.name),
                   fmt::format("{} numbers in {} components", map.values.size(), map.components),
                   fmt::format("{} items, one per skin vertex", skin_vertices));
        }
    }
}

void require_valid(const Activation& activation, const Body& body, std::string_view where) {
    if (activation.values.size() != body.muscles.size()) {
        refuse(std::string(where), fmt::format("{} activations", activation.values.size()),
               fmt::format("{}, one per muscle", body.muscles.size()));
    }
    for (std::size_t i = 0; i < activation.values.size(); ++i) {
        require_number(activation.values[i], 0.0, 1.0,
                       fmt::format("{}, '{}'", where, body.muscles[i].name), "activation");
    }
}

}  // namespace sinew
