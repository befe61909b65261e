#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/growth/ageing.h"
#include "sinew/growth/composition.h"
#include "sinew/growth/frame_maps.h"
#include "sinew/growth/grow.h"
#include "sinew/growth/harmonic_fields.h"
#include "sinew/growth/person_shape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// Lean and fat mass over stature squared depend on the body mass index alone [Heymsfield2007], and
// lie on Forbes' curve: d lean / d fat = 10.4 kg / fat at the stature of his women.
TEST(BodyComposition, Forbes1987LeanMassRisesWithTheLogarithmOfFat) {
    for (const Sex sex : {Sex::Female, Sex::Male}) {
        const BodyComposition small = expected_composition(sex, 1.50, 25.0 * 1.50 * 1.50);
        const BodyComposition tall = expected_composition(sex, 1.90, 25.0 * 1.90 * 1.90);
        EXPECT_NEAR(small.fat_free / (1.50 * 1.50), tall.fat_free / (1.90 * 1.90), 1e-9);
        const BodyComposition a = expected_composition(sex, 1.64, 80.0);
        const BodyComposition b = expected_composition(sex, 1.64, 81.0);
        EXPECT_NEAR(a.fat + a.fat_free, 80.0, 1e-12);
        const double slope = (b.fat_free - a.fat_free) / (b.fat - a.fat);
        EXPECT_NEAR(slope, 10.4 / (0.5 * (a.fat + b.fat)), 1e-3);
    }
}

// Medians of young adults [Schutz2002]: 18.9 + 4.0 kg/m^2 of men, 15.4 + 5.5 of women.
TEST(BodyComposition, Schutz2002MediansAreReproduced) {
    const BodyComposition man = expected_composition(Sex::Male, 1.8, 22.9 * 1.8 * 1.8);
    EXPECT_NEAR(man.fat / man.mass, 4.0 / 22.9, 1e-9);
    const BodyComposition woman = expected_composition(Sex::Female, 1.65, 20.9 * 1.65 * 1.65);
    EXPECT_NEAR(woman.fat / woman.mass, 5.5 / 20.9, 1e-9);
    EXPECT_NEAR(expected_composition(Sex::Male, 1.8, 80.0, 66.0).fat -
                    expected_composition(Sex::Male, 1.8, 80.0).fat,
                0.0013 * 40.0 * 80.0, 1e-9);
    EXPECT_THROW(expected_composition(Sex::Unknown, 1.8, 80.0), InputError);
}

// Linear functions are harmonic, and linear elements hold them exactly.
TEST(HarmonicField, LinearFunctionsComeBack) {
    const Body body = support::limb_body();
    const HarmonicField field(body, Eigen::VectorXd::Ones(body.tets.tets.rows()),
                              body.skin.tet_vertex);
    const Points samples = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    const Eigen::MatrixXd x = field.values(body.skin.mesh.points, samples);
    EXPECT_LT((x - body.tets.points).cwiseAbs().maxCoeff(), 1e-9);
}

// <g, H d> = <H^T g, d> for any d and g.
TEST(HarmonicField, TransposeIsTheAdjointOfDisplacement) {
    const Body body = support::limb_body();
    const HarmonicField field(body, Eigen::VectorXd::Ones(body.tets.tets.rows()),
                              body.skin.tet_vertex);
    Points d(body.skin.mesh.points.rows(), 3);
    Points g(body.tets.points.rows(), 3);
    for (Eigen::Index i = 0; i < d.size(); ++i) {
        d.data()[i] = std::sin(1.7 * static_cast<double>(i));
    }
    for (Eigen::Index i = 0; i < g.size(); ++i) {
        g.data()[i] = std::cos(0.9 * static_cast<double>(i));
    }
    const double forward = g.cwiseProduct(field.displacement(d)).sum();
    const double back = field.transposed(g).cwiseProduct(d).sum();
    EXPECT_NEAR(forward, back, 1e-9 * (1.0 + std::abs(forward)));
}

TEST(FrameMaps, ScalesOfOneLeaveEverythingWhereItIs) {
    const Body body = support::limb_body();
    const std::vector<BodyPart> parts = body_parts(body);
    const FrameMaps maps = frame_maps(body, parts, {});
    for (std::size_t j = 0; j < maps.joints.size(); ++j) {
        EXPECT_LT((maps.joints[j] - body.skeleton.joints[j].centre).norm(), 1e-12);
    }
    const Vec3 p(0.1, 0.2, 0.3);
    for (const PartMap& map : maps.parts) {
        EXPECT_LT((map.in_flesh(p, Vec3::Zero()) - p).norm(), 1e-12);
    }
}

// Flesh at distance d from its anchor, across the axis, comes to w d; along the axis it follows.
TEST(FrameMaps, FleshWidensAcrossItsPartAndBonesLengthen) {
    const Body body = support::limb_body();
    const std::vector<BodyPart> parts = body_parts(body);
    const FrameMaps maps = frame_maps(body, parts, {.forearm = 1.2, .forearm_flesh = 1.5});
    bool has_forearm = false;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!parts[p].name.starts_with("forearm")) {
            continue;
        }
        has_forearm = true;
        const Vec3 axis = (parts[p].far_end - parts[p].near_end).normalized();
        const Vec3 across = axis.unitOrthogonal();
        const Vec3 anchor = 0.5 * (parts[p].near_end + parts[p].far_end);
        const Vec3 moved =
            maps.parts[p].in_flesh(anchor + 0.04 * across, anchor) - maps.parts[p].on_bone(anchor);
        EXPECT_LT((moved - 0.06 * across).norm(), 1e-12);
        EXPECT_NEAR(
            (maps.parts[p].on_bone(parts[p].far_end) - maps.parts[p].on_bone(parts[p].near_end))
                .norm(),
            1.2 * (parts[p].far_end - parts[p].near_end).norm(), 1e-9);
    }
    EXPECT_TRUE(has_forearm);
}

// Flesh at the shoulder's end of the arm follows the shoulder, from the middle on the arm.
TEST(FrameMaps, TheDeltoidFollowsTheShoulder) {
    const Body body = support::limb_body();
    const std::vector<BodyPart> parts = body_parts(body);
    const FrameMaps maps = frame_maps(body, parts, {.shoulder_flesh = 0.8, .upper_arm_flesh = 1.5});
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!parts[p].name.starts_with("upper_arm")) {
            continue;
        }
        const Vec3 axis = parts[p].far_end - parts[p].near_end;
        const Vec3 across = axis.unitOrthogonal();
        for (const auto& [along, widened] : {std::pair(0.0, 0.8), std::pair(0.6, 1.5)}) {
            const Vec3 anchor = parts[p].near_end + along * axis;
            const Vec3 moved = maps.parts[p].in_flesh(anchor + 0.04 * across, anchor) -
                               maps.parts[p].on_bone(anchor);
            EXPECT_NEAR(moved.norm(), 0.04 * widened, 1e-12);
        }
    }
}

// A layer on a wall under its own weight: d/dy (mu du/dy) = -rho g, u(0) = 0, no stress at h gives
// u(h) = rho g h^2 / (2 mu); lying flat, with E = 3 mu, a third.
TEST(HangingFat, ShearedLayerOnAWallHangsByTheClosedForm) {
    const double u = 900.0 * kGravity * 0.1 * 0.1 / (2.0 * 1000.0);
    EXPECT_NEAR(hanging_fat(0.1, 0.0, 1000.0), u, 1e-12);
    EXPECT_NEAR(hanging_fat(0.1, -1.0, 1000.0), u / 3.0, 1e-12);
    EXPECT_NEAR(hanging_fat(0.2, 0.0, 1000.0), 4.0 * u, 1e-12);
    EXPECT_EQ(hanging_fat(0.0, 0.3, 1000.0), 0.0);
}

// 26.8 degrees in the young, 41.9 beyond 65 years [Bartynski2005]; thighs lose more than arms
// [Janssen2000], the young nothing.
TEST(Ageing, SpinesBendAndThighsLoseMost) {
    EXPECT_EQ(kyphosis_of_age(30.0), 0.0);
    EXPECT_NEAR(26.8 + kyphosis_of_age(70.0) * 180.0 / kPi, 41.9, 0.5);
    EXPECT_TRUE(muscles_of_age(35.0).empty());
    const auto old = muscles_of_age(80.0);
    const auto factor = [&](const std::string& word) {
        for (const auto& [name, alpha] : old) {
            if (name == word) {
                return alpha;
            }
        }
        return 0.0;
    };
    EXPECT_LT(factor("quadriceps"), factor("calves"));
    EXPECT_LT(factor("calves"), factor("all"));
    EXPECT_LT(factor("all"), 1.0);
    // Legs: 0.996^(10/6) 0.987^(10/6) 0.983^(10/6) 0.961^(10/6), as volumes.
    EXPECT_NEAR(factor("calves") * factor("calves"),
                std::pow(0.996 * 0.987 * 0.983 * 0.961, 10.0 / 6.0), 1e-12);
    EXPECT_NEAR(sitting_share_of_age(Sex::Male, 12.0), 0.514, 1e-12);
    EXPECT_NEAR(sitting_share_of_age(Sex::Female, 18.0), 0.53, 1e-12);
}

TEST(Ageing, ABodyWithoutASpineStaysAsItIs) {
    const Body body = support::limb_body();
    EXPECT_EQ(with_kyphosis(body, 0.3).tets.points, body.tets.points);
}

TEST(Grow, MeasuresNeedAWholePerson) {
    const Body body = support::limb_body();
    EXPECT_THROW(grow(body, {.measures = {{"waistcircumference", 0.9}}}), InputError);
    EXPECT_THROW(grow(body, {.muscle_mass = 20.0}), InputError);
}

}  // namespace
}  // namespace sinew
