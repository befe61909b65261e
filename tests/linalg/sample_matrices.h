#pragma once

#include "sinew/base/random.h"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cmath>
#include <numbers>
#include <vector>

namespace sinew::support {

inline Eigen::Matrix3d random_matrix(Random& random) {
    Eigen::Matrix3d F;
    for (int i = 0; i < 9; ++i) {
        F(i) = random.normal();
    }
    return F;
}

inline Eigen::Matrix3d random_rotation(Random& random) {
    return Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
        .normalized()
        .toRotationMatrix();
}

/// Every kind of matrix a deformation gradient can become: general, nearly a rotation, mirrored,
/// with equal singular values, flat, of rank one, zero, very small and very large.
inline std::vector<Eigen::Matrix3d> deformation_family(int per_kind, Seed seed) {
    std::vector<Eigen::Matrix3d> family;
    Random random(seed);
    const auto with = [&](double a, double b, double c) {
        family.push_back(random_rotation(random) * Eigen::Vector3d(a, b, c).asDiagonal() *
                         random_rotation(random));
    };
    for (int i = 0; i < per_kind; ++i) {
        family.push_back(random_matrix(random));
        family.push_back(random_rotation(random) + 1e-3 * random_matrix(random));
        with(1, 1, 1);
        with(1.2, 1, -0.3);
        with(1, 1, -1);
        with(2, 2, 2 - 1e-7);
        with(1, 1e-3, 1e-3);
        with(1, 0.5, 1e-6);
        with(1, 1e-6, -1e-6);
        with(1, 1, 0);
        with(1, 0, 0);
        with(3e-5, 2e-5, 1e-5);
        with(3e8, 2e4, 1);
        with(1e-18, 2e-19, 1e-19);
        with(1e15, 2e14, -1e15);
        with(random.uniform(0, 3), random.uniform(0, 3), random.uniform(-3, 3));
    }
    family.push_back(Eigen::Matrix3d::Zero());
    family.push_back(Eigen::Matrix3d::Identity());
    family.push_back(-Eigen::Matrix3d::Identity());
    family.push_back(Eigen::Vector3d::Ones() * Eigen::Vector3d(0, 1, 0).transpose());
    return family;
}

}  // namespace sinew::support
