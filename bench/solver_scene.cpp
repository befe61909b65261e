#include "bench/solver_scene.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace sinew::bench {
namespace {

struct Capsule {
    Vec3 a, b;
    double radius;
};

std::vector<Capsule> capsules() {
    std::vector<Capsule> all = {{{0, 0.95, 0}, {0, 1.35, 0}, 0.15},
                                {{0, 1.4, 0}, {0, 1.55, 0}, 0.06},
                                {{0, 1.62, 0}, {0, 1.68, 0}, 0.09}};
    for (const double side : {-1.0, 1.0}) {
        all.push_back({{side * 0.09, 0.9, 0}, {side * 0.1, 0.5, 0}, 0.08});
        all.push_back({{side * 0.1, 0.5, 0}, {side * 0.11, 0.08, 0}, 0.055});
        all.push_back({{side * 0.11, 0.04, -0.03}, {side * 0.12, 0.04, 0.15}, 0.04});
        all.push_back({{side * 0.16, 1.38, 0}, {side * 0.45, 1.3, 0}, 0.055});
        all.push_back({{side * 0.45, 1.3, 0}, {side * 0.75, 1.25, 0}, 0.04});
    }
    return all;
}

double distance_to_axis(const Vec3& p, const Capsule& c) {
    const Vec3 d = c.b - c.a;
    const double t = std::clamp((p - c.a).dot(d) / d.squaredNorm(), 0.0, 1.0);
    return (p - c.a - t * d).norm();
}

}  // namespace

TetMesh lattice_body(double cell) {
    const std::vector<Capsule> limbs = capsules();
    const Vec3 low(-0.85, -0.02, -0.2);
    const Vec3 high(0.85, 1.82, 0.24);
    const Eigen::Vector3i cells = ((high - low) / cell).array().ceil().cast<int>();
    const auto key = [&](int i, int j, int k) {
        return (static_cast<std::int64_t>(i) * (cells.y() + 1) + j) * (cells.z() + 1) + k;
    };
    std::map<std::int64_t, Index> number;
    std::vector<Vec3> points;
    std::vector<std::array<Index, 4>> tets;
    const auto node = [&](const Eigen::Vector3i& at) {
        const auto [it, is_new] =
            number.try_emplace(key(at.x(), at.y(), at.z()), static_cast<Index>(points.size()));
        if (is_new) {
            points.push_back(low + cell * at.cast<double>());
        }
        return it->second;
    };
    // Six tetrahedra per cell, one for each order of walking the three axes.
    constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < cells.x(); ++i) {
        for (int j = 0; j < cells.y(); ++j) {
            for (int k = 0; k < cells.z(); ++k) {
                const Vec3 centre = low + cell * Vec3(i + 0.5, j + 0.5, k + 0.5);
                const bool is_inside = std::any_of(limbs.begin(), limbs.end(), [&](const auto& c) {
                    return distance_to_axis(centre, c) < c.radius;
                });
                if (!is_inside) {
                    continue;
                }
                for (int o = 0; o < 6; ++o) {
                    Eigen::Vector3i at(i, j, k);
                    std::array<Index, 4> tet = {node(at), 0, 0, 0};
                    for (std::size_t step = 0; step < 3; ++step) {
                        ++at[kOrders[o][step]];
                        tet[step + 1] = node(at);
                    }
                    if (o >= 3) {
                        std::swap(tet[2], tet[3]);
                    }
                    tets.push_back(tet);
                }
            }
        }
    }
    TetMesh mesh;
    mesh.points.resize(static_cast<Eigen::Index>(points.size()), 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
        mesh.points.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
    }
    mesh.tets.resize(static_cast<Eigen::Index>(tets.size()), 4);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        mesh.tets.row(static_cast<Eigen::Index>(t)) << tets[t][0], tets[t][1], tets[t][2],
            tets[t][3];
    }
    return mesh;
}

BodyScene body_scene(double cell) {
    BodyScene scene;
    scene.mesh = lattice_body(cell);
    const auto count = static_cast<std::size_t>(scene.mesh.tets.rows());
    const std::vector<Capsule> limbs = capsules();
    std::vector<Eigen::Index> near_bone;
    for (std::size_t t = 0; t < count; ++t) {
        Vec3 centre = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            centre +=
                0.25 * point(scene.mesh.points, scene.mesh.tets(static_cast<Eigen::Index>(t), k));
        }
        // Muscles: all that is not close to an axis grows across it by a tenth.
        std::size_t best = 0;
        double nearest = 1e300;
        for (std::size_t c = 0; c < limbs.size(); ++c) {
            const double d = distance_to_axis(centre, limbs[c]) / limbs[c].radius;
            if (d < nearest) {
                nearest = d;
                best = c;
            }
        }
        const Vec3 axis = (limbs[best].b - limbs[best].a).normalized();
        const double alpha = nearest > 0.4 ? 1.1 : 1.0;
        scene.growth.push_back(alpha * Mat3::Identity() + (1.0 - alpha) * axis * axis.transpose());
        if (nearest < 0.25) {
            near_bone.push_back(static_cast<Eigen::Index>(t));
        }
    }
    const auto samples = static_cast<Eigen::Index>(near_bone.size());
    scene.bone_corners.resize(samples, 4);
    scene.bone_targets = Points::Zero(samples, 3);
    for (Eigen::Index i = 0; i < samples; ++i) {
        scene.bone_corners.row(i) = scene.mesh.tets.row(near_bone[at(i)]);
        for (int k = 0; k < 4; ++k) {
            scene.bone_targets.row(i) += 0.25 * scene.mesh.points.row(scene.bone_corners(i, k));
        }
    }
    scene.tets = std::make_shared<ProjectiveTets>(scene.mesh,
                                                  std::vector<double>(count, BodyScene::kRotation),
                                                  std::vector<double>(count, BodyScene::kVolume));
    scene.bones = std::make_shared<Pins>(
        scene.bone_corners,
        Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>::Constant(samples, 4, 0.25),
        scene.bone_targets,
        std::vector<double>(static_cast<std::size_t>(samples), BodyScene::kBone));
    return scene;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

}  // namespace sinew::bench
