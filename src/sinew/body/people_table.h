#pragma once

#include "sinew/base/random.h"
#include "sinew/body/anatomy.h"

#include <Eigen/Core>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew {

/// How the measures of people are distributed: a normal distribution per sex.
struct PeopleTable {
    struct Group {
        Sex sex = Sex::Unknown;
        int count = 0;  ///< people measured
        Eigen::VectorXd mean = {};
        Eigen::MatrixXd covariance = {};  ///< symmetric, positive definite
    };
    std::string source;
    /// "stature" (m), "weight" (kg), "age" (years), then measures (m, person_measures.h).
    std::vector<std::string> names = {};
    std::vector<Group> groups = {};

    std::size_t size() const {
        return names.size();
    }
};

/// @throws InputError  naming `where`: sizes that differ, names twice, a sex missing or twice, a
///                     covariance that is not positive definite
void require_valid(const PeopleTable& table, std::string_view where);

/// Number of a name in the table. @throws InputError  with the nearest known one
std::size_t find_measure(const PeopleTable& table, std::string_view name, std::string_view where);

/// The distribution of one sex. @throws InputError  for Sex::Unknown
const PeopleTable::Group& group_of(const PeopleTable& table, Sex sex);

/// What is to be expected of somebody of whom some measures are known, in the table's order.
struct ExpectedPerson {
    Eigen::VectorXd mean;
    Eigen::VectorXd sd;  ///< what is left; 0 for what is known
};

/// Conditional normal distribution: with K known and U unknown,
///
///   mean_U = mu_U + S_UK S_KK^-1 (x_K - mu_K),    var_U = diag(S_UU - S_UK S_KK^-1 S_KU)
///
/// which are the least squares regressions of U on K and their residuals.
/// @param known  numbers of names and their values
ExpectedPerson expected_person(const PeopleTable::Group& group,
                               std::span<const std::pair<std::size_t, double>> known);

/// One person: mean + L n with S = L L^T and normal numbers n.
Eigen::VectorXd drawn_person(const PeopleTable::Group& group, Random& random);

}  // namespace sinew
