#include "sinew/base/error.h"
#include "sinew/body/people_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

PeopleTable two_measures() {
    PeopleTable table{.source = "made up", .names = {"stature", "weight", "age"}};
    PeopleTable::Group group{.sex = Sex::Female, .count = 10};
    group.mean = Eigen::Vector3d(1.6, 60.0, 30.0);
    group.covariance.resize(3, 3);
    group.covariance << 0.0036, 0.30, 0.0, 0.30, 100.0, 20.0, 0.0, 20.0, 64.0;
    table.groups.push_back(group);
    return table;
}

// With one thing known: mean + s_uk / s_kk (x - mean), variance s_uu - s_uk^2 / s_kk.
TEST(PeopleTable, ExpectationOfOneKnownMeasureIsTheRegressionLine) {
    const PeopleTable table = two_measures();
    const std::vector<std::pair<std::size_t, double>> known = {{0, 1.70}};
    const ExpectedPerson person = expected_person(group_of(table, Sex::Female), known);
    EXPECT_NEAR(person.mean[1], 60.0 + 0.30 / 0.0036 * 0.10, 1e-9);
    EXPECT_NEAR(person.sd[1], std::sqrt(100.0 - 0.09 / 0.0036), 1e-9);
    EXPECT_EQ(person.mean[0], 1.70);
    EXPECT_EQ(person.sd[0], 0.0);
    EXPECT_NEAR(person.mean[2], 30.0, 1e-9);  // does not go with stature
}

TEST(PeopleTable, DrawsHaveTheMeanAndCovarianceOfTheTable) {
    const PeopleTable table = two_measures();
    const PeopleTable::Group& group = group_of(table, Sex::Female);
    constexpr int kDraws = 20000;
    Random random(Seed{5});
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    for (int i = 0; i < kDraws; ++i) {
        const Eigen::VectorXd d = drawn_person(group, random) - group.mean;
        sum += d;
        squares += d * d.transpose();
    }
    for (int a = 0; a < 3; ++a) {
        EXPECT_NEAR(sum[a] / kDraws, 0.0, 0.04 * std::sqrt(group.covariance(a, a)));
        for (int b = 0; b < 3; ++b) {
            const double size = std::sqrt(group.covariance(a, a) * group.covariance(b, b));
            EXPECT_NEAR(squares(a, b) / kDraws, group.covariance(a, b), 0.04 * size);
        }
    }
}

TEST(PeopleTable, RefusesWhatIsNoDistribution) {
    PeopleTable table = two_measures();
    table.groups[0].covariance(1, 1) = -1.0;
    EXPECT_THROW(require_valid(table, "t"), InputError);
    table = two_measures();
    table.names = {"weight", "stature", "age"};
    EXPECT_THROW(require_valid(table, "t"), InputError);
    EXPECT_THROW(group_of(two_measures(), Sex::Male), InputError);
    EXPECT_THROW(find_measure(two_measures(), "statrue", "t"), InputError);
}

}  // namespace
}  // namespace sinew
