#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/fit/composition.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/composition_files.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Ellipsoids of any size whose "fat" and "muscle" are linear in their axes at unit stature.
KnownPerson ellipsoid(const TriangleMesh& ball, const Vec3& axes) {
    const double cube = std::pow(2.0 * axes.y(), 3);
    KnownPerson person;
    person.skin = ball.points * axes.asDiagonal();
    person.fat_kg = cube * (3.0 + 4.0 * (axes.x() / axes.y() - 1.0));
    person.muscle_kg = cube * (4.0 - 1.0 * (axes.z() / axes.y() - 1.0));
    return person;
}

// Three sections through the middle: areas x z, x y and y z of the axes.
std::vector<CompositionTape> sections(const TriangleMesh& ball) {
    std::vector<CompositionTape> tapes;
    for (int axis = 0; axis < 3; ++axis) {
        const std::vector<Vec3> loop =
            loop_around(ball.points, ball.triangles, Vec3::Zero(), Vec3::Unit(axis));
        CompositionTape tape{.feature = axis,
                             .places = Points(static_cast<Eigen::Index>(loop.size()), 3)};
        for (std::size_t i = 0; i < loop.size(); ++i) {
            tape.places.row(static_cast<Eigen::Index>(i)) = loop[i].transpose();
        }
        tapes.push_back(std::move(tape));
    }
    return tapes;
}

std::vector<KnownPerson> ellipsoids(const TriangleMesh& ball, int count, double noise) {
    Random random(Seed{3});
    std::vector<KnownPerson> people;
    for (int i = 0; i < count; ++i) {
        const double size = random.uniform(0.7, 1.3);
        const Vec3 axes(random.uniform(0.8, 1.2), 1.0, random.uniform(0.8, 1.2));
        people.push_back(ellipsoid(ball, size * axes));
        people.back().fat_kg += noise * random.normal();
    }
    return people;
}

TEST(Composition, Komaritzan45LinearMassesAreFoundFromShapesOfAnySize) {
    const TriangleMesh ball = support::sphere(3, 1.0);
    const std::vector<KnownPerson> people = ellipsoids(ball, 30, 0.0);
    const CompositionModel model = train_composition(ball, sections(ball), Sex::Male, people);
    EXPECT_GE(model.basis.cols(), 2);  // there are two ratios of axes
    // Smaller than anybody it was trained with.
    const KnownPerson unseen = ellipsoid(ball, 0.5 * Vec3(1.15, 1.0, 0.93));
    const CompositionEstimate e = estimate_composition(model, ball, unseen.skin);
    EXPECT_NEAR(e.fat_kg / unseen.fat_kg, 1.0, 1e-3);
    EXPECT_NEAR(e.muscle_kg / unseen.muscle_kg, 1.0, 1e-3);
    EXPECT_LT(e.strangeness, 3.0);
    const KnownPerson strange = ellipsoid(ball, Vec3(2.0, 1.0, 0.5));
    EXPECT_GT(estimate_composition(model, ball, strange.skin).strangeness, 3.0);
    const CompositionTest test = test_composition(ball, sections(ball), Sex::Male, people);
    EXPECT_LT(test.fat_error_kg, 3e-2);
    EXPECT_GT(test.fat_r2, 0.9999);
}

// Fat that is what the volume has beyond a leaner body's is not linear in positions: the volume
// among the features finds it.
TEST(Composition, MassesThatGoWithTheVolumeAreFound) {
    const TriangleMesh ball = support::sphere(3, 1.0);
    std::vector<KnownPerson> people = ellipsoids(ball, 40, 0.0);
    for (KnownPerson& person : people) {
        const double stature = person.skin.col(1).maxCoeff() - person.skin.col(1).minCoeff();
        person.fat_kg =
            10.0 * enclosed_volume(person.skin, ball.triangles) - 2.0 * std::pow(stature, 3);
    }
    const CompositionTest test = test_composition(ball, sections(ball), Sex::Male, people);
    EXPECT_LT(test.fat_error_kg, 3e-2);
}

// A model that was made at one resolution reads another one of the same template.
TEST(Composition, OneModelServesOtherResolutions) {
    const TriangleMesh fine = support::sphere(4, 1.0);
    const TriangleMesh coarse = support::sphere(3, 1.0);
    const CompositionModel model =
        train_composition(coarse, sections(coarse), Sex::Female, ellipsoids(coarse, 20, 0.0));
    const Vec3 axes(0.9, 1.0, 1.1);
    const double same =
        estimate_composition(model, coarse, coarse.points * axes.asDiagonal()).fat_kg;
    EXPECT_NEAR(estimate_composition(model, fine, fine.points * axes.asDiagonal()).fat_kg / same,
                1.0, 0.01);
}

TEST(Composition, ErrorsOfPeopleLeftOutAreThoseOfTheNoise) {
    const TriangleMesh ball = support::sphere(2, 1.0);
    const CompositionTest test =
        test_composition(ball, sections(ball), Sex::Male, ellipsoids(ball, 60, 1.0));
    // The mean absolute value of a normal deviate of 1 kg is sqrt(2 / pi).
    EXPECT_NEAR(test.fat_error_kg, std::sqrt(2.0 / kPi), 0.2);
}

TEST(Composition, RefusesTooFewPeopleAndOtherSkins) {
    const TriangleMesh ball = support::sphere(2, 1.0);
    std::vector<KnownPerson> people = ellipsoids(ball, 5, 0.0);
    EXPECT_THROW(train_composition(ball, sections(ball), Sex::Male, people), InputError);
    people = ellipsoids(ball, 8, 0.0);
    EXPECT_THROW(train_composition(ball, {}, Sex::Male, people), InputError);  // no tapes
    people[3].skin.conservativeResize(5, 3);
    EXPECT_THROW(train_composition(ball, sections(ball), Sex::Male, people), InputError);
}

TEST(CompositionFiles, AModelThatIsWrittenAndReadEstimatesTheSame) {
    const TriangleMesh ball = support::sphere(2, 1.0);
    CompositionModel model =
        train_composition(ball, sections(ball), Sex::Female, ellipsoids(ball, 20, 0.0));
    model.source = "ellipsoids, \"quoted\"";
    const std::string text = composition_text(model);
    const CompositionModel read = parse_composition(text, "here");
    EXPECT_EQ(read.sex, Sex::Female);
    EXPECT_EQ(read.source, model.source);
    EXPECT_EQ(read.people, 20);
    EXPECT_EQ(composition_text(read), text);
    const Points skin = ball.points * Vec3(1.1, 0.95, 0.9).asDiagonal();
    EXPECT_NEAR(estimate_composition(read, ball, skin).fat_kg,
                estimate_composition(model, ball, skin).fat_kg, 1e-4);
}

TEST(CompositionFiles, RefusesSizesThatDisagree) {
    const auto parse = [&](const std::string& tapes, const std::string& rest) {
        return parse_composition(
            R"({"format": "sinew-composition", "version": 3, "sex": "male", "source": "",
            "people": 5, "tapes": [)" +
                tapes + R"(], "mean": [1], "spread": [1], )" + rest + "}",
            "here");
    };
    const char* kTape = R"({"feature": 0, "places": [0, 0, 0, 1, 0, 0, 0, 1, 0]})";
    const char* kRest = R"("components": [[1]], "deviation": [1], "fat": [1, 2], "muscle": [1, 2])";
    EXPECT_NO_THROW(parse(kTape, kRest));
    EXPECT_NO_THROW(parse(std::string(kTape) + ", " + kTape, kRest));
    EXPECT_THROW(parse("", kRest), InputError);
    EXPECT_THROW(parse(R"({"feature": 1, "places": [0, 0, 0, 1, 0, 0, 0, 1, 0]})", kRest),
                 InputError);
    EXPECT_THROW(parse(R"({"feature": 0, "places": [0, 0, 0, 1, 0, 0]})", kRest), InputError);
    for (const char* rest :
         {R"("components": [[1, 0]], "deviation": [1], "fat": [1, 2], "muscle": [1, 2])",
          R"("components": [], "deviation": [], "fat": [1], "muscle": [1])",
          R"("components": [[1]], "deviation": [0], "fat": [1, 2], "muscle": [1, 2])",
          R"("components": [[1]], "deviation": [1], "fat": [1, 2, 3], "muscle": [1, 2])",
          R"("surprise": 1)"}) {
        EXPECT_THROW(parse(kTape, rest), InputError) << rest;
    }
}

// Hodgdon and Beckett's equations in inches, as the service prints them: 86.010 log10(waist - neck)
// - 70.041 log10(height) + 36.76 for men, 163.205 log10(waist + hips - neck) - 97.684 log10(height)
// - 78.387 for women. The two forms agree within their rounding.
TEST(Witnesses, Hodgdon1984AgreesWithItsFormInInches) {
    const double inch = 0.0254;
    const double man = 86.010 * std::log10(34.0 - 15.0) - 70.041 * std::log10(70.0) + 36.76;
    EXPECT_NEAR(100.0 * navy_body_fat(Sex::Male, 70 * inch, 15 * inch, 34 * inch, 38 * inch), man,
                0.7);
    const double woman =
        163.205 * std::log10(28.0 + 38.0 - 13.0) - 97.684 * std::log10(65.0) - 78.387;
    EXPECT_NEAR(100.0 * navy_body_fat(Sex::Female, 65 * inch, 13 * inch, 28 * inch, 38 * inch),
                woman, 0.7);
}

// By hand: 1.75 (0.00744 30^2 + 0.00088 50^2 + 0.00441 35^2) + 2.4 - 0.048 40 + 7.8 = 33.302.
TEST(Witnesses, Lee2000ByHand) {
    EXPECT_NEAR(lee_muscle_mass(Sex::Male, 1.75, 40.0, 0.30, 0.50, 0.35), 33.3019, 1e-3);
    EXPECT_NEAR(lee_muscle_mass(Sex::Female, 1.75, 40.0, 0.30, 0.50, 0.35), 30.9019, 1e-3);
    const std::vector<std::pair<std::string, double>> girths = {
        {"neck", 0.38}, {"waist", 0.9}, {"thigh_l", 0.5}, {"thigh_r", 0.5}};
    const CompositionWitnesses w = composition_witnesses(Sex::Male, 1.75, girths, 0.0, 40.0);
    EXPECT_TRUE(w.navy_body_fat.has_value());
    EXPECT_FALSE(w.lee_muscle_kg.has_value());  // no calf, no arm
}

}  // namespace
}  // namespace sinew
