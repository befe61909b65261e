// d2E / dx dp of terms: against differences of gradients, and each adjoint against its product.
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_tets.h"

#include <gtest/gtest.h>

#include "tests/energy/term_support.h"
#include "tests/material/laws.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

using support::shaken;

TetMesh with_rest(const TetMesh& mesh, std::span<const double> p) {
    TetMesh other = mesh;
    std::copy(p.begin(), p.end(), other.points.data());
    return other;
}

std::vector<double> numbers(const Points& x) {
    return {x.data(), x.data() + x.size()};
}

TEST(MixedDerivatives, OfElasticTetsByRestShape) {
    const Lame tissue = lame_from_young(1.0e3, 0.4);
    for (const TetMesh& mesh : {support::one_tet(), support::cube_of_tets(2)}) {
        const Points x = shaken(mesh.points, 0.05, Seed{1});
        for (const support::NamedLaw& named : support::all_laws(tissue)) {
            SCOPED_TRACE(named.name);
            const auto make = [&](std::span<const double> p) {
                return FemElastic(with_rest(mesh, p), named.law);
            };
            support::expect_mixed_derivatives(make, TermParameter::RestShape, numbers(mesh.points),
                                              x, 1.0, 1e-6);
        }
    }
}

TEST(MixedDerivatives, OfShapeAndVolumeByRestShapeAndGrowth) {
    for (const TetMesh& mesh : {support::one_tet(), support::cube_of_tets(2)}) {
        const auto count = static_cast<std::size_t>(mesh.tets.rows());
        const std::vector<double> w_rot(count, 3.0);
        const std::vector<double> w_vol(count, 20.0);
        std::vector<double> growth;
        Random random(Seed{2});
        for (std::size_t t = 0; t < count; ++t) {
            const Mat3 F_g = Mat3::Identity() + support::random_matrix(random, 0.1);
            growth.insert(growth.end(), F_g.data(), F_g.data() + 9);
        }
        const auto tensors = [](std::span<const double> p) {
            std::vector<Mat3> list;
            for (std::size_t k = 0; k < p.size(); k += 9) {
                list.emplace_back(Eigen::Map<const Mat3>(p.data() + k));
            }
            return list;
        };
        const Points x = shaken(mesh.points, 0.05, Seed{3});
        const auto by_rest = [&](std::span<const double> p) {
            ProjectiveTets tets(with_rest(mesh, p), w_rot, w_vol);
            tets.set_growth(tensors(growth));
            tets.set_volume_ratio(std::vector<double>(count, 1.1));
            return tets;
        };
        support::expect_mixed_derivatives(by_rest, TermParameter::RestShape, numbers(mesh.points),
                                          x, 1.0, 1e-6);
        const auto by_growth = [&](std::span<const double> p) {
            ProjectiveTets tets(mesh, w_rot, w_vol);
            tets.set_growth(tensors(p));
            return tets;
        };
        support::expect_mixed_derivatives(by_growth, TermParameter::Growth, growth, x, 1.0, 1e-6);
    }
}

TEST(MixedDerivatives, OfPinsByTargets) {
    const TetMesh mesh = support::one_tet();
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> b(2, 4);
    b << 0.1, 0.2, 0.3, 0.4, 0.7, 0.1, 0.1, 0.1;
    Tets corners(2, 4);
    corners << 0, 1, 2, 3, 0, 1, 2, 3;
    const double weights[2] = {2.0, 5.0};
    const Points targets = shaken(Points::Zero(2, 3), 1.0, Seed{4});
    const auto make = [&](std::span<const double> p) {
        return Pins(corners, b, Eigen::Map<const Points>(p.data(), 2, 3), weights);
    };
    support::expect_mixed_derivatives(make, TermParameter::Targets, numbers(targets),
                                      shaken(mesh.points, 0.1, Seed{5}), 1.0, 1e-6);
}

TEST(MixedDerivatives, TermsSayWhatTheyDependOn) {
    const TetMesh mesh = support::one_tet();
    const ConstantForces load(mesh.points);
    EXPECT_EQ(load.parameter_count(TermParameter::RestShape), 0u);
    const ProjectiveTets tets(mesh, std::vector<double>{1.0}, std::vector<double>{1.0});
    EXPECT_EQ(tets.parameter_count(TermParameter::RestShape), 12u);
    EXPECT_EQ(tets.parameter_count(TermParameter::Growth), 9u);
    EXPECT_EQ(tets.parameter_count(TermParameter::Targets), 0u);
}

}  // namespace
}  // namespace sinew
