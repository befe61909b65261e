#include "sinew/base/error.h"
#include "sinew/body/rest_shape.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/pipeline/composition_training.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/pipeline/shaped_body.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

class TrainingTable : public ::testing::Test {
protected:
    // A limb and others of its triangulation, thicker and thinner, each with its own masses.
    TrainingTable() {
        const Body limb = support::limb_body({.along = 6});
        write_archive(folder_ / "limb.sinew", limb);
        for (int i = 0; i < 10; ++i) {
            const double thick = 0.85 + 0.04 * i;
            const double deep = 1.0 + 0.1 * ((i * 3) % 7) / 7.0;
            const Points points = limb.tets.points * Vec3(thick, 1.0 + 0.02 * i, deep).asDiagonal();
            write_archive(folder_ / ("person_" + std::to_string(i) + ".sinew"),
                          with_rest_shape(limb, points));
        }
        job_.template_body = std::filesystem::path(folder_ / "limb.sinew").string();
        job_.sex = ScanSex::Male;
    }
    CompositionTraining train(const std::string& table) {
        write_file_bytes(folder_ / "table.csv", table);
        return train_composition_table(job_, folder_ / "table.csv");
    }

    support::TemporaryFolder folder_;
    FitJob job_;
};

// As 'sinew people' writes it: women, and people who could not be made, are passed over.
TEST_F(TrainingTable, MassesOfBodiesAreTheirOwnTissues) {
    std::string table = "name,sex,age,state\n";
    for (int i = 0; i < 10; ++i) {
        table += "person_" + std::to_string(i) + ",male,30,made\n";
    }
    table += "nobody,male,30,refused\nsomebody,female,30,made\n";
    const CompositionTraining training = train(table);
    EXPECT_EQ(training.model.people, 10);
    EXPECT_EQ(training.model.sex, Sex::Male);
    // A limb that is scaled has the same tissues in every tetrahedron: masses go with the volume.
    EXPECT_GT(training.test.fat_r2, 0.98);
    EXPECT_GT(training.test.muscle_r2, 0.98);
    const TrainingSummary summary = summary_of(training);
    EXPECT_EQ(summary.sex, "male");
    EXPECT_EQ(summary.people, 10);
}

TEST_F(TrainingTable, MassesThatAreToldCount) {
    std::string table = "body,fat_kg,muscle_kg\n";
    for (int i = 0; i < 10; ++i) {
        table += "person_" + std::to_string(i) + ".sinew,7,9\n";
    }
    const CompositionTraining training = train(table);
    EXPECT_LT(training.test.fat_error_kg, 2.0);
    // The areas of these limbs go with one number, and so do both regressors, beside the constant.
    EXPECT_EQ(training.model.fat.size(), 2);
    EXPECT_EQ(training.model.tapes.size(), 10U);
}

TEST_F(TrainingTable, WrongTablesAreRefusedWithTheLine) {
    const auto where = [&](const std::string& table) {
        try {
            train(table);
            return std::string("nothing");
        } catch (const InputError& error) {
            return error.parts().where;
        }
    };
    EXPECT_EQ(where("person\na\n"), "table.csv");
    EXPECT_EQ(where("scan,fat_kg\na.ply,3\n"), "table.csv, line 2");
    EXPECT_EQ(where("body,fat_kg\nperson_0.sinew,heavy\n"), "table.csv, line 2");
    EXPECT_EQ(where("body,fat_kg\n,3\n"), "table.csv, line 2");
    job_.sex = ScanSex::Auto;
    EXPECT_EQ(where("body\nperson_0.sinew\n"), "--train");
}

TEST(ShapeChoice, WordsAndComponents) {
    EXPECT_TRUE(shape_choice("specimen").is_specimen);
    EXPECT_FALSE(shape_choice("mean").is_specimen);
    EXPECT_TRUE(shape_choice("mean").deviations.empty());
    const ShapeChoice shape = shape_choice("1=2,3=-0.5");
    EXPECT_FALSE(shape.is_specimen);
    EXPECT_EQ(shape.deviations, (std::vector<std::pair<std::size_t, double>>{{0, 2.0}, {2, -0.5}}));
    for (const char* text : {"average", "0=1", "1=5", "1=", "=1", "1=nan", "1=1;2=1", "1"}) {
        EXPECT_THROW(shape_choice(text), InputError) << text;
    }
}

TEST(ShapeChoice, IsOfTheBuiltInHumanAsItIs) {
    MakeBodyOptions options;
    options.shape = "mean";
    EXPECT_NO_THROW(check_make_body(options));
    options.figure.leg_length = 1.1;
    EXPECT_THROW(check_make_body(options), InputError);
    options = {};
    options.shape = "nobody";
    EXPECT_THROW(check_make_body(options), InputError);
}

}  // namespace
}  // namespace sinew
