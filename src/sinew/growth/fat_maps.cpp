#include "sinew/growth/fat_maps.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/body_parts.h"
#include "sinew/body/names.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/growth/fat_layer.h"
#include "sinew/growth/frame_maps.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Where on the skin fat comes on. Every region is a product of fading steps and bells in anatomical
// coordinates: height between hip and shoulder joints, position along a limb, direction of the
// normal (front, back, side), membership of a body part. Thus one definition serves every body,
// whatever its mesh. The shapes are authored; the paper leaves them to the user as well.
//
// Two more sources: vertex colours painted by a person (fat_map_from_mesh), and the fat of another
// body (fat_transfer_ratios), carried over by a triharmonic warp between joints of the same name
// [Duchon1977].

namespace sinew {

namespace {

constexpr int kSmoothingRounds = 15;

// All lengths of regions are given in parts of the trunk's height or of the stature, so that
// regions scale with the person.
double bell(double x, double width) {
    return std::exp(-0.5 * x * x / (width * width));
}
double step_up(double x) {
    const double c = std::clamp(x, 0.0, 1.0);
    return c * c * (3.0 - 2.0 * c);
}

/// Where the skin's vertices are on the body.
struct Places {
    std::vector<double> arm, leg, trunk, head, end;  // memberships in [0, 1]; end: hands and feet
    std::vector<double> limb;                        // way along arm or leg, 0 at the trunk
    Points normals;
    double hip = 0.0;       // height of the hip joints, m
    double shoulder = 0.0;  // height of the shoulders
    double navel = 0.0;
    double chest = 0.0;
    double stature = 0.0;
};

void smooth(const Lists& around, std::vector<double>& values, int rounds = kSmoothingRounds) {
    std::vector<double> next(values.size());
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            double sum = values[i];
            for (const Index j : around[i]) {
                sum += values[at(j)];
            }
            next[i] = sum / (1.0 + static_cast<double>(around[i].size()));
        }
        values.swap(next);
    }
}

double landmark_height(const Body& body, std::string_view stem, double otherwise) {
    for (const Landmark& landmark : body.landmarks) {
        if (split_side(landmark.name).stem == stem) {
            return landmark.position.y();
        }
    }
    return otherwise;
}

double joint_height(const Body& body, std::string_view stem, double otherwise) {
    for (const Joint& joint : body.skeleton.joints) {
        if (split_side(joint.name).stem == stem) {
            return joint.centre.y();
        }
    }
    return otherwise;
}

/// All bones as one surface, and the body part of each triangle.
struct BoneSurface {
    TriangleMesh mesh;
    std::vector<std::size_t> part;
};

// The nearest bone decides which part of the body a skin vertex belongs to; one tree over all bones
// answers that for all vertices at once.
BoneSurface merged_bones(const Body& body, const std::vector<BodyPart>& parts) {
    const std::vector<std::size_t> part_of = parts_of_segments(body.skeleton, parts);
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    for (const Bone& bone : body.bones) {
        points += bone.mesh.points.rows();
        triangles += bone.mesh.triangles.rows();
    }
    BoneSurface surface;
    surface.mesh.points.resize(points, 3);
    surface.mesh.triangles.resize(triangles, 3);
    points = triangles = 0;
    for (const Bone& bone : body.bones) {
        surface.mesh.points.middleRows(points, bone.mesh.points.rows()) = bone.mesh.points;
        surface.mesh.triangles.middleRows(triangles, bone.mesh.triangles.rows()) =
            (bone.mesh.triangles.array() + static_cast<Index>(points)).matrix();
        surface.part.insert(surface.part.end(), at(bone.mesh.triangles.rows()),
                            part_of[at(bone.segment)]);
        points += bone.mesh.points.rows();
        triangles += bone.mesh.triangles.rows();
    }
    return surface;
}

Places places_of(const Body& body) {
    const Points& skin = body.skin.mesh.points;
    if (skin.rows() == 0 || body.bones.empty()) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "no skin or no bones",
                          .needs = "both, to know where on the body a place is",
                          .remedy = "make the body with 'sinew build'"});
    }
    Places p;
    // Heights of the landmarks that regions are measured from.
    const double floor = skin.col(1).minCoeff();
    p.stature = skin.col(1).maxCoeff() - floor;
    p.hip = joint_height(body, "hip", floor + 0.52 * p.stature);
    p.shoulder = joint_height(body, "shoulder", floor + 0.82 * p.stature);
    p.navel = landmark_height(body, "navel", p.hip + 0.30 * (p.shoulder - p.hip));
    p.chest = landmark_height(body, "nipple", p.hip + 0.78 * (p.shoulder - p.hip));
    p.normals = vertex_normals(body.skin.mesh);

    // A skin vertex belongs to the body part whose bone is nearest.
    const std::vector<BodyPart> parts = body_parts(body);
    const BoneSurface bones = merged_bones(body, parts);
    const std::vector<ClosestPoint> nearest = SurfaceTree(bones.mesh).closest_points(skin);
    const std::size_t n = at(skin.rows());
    for (std::vector<double>* v : {&p.arm, &p.leg, &p.trunk, &p.head, &p.end, &p.limb}) {
        v->assign(n, 0.0);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const BodyPart& part = parts[bones.part[at(nearest[i].triangle)]];
        const std::string stem = split_side(part.name).stem;
        const bool is_arm = stem == "upper_arm" || stem == "forearm";
        const bool is_leg = stem == "thigh" || stem == "shin" || stem == "patella";
        (is_arm                             ? p.arm
         : is_leg                           ? p.leg
         : stem == "hand" || stem == "foot" ? p.end
         : stem == "head"                   ? p.head
                                            : p.trunk)[i] = 1.0;
        // How far down the limb it is: 0 at the trunk, 0.5 at elbow or knee, 1 at the end.
        if (part.is_long) {
            const Vec3 axis = part.far_end - part.near_end;
            const double t = (point(skin, static_cast<Eigen::Index>(i)) - part.near_end).dot(axis) /
                             axis.squaredNorm();
            const bool is_second = stem == "forearm" || stem == "shin";
            p.limb[i] = 0.5 * std::clamp(t, 0.0, 1.0) + (is_second ? 0.5 : 0.0);
        } else if (stem == "patella") {
            p.limb[i] = 0.5;
        }
    }
    // Parts fade into each other.
    const Lists around = neighbours_of_vertices(body.skin.mesh.triangles, skin.rows());
    for (std::vector<double>* v : {&p.arm, &p.leg, &p.trunk, &p.head, &p.end, &p.limb}) {
        smooth(around, *v);
    }
    return p;
}

// The built-in regions as products of fading steps and bells, [0, 1].
// `front` is 1 where the skin looks forward (+Z) and 0 where it looks back; `bare` leaves out
// hands, feet and head, which gain little.
double value_at(const Places& p, const Points& skin, std::size_t i, const std::string& name) {
    const auto row = static_cast<Eigen::Index>(i);
    const double y = skin(row, 1);
    const double front = step_up(0.5 + 0.9 * p.normals(row, 2));
    const double back = 1.0 - front;
    const double side = step_up(std::abs(p.normals(row, 0)));
    const double bare = 1.0 - std::min(1.0, p.end[i] + p.head[i]);
    const double trunk_height = p.shoulder - p.hip;
    if (name == "belly" || name == "android") {
        const double low = p.navel - 0.06 * trunk_height;
        const double belly = bell(y - low, 0.22 * trunk_height) * (0.30 + 0.70 * front);
        const double chest = 0.35 * bell(y - p.chest, 0.12 * trunk_height) * front;
        return bare * p.trunk[i] * std::min(1.0, belly + chest);
    }
    if (name == "hips" || name == "gynoid") {
        const double hips = bell(y - (p.hip - 0.02 * p.stature), 0.22 * trunk_height) *
                            (0.35 + 0.65 * std::max(back, side));
        const double thighs =
            0.75 * p.leg[i] * (1.0 - step_up(p.limb[i] / 0.5)) * (0.4 + 0.6 * std::max(back, side));
        return bare * std::min(1.0, (p.trunk[i] + p.leg[i]) * hips + thighs);
    }
    if (name == "chest") {
        return bare * p.trunk[i] * bell(y - p.chest, 0.11 * trunk_height) * front *
               step_up(1.6 - std::abs(skin(row, 0)) / (0.09 * p.stature));
    }
    if (name == "back") {
        return bare * p.trunk[i] * back *
               bell(y - (p.hip + 0.50 * trunk_height), 0.27 * trunk_height);
    }
    if (name == "arms") {
        return bare * p.arm[i] * (1.0 - 0.8 * step_up((p.limb[i] - 0.25) / 0.6));
    }
    if (name == "legs") {
        return bare * p.leg[i] * (1.0 - 0.7 * step_up((p.limb[i] - 0.2) / 0.6));
    }
    if (name == "face") {
        return p.head[i] * front *
               step_up(1.0 - (y - (p.shoulder + 0.12 * p.stature)) / (0.08 * p.stature));
    }
    if (name == "flanks") {
        return bare * p.trunk[i] * bell(y - (p.navel + 0.02 * trunk_height), 0.15 * trunk_height) *
               (0.30 + 0.70 * std::max(side, 0.6 * back));
    }
    if (name == "buttocks") {
        return bare * std::min(1.0, p.trunk[i] + p.leg[i]) * back *
               bell(y - (p.hip + 0.005 * p.stature), 0.13 * trunk_height);
    }
    if (name == "thighs") {
        return bare * p.leg[i] * step_up((p.limb[i] + 0.02) / 0.08) *
               (1.0 - step_up((p.limb[i] - 0.18) / 0.30));
    }
    if (name == "calves") {
        return bare * p.leg[i] * bell(p.limb[i] - 0.64, 0.10);
    }
    if (name == "upper_arms") {
        return bare * p.arm[i] * bell(p.limb[i] - 0.26, 0.13);
    }
    if (name == "forearms") {
        return bare * p.arm[i] * bell(p.limb[i] - 0.62, 0.11);
    }
    if (name == "chin") {
        return (0.35 + 0.65 * front) *
               bell(y - (p.shoulder + 0.065 * p.stature), 0.026 * p.stature) *
               step_up(2.0 - std::abs(skin(row, 0)) / (0.045 * p.stature));
    }
    // uniform: all but hands, feet and head; thinner towards the ends of the limbs
    return bare * (1.0 - 0.7 * step_up((p.limb[i] - 0.3) / 0.7)) + 0.12 * p.head[i];
}

}  // namespace

std::span<const std::string> fat_map_names() {
    static const std::vector<std::string> kNames = {
        "belly", "hips",    "chest",    "back",   "arms",      "legs",
        "face",  "uniform", "android",  "gynoid", "buttocks",  "calves",
        "chin",  "flanks",  "forearms", "thighs", "upper_arms"};
    return kNames;
}

std::vector<double> fat_map(const Body& body, std::string_view name) {
    const auto names = fat_map_names();
    const std::string word = slug(name);
    if (std::find(names.begin(), names.end(), word) != names.end()) {
        const Places places = places_of(body);
        std::vector<double> map(at(body.skin.mesh.points.rows()));
        for (std::size_t i = 0; i < map.size(); ++i) {
            map[i] = std::clamp(value_at(places, body.skin.mesh.points, i, word), 0.0, 1.0);
        }
        return map;
    }
    if (const Attribute* own = find_attribute(body.maps, name);
        own != nullptr && own->components == 1) {
        std::vector<double> map = own->values;
        for (double& f : map) {
            f = std::clamp(f, 0.0, 1.0);
        }
        return map;
    }
    std::vector<std::string> known(names.begin(), names.end());
    for (const Attribute& own : body.maps) {
        if (own.components == 1) {
            known.push_back(own.name);
        }
    }
    throw InputError(
        {.where = "fat map",
         .found = fmt::format("unknown region '{}'{}", name, did_you_mean(word, known)),
         .needs = fmt::format("one of: {}", join(known, ", ")),
         .remedy = "or give a file of vertex colours"});
}

std::vector<double> smoothed_map(const Body& body, std::vector<double> values, double length) {
    const TriangleMesh& skin = body.skin.mesh;
    if (skin.triangles.rows() == 0 || values.size() != at(skin.points.rows())) {
        throw InputError({.where = "fat map",
                          .found = fmt::format("{} values", values.size()),
                          .needs = fmt::format("one per skin vertex: {}", skin.points.rows()),
                          .remedy = "make the map for this body"});
    }
    double edge = 0.0;
    for (Eigen::Index t = 0; t < skin.triangles.rows(); ++t) {
        edge +=
            (skin.points.row(skin.triangles(t, 0)) - skin.points.row(skin.triangles(t, 1))).norm();
    }
    edge /= static_cast<double>(skin.triangles.rows());
    // A round over six neighbours and the vertex itself spreads a value by 3/7 edge^2 per axis.
    constexpr double kMostRounds = 200.0;
    const double rounds = 7.0 / 3.0 * length * length / (edge * edge);
    // Averaging lowers the highest value; what was painted as full stays full.
    const double before = *std::max_element(values.begin(), values.end());
    smooth(neighbours_of_vertices(skin.triangles, skin.points.rows()), values,
           static_cast<int>(std::lround(std::min(rounds, kMostRounds))));
    const double after = *std::max_element(values.begin(), values.end());
    if (after > 0.0) {
        for (double& value : values) {
            value *= before / after;
        }
    }
    return values;
}

std::vector<double> fat_map_from_mesh(const Body& body, const TriangleMesh& painted,
                                      std::string_view where) {
    const Attribute* colour = find_attribute(painted.point_data, kColourAttribute);
    const Attribute* scalar = nullptr;
    for (const Attribute& data : painted.point_data) {
        scalar = data.components == 1 && scalar == nullptr ? &data : scalar;
    }
    if (colour == nullptr && scalar == nullptr) {
        throw InputError({.where = std::string(where),
                          .found = "no vertex colours",
                          .needs = "colours (or one number) per vertex that say where fat grows",
                          .remedy = "paint the skin and export it as PLY with vertex colours"});
    }
    std::vector<double> values(at(painted.points.rows()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (colour != nullptr) {
            const double* c =
                colour->values.data() + i * static_cast<std::size_t>(colour->components);
            // A map painted in red alone counts by its red, any other by its brightness.
            values[i] = c[1] == 0.0 && c[2] == 0.0 ? c[0] : (c[0] + c[1] + c[2]) / 3.0;
        } else {
            values[i] = scalar->values[i];
        }
        values[i] = std::clamp(values[i], 0.0, 1.0);
    }
    const Points& skin = body.skin.mesh.points;
    if (painted.points.rows() == skin.rows()) {
        return values;
    }
    // Painted on another mesh: the value of the nearest point there.
    const std::vector<ClosestPoint> nearest = SurfaceTree(painted).closest_points(skin);
    std::vector<double> map(at(skin.rows()), 0.0);
    for (std::size_t i = 0; i < map.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            map[i] +=
                nearest[i].barycentric[k] * values[at(painted.triangles(nearest[i].triangle, k))];
        }
    }
    return map;
}

namespace {

// Means over about kBlur of skin: single tetrahedra say little about how thick the fat is.
std::vector<double> smoothed(std::vector<double> values, const TriangleMesh& skin) {
    constexpr double kBlur = 0.04;  // m
    const Lists around = neighbours_of_vertices(skin.triangles, skin.points.rows());
    const Edges edges = unique_edges(skin.triangles);
    double length = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        length += (skin.points.row(edges(e, 0)) - skin.points.row(edges(e, 1))).norm();
    }
    length /= std::max<double>(1.0, static_cast<double>(edges.rows()));
    // n rounds of averaging reach sqrt(n) edges.
    const int rounds = std::clamp(static_cast<int>(std::pow(kBlur / length, 2.0)), 2, 200);
    for (int round = 0; round < rounds; ++round) {
        const std::vector<double> old = values;
        for (std::size_t i = 0; i < values.size(); ++i) {
            double sum = 0.0;
            for (const Index j : around[i]) {
                sum += old[at(j)];
            }
            values[i] = around[i].empty()
                            ? old[i]
                            : 0.5 * old[i] + 0.5 * sum / static_cast<double>(around[i].size());
        }
    }
    return values;
}

}  // namespace

// The ratio of thicknesses is what FatLayer::scaled is given. It is smoothed before and after: a
// mesh of a few thousand vertices samples a layer of a few millimetres badly. Ratios are kept
// within 0.2 and 20, for thin layers have ratios that say nothing.
std::vector<double> fat_transfer_ratios(const Body& source, const Body& target) {
    // How thick fat is under each skin vertex of both bodies.
    const std::vector<double> theirs = smoothed(FatLayer(source).thickness(), source.skin.mesh);
    const std::vector<double> ours = smoothed(FatLayer(target).thickness(), target.skin.mesh);
    // Where the target's skin lies on the source.
    Points places = target.skin.mesh.points;
    std::vector<Vec3> from;
    std::vector<Vec3> to;
    for (const Joint& mine : target.skeleton.joints) {
        for (const Joint& other : source.skeleton.joints) {
            const bool is_new = std::none_of(from.begin(), from.end(), [&](const Vec3& c) {
                return (c - mine.centre).norm() < 0.01;
            });
            if (mine.name == other.name && is_new) {
                from.push_back(mine.centre);
                to.push_back(other.centre);
            }
        }
    }
    const Bounds a = bounds(places);
    const Bounds b = bounds(source.skin.mesh.points);
    // Corners of the boxes keep the warp in place where no joint is.
    for (int k = 0; k < 8; ++k) {
        const Vec3 u(k & 1, k >> 1 & 1, k >> 2);
        from.push_back(a.low + u.cwiseProduct(a.size()));
        to.push_back(b.low + u.cwiseProduct(b.size()));
    }
    Points p(static_cast<Eigen::Index>(from.size()), 3);
    Points q = p;
    for (std::size_t i = 0; i < from.size(); ++i) {
        p.row(static_cast<Eigen::Index>(i)) = from[i].transpose();
        q.row(static_cast<Eigen::Index>(i)) = to[i].transpose();
    }
    places = RbfWarp(p, q).apply(places);
    const std::vector<ClosestPoint> nearest = SurfaceTree(source.skin.mesh).closest_points(places);
    // Thickness there over thickness here, where there is any.
    std::vector<double> ratios(ours.size(), 1.0);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        double thickness = 0.0;
        for (int k = 0; k < 3; ++k) {
            thickness += nearest[i].barycentric[k] *
                         theirs[at(source.skin.mesh.triangles(nearest[i].triangle, k))];
        }
        ratios[i] = std::clamp(ours[i] > 1e-6 ? thickness / ours[i] : 1.0, 0.2, 20.0);
    }
    return smoothed(std::move(ratios), target.skin.mesh);
}

}  // namespace sinew
