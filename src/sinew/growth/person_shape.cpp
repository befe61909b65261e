#include "sinew/growth/person_shape.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/rest_shape.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/growth/fat_layer.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/harmonic_fields.h"
#include "sinew/growth/skin_room.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/inversions.h"
#include "sinew/tissue/tissue_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace sinew {

namespace {

constexpr double kFirm = 100.0;        // tissue that is not fat, against fat
constexpr double kLeastWeight = 1e-4;  // of a part at a vertex
constexpr double kLeastFatLeft = 0.1;  // of its thickness
constexpr double kNormalReach = 0.03;  // m, over which normals are averaged
constexpr double kWallGap = 0.004;     // m, of soft walls
constexpr double kArmpit = 0.05;       // m below the shoulder where its wall begins

/// The weight of a part at a vertex.
struct PartWeight {
    std::size_t part = 0;
    double weight = 0.0;
};

// Rounds of averaging over neighbours that reach `length` of skin.
int rounds_for(const TriangleMesh& skin, double length) {
    const Edges edges = unique_edges(skin.triangles);
    double sum = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        sum += (skin.points.row(edges(e, 0)) - skin.points.row(edges(e, 1))).norm();
    }
    const double edge = sum / std::max<double>(1.0, static_cast<double>(edges.rows()));
    return std::clamp(static_cast<int>(std::lround(std::pow(length / edge, 2.0))), 2, 200);
}

// d -> gap log(1 + exp(d / gap)): never below 0, and the order of what it moves is kept.
double soft_wall(double d) {
    const double t = d / kWallGap;
    return t > 30.0 ? d : kWallGap * std::log1p(std::exp(t));
}

void average(const Lists& around, Eigen::MatrixXd& values, int rounds) {
    Eigen::MatrixXd next(values.rows(), values.cols());
    for (int round = 0; round < rounds; ++round) {
        for (Eigen::Index i = 0; i < values.rows(); ++i) {
            next.row(i) = values.row(i);
            for (const Index j : around[at(i)]) {
                next.row(i) += values.row(j);
            }
            next.row(i) /= 1.0 + static_cast<double>(around[at(i)].size());
        }
        values.swap(next);
    }
}

}  // namespace

std::span<const std::string> person_fat_regions() {
    static const std::vector<std::string> kNames = {"belly",      "flanks",   "chest",  "back",
                                                    "buttocks",   "hips",     "thighs", "calves",
                                                    "upper_arms", "forearms", "chin",   "face"};
    return kNames;
}

struct PersonShaper::Data {
    Body rest;
    std::vector<BodyPart> parts;
    std::vector<std::size_t> part_of_segment;
    std::vector<std::vector<PartWeight>> weights;  // per vertex
    Points anchors;                                // per vertex: where on bones it belongs to
    std::vector<double> left, right;               // how much a vertex belongs to a leg
    std::array<std::vector<double>, 2> arm;        // and to an arm, left and right
    std::array<std::size_t, 2> shoulder = {}, elbow = {};  // joints
    MeasuredShape measured;
    std::vector<Index> landmark_vertex;  // in the order of the body's landmarks
    Eigen::MatrixXd maps;                // skin vertices x regions
    Eigen::VectorXd belly;               // of visceral fat, per skin vertex
    Eigen::MatrixXd normals;             // of skin vertices, smoothed
    std::vector<double> room, thickness;
    Lists around;
    HarmonicField fat_field, visceral_field;
    // Per tetrahedron and unit of volume.
    Eigen::VectorXd density, fat_density, muscle_density, generic_share;
    double generic_to_fat = 0.0;  // kg/m^3 lost where generic tissue gives way to fat
    double fat_weight = 900.0;    // kg/m^3

    explicit Data(const Body& body);
    void find_weights();
    void find_tissues();
    void find_skin();
    Points framed(const FrameMaps& maps) const;
    Points displaced_skin(const PersonForm& form) const;
    void part_limbs(Points& x, const std::vector<Vec3>& joints) const;
    double stand(Points& x) const;
};

PersonShaper::Data::Data(const Body& body)
    : rest(body), parts(body_parts(body)), measured(measured_shape(body)) {
    part_of_segment.assign(rest.skeleton.segments.size(), 0);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (const Index s : parts[p].segments) {
            part_of_segment[at(s)] = p;
        }
    }
    find_tissues();
    find_weights();
    find_skin();
}

// Harmonic weights of the parts' bones, anchors on them, and the fields of fat.
void PersonShaper::Data::find_weights() {
    const std::vector<double> fat = tissue_share_of_tets(rest, Tissue::Fat);
    Eigen::VectorXd even = Eigen::VectorXd::Ones(rest.tets.tets.rows());
    Eigen::VectorXd loose = even;  // fat gives way
    Eigen::VectorXd firm = even;   // fat is carried along
    for (std::size_t t = 0; t < fat.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        loose[row] = fat[t] + kFirm * (1.0 - fat[t]);
        firm[row] = 1.0 - fat[t] + kFirm * fat[t];
    }
    fat_field = HarmonicField(rest, loose, rest.skin.tet_vertex);
    visceral_field = HarmonicField(rest, firm, rest.skin.tet_vertex);
    const HarmonicField part_field(rest, even, {});

    Eigen::MatrixXd at_bones =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rest.attachments.bone.size()),
                              static_cast<Eigen::Index>(parts.size()));
    for (std::size_t k = 0; k < rest.attachments.bone.size(); ++k) {
        const Bone& bone = rest.bones[at(rest.attachments.bone[k])];
        at_bones(static_cast<Eigen::Index>(k),
                 static_cast<Eigen::Index>(part_of_segment[at(bone.segment)])) = 1.0;
    }
    const Eigen::MatrixXd all = part_field.values(Eigen::MatrixXd(0, at_bones.cols()), at_bones);
    weights.resize(at(all.rows()));
    left.assign(at(all.rows()), 0.0);
    right = left;
    arm = {left, left};
    for (std::size_t j = 0; j < rest.skeleton.joints.size(); ++j) {
        const std::string& name = rest.skeleton.joints[j].name;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const char* end = side == 0 ? "_l" : "_r";
            shoulder[side] = name == std::string("shoulder") + end ? j : shoulder[side];
            elbow[side] = name == std::string("elbow") + end ? j : elbow[side];
        }
    }
    for (Eigen::Index v = 0; v < all.rows(); ++v) {
        double sum = 0.0;
        for (Eigen::Index p = 0; p < all.cols(); ++p) {
            if (all(v, p) > kLeastWeight) {
                weights[at(v)].push_back({at(p), all(v, p)});
                sum += all(v, p);
            }
        }
        for (PartWeight& w : weights[at(v)]) {
            w.weight /= sum;
            const std::string& name = parts[w.part].name;
            const bool is_leg = name.starts_with("thigh") || name.starts_with("shin") ||
                                name.starts_with("foot") || name.starts_with("patella");
            if (name.starts_with("upper_arm") || name.starts_with("forearm") ||
                name.starts_with("hand")) {
                arm[name.ends_with("_l") ? 0 : 1][at(v)] += w.weight;
            }
            if (is_leg) {
                (name.ends_with("_l") ? left : right)[at(v)] += w.weight;
            }
        }
    }
    anchors =
        part_field.values(Eigen::MatrixXd(0, 3),
                          positions_of(rest.attachments.points, rest.tets.points, rest.tets.tets));
}

void PersonShaper::Data::find_tissues() {
    const Eigen::Index n = rest.tets.tets.rows();
    density = fat_density = muscle_density = generic_share = Eigen::VectorXd::Zero(n);
    double generic = 0.0;
    for (Eigen::Index t = 0; t < n; ++t) {
        for (Index e = rest.shares.start[at(t)]; e < rest.shares.start[at(t) + 1]; ++e) {
            const TissueMaterial& material = rest.materials[at(rest.shares.material[at(e)])];
            const double share = rest.shares.fraction[at(e)];
            density[t] += share * material.density;
            if (material.tissue == Tissue::Fat) {
                fat_density[t] += share * material.density;
                fat_weight = material.density;
            } else if (material.tissue == Tissue::Muscle) {
                muscle_density[t] += share * material.density;
            } else if (material.tissue == Tissue::Generic) {
                generic_share[t] += share;
                generic = material.density;
            }
        }
    }
    generic_to_fat = generic - fat_weight;
}

void PersonShaper::Data::find_skin() {
    const TriangleMesh& skin = rest.skin.mesh;
    around = neighbours_of_vertices(skin.triangles, skin.points.rows());
    maps.resize(skin.points.rows(), kPersonFatRegions);
    for (int r = 0; r < kPersonFatRegions; ++r) {
        const std::vector<double> map =
            fat_map(rest, person_fat_regions()[static_cast<std::size_t>(r)]);
        maps.col(r) = Eigen::Map<const Eigen::VectorXd>(map.data(), maps.rows());
    }
    belly = maps.col(0).array() * maps.col(0).array();
    normals = vertex_normals(skin);
    average(around, normals, rounds_for(skin, kNormalReach));
    normals.rowwise().normalize();
    thickness = FatLayer(rest).thickness();
    const std::vector<ClosestPoint> above =
        SurfaceTree(rest.envelope.mesh).closest_points(skin.points);
    // Nowhere may more be lost than lies between skin and envelope around a vertex.
    std::vector<double> between(above.size());
    for (std::size_t i = 0; i < between.size(); ++i) {
        between[i] = above[i].distance;
        for (const Index j : around[i]) {
            between[i] = std::min(between[i], above[at(j)].distance);
        }
    }
    // Room and thickness vary slowly, or the skin would be rough.
    const std::vector<double> raw = outward_room(skin);
    Eigen::MatrixXd slow(skin.points.rows(), 2);
    constexpr double kMuch = 0.3;  // m
    for (Eigen::Index i = 0; i < slow.rows(); ++i) {
        slow(i, 0) = std::min(raw[at(i)], kMuch);
        slow(i, 1) = std::min(thickness[at(i)], between[at(i)]);
    }
    average(around, slow, rounds_for(skin, 0.5 * kNormalReach));
    room.resize(raw.size());
    for (Eigen::Index i = 0; i < slow.rows(); ++i) {
        room[at(i)] = std::min(slow(i, 0), raw[at(i)]);
        thickness[at(i)] = std::min(slow(i, 1), between[at(i)]);
    }
    for (const Landmark& landmark : rest.landmarks) {
        Eigen::Index nearest = landmark.skin_vertex;
        if (nearest < 0) {
            (skin.points.rowwise() - landmark.position.transpose())
                .rowwise()
                .squaredNorm()
                .minCoeff(&nearest);
        }
        landmark_vertex.push_back(static_cast<Index>(nearest));
    }
}

Points PersonShaper::Data::framed(const FrameMaps& maps_of) const {
    Points x(rest.tets.points.rows(), 3);
    parallel_for(weights.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const Vec3 p = point(rest.tets.points, static_cast<Eigen::Index>(v));
            Vec3 sum = Vec3::Zero();
            for (const PartWeight& w : weights[v]) {
                sum += w.weight * maps_of.parts[w.part].in_flesh(
                                      p, point(anchors, static_cast<Eigen::Index>(v)));
            }
            x.row(static_cast<Eigen::Index>(v)) = sum.transpose();
        }
    });
    return x;
}

// How far fat under the skin moves each of its vertices.
Points PersonShaper::Data::displaced_skin(const PersonForm& form) const {
    Eigen::MatrixXd way =
        maps * Eigen::Map<const Eigen::VectorXd>(form.fat.data(), kPersonFatRegions);
    for (Eigen::Index i = 0; i < way.rows(); ++i) {
        double& s = way(i, 0);
        s -= form.fat_lost;
        if (s >= 0.0) {
            // d = room (1 - exp(-s / room)): never further than there is room.
            s = room[at(i)] > 0.0 ? room[at(i)] * (1.0 - std::exp(-s / room[at(i)])) : 0.0;
        } else {
            const double most = (1.0 - kLeastFatLeft) * thickness[at(i)];
            s = most > 0.0 ? -most * (1.0 - std::exp(s / most)) : 0.0;
        }
    }
    average(around, way, 3);
    return (normals.array().colwise() * way.col(0).array()).matrix();
}

// Soft walls between the legs, and between each arm and the trunk: flesh that widens does not go
// through what faces it.
void PersonShaper::Data::part_limbs(Points& x, const std::vector<Vec3>& joints) const {
    for (std::size_t v = 0; v < left.size(); ++v) {
        double& at_x = x(static_cast<Eigen::Index>(v), 0);
        if (left[v] > 0.5 && left[v] > right[v]) {
            at_x += (2.0 * left[v] - 1.0) * (soft_wall(at_x) - at_x);
        } else if (right[v] > 0.5) {
            at_x -= (2.0 * right[v] - 1.0) * (soft_wall(-at_x) + at_x);
        }
    }
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        // The plane that halves the angle between arm and vertical.
        const Vec3 top = joints[shoulder[side]];
        const Vec3 arm_axis = (joints[elbow[side]] - top).normalized();
        const Vec3 between = (arm_axis - Vec3::UnitY()).normalized();
        const Vec3 out = (arm_axis - arm_axis.dot(between) * between).normalized();
        for (std::size_t v = 0; v < left.size(); ++v) {
            const auto row = static_cast<Eigen::Index>(v);
            const Vec3 from = point(x, row) - top;
            const double below = std::clamp(from.dot(between) / kArmpit, 0.0, 1.0);
            const double belongs = 2.0 * arm[side][v] - 1.0;
            const double d = from.dot(out);
            if (below <= 0.0 || std::abs(d) > 0.2) {
                continue;
            }
            const double moved = belongs > 0.0 ? soft_wall(d) - d : -soft_wall(-d) - d;
            x.row(row) += below * std::abs(belongs) * moved * out.transpose();
        }
    }
}

double PersonShaper::Data::stand(Points& x) const {
    double low = 1e300;
    for (const Index v : rest.skin.tet_vertex) {
        low = std::min(low, x(v, 1));
    }
    x.col(1).array() -= low;
    return -low;
}

PersonShaper::PersonShaper(const Body& body) {
    if (body.tets.tets.rows() == 0 || body.attachments.bone.empty()) {
        throw InputError({.where = "making a person of body '" + body.name + "'",
                          .found = "no tetrahedra, or no bones in them",
                          .needs = "a body for simulation",
                          .remedy = "make the body with 'sinew build'"});
    }
    data_ = std::make_unique<Data>(body);
}
PersonShaper::~PersonShaper() = default;
PersonShaper::PersonShaper(PersonShaper&&) noexcept = default;
PersonShaper& PersonShaper::operator=(PersonShaper&&) noexcept = default;

const Body& PersonShaper::rest() const {
    return data_->rest;
}

PersonShaper::Shape PersonShaper::shape(const PersonForm& form) const {
    const Data& d = *data_;
    const FrameMaps maps = frame_maps(d.rest, d.parts, form.frame);
    Shape result;
    Points x = d.framed(maps) + d.fat_field.displacement(d.displaced_skin(form));
    d.part_limbs(x, maps.joints);
    const Eigen::VectorXd before = tet_volumes(x, d.rest.tets.tets);
    if (form.visceral > 0.0) {
        x += d.visceral_field.displacement(
            (d.normals.array().colwise() * (form.visceral * d.belly).array()).matrix());
    }
    result.lift = d.stand(x);
    const Eigen::VectorXd after = tet_volumes(x, d.rest.tets.tets);
    // Generic tissue that is pushed apart keeps its volume; what is gained is fat.
    const Eigen::VectorXd gained =
        form.visceral > 0.0
            ? ((after - before).cwiseMax(0.0).array() * d.generic_share.array()).matrix().eval()
            : Eigen::VectorXd::Zero(after.size()).eval();
    result.masses.all = d.density.dot(after) - d.generic_to_fat * gained.sum();
    result.masses.fat = d.fat_density.dot(after) + d.fat_weight * gained.sum();
    result.masses.muscle = d.muscle_density.dot(after);

    MeasuredShape& m = result.measured;
    m = d.measured;
    m.skin = positions_of(d.rest.skin, x);
    const Vec3 up(0.0, result.lift, 0.0);
    for (std::size_t j = 0; j < maps.joints.size(); ++j) {
        if (const auto it = m.joints.find(d.rest.skeleton.joints[j].name); it != m.joints.end()) {
            it->second = maps.joints[j] + up;
        }
    }
    for (std::size_t k = 0; k < d.rest.landmarks.size(); ++k) {
        const Landmark& landmark = d.rest.landmarks[k];
        const Index v = d.landmark_vertex[k];
        m.landmarks[landmark.name] =
            landmark.position + (m.skin.row(v) - d.rest.skin.mesh.points.row(v)).transpose();
    }
    for (std::size_t p = 0; p < d.parts.size(); ++p) {
        const std::string& name = d.parts[p].name;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            if (name == (side == 0 ? "scapula_l" : "scapula_r")) {
                m.acromion[side] = maps.parts[p].on_bone(d.measured.acromion[side]) + up;
            }
            if (name == "pelvis") {
                m.ischium[side] = maps.parts[p].on_bone(d.measured.ischium[side]) + up;
            }
        }
    }
    result.points = std::move(x);
    return result;
}

namespace {

// What visceral fat gained becomes fat.
void add_visceral_fat(Body& body, const Eigen::VectorXd& before) {
    const Eigen::VectorXd after = tet_volumes(body.tets);
    Index fat = -1;
    for (std::size_t m = 0; m < body.materials.size(); ++m) {
        fat = body.materials[m].tissue == Tissue::Fat ? static_cast<Index>(m) : fat;
    }
    TissueShares shares;
    for (std::size_t t = 0; t + 1 < body.shares.start.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const bool is_sound = before[row] > 0.0 && after[row] > before[row];
        const double grown = is_sound ? 1.0 - before[row] / after[row] : 0.0;
        double gained = 0.0;
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            double fraction = body.shares.fraction[at(e)];
            const Tissue tissue = body.materials[at(body.shares.material[at(e)])].tissue;
            if (tissue == Tissue::Generic && grown > 1e-6) {
                gained += grown * fraction;
                fraction *= 1.0 - grown;
            }
            shares.material.push_back(body.shares.material[at(e)]);
            shares.part.push_back(body.shares.part[at(e)]);
            shares.fraction.push_back(fraction);
        }
        if (gained > 0.0) {
            const auto begin = static_cast<std::size_t>(shares.start.back());
            const auto known =
                std::find(shares.material.begin() + static_cast<std::ptrdiff_t>(begin),
                          shares.material.end(), fat);
            if (known != shares.material.end()) {
                shares.fraction[static_cast<std::size_t>(known - shares.material.begin())] +=
                    gained;
            } else {
                shares.material.push_back(fat);
                shares.part.push_back(-1);
                shares.fraction.push_back(gained);
            }
        }
        shares.start.push_back(static_cast<Index>(shares.material.size()));
    }
    body.shares = std::move(shares);
}

}  // namespace

PersonShaper::Made PersonShaper::body(const PersonForm& form) const {
    const Data& d = *data_;
    const FrameMaps maps = frame_maps(d.rest, d.parts, form.frame);
    PersonForm without = form;
    without.visceral = 0.0;
    const Eigen::VectorXd before = tet_volumes(shape(without).points, d.rest.tets.tets);
    const Shape made = shape(form);
    const Vec3 up(0.0, made.lift, 0.0);
    MovedBones moved;
    for (const Bone& bone : d.rest.bones) {
        const PartMap& map = maps.parts[d.part_of_segment[at(bone.segment)]];
        Points points = bone.mesh.points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            points.row(i) = (map.on_bone(point(points, i)) + up).transpose();
        }
        moved.bones.push_back(std::move(points));
    }
    moved.attachments =
        positions_of(d.rest.attachments.points, d.rest.tets.points, d.rest.tets.tets);
    for (std::size_t k = 0; k < d.rest.attachments.bone.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        const Bone& bone = d.rest.bones[at(d.rest.attachments.bone[k])];
        moved.attachments.row(row) = (maps.parts[d.part_of_segment[at(bone.segment)]].on_bone(
                                          point(moved.attachments, row)) +
                                      up)
                                         .transpose();
    }
    for (const Vec3& joint : maps.joints) {
        moved.joints.push_back(joint + up);
    }
    const MendedInversions mended = mend_inversions(d.rest.tets, made.points);
    Made result{.body = with_rest_shape(d.rest, mended.x, moved), .mended_tets = mended.before};
    if (form.visceral > 0.0) {
        add_visceral_fat(result.body, before);
    }
    // Force goes with the cross-section, the 2/3 power of the volume.
    const std::vector<double> old_volumes = muscle_volumes_in_tets(d.rest);
    const std::vector<double> volumes = muscle_volumes_in_tets(result.body);
    for (std::size_t m = 0; m < volumes.size(); ++m) {
        if (old_volumes[m] > 0.0) {
            result.body.muscles[m].fmax *= std::pow(volumes[m] / old_volumes[m], 2.0 / 3.0);
        }
    }
    return result;
}

}  // namespace sinew
