#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/geometry/measure.h"
#include "sinew/muscle/fibre_field.h"
#include "sinew/muscle/muscle_volume.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/energy/term_support.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

MuscleVolume box_muscle(const Eigen::Vector3i& cells) {
    MuscleVolume v;
    v.mesh = support::box_of_tets(cells, Vec3(0.02, 0.05, 0.02));
    const auto tets = static_cast<std::size_t>(v.mesh.tets.rows());
    v.muscle.assign(tets, 0);
    v.fibre = Points::Zero(v.mesh.tets.rows(), 3);
    v.fibre.col(1).setOnes();
    v.tendon.assign(tets, 0.0);
    for (std::size_t t = 0; t < tets; t += 3) {
        v.tendon[t] = 0.4;
    }
    v.strength.assign(tets, 0.0);
    return v;
}

TEST(MuscleTets, GradientIsTheDerivativeOfTheEnergy) {
    const MuscleVolume v = box_muscle({2, 3, 2});
    MuscleTets term(v);
    term.set_activation(std::vector<double>{0.8});
    const Points x = support::jittered(v.mesh.points, 5e-4, Seed{3});
    Points g = Points::Zero(x.rows(), 3);
    term.add_gradient(x, g);
    constexpr double h = 1e-7;
    Points d(x.rows(), 3);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        Points plus = x;
        Points minus = x;
        plus.data()[i] += h;
        minus.data()[i] -= h;
        d.data()[i] = (term.value(plus) - term.value(minus)) / (2.0 * h);
    }
    EXPECT_LT((g - d).norm(), 1e-6 * g.norm());
}

TEST(MuscleTets, HessianIsTheDerivativeOfTheGradient) {
    const MuscleVolume v = box_muscle({2, 3, 2});
    MuscleTets term(v);
    term.set_activation(std::vector<double>{0.8});
    const Points x = support::jittered(v.mesh.points, 5e-4, Seed{4});
    BlockPattern pattern(x.rows());
    term.add_pattern(pattern);
    BlockHessian H(pattern);
    H.set_zero();
    term.add_hessian(x, Tangent::Exact, H);
    const Points p = support::jittered(Points::Zero(x.rows(), 3), 1.0, Seed{5});
    const Points Hp = H.times(p);
    constexpr double h = 1e-8;
    Points plus = Points::Zero(x.rows(), 3);
    Points minus = Points::Zero(x.rows(), 3);
    term.add_gradient(x + h * p, plus);
    term.add_gradient(x - h * p, minus);
    EXPECT_LT((Hp - (plus - minus) / (2.0 * h)).norm(), 1e-6 * Hp.norm());
}

TEST(MuscleTets, MixedDerivativesByActivationAreThoseOfTheGradient) {
    MuscleVolume v = box_muscle({2, 3, 2});
    for (std::size_t t = 0; t < v.muscle.size(); t += 2) {
        v.muscle[t] = 1;
    }
    const auto make = [&](std::span<const double> a) {
        MuscleTets term(v);
        term.set_activation(a);
        return term;
    };
    support::expect_mixed_derivatives(make, TermParameter::Activation, {0.3, 0.7},
                                      support::jittered(v.mesh.points, 5e-4, Seed{6}), 1.0, 1e-6);
}

// One patch per tetrahedron is the plain law of the paper.
TEST(MuscleTets, WithoutPatchesForcesAreThoseOfTheMaterialAlone) {
    MuscleVolume v = box_muscle({2, 2, 2});
    std::fill(v.tendon.begin(), v.tendon.end(), 0.0);
    MuscleTets term(v, muscle_constants(), tendon_constants(), {.patch_tets = 1});
    term.set_activation(std::vector<double>{0.5});
    const FemElastic plain(
        v.mesh, std::make_shared<MuscleMaterial>(muscle_constants(), Vec3::UnitY(), 0.5));
    const Points x = support::jittered(v.mesh.points, 1e-3, Seed{6});
    Points a = Points::Zero(x.rows(), 3);
    Points b = Points::Zero(x.rows(), 3);
    term.add_gradient(x, a);
    plain.add_gradient(x, b);
    EXPECT_LT((a - b).norm(), 1e-12 * b.norm());
    EXPECT_NEAR(term.value(x), plain.value(x), 1e-12 * std::abs(plain.value(x)));
}

TEST(MuscleTets, PatchesAreConnectedAndOfTheSizeAskedFor) {
    const TetMesh mesh = support::cube_of_tets(6);
    const std::vector<Index> patch = tet_patches(mesh, 8);
    std::vector<int> size(patch.size(), 0);
    for (const Index p : patch) {
        ++size[static_cast<std::size_t>(p)];
    }
    const auto count = std::set<Index>(patch.begin(), patch.end()).size();
    for (std::size_t p = 0; p < count; ++p) {
        EXPECT_GE(size[p], 4);
        EXPECT_LE(size[p], 16);
    }
    EXPECT_NEAR(static_cast<double>(patch.size()) / static_cast<double>(count), 8.0, 2.0);
}

TEST(LaplaceFibres, OfABarRunAlongItWithTheFlowOfItsSection) {
    const TetMesh mesh = support::box_of_tets({4, 10, 4}, Vec3(0.02, 0.1, 0.02));
    std::vector<Index> low;
    std::vector<Index> high;
    const Bounds box = bounds(mesh.points);
    for (Eigen::Index v = 0; v < mesh.points.rows(); ++v) {
        if (mesh.points(v, 1) < box.low.y() + 1e-9) {
            low.push_back(static_cast<Index>(v));
        } else if (mesh.points(v, 1) > box.high.y() - 1e-9) {
            high.push_back(static_cast<Index>(v));
        }
    }
    const LaplaceFibres fibres(mesh, low, high);
    EXPECT_NEAR(fibres.flow(), 0.02 * 0.02 / 0.1, 1e-9);
    EXPECT_LT((fibres.direction(box.centre()) - Vec3::UnitY()).norm(), 1e-6);
    EXPECT_THROW(LaplaceFibres(mesh, low, {}), InputError);
    const Points a = fibre_directions(fibres, mesh);
    EXPECT_LT(compare_fibres(a, a, mesh).p95, 1e-6);
}

TEST(BenchMuscle, IsAValidMeshWhoseSectionsBearTheSameForce) {
    const MuscleVolume v = bench_muscle({.rings = 30, .around = 3});
    EXPECT_GT(tet_volumes(v.mesh).minCoeff(), 0.0);
    EXPECT_TRUE(is_watertight(boundary_triangles(v.mesh.tets)));
    // fmax L = integral of strength along the fibres over the volume, if they run along y.
    double sum = 0.0;
    const Eigen::VectorXd volumes = tet_volumes(v.mesh);
    for (Eigen::Index t = 0; t < v.mesh.tets.rows(); ++t) {
        sum += volumes[t] * v.strength[static_cast<std::size_t>(t)] * v.fibre(t, 1);
    }
    const double fmax = 3e5 * 3.14159265 * 0.0125 * 0.0125;
    EXPECT_NEAR(sum / 0.2, fmax, 0.05 * fmax);
}

}  // namespace
}  // namespace sinew
