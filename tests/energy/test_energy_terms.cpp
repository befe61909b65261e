#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/fem_symmetric_arap.h"
#include "sinew/energy/inertia.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/planes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/energy/term_support.h"
#include "tests/material/laws.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

constexpr double kStep = 1e-6;
const Lame kTissue = lame_from_young(1.0e3, 0.4);

struct NamedTerm {
    std::string name;
    std::shared_ptr<const EnergyTerm> term;
    bool is_elastic = true;
};

std::vector<NamedTerm> all_terms(const TetMesh& rest) {
    std::vector<NamedTerm> terms;
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        if (free) {
            terms.push_back({name, std::make_shared<FemElastic>(rest, law)});
        }
    }
    const std::vector<double> mu(static_cast<std::size_t>(rest.tets.rows()), kTissue.mu);
    terms.push_back({"symmetric_arap",
                     std::make_shared<FemSymmetricArap>(rest, symmetric_arap_stiffness(rest, mu))});
    terms.push_back(
        {"linear", std::make_shared<FemElastic>(rest, std::make_shared<Linear>(kTissue)), false});
    const std::vector<double> masses(static_cast<std::size_t>(rest.points.rows()), 0.2);
    terms.push_back(
        {"inertia",
         std::make_shared<Inertia>(masses, support::jittered(rest.points, 0.1, Seed{3}), 0.02),
         false});
    terms.push_back({"forces",
                     std::make_shared<ConstantForces>(support::jittered(rest.points, 1.0, Seed{4})),
                     false});
    terms.push_back({"pins",
                     std::make_shared<Pins>(
                         std::vector<Pins::Pin>{{0, {1, 2, 3}, 50.0}, {3, {0, 1, 0}, 700.0}}),
                     false});
    terms.push_back({"slides",
                     std::make_shared<Planes>(std::vector<Planes::Plane>{
                         {1, {1, 2, 3}, {1, 1, 0}, 50.0}, {2, {0, 1, 0}, {0, 0, 2}, 700.0}}),
                     false});
    return terms;
}

std::vector<TetMesh> meshes() {
    TetMesh thin = support::box_of_tets({2, 1, 1}, {1.0, 0.5, 0.02});
    return {support::one_tet(), support::box_of_tets({2, 1, 1}, {1.0, 0.5, 0.7}), thin};
}

using support::gradient_of;
using support::hessian_of;

Eigen::MatrixXd dense(const BlockHessian& H) {
    const Eigen::Index n = 3 * H.vertices();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < H.vertices(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (std::size_t s = H.row_start()[row]; s < H.row_start()[row + 1]; ++s) {
            const Eigen::Index j = H.columns()[s];
            A.block<3, 3>(3 * i, 3 * j) = H.block(s);
            A.block<3, 3>(3 * j, 3 * i) = H.block(s).transpose();
        }
    }
    return A;
}

TEST(EnergyTerms, GradientIsTheDerivativeOfTheValue) {
    for (const TetMesh& rest : meshes()) {
        const Points x = support::jittered(rest.points, 0.004, Seed{1});
        for (const auto& [name, term, elastic] : all_terms(rest)) {
            const Points g = gradient_of(*term, x);
            for (Eigen::Index i = 0; i < x.size(); ++i) {
                Points plus = x;
                Points minus = x;
                plus.data()[i] += kStep;
                minus.data()[i] -= kStep;
                const double difference = (term->value(plus) - term->value(minus)) / (2.0 * kStep);
                EXPECT_NEAR(g.data()[i], difference, 1e-6 * g.norm()) << name;
            }
        }
    }
}

TEST(EnergyTerms, HessianIsTheDerivativeOfTheGradient) {
    for (const TetMesh& rest : meshes()) {
        const Points x = support::jittered(rest.points, 0.004, Seed{2});
        for (const auto& [name, term, elastic] : all_terms(rest)) {
            const Eigen::MatrixXd H = dense(hessian_of(*term, x, Tangent::Exact));
            for (Eigen::Index i = 0; i < x.size(); ++i) {
                Points plus = x;
                Points minus = x;
                plus.data()[i] += kStep;
                minus.data()[i] -= kStep;
                const Points difference =
                    (gradient_of(*term, plus) - gradient_of(*term, minus)) / (2.0 * kStep);
                const Eigen::VectorXd column = difference.reshaped<Eigen::RowMajor>();
                EXPECT_LT((H.col(i) - column).norm(), 1e-6 * (H.norm() + 1e-6)) << name;
            }
        }
    }
}

TEST(EnergyTerms, SemidefiniteHessianHasNoNegativeCurvatureEvenWhenInverted) {
    Random random(Seed{5});
    const TetMesh rest = support::cube_of_tets(2);
    const Points x = support::jittered(rest.points, 0.6, Seed{6});  // many tetrahedra inverted
    EXPECT_GT(count_inverted(x, rest.tets), 5);
    for (const auto& [name, term, elastic] : all_terms(rest)) {
        const BlockHessian H = hessian_of(*term, x, Tangent::PositiveSemidefinite);
        const double scale = dense(H).norm();
        for (int i = 0; i < 50; ++i) {
            Points d = support::jittered(Points::Zero(x.rows(), 3), 1.0, Seed{random.bits()});
            EXPECT_GE(d.cwiseProduct(H.times(d)).sum(), -1e-12 * scale) << name;
        }
    }
}

TEST(EnergyTerms, RestHasNoForceAndNoCost) {
    for (const TetMesh& rest : meshes()) {
        for (const auto& [name, term, elastic] : all_terms(rest)) {
            if (elastic || name == "linear") {
                EXPECT_NEAR(term->value(rest.points), 0.0, 1e-12 * kTissue.mu) << name;
                EXPECT_LT(gradient_of(*term, rest.points).norm(), 1e-12 * kTissue.mu) << name;
            }
        }
    }
}

TEST(EnergyTerms, RigidMotionsCostNothing) {
    const TetMesh rest = support::box_of_tets({2, 2, 1}, {1.0, 0.5, 0.7});
    const Points bent = support::jittered(rest.points, 0.05, Seed{7});
    for (const auto& [name, term, elastic] : all_terms(rest)) {
        if (!elastic) {
            continue;
        }
        const double energy = term->value(bent);
        for (const support::Rigid& g : support::rigid_motions(8, Seed{8})) {
            EXPECT_LT(std::abs(term->value(support::moved(rest.points, g))), 1e-12 * kTissue.mu)
                << name;
            EXPECT_NEAR(term->value(support::moved(bent, g)), energy, 1e-12 * energy + 1e-12)
                << name;
        }
    }
}

// Inner forces act between vertices: no sum, no torque, whatever the state.
TEST(EnergyTerms, ElasticForcesHaveNeitherSumNorTorque) {
    const TetMesh rest = support::box_of_tets({2, 2, 1}, {1.0, 0.5, 0.7});
    const Points x = support::jittered(rest.points, 0.4, Seed{9});
    for (const auto& [name, term, elastic] : all_terms(rest)) {
        if (!elastic) {
            continue;
        }
        const Points g = gradient_of(*term, x);
        Vec3 torque = Vec3::Zero();
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            torque += point(x, i).cross(point(g, i));
        }
        EXPECT_LT(g.colwise().sum().norm(), 1e-12 * g.norm()) << name;
        EXPECT_LT(torque.norm(), 1e-12 * g.norm()) << name;
    }
}

TEST(EnergyTerms, OneAndTwoThreadsGiveTheSameBytes) {
    const TetMesh rest = support::cube_of_tets(8);  // several chunks of elements
    const Points x = support::jittered(rest.points, 0.05, Seed{10});
    for (const auto& [name, term, elastic] : all_terms(rest)) {
        const auto run = [&, &term = term](int threads) {
            const ThreadLimit limit(threads);
            return std::tuple(term->value(x), gradient_of(*term, x),
                              hessian_of(*term, x, Tangent::PositiveSemidefinite).times(x));
        };
        const auto one = run(1);
        const auto two = run(2);
        EXPECT_EQ(std::get<0>(one), std::get<0>(two)) << name;
        const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(double);
        EXPECT_EQ(std::memcmp(std::get<1>(one).data(), std::get<1>(two).data(), bytes), 0) << name;
        EXPECT_EQ(std::memcmp(std::get<2>(one).data(), std::get<2>(two).data(), bytes), 0) << name;
    }
}

TEST(EnergyTerms, LawsMayDifferByTetrahedron) {
    const TetMesh rest = support::cube_of_tets(1);
    const auto soft = std::make_shared<Corotated>(lame_from_young(1.0, 0.3));
    const auto hard = std::make_shared<Corotated>(lame_from_young(100.0, 0.3));
    const Points x = support::jittered(rest.points, 0.1, Seed{11});
    std::vector<int> which(6, 0);
    which[2] = 1;
    const double mixed = FemElastic(rest, {soft, hard}, which).value(x);
    TetMesh one = rest;
    one.tets = rest.tets.row(2);
    const double expected = FemElastic(rest, soft).value(x) + 99.0 * FemElastic(one, soft).value(x);
    EXPECT_NEAR(mixed, expected, 1e-12 * expected);

    which[3] = 2;
    EXPECT_THROW(FemElastic(rest, {soft, hard}, which), InputError);
    EXPECT_THROW(FemElastic(rest, {soft}, {0, 0}), InputError);
    EXPECT_THROW(FemElastic(rest, nullptr), InputError);
}

TEST(EnergyTerms, RestTetrahedraWithoutVolumeAreRefused) {
    TetMesh rest = support::one_tet();
    rest.points(3, 2) = 0.0;
    EXPECT_THROW(FemElastic(rest, std::make_shared<Corotated>(kTissue)), InputError);
    std::swap(rest.tets(0, 0), rest.tets(0, 1));
    EXPECT_THROW(FemElastic(rest, std::make_shared<Corotated>(kTissue)), InputError);
}

TEST(BlockHessian, AddsToTheStoredHalfAndMultipliesLikeTheWhole) {
    BlockPattern pattern(3);
    const Index pair[] = {2, 0};
    pattern.couple(pair);
    BlockHessian H(pattern);
    Mat3 A;
    A << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    H.add(0, 2, A);
    H.add(1, 1, Mat3::Identity());
    Points x(3, 3);
    x << 1, 0, 0, 0, 2, 0, 0, 0, 1;
    const Points y = H.times(x);
    EXPECT_EQ(point(y, 0), A * Vec3(0, 0, 1));
    EXPECT_EQ(point(y, 1), Vec3(0, 2, 0));
    EXPECT_EQ(point(y, 2), A.transpose() * Vec3(1, 0, 0));
}

}  // namespace
}  // namespace sinew
