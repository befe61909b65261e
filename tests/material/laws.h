#pragma once

#include "sinew/base/random.h"
#include "sinew/material/compressible_neo_hookean.h"
#include "sinew/material/corotated.h"
#include "sinew/material/isochoric_neo_hookean.h"
#include "sinew/material/linear.h"
#include "sinew/material/mooney_rivlin.h"
#include "sinew/material/ogden.h"
#include "sinew/material/stable_neo_hookean.h"

#include <Eigen/Geometry>

#include <memory>
#include <string>
#include <vector>

namespace sinew::support {

struct NamedLaw {
    std::string name;
    std::shared_ptr<const Material> law;
    bool is_rotation_free = true;
};

/// Every law with the same small-strain behaviour: mu and lambda as given.
inline std::vector<NamedLaw> all_laws(const Lame& lame) {
    const double half_mu = 0.5 * lame.mu;
    return {
        {"linear", std::make_shared<Linear>(lame), false},
        {"corotated", std::make_shared<Corotated>(lame)},
        {"stable_neo_hookean", std::make_shared<StableNeoHookean>(lame)},
        {"compressible_neo_hookean", std::make_shared<CompressibleNeoHookean>(lame)},
        {"isochoric_neo_hookean", std::make_shared<IsochoricNeoHookean>(lame)},
        {"mooney_rivlin", std::make_shared<MooneyRivlin>(MooneyRivlinConstants{
                              0.7 * half_mu, 0.3 * half_mu, 0.5 * bulk_modulus(lame)})},
        {"ogden",
         std::make_shared<Ogden>(OgdenConstants{
             {{0.4 * lame.mu * 2.0 / 3.0, 3.0}, {-0.6 * lame.mu, -2.0}}, bulk_modulus(lame)})},
    };
}

inline Mat3 random_matrix(Random& random, double size) {
    Mat3 m;
    for (int i = 0; i < 9; ++i) {
        m(i) = random.uniform(-size, size);
    }
    return m;
}

inline Mat3 random_rotation(Random& random) {
    const Vec3 axis(random.normal(), random.normal(), random.normal());
    return Eigen::AngleAxisd(random.uniform(-3.0, 3.0), axis.normalized()).toRotationMatrix();
}

/// Deformation gradients of every kind: rest, small, large, equal stretches, squeezed, inverted.
inline std::vector<Mat3> deformation_gradients(Seed seed) {
    Random random(seed);
    const Mat3 I = Mat3::Identity();
    std::vector<Mat3> F = {I, 2.0 * I, 0.7 * I, Vec3(1.5, 1.5, 0.8).asDiagonal()};
    for (int i = 0; i < 6; ++i) {
        F.push_back(I + random_matrix(random, 0.05));
        F.push_back(I + random_matrix(random, 0.5));
        F.push_back(random_rotation(random) * Vec3(1.3, 0.9, 0.06).asDiagonal() *
                    random_rotation(random));
        F.push_back(random_rotation(random) * Vec3(1.4, 1.1, -0.6).asDiagonal() *
                    random_rotation(random));
        F.push_back(random_matrix(random, 1.5));
    }
    return F;
}

}  // namespace sinew::support
