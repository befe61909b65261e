#include "sinew/io/people_files.h"

#include "sinew/io/data_folder.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

namespace sinew {

namespace {

Eigen::VectorXd people_vector(const std::vector<double>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(),
                                             static_cast<Eigen::Index>(values.size()));
}

PeopleTable::Group people_group(const StrictJson& json) {
    json.allow_only({"sex", "count", "mean", "covariance"});
    PeopleTable::Group group;
    const std::string sex = json.at("sex").text();
    if (sex != "female" && sex != "male") {
        json.refuse(fmt::format("sex '{}'", sex), "'female' or 'male'");
    }
    group.sex = sex == "female" ? Sex::Female : Sex::Male;
    group.count = static_cast<int>(json.at("count").number());
    group.mean = people_vector(json.at("mean").numbers());
    // The lower triangle, row after row.
    const auto rows = json.at("covariance").items();
    const auto n = static_cast<Eigen::Index>(rows.size());
    group.covariance.resize(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const std::vector<double> row = rows[at(i)].numbers();
        if (static_cast<Eigen::Index>(row.size()) != i + 1) {
            rows[at(i)].refuse(fmt::format("{} numbers", row.size()), fmt::format("{}", i + 1));
        }
        for (Eigen::Index j = 0; j <= i; ++j) {
            group.covariance(i, j) = group.covariance(j, i) = row[at(j)];
        }
    }
    return group;
}

PeopleTable people_from(const StrictJson& json) {
    json.allow_only({"format", "version", "source", "names", "groups"});
    constexpr const char* kFormat = "sinew-people";
    if (json.at("format").text() != kFormat) {
        json.refuse("format '" + json.at("format").text() + "'", fmt::format("'{}'", kFormat));
    }
    if (json.at("version").number() != 1.0) {
        json.refuse(fmt::format("version {}", json.at("version").number()), "version 1");
    }
    PeopleTable table{.source = json.at("source").text(), .names = json.at("names").texts()};
    for (const StrictJson& group : json.at("groups").items()) {
        table.groups.push_back(people_group(group));
    }
    require_valid(table, json.where());
    return table;
}

}  // namespace

PeopleTable read_people_table(const std::filesystem::path& path) {
    const nlohmann::json document = parse_json_file(path);
    return people_from(StrictJson(document, path.filename().string()));
}

PeopleTable parse_people_table(std::string_view json, const std::string& where) {
    const nlohmann::json document = parse_json(json, where);
    return people_from(StrictJson(document, where));
}

PeopleTable known_people() {
    return read_people_table(data_folder() / "people" / "ansur2.json");
}

}  // namespace sinew
