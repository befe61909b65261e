// The terms of a body, as solvers and threads share them.
#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/solver/local_global.h"
#include "sinew/solver/newton.h"
#include "sinew/solver/sensitivity.h"
#include "sinew/tissue/muscle_tensors.h"
#include "sinew/tissue/tissue_terms.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <thread>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

Body limb() {
    return support::limb_body({.along = 12, .across = 6, .bone = 0.34});
}

// The upper half of the bone turned in its joint.
Points bent_targets(const Body& body, double angle) {
    Points targets = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    const Vec3 joint(0.0, 0.2, 0.0);
    const Eigen::AngleAxisd turn(angle, Vec3::UnitX());
    for (Eigen::Index i = 0; i < targets.rows(); ++i) {
        if (targets(i, 1) > joint.y()) {
            targets.row(i) = (turn * (point(targets, i) - joint) + joint).transpose();
        }
    }
    return targets;
}

struct Evaluated {
    double energy = 0.0;
    Points force;
};

TEST(TissueTerms, FourPosesOfOneBodyAtOnceEqualOneAfterAnother) {
    const Body body = limb();
    const auto tets = make_tet_term(body);
    constexpr std::size_t kPoses = 4;
    std::vector<EnergyTerms> terms;  // the flesh of all, bones of each
    std::vector<Points> x;
    for (std::size_t k = 0; k < kPoses; ++k) {
        const auto bones = make_attachment_term(body);
        const double angle = 0.3 * static_cast<double>(k);
        bones->set_targets(bent_targets(body, angle));
        terms.push_back({tets, bones});
        Points bent = body.tets.points;
        bent.col(2) += angle * bent.col(1).cwiseAbs2();
        x.push_back(bent);
    }
    const auto evaluate = [&](std::size_t k, int rounds) {
        TermScratch scratch;
        Evaluated result;
        for (int round = 0; round < rounds; ++round) {
            result = {0.0, Points::Zero(x[k].rows(), 3)};
            for (const auto& term : terms[k]) {
                result.energy += term->add_force(x[k], result.force, scratch);
            }
        }
        return result;
    };
    const auto settle = [&](std::size_t k) {
        LocalGlobal solver(x[k].rows(), terms[k]);
        Points settled = x[k];
        solver.minimise(settled, {.max_iterations = 5});
        return settled;
    };
    std::vector<Evaluated> one(kPoses), at_once(kPoses);
    std::vector<Points> settled(kPoses), settled_at_once(kPoses);
    for (std::size_t k = 0; k < kPoses; ++k) {
        one[k] = evaluate(k, 1);
        settled[k] = settle(k);
    }
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < kPoses; ++k) {
        threads.emplace_back([&, k] {
            at_once[k] = evaluate(k, 20);
            settled_at_once[k] = settle(k);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t k = 0; k < kPoses; ++k) {
        EXPECT_EQ(one[k].energy, at_once[k].energy) << k;
        EXPECT_EQ(one[k].force, at_once[k].force) << k;
        EXPECT_EQ(settled[k], settled_at_once[k]) << k;
        if (k > 0) {
            EXPECT_NE(one[k].energy, one[k - 1].energy);
        }
    }
}

// The flesh of a body at rest on its bones, solved anew for any parameters.
struct Settled {
    Body body = support::limb_body({.along = 6, .across = 8, .bone = 0.25});
    TissueStiffness stiffness = {.volume = 100.0};
    Points targets = bent_targets(body, 0.3);
    std::vector<double> activation = {0.4, 0.1};

    // Bellies contract by the rule that moving bodies have; how tensors are smoothed stays as it is
    // where the rest shape changes.
    std::shared_ptr<const MuscleTensors> muscles = std::make_shared<const MuscleTensors>(body);
    std::vector<Mat3> growth(const std::vector<double>& a) const {
        return muscles->contraction(a, 2);
    }

    std::shared_ptr<ProjectiveTets> tets;
    std::shared_ptr<Pins> bones;
    EnergyTerms terms() {
        tets = make_tet_term(body, stiffness);
        tets->set_growth(growth(activation));
        bones = make_attachment_term(body, stiffness);
        bones->set_targets(targets);
        return {tets, bones};
    }
    Points solve(const Points& start) {
        const NewtonResult result = minimise(terms(), {}, start, {.tolerance = 1e-11});
        EXPECT_EQ(result.report.status, SolverStatus::Converged);
        return result.x;
    }
};

std::vector<double> random_numbers(std::size_t count, double size, Seed seed) {
    Random random(seed);
    std::vector<double> list(count);
    for (double& value : list) {
        value = size * random.normal();
    }
    return list;
}

TEST(TissueTerms, EquilibriumOfABodyMovesAsItsSensitivitySays) {
    Settled flesh;
    const Points x = flesh.solve(flesh.body.tets.points);
    const EnergyTerms terms = {flesh.tets, flesh.bones};
    const ProjectiveTets* tets = flesh.tets.get();
    const Pins* bones = flesh.bones.get();
    EquilibriumSensitivity newton(terms, x);
    ASSERT_TRUE(newton.is_exact());
    std::vector<int> all(static_cast<std::size_t>(x.rows()));
    std::iota(all.begin(), all.end(), 0);
    FrameStepper stepper(x.rows(), terms, all);
    EquilibriumSensitivity kept(terms, x, stepper);

    struct Case {
        const char* name;
        TermParameter parameter;
        const EnergyTerm* of;
        std::vector<double> dp;  // of the parameter
        std::function<void(Settled&, double)> move;
    };
    const std::vector<double> dX =
        random_numbers(static_cast<std::size_t>(x.size()), 1e-3, Seed{1});
    const std::vector<double> dt =
        random_numbers(static_cast<std::size_t>(flesh.targets.size()), 1e-2, Seed{2});
    const std::vector<double> da = {1.0, -0.5};
    const std::vector<Case> cases = {
        {"rest shape", TermParameter::RestShape, nullptr, dX,
         [&](Settled& s, double h) {
             s.body.tets.points += h * Eigen::Map<const Points>(dX.data(), x.rows(), 3);
         }},
        {"bone targets", TermParameter::Targets, bones, dt,
         [&](Settled& s, double h) {
             s.targets += h * Eigen::Map<const Points>(dt.data(), s.targets.rows(), 3);
         }},
        {"activation", TermParameter::Growth, tets,
         flesh.muscles->contraction_rate(flesh.activation, da, 2), [&](Settled& s, double h) {
             s.activation[0] += h * da[0];
             s.activation[1] += h * da[1];
         }}};
    const Points g = Eigen::Map<const Points>(dX.data(), x.rows(), 3);
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const double h = 1e-3;
        Settled up = flesh, down = flesh;
        c.move(up, h);
        c.move(down, -h);
        const Points difference = (up.solve(x) - down.solve(x)) / (2.0 * h);
        ASSERT_GT(difference.norm(), 1e-6);
        for (EquilibriumSensitivity* s : {&newton, &kept}) {
            const Points told = s->derivative(c.parameter, c.dp, c.of);
            EXPECT_TRUE(s->is_converged());
            EXPECT_TRUE(s->is_exact());
            EXPECT_LE((told - difference).norm(), 1e-3 * difference.norm());
            const std::vector<double> adjoint = s->adjoint(c.parameter, g, c.of);
            double sum = 0.0;
            for (std::size_t i = 0; i < adjoint.size(); ++i) {
                sum += adjoint[i] * c.dp[i];
            }
            EXPECT_NEAR(sum, g.cwiseProduct(told).sum(), 1e-5 * g.norm() * told.norm());
        }
    }
    EXPECT_THROW(newton.derivative(TermParameter::Activation, da), InputError);
    EXPECT_THROW(newton.derivative(TermParameter::Targets, da, bones), InputError);
}

TEST(TissueTerms, NewtonAndLocalGlobalFindTheSameEquilibriumOfTheSameTerms) {
    const Body body = limb();
    const auto bones = make_attachment_term(body);
    bones->set_targets(bent_targets(body, 0.3));
    const EnergyTerms terms = {make_tet_term(body, {.volume = 100.0}), bones};
    const Points& rest = body.tets.points;
    const NewtonResult newton = minimise(terms, {}, rest);
    ASSERT_EQ(newton.report.status, SolverStatus::Converged);
    LocalGlobal solver(rest.rows(), terms);
    Points x = rest;
    solver.minimise(x, {.max_iterations = 2000, .tolerance = 1e-7});
    EXPECT_GT((newton.x - rest).rowwise().norm().maxCoeff(), 0.02);
    EXPECT_LT((newton.x - x).rowwise().norm().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace sinew
