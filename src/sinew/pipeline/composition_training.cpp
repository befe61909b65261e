#include "sinew/pipeline/composition_training.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/summary.h"
#include "sinew/fit/layers.h"
#include "sinew/io/archive.h"
#include "sinew/io/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace sinew {

namespace {

struct TableRow {
    std::string where;
    std::string body;
    std::optional<double> fat_kg = {};
    std::optional<double> muscle_kg = {};
};

std::vector<std::string> cells_of(std::string line) {
    std::erase(line, '\r');
    return split(line, ',');
}

std::optional<double> mass_of(const std::string& cell, const std::string& where) {
    if (cell.empty()) {
        return {};
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() ||
        !(value > 0.0 && value < 500.0)) {
        throw InputError({.where = where,
                          .found = fmt::format("'{}'", cell),
                          .needs = "a mass in kg, above 0 and below 500",
                          .remedy = "correct the cell, or leave it empty"});
    }
    return value;
}

std::vector<TableRow> rows_of(const std::filesystem::path& table) {
    const std::vector<std::string> lines = split(read_file_bytes(table), '\n');
    const std::string name = table.filename().string();
    const std::vector<std::string> head = cells_of(lines[0]);
    const auto column = [&](const char* key) {
        return static_cast<std::size_t>(std::find(head.begin(), head.end(), key) - head.begin());
    };
    const std::size_t body = column("body");
    if (body == head.size()) {
        throw InputError({.where = name + ", line 1",
                          .found = "no column 'body'",
                          .needs = "names of columns: body, and fat_kg, muscle_kg where known",
                          .remedy = "add the line of names"});
    }
    std::vector<TableRow> rows;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i].find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        std::vector<std::string> cells = cells_of(lines[i]);
        cells.resize(std::max(cells.size(), head.size() + 1));
        TableRow row{.where = fmt::format("{}, line {}", name, i + 1), .body = cells[body]};
        if (row.body.empty()) {
            throw InputError({.where = row.where,
                              .found = "no body",
                              .needs = "the name of a .sinew file",
                              .remedy = "fill in the column 'body', or remove the line"});
        }
        row.fat_kg = mass_of(cells[std::min(column("fat_kg"), head.size())], row.where);
        row.muscle_kg = mass_of(cells[std::min(column("muscle_kg"), head.size())], row.where);
        rows.push_back(row);
    }
    return rows;
}

double tissue_mass(const Body& body, const BodySummary& summary, Tissue tissue) {
    for (const TissueMaterial& material : body.materials) {
        if (material.tissue == tissue) {
            return material.density * summary.tissue_volume[static_cast<std::size_t>(tissue)];
        }
    }
    return 0.0;
}

KnownPerson person_of(const TableRow& row, const std::filesystem::path& folder, Index shape,
                      Eigen::Index vertices) {
    const Body body = read_archive(folder / row.body);
    if (body.skin.mesh.points.rows() != vertices) {
        throw InputError({.where = fmt::format("{}, {}", row.where, row.body),
                          .found = fmt::format("{} skin vertices", body.skin.mesh.points.rows()),
                          .needs = fmt::format("{}, those of the template", vertices),
                          .remedy = "grow or fit it from this template"});
    }
    const BodySummary summary = summarise(body);
    KnownPerson person;
    person.skin = body.skin.mesh.points;
    person.fat_kg = row.fat_kg.value_or(tissue_mass(body, summary, Tissue::Fat));
    person.muscle_kg = row.muscle_kg.value_or(tissue_mass(body, summary, Tissue::Muscle) +
                                              tissue_mass(body, summary, Tissue::Tendon));
    person.shape = shape;
    return person;
}

}  // namespace

std::vector<double> usual_statures() {
    std::vector<double> statures;
    constexpr int kSteps = 13;
    for (int i = 0; i < kSteps; ++i) {
        statures.push_back(0.91 + 0.018 * i);  // 0.91 ... 1.126
    }
    return statures;
}

CompositionTraining train_composition_table(const Body& template_body,
                                            const std::filesystem::path& table,
                                            const std::vector<double>& statures,
                                            const Progress& progress) {
    const std::vector<TableRow> rows = rows_of(table);
    std::vector<KnownPerson> people;
    auto stage = progress.stage("people to train with", rows.size());
    for (const TableRow& row : rows) {
        const KnownPerson known =
            person_of(row, table.parent_path(), static_cast<Index>(people.size()),
                      template_body.skin.mesh.points.rows());
        for (const double ratio : statures) {
            KnownPerson person = known;
            person.skin *= ratio;
            person.fat_kg *= ratio * ratio * ratio;
            person.muscle_kg *= ratio * ratio * ratio;
            people.push_back(person);
        }
        stage.advance();
    }
    const std::vector<char> is_left_out = kept_vertices(template_body);
    CompositionTraining training;
    training.shapes = static_cast<int>(rows.size());
    training.model =
        train_composition(template_body.skin.mesh, is_left_out, template_body.sex, people);
    training.test =
        test_composition(template_body.skin.mesh, is_left_out, template_body.sex, people);
    training.model.source = fmt::format("{} bodies grown from '{}', at {} statures each",
                                        rows.size(), template_body.name, statures.size());
    return training;
}

}  // namespace sinew
