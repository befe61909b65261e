#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/summary.h"
#include "sinew/fit/person_fit.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_quality.h"

#include <gtest/gtest.h>

#include "tests/fit/onion_body.h"

namespace sinew {
namespace {

class PersonFit : public ::testing::Test {
protected:
    static const Body& body() {
        static const Body made = support::onion_body(3);
        return made;
    }
    static const PersonFitter& fitter() {
        static const PersonFitter made(body(), build_layers(body(), {.wrap_voxel = 0.006}),
                                       {.layers = {}, .transfer = {.centres = 400}});
        return made;
    }
    static double fat_of(const Body& b) {
        return b.materials[static_cast<std::size_t>(Tissue::Fat)].density *
               summarise(b).tissue_volume[static_cast<std::size_t>(Tissue::Fat)];
    }
    // Wider by `more` m all round, the ends as they were.
    static Points fatter(double more) {
        const Points& skin = body().skin.mesh.points;
        Points result = skin;
        for (Eigen::Index i = 0; i < skin.rows(); ++i) {
            const double across = std::hypot(skin(i, 0), skin(i, 2));
            const double part = across / 0.07;
            if (across > 0.0) {
                result(i, 0) += more * part * skin(i, 0) / across;
                result(i, 2) += more * part * skin(i, 2) / across;
            }
        }
        return result;
    }
};

TEST_F(PersonFit, TheTemplatesOwnSkinGivesTheTemplateToATenthOfAMillimetre) {
    const FittedPerson same = fitter().fit(body().skin.mesh.points);
    EXPECT_LT((same.body.tets.points - body().tets.points).rowwise().norm().maxCoeff(), 1e-4);
    EXPECT_LT((same.body.bones[0].mesh.points - body().bones[0].mesh.points).cwiseAbs().maxCoeff(),
              1e-4);
    EXPECT_NEAR(same.report.fat_kg, fat_of(body()), 0.01);
    EXPECT_EQ(same.report.inverted_tets, 0);
    EXPECT_EQ(same.report.crossings, 0);
}

// Twice as thick all over in fat: the truth is a bone and a muscle that stayed.
TEST_F(PersonFit, FatThatIsAskedForIsReachedAndBonesKeepTheirSize) {
    const Points skin = fatter(0.02);
    const double fat =
        body().materials[static_cast<std::size_t>(Tissue::Fat)].density *
        (enclosed_volume(skin, body().skin.mesh.triangles) - enclosed_volume(body().envelope.mesh));
    const FittedPerson person = fitter().fit(skin, {.fat_kg = fat});
    EXPECT_NEAR(person.report.fat_kg, fat, 0.02);
    EXPECT_TRUE(person.report.layers.is_fat_reached);
    EXPECT_EQ(person.report.inverted_tets, 0);
    EXPECT_EQ(person.report.crossings, 0);
    EXPECT_EQ(person.report.bones_outside, 0);
    EXPECT_EQ(person.report.skin_crossings, 0);
    constexpr double kSliver = 0.02;  // rad: what 'sinew check' calls one
    const TetMesh& tets = person.body.tets;
    EXPECT_GT(tet_dihedral_angles(tets.points, tets.tets).minCoeff(), kSliver);
    const double volume = enclosed_volume(person.body.bones[0].mesh);
    EXPECT_NEAR(volume / enclosed_volume(body().bones[0].mesh), 1.0, 0.05);
    const double muscle = person.report.muscle_kg;
    EXPECT_NEAR(muscle / fitter().fit(body().skin.mesh.points).report.muscle_kg, 1.0, 0.05);
    require_valid(person.body, "person");
}

// Where the skin does not hold just both, fat does not give way: muscle is made up elsewhere.
TEST_F(PersonFit, FatIsMetWhereMuscleIsAskedForToo) {
    const Points skin = fatter(0.02);
    const double fat = 1.8 * fat_of(body());
    const double own = fitter().fit(body().skin.mesh.points).report.muscle_kg;
    for (const double part : {0.8, 1.2}) {
        const FittedPerson person = fitter().fit(skin, {.fat_kg = fat, .muscle_kg = part * own});
        EXPECT_NEAR(person.report.fat_kg, fitter().fit(skin, {.fat_kg = fat}).report.fat_kg, 0.02)
            << part;
    }
}

// Komaritzan, section 4.2.4: a fifth taller makes bones a tenth thicker.
TEST_F(PersonFit, BonesGrowThickerByHalfOfWhatStatureDoes) {
    Points skin = body().skin.mesh.points;
    skin *= 1.2;
    const ScaledLayers scaled =
        scale_layers(body(), fitter().layers(), skin, {}, LayerFitOptions{});
    EXPECT_NEAR(scaled.stature_ratio, 1.2, 1e-12);
    EXPECT_NEAR(scaled.thickness, 1.1, 1e-12);
}

TEST_F(PersonFit, ExtremesAreClampedAndSaid) {
    const FittedPerson person = fitter().fit(body().skin.mesh.points, {.fat_kg = 0.05});
    EXPECT_FALSE(person.report.layers.is_fat_reached);
    EXPECT_NEAR(person.report.layers.fat_kg, person.report.layers.least_fat_kg, 1e-6);
    EXPECT_FALSE(person.report.warnings.empty());
    EXPECT_EQ(person.report.inverted_tets, 0);
}

TEST_F(PersonFit, RefusesTargetsAndSkinsThatCannotBe) {
    EXPECT_THROW(fitter().fit(body().skin.mesh.points, {.fat_kg = -1.0}), InputError);
    EXPECT_THROW(fitter().fit(body().skin.mesh.points, {.body_fat = 1.5}), InputError);
    EXPECT_THROW(fitter().fit(Points(body().skin.mesh.points.topRows(5))), InputError);
    EXPECT_THROW(fitter().fit(Points(-body().skin.mesh.points)), InputError);
}

TEST_F(PersonFit, GivesTheSameBitsOnOneAndTwoThreads) {
    const Points skin = fatter(0.01);
    const auto fit = [&](int threads) {
        const ThreadLimit limit(threads);
        return fitter().fit(skin, {.body_fat = 0.4}).body.tets.points;
    };
    EXPECT_EQ(fit(1), fit(2));
}

}  // namespace
}  // namespace sinew
