#include "sinew/base/error.h"
#include "sinew/io/people_files.h"

#include <gtest/gtest.h>

#include <string>

namespace sinew {
namespace {

// Regressions of the same survey, made by ordinary least squares elsewhere: men's waist
// -435.77 H + 7.962 W + 1024.9 mm (residual 44.0), women's thigh -194.23 H + 5.142 W + 584.0
// (22.8).
TEST(PeopleFiles, ExpectationsAreTheSurveysRegressions) {
    const PeopleTable table = known_people();
    const auto expected = [&](Sex sex, double stature, double weight, const char* name) {
        const std::vector<std::pair<std::size_t, double>> known = {{0, stature}, {1, weight}};
        const ExpectedPerson person = expected_person(group_of(table, sex), known);
        const auto i = static_cast<Eigen::Index>(find_measure(table, name, "test"));
        return std::pair(1e3 * person.mean[i], 1e3 * person.sd[i]);
    };
    for (const double stature : {1.60, 1.90}) {
        for (const double weight : {60.0, 110.0}) {
            const auto waist = expected(Sex::Male, stature, weight, "waistcircumference");
            EXPECT_NEAR(waist.first, -435.77 * stature + 7.962 * weight + 1024.9, 0.5);
            EXPECT_NEAR(waist.second, 44.0, 0.2);
            const auto thigh = expected(Sex::Female, stature, weight, "thighcircumference");
            EXPECT_NEAR(thigh.first, -194.23 * stature + 5.142 * weight + 584.0, 0.5);
            EXPECT_NEAR(thigh.second, 22.8, 0.2);
        }
    }
}

TEST(PeopleFiles, RefusesOtherFormatsKeysAndShapes) {
    const std::string good =
        R"({"format": "sinew-people", "version": 1, "source": "s", "names": ["stature", "weight"],
            "groups": [{"sex": "male", "count": 3, "mean": [1.7, 70], "covariance": [[0.01], [0.1, 50]]}]})";
    EXPECT_EQ(parse_people_table(good, "t").groups[0].covariance(0, 1), 0.1);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    for (const std::string& bad :
         {changed("sinew-people", "other"), changed("\"version\": 1", "\"version\": 2"),
          changed("\"male\"", "\"none\""), changed("\"count\"", "\"cuont\""),
          changed("[0.1, 50]", "[0.1]"), changed("[1.7, 70]", "[1.7]"), std::string("{")}) {
        EXPECT_THROW(parse_people_table(bad, "t"), InputError) << bad;
    }
}

}  // namespace
}  // namespace sinew
