#include "sinew/growth/person_anatomy.h"

#include "sinew/body/rest_shape.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/growth/fat_layer.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/skin_room.h"
#include "sinew/tissue/tissue_terms.h"

#include <algorithm>
#include <cmath>
#include <string>

// All that a body must know before it can become other people, found once: harmonic weights of the
// parts' bones (how far each point follows each part), an anchor on the bones for every point (what
// flesh is stretched away from), fields that carry the skin's displacement inwards, and tissue by
// tetrahedron for masses that are linear in volumes.
//
// Weights below 1e-4 are dropped and the rest is normalised.

namespace sinew {

namespace {

constexpr double kFirm = 100.0;        // tissue that is not fat, against fat
constexpr double kLeastWeight = 1e-4;  // of a part at a vertex
constexpr double kNormalReach = 0.03;  // m, over which normals are averaged

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

}  // namespace

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

PersonAnatomy::PersonAnatomy(const Body& body)
    : rest(body), parts(body_parts(body)), measured(measured_shape(body)) {
    part_of_segment = parts_of_segments(rest.skeleton, parts);
    find_tissues();
    find_weights();
    find_skin();
}

// Harmonic weights of the parts' bones, anchors on them, and the fields of fat.
void PersonAnatomy::find_weights() {
    const std::vector<double> fat = tissue_share_of_tets(rest, Tissue::Fat);
    Eigen::VectorXd even = Eigen::VectorXd::Ones(rest.tets.tets.rows());
    Eigen::VectorXd loose = even;  // fat gives way
    for (std::size_t t = 0; t < fat.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        loose[row] = fat[t] + kFirm * (1.0 - fat[t]);
    }
    // Fat deforms a hundred times more readily than what is below it, so that what is gained is
    // gained in the fat and muscles stay as they were.
    fat_field = HarmonicField(rest, loose, rest.skin.tet_vertex);
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
    // The anchor is the harmonic interpolation of the bones' samples: at a bone it is the sample,
    // between two it goes over smoothly.
    anchors =
        part_field.values(Eigen::MatrixXd(0, 3),
                          positions_of(rest.attachments.points, rest.tets.points, rest.tets.tets));
}

void PersonAnatomy::find_tissues() {
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
    // Difference of densities, for generic tissue that becomes fat.
    generic_to_fat = generic - fat_weight;
}

void PersonAnatomy::find_skin() {
    const TriangleMesh& skin = rest.skin.mesh;
    around = neighbours_of_vertices(skin.triangles, skin.points.rows());
    maps.resize(skin.points.rows(), kPersonFatRegions);
    for (int r = 0; r < kPersonFatRegions; ++r) {
        const std::vector<double> map = fat_map(rest, person_fat_regions()[at(r)]);
        maps.col(r) = Eigen::Map<const Eigen::VectorXd>(map.data(), maps.rows());
    }
    // Visceral fat pushes where the belly is highest: the square of its map falls off sooner.
    belly = maps.col(0).array() * maps.col(0).array();
    normals = vertex_normals(skin);
    average(around, normals, rounds_for(skin, kNormalReach));
    normals.rowwise().normalize();
    // Visceral fat pushes belly wall and skin out as one: fat under the skin is carried along.
    visceral_skin = (normals.array().colwise() * belly.array()).matrix();
    const std::vector<double> fat = tissue_share_of_tets(rest, Tissue::Fat);
    Eigen::VectorXd firm(rest.tets.tets.rows());
    for (std::size_t t = 0; t < fat.size(); ++t) {
        firm[static_cast<Eigen::Index>(t)] = 1.0 - fat[t] + kFirm * fat[t];
    }
    visceral_unit = HarmonicField(rest, firm, rest.skin.tet_vertex).displacement(visceral_skin);
    thickness = FatLayer(rest).thickness();
    // Fat is lost along its columns, from each skin vertex to the envelope's below it.
    // The envelope has the skin's vertices, each below its own (build/envelope.h).
    columns = skin.points - rest.envelope.mesh.points;
    const Eigen::VectorXd length = columns.rowwise().norm();
    columns.rowwise().normalize();
    const std::vector<ClosestPoint> above =
        SurfaceTree(rest.envelope.mesh).closest_points(skin.points);
    // Nowhere hangs more than lies between skin and envelope around a vertex.
    std::vector<double> between(above.size());
    for (std::size_t i = 0; i < between.size(); ++i) {
        between[i] = above[i].distance;
        for (const Index j : around[i]) {
            between[i] = std::min(between[i], above[at(j)].distance);
        }
    }
    // Room and thickness vary slowly, or the skin would be rough.
    const std::vector<double> raw = outward_room(skin);
    Eigen::MatrixXd slow(skin.points.rows(), 3);
    constexpr double kMuch = 0.3;  // m
    for (Eigen::Index i = 0; i < slow.rows(); ++i) {
        slow(i, 0) = std::min(raw[at(i)], kMuch);
        slow(i, 1) = std::min(thickness[at(i)], between[at(i)]);
        slow(i, 2) = length[i];
    }
    average(around, slow, rounds_for(skin, 0.5 * kNormalReach));
    room.resize(raw.size());
    for (Eigen::Index i = 0; i < slow.rows(); ++i) {
        room[at(i)] = std::min(slow(i, 0), raw[at(i)]);
        thickness[at(i)] = std::min(slow(i, 1), between[at(i)]);
    }
    // Soles keep a fifth more than other skin, or their flat tetrahedra become slivers.
    constexpr double kSole = 0.05;  // m above the ground, over which that fades
    const Eigen::ArrayXd sole =
        ((kSole - skin.points.col(1).array()) / (0.5 * kSole)).max(0.0).min(1.0);
    to_lose = slow.col(2).cwiseMin(length).array() * (1.0 - 0.2 * sole);
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

}  // namespace sinew
