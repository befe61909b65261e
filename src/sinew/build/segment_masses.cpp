#include "sinew/build/segment_masses.h"

#include "sinew/body/names.h"
#include "sinew/build/segment_cuts.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <array>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

namespace sinew {

namespace {

Vec3 centre_of(const TetMesh& mesh, Eigen::Index t) {
    return 0.25 * (mesh.points.row(mesh.tets(t, 0)) + mesh.points.row(mesh.tets(t, 1)) +
                   mesh.points.row(mesh.tets(t, 2)) + mesh.points.row(mesh.tets(t, 3)))
                      .transpose();
}

/// Segment of the bone with the largest share in each tetrahedron, -1 without bone.
std::vector<Index> segments_of_bone(const Body& body) {
    const auto tets = static_cast<std::size_t>(body.tets.tets.rows());
    std::vector<Index> segment(tets, -1);
    for (std::size_t t = 0; t + 1 < body.shares.start.size() && t < tets; ++t) {
        double largest = 0.0;
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            const auto i = static_cast<std::size_t>(e);
            const auto material = static_cast<std::size_t>(body.shares.material[i]);
            if (body.materials[material].tissue == Tissue::Bone && body.shares.part[i] >= 0 &&
                body.shares.fraction[i] > largest) {
                largest = body.shares.fraction[i];
                segment[t] = body.bones[at(body.shares.part[i])].segment;
            }
        }
    }
    return segment;
}

/// Sums of mass and its first two moments about the origin.
struct Moments {
    double mass = 0.0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
};

}  // namespace

std::vector<Index> segments_of_tets(const Body& body) {
    std::vector<Index> segment = segments_of_bone(body);
    const Tets neighbours = tet_neighbours(body.tets.tets);
    std::vector<double> distance(segment.size(), std::numeric_limits<double>::infinity());
    // Ties go to the lower tetrahedron, so that the result is one.
    using Entry = std::tuple<double, Index, Index>;  // distance, tetrahedron, segment
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::size_t t = 0; t < segment.size(); ++t) {
        if (segment[t] >= 0) {
            distance[t] = 0.0;
            queue.push({0.0, static_cast<Index>(t), segment[t]});
        }
    }
    while (!queue.empty()) {
        const auto [d, t, s] = queue.top();
        queue.pop();
        if (d > distance[at(t)] || s != segment[at(t)]) {
            continue;
        }
        const Vec3 centre = centre_of(body.tets, t);
        for (Eigen::Index k = 0; k < 4; ++k) {
            const Index next = neighbours(t, k);
            if (next < 0) {
                continue;
            }
            const double through = d + (centre_of(body.tets, next) - centre).norm();
            if (through < distance[at(next)]) {
                distance[at(next)] = through;
                segment[at(next)] = s;
                queue.push({through, next, s});
            }
        }
    }
    apply_cuts(body, segment_cuts(body), segment);
    return segment;
}

std::vector<Segment> weigh_segments(const Body& body) {
    std::vector<Segment> segments = body.skeleton.segments;
    std::vector<Moments> sums(segments.size());
    const std::vector<Index> of_tet = segments_of_tets(body);
    const std::vector<Index> region = cut_regions(body.skeleton, segment_cuts(body));
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    for (std::size_t t = 0; t + 1 < body.shares.start.size() && !segments.empty(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const Vec3 centre = centre_of(body.tets, row);
        // int x x^T over a tetrahedron around its centre: mass / 20 sum over corners of r r^T.
        Mat3 spread = centre * centre.transpose();
        for (Eigen::Index k = 0; k < 4; ++k) {
            const Vec3 r = point(body.tets.points, body.tets.tets(row, k)) - centre;
            spread += 0.05 * r * r.transpose();
        }
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            const auto i = static_cast<std::size_t>(e);
            const TissueMaterial& material = body.materials[at(body.shares.material[i])];
            Index own = of_tet[t];
            if (material.tissue == Tissue::Bone && body.shares.part[i] >= 0) {
                const Index bone = body.bones[at(body.shares.part[i])].segment;
                own = own < 0 || region[at(bone)] == region[at(own)] ? bone : own;
            }
            const double mass = body.shares.fraction[i] * volumes[row] * material.density;
            Moments& sum = sums[at(own < 0 ? 0 : own)];
            sum.mass += mass;
            sum.first += mass * centre;
            sum.second += mass * spread;
        }
    }
    for (std::size_t s = 0; s < segments.size(); ++s) {
        segments[s].mass = sums[s].mass;
        if (!(sums[s].mass > 0.0)) {
            segments[s].inertia.setZero();
            continue;
        }
        const Vec3 c = sums[s].first / sums[s].mass;
        const Mat3 S = sums[s].second - sums[s].mass * c * c.transpose();
        segments[s].com = c;
        segments[s].inertia = S.trace() * Mat3::Identity() - S;
    }
    return segments;
}

std::vector<SegmentShare> compare_segments(const Body& body) {
    struct Part {
        const char* name;
        const char* joint;  // that it begins at, "" for the trunk
        double men, women;
    };
    constexpr std::array<Part, 8> kParts = {{{"head", "neck_c7_t1", 0.0694, 0.0668},
                                             {"trunk", "", 0.4346, 0.4257},
                                             {"upper_arm", "shoulder", 0.0271, 0.0255},
                                             {"forearm", "elbow", 0.0162, 0.0138},
                                             {"hand", "wrist", 0.0061, 0.0056},
                                             {"thigh", "hip", 0.1416, 0.1478},
                                             {"shank", "knee", 0.0433, 0.0481},
                                             {"foot", "ankle", 0.0137, 0.0129}}};
    const std::vector<SegmentCut> cuts = segment_cuts(body);
    const std::vector<Index> region = cut_regions(body.skeleton, cuts);
    std::map<std::string, double> mass;
    std::map<std::string, int> sides = {{"", 1}};
    for (const SegmentCut& cut : cuts) {
        const auto joint = static_cast<std::size_t>(cut.joint);
        ++sides[split_side(body.skeleton.joints[joint].name).stem];
    }
    double total = 0.0;
    for (std::size_t i = 0; i < region.size(); ++i) {
        const double own = body.skeleton.segments[i].mass;
        std::string stem;
        if (region[i] >= 0) {
            const auto joint = static_cast<std::size_t>(cuts[at(region[i])].joint);
            stem = split_side(body.skeleton.joints[joint].name).stem;
        }
        mass[stem] += own;
        total += own;
    }
    std::vector<SegmentShare> shares;
    for (const Part& part : kParts) {
        if (!(total > 0.0) || sides[part.joint] == 0) {
            return {};
        }
        shares.push_back({.name = part.name,
                          .share = mass[part.joint] / sides[part.joint] / total,
                          .published = body.sex == Sex::Female ? part.women : part.men});
    }
    return shares;
}

}  // namespace sinew
