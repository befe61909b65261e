#include "sinew/body/people_table.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sinew {

void require_valid(const PeopleTable& table, std::string_view where) {
    const auto refuse = [&](const std::string& found, const std::string& needs) {
        throw InputError({.where = std::string(where),
                          .found = found,
                          .needs = needs,
                          .remedy = "use the table that comes with Sinew"});
    };
    const std::set<std::string> names(table.names.begin(), table.names.end());
    if (names.size() != table.names.size() || table.size() < 2 || table.names[0] != "stature" ||
        table.names[1] != "weight") {
        refuse("names that are repeated, or that do not begin with stature and weight",
               "'stature', 'weight' and names of measures");
    }
    std::set<Sex> sexes;
    for (const PeopleTable::Group& group : table.groups) {
        const auto n = static_cast<Eigen::Index>(table.size());
        if (group.mean.size() != n || group.covariance.rows() != n ||
            group.covariance.cols() != n) {
            refuse(fmt::format("{} means and a covariance of {} rows", group.mean.size(),
                               group.covariance.rows()),
                   fmt::format("{} of each", n));
        }
        if (group.sex == Sex::Unknown || !sexes.insert(group.sex).second) {
            refuse("a group without a sex, or two of one", "one group for each sex");
        }
        if (!group.mean.allFinite() || !group.covariance.allFinite() ||
            cholesky_factor(group.covariance).size() == 0) {
            refuse("a covariance that is not positive definite", "covariances of measures");
        }
    }
}

std::size_t find_measure(const PeopleTable& table, std::string_view name, std::string_view where) {
    const auto it = std::find(table.names.begin(), table.names.end(), name);
    if (it == table.names.end()) {
        throw InputError({.where = std::string(where),
                          .found = fmt::format("unknown measure '{}'{}", name,
                                               did_you_mean(std::string(name), table.names)),
                          .needs = fmt::format("one of: {}", join(table.names, ", ")),
                          .remedy = "names are those of the survey (docs/growth.md)"});
    }
    return static_cast<std::size_t>(it - table.names.begin());
}

const PeopleTable::Group& group_of(const PeopleTable& table, Sex sex) {
    for (const PeopleTable::Group& group : table.groups) {
        if (group.sex == sex) {
            return group;
        }
    }
    throw InputError({.where = "measures of people",
                      .found = fmt::format("sex '{}'", name_of(sex)),
                      .needs = "a woman or a man",
                      .remedy = "build the body with --sex female or --sex male"});
}

ExpectedPerson expected_person(const PeopleTable::Group& group,
                               std::span<const std::pair<std::size_t, double>> known) {
    const auto n = group.mean.size();
    const auto k = static_cast<Eigen::Index>(known.size());
    Eigen::MatrixXd S_kk(k, k);
    Eigen::MatrixXd S_nk(n, k);
    Eigen::VectorXd difference(k);
    for (Eigen::Index i = 0; i < k; ++i) {
        const auto [row, value] = known[at(i)];
        const auto r = static_cast<Eigen::Index>(row);
        difference[i] = value - group.mean[r];
        S_nk.col(i) = group.covariance.col(r);
        for (Eigen::Index j = 0; j < k; ++j) {
            S_kk(i, j) = group.covariance(r, static_cast<Eigen::Index>(known[at(j)].first));
        }
    }
    ExpectedPerson person{.mean = group.mean, .sd = group.covariance.diagonal()};
    if (k > 0) {
        const Eigen::MatrixXd weights = solve_symmetric_columns(S_kk, S_nk.transpose());
        person.mean += weights.transpose() * difference;
        person.sd -= (S_nk.array() * weights.transpose().array()).rowwise().sum().matrix();
    }
    person.sd = person.sd.cwiseMax(0.0).cwiseSqrt();
    for (const auto& [row, value] : known) {
        person.mean[static_cast<Eigen::Index>(row)] = value;
        person.sd[static_cast<Eigen::Index>(row)] = 0.0;
    }
    return person;
}

Eigen::VectorXd drawn_person(const PeopleTable::Group& group, Random& random) {
    Eigen::VectorXd normal(group.mean.size());
    for (double& value : normal) {
        value = random.normal();
    }
    return group.mean + cholesky_factor(group.covariance) * normal;
}

}  // namespace sinew
