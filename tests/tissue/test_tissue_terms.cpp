// The terms of a body, as solvers and threads share them.
#include "sinew/solver/local_global.h"
#include "sinew/solver/newton.h"
#include "sinew/tissue/tissue_terms.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

Body limb() {
    return support::limb_body({.along = 12, .across = 6});
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
