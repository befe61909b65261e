#include "sinew/skinning/blend_skinning.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/linalg/cholesky.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

// Skinning by weights, the baseline to compare with and what rigged characters bring. Weights
// without a rig: heat equilibrium over the skin [Baran2007],
//
//   (L + M H) w_b = M H p_b,    H_ii = 1 / d_i^2,
//
// with d the distance to the base point on the nearest bone and p_b 1 where that is bone b.
// Departs: the paper leaves out bones that the skin hides; base points are inside the flesh
// already. Rows sum to 1 by construction and are normalised after small ones are dropped.
//
// Blending is linear or by dual quaternions [Kavan2007].

namespace sinew {
namespace {

constexpr std::size_t kBlendPiece = 1024;
constexpr double kLeast = 1e-3;  // smaller weights are left out

// Cotangent of the angle at p, not below zero; 0 where there is no triangle.
// Negative cotangents would allow negative weights.
double cotangent(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 u = a - p;
    const Vec3 v = b - p;
    const double across = u.cross(v).norm();
    return across > 1e-12 * u.norm() * v.norm() ? std::max(0.0, u.dot(v) / across) : 0.0;
}

struct Heat {
    SparseSymmetric matrix;      // L + M H
    std::vector<double> supply;  // M H
};

Heat heat_of(const FleshPrisms& flesh) {
    const Index S = flesh.skin_vertices;
    Triplets triplets(S);
    std::vector<double> mass(at(S), 0.0);
    double mean_mass = 0.0;
    for (Eigen::Index t = 0; t < flesh.triangles.rows(); ++t) {
        const std::array<Index, 3> corner = {flesh.triangles(t, 0), flesh.triangles(t, 1),
                                             flesh.triangles(t, 2)};
        const Vec3 p[3] = {point(flesh.points, corner[0]), point(flesh.points, corner[1]),
                           point(flesh.points, corner[2])};
        const double area = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).norm();
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t a = (k + 1) % 3;
            const std::size_t b = (k + 2) % 3;
            const double w = 0.5 * cotangent(p[k], p[a], p[b]);
            triplets.add(corner[a], corner[a], w);
            triplets.add(corner[b], corner[b], w);
            triplets.add(corner[a], corner[b], -w);
            mass[at(corner[k])] += area / 3.0;
        }
        mean_mass += area / static_cast<double>(S);
    }
    Heat heat{.matrix = {}, .supply = std::vector<double>(at(S))};
    for (Index i = 0; i < S; ++i) {
        const double d2 = (point(flesh.points, i) - point(flesh.base_points, i)).squaredNorm();
        // A vertex on a bone, or without a triangle, takes the bone's motion alone.
        const double m = std::max(mass[at(i)], 1e-6 * mean_mass);
        heat.supply[at(i)] = m / std::max(d2, 1e-6 * mean_mass);
        triplets.add(i, i, heat.supply[at(i)]);
    }
    heat.matrix = assemble(triplets);
    return heat;
}

// A rigid transform as q + eps q', q' = t q / 2 [Kavan2007].
struct DualQuaternion {
    Eigen::Vector4d real;  // x y z w
    Eigen::Vector4d dual;
};

DualQuaternion dual_quaternion(const Eigen::Isometry3d& T) {
    const Eigen::Quaterniond q(T.linear());
    const Vec3 t = T.translation();
    const Eigen::Quaterniond half(0.0, 0.5 * t.x(), 0.5 * t.y(), 0.5 * t.z());
    return {q.coeffs(), (half * q).coeffs()};
}

Vec3 transformed(const DualQuaternion& sum, const Vec3& p) {
    const double size = sum.real.norm();
    const Eigen::Quaterniond q(Eigen::Vector4d(sum.real / size));
    const Eigen::Quaterniond d(Eigen::Vector4d(sum.dual / size));
    return q * p + 2.0 * (d * q.conjugate()).vec();
}

}  // namespace

BlendSkinning::BlendSkinning(const FleshPrisms& flesh, const BoneVolumes& bones)
    : rest_(flesh.points.topRows(flesh.skin_vertices)), weights_(at(flesh.skin_vertices)) {
    for (const BoneVolume& bone : bones.bones) {
        joint_of_.push_back(bone.first);
    }
    const Heat heat = heat_of(flesh);
    SparseCholesky cholesky(heat.matrix, {.store_double = true});
    [[maybe_unused]] const FactorResult result = cholesky.factor(heat.matrix);
    SINEW_ASSERT(result.is_positive_definite, "pivot {} at {}", result.pivot_value, result.pivot);
    SparseCholesky::Workspace workspace = cholesky.make_workspace();
    // Three bones at a time.
    std::vector<double> w(3 * weights_.size());
    const auto count = static_cast<Index>(joint_of_.size());
    for (Index first = 0; first < count; first += 3) {
        std::fill(w.begin(), w.end(), 0.0);
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            const Index b = flesh.bone[i] - first;
            if (b >= 0 && b < 3) {
                w[3 * i + at(b)] = heat.supply[i];
            }
        }
        cholesky.solve(w, 3, w, workspace);
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            for (Index b = 0; b < std::min<Index>(3, count - first); ++b) {
                if (w[3 * i + at(b)] > kLeast) {
                    weights_[i].push_back({first + b, w[3 * i + at(b)]});
                }
            }
        }
    }
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        double sum = 0.0;
        for (const Weight& weight : weights_[i]) {
            sum += weight.value;
        }
        for (Weight& weight : weights_[i]) {
            weight.value /= sum;
        }
        if (weights_[i].empty()) {
            weights_[i].push_back({flesh.bone[i], 1.0});
        }
    }
}

BlendSkinning::BlendSkinning(Points rest, std::vector<std::vector<Weight>> weights,
                             std::size_t joints)
    : rest_(std::move(rest)), joint_of_(joints), weights_(std::move(weights)) {
    std::iota(joint_of_.begin(), joint_of_.end(), Index{0});
    SINEW_ASSERT(weights_.size() == at(rest_.rows()), "{} rows of weights for {} points",
                 weights_.size(), rest_.rows());
}

Points BlendSkinning::posed(const CharacterPose& pose, BlendMethod method) const {
    std::vector<DualQuaternion> dual;
    for (const Index joint : joint_of_) {
        dual.push_back(dual_quaternion(pose[at(joint)]));
    }
    Points x(rest_.rows(), 3);
    parallel_for(weights_.size(), kBlendPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Vec3 p = point(rest_, row);
            Vec3 now = Vec3::Zero();
            if (weights_[i].empty()) {
                now = p;
            } else if (method == BlendMethod::Linear) {
                for (const Weight& w : weights_[i]) {
                    now += w.value * (pose[at(joint_of_[at(w.bone)])] * p);
                }
            } else {
                DualQuaternion sum{Eigen::Vector4d::Zero(), Eigen::Vector4d::Zero()};
                const Eigen::Vector4d& pivot = dual[at(weights_[i].front().bone)].real;
                for (const Weight& w : weights_[i]) {
                    // q and -q are the same rotation: the way round is the shorter one.
                    const DualQuaternion& q = dual[at(w.bone)];
                    const double sign = q.real.dot(pivot) < 0.0 ? -w.value : w.value;
                    sum.real += sign * q.real;
                    sum.dual += sign * q.dual;
                }
                now = transformed(sum, p);
            }
            x.row(row) = now.transpose();
        }
    });
    return x;
}

}  // namespace sinew
