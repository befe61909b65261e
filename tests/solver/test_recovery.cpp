#include "sinew/energy/fem_symmetric_arap.h"
#include "sinew/solver/untangle.h"

#include <gtest/gtest.h>

#include "tests/solver/fem_support.h"

namespace sinew {
namespace {

const Lame kSqueezed = lame_from_young(1.0e4, 0.4);

/// Laws that find back by themselves; the others are untangled first.
const std::vector<std::string> kDirect = {"linear", "corotated", "stable_neo_hookean",
                                          "symmetric_arap"};

struct NamedEnergy {
    std::string name;
    EnergyTerms terms;
};

std::vector<NamedEnergy> energies(const TetMesh& rest) {
    std::vector<NamedEnergy> list;
    for (const auto& [name, law, free] : support::all_laws(kSqueezed)) {
        list.push_back({name, {std::make_shared<FemElastic>(rest, law)}});
    }
    const std::vector<double> mu(static_cast<std::size_t>(rest.tets.rows()), kSqueezed.mu);
    list.push_back(
        {"symmetric_arap",
         {std::make_shared<FemSymmetricArap>(rest, symmetric_arap_stiffness(rest, mu))}});
    return list;
}

/// The face x = 0 stays where it is, everything else starts anywhere.
VertexConstraints left_face_fixed(const TetMesh& rest) {
    VertexConstraints constraints;
    for (const Index v :
         support::vertices_where(rest.points, [](const Vec3& p) { return p.x() < 1e-9; })) {
        constraints.fix(v, point(rest.points, v));
    }
    return constraints;
}

void expect_recovery(const TetMesh& rest, const Points& start, const std::string& what) {
    for (const auto& [name, terms] : energies(rest)) {
        const VertexConstraints fixed = left_face_fixed(rest);
        const bool is_direct = std::ranges::count(kDirect, name) > 0;
        const Points from = is_direct ? start : untangle(rest, fixed, start).x;
        const NewtonResult result = minimise(terms, fixed, from);
        EXPECT_EQ(result.report.status, NewtonStatus::Converged) << name << " from " << what;
        EXPECT_LT((result.x - rest.points).norm(), 1e-6)
            << name << " from " << what << " in " << result.report.iterations;
        EXPECT_EQ(count_inverted(result.x, rest.tets), 0) << name << " from " << what;
    }
}

TEST(Recovery, FromVerticesRandomisedInTheBoundingBox) {
    const TetMesh rest = support::cube_of_tets(3);
    for (const int seed : {1, 2, 3, 4}) {
        Random random(Seed{static_cast<std::uint64_t>(seed)});
        Points start = rest.points;
        for (Eigen::Index i = 0; i < start.size(); ++i) {
            start.data()[i] = random.uniform();
        }
        EXPECT_GT(count_inverted(start, rest.tets), rest.tets.rows() / 4);
        expect_recovery(rest, start, "random " + std::to_string(seed));
    }
}

TEST(Recovery, FromAPoint) {
    const TetMesh rest = support::cube_of_tets(3);
    const Points start =
        Points::Zero(rest.points.rows(), 3).rowwise() + Eigen::RowVector3d(0.5, 0.5, 0.5);
    expect_recovery(rest, start, "a point");
}

TEST(Recovery, FromAPlane) {
    const TetMesh rest = support::cube_of_tets(3);
    for (int axis = 0; axis < 3; ++axis) {
        Points start = rest.points;
        start.col(axis).setConstant(0.5);
        expect_recovery(rest, start, "a plane " + std::to_string(axis));
    }
}

// A free neo-Hookean body in one point pulls nowhere: a saddle, which is left by a small shake.
TEST(Recovery, FreeBodyLeavesThePoint) {
    const TetMesh rest = support::cube_of_tets(2);
    const EnergyTerms terms = {
        std::make_shared<FemElastic>(rest, std::make_shared<StableNeoHookean>(kSqueezed))};
    const Points start = Points::Zero(rest.points.rows(), 3);
    const NewtonResult result = minimise(terms, {}, start);
    EXPECT_EQ(result.report.status, NewtonStatus::Converged);
    EXPECT_GE(result.report.saddle_points_left, 1);
    EXPECT_LT(terms[0]->value(result.x), 1e-12 * kSqueezed.mu);
    EXPECT_EQ(count_inverted(result.x, rest.tets), 0);

    const NewtonResult held = minimise(terms, {}, start, {.is_minimum_checked = false});
    EXPECT_EQ(held.report.iterations, 0);  // it is a stationary point
}

TEST(Recovery, FromTheMirrorImage) {
    const TetMesh rest = support::cube_of_tets(3);
    Points start = rest.points;
    start.col(0) *= -1.0;
    expect_recovery(rest, start, "mirror");
}

}  // namespace
}  // namespace sinew
