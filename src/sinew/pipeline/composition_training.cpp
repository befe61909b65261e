#include "sinew/pipeline/composition_training.h"

#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/io/archive.h"
#include "sinew/io/csv_file.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

// Regressors of fat and muscle mass from a table of people whose masses are known, as scans or as
// bodies. Each person is left out once for the reported error.

namespace sinew {

namespace {

struct TableRow {
    std::string where;
    std::string file;
    std::optional<double> fat_kg = {};
    std::optional<double> muscle_kg = {};
};

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

// The column that names people's files.
std::string file_column(const CsvTable& table) {
    for (const char* name : {"scan", "body", "name"}) {
        if (table.has(name)) {
            return name;
        }
    }
    throw InputError({.where = table.file,
                      .found = "no column 'scan', 'body' or 'name'",
                      .needs = "files of people whose fat_kg and muscle_kg are known",
                      .remedy = "begin the table with a line such as 'scan,fat_kg,muscle_kg'"});
}

std::vector<TableRow> rows_of(const CsvTable& table, const std::string& column,
                              const std::string& sex) {
    std::vector<TableRow> rows;
    for (const CsvTable::Row& line : table.rows) {
        const std::string& other = table.cell(line, "sex");
        if (table.cell(line, "state") == "refused" || (!other.empty() && other != sex)) {
            continue;  // nobody, or somebody of the other sex's regressors
        }
        TableRow row{.where = table.where(line), .file = table.cell(line, column)};
        if (row.file.empty()) {
            throw InputError({.where = row.where,
                              .found = fmt::format("nothing in the column '{}'", column),
                              .needs = "a file",
                              .remedy = "fill it in, or remove the line"});
        }
        row.file += column == "name" ? ".sinew" : "";
        row.fat_kg = mass_of(table.cell(line, "fat_kg"), row.where);
        row.muscle_kg = mass_of(table.cell(line, "muscle_kg"), row.where);
        if (column == "scan" && (!row.fat_kg || !row.muscle_kg)) {
            throw InputError({.where = row.where,
                              .found = "a scan whose masses are not told",
                              .needs = "numbers in the columns fat_kg and muscle_kg",
                              .remedy = "fill them in, or remove the line"});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

double tissue_mass(const Body& body, const BodySummary& summary, Tissue tissue) {
    for (const TissueMaterial& material : body.materials) {
        if (material.tissue == tissue) {
            return material.density * summary.tissue_volume[at(tissue)];
        }
    }
    return 0.0;
}

KnownPerson person_of_body(const TableRow& row, const std::filesystem::path& folder,
                           Eigen::Index vertices) {
    const Body body = read_archive(folder / row.file);
    if (body.skin.mesh.points.rows() != vertices) {
        throw InputError(
            {.where = fmt::format("{}, {}", row.where, row.file),
             .found = fmt::format("{} skin vertices", body.skin.mesh.points.rows()),
             .needs = fmt::format("{}, those of the template", vertices),
             .remedy = "give the --resolution that it was made with, or its template"});
    }
    const BodySummary summary = summarise(body);
    KnownPerson person;
    person.skin = body.skin.mesh.points;
    person.fat_kg = row.fat_kg.value_or(tissue_mass(body, summary, Tissue::Fat));
    person.muscle_kg = row.muscle_kg.value_or(tissue_mass(body, summary, Tissue::Muscle) +
                                              tissue_mass(body, summary, Tissue::Tendon));
    return person;
}

}  // namespace

TrainingSummary summary_of(const CompositionTraining& training) {
    return {.sex = std::string(name_of(training.model.sex)),
            .people = training.model.people,
            .refused = training.refused,
            .components = static_cast<int>(training.model.basis.cols()),
            .fat_error = training.test.fat_error_kg,
            .fat_r2 = training.test.fat_r2,
            .muscle_error = training.test.muscle_error_kg,
            .muscle_r2 = training.test.muscle_r2};
}

CompositionTraining train_composition_table(const FitJob& job, const std::filesystem::path& path,
                                            const Progress& progress) {
    if (job.sex == ScanSex::Auto) {
        throw InputError({.where = "--train",
                          .found = "no sex",
                          .needs = "--sex male or --sex female: each has regressors of its own",
                          .remedy = "run it once for men and once for women"});
    }
    const Sex sex = job.sex == ScanSex::Female ? Sex::Female : Sex::Male;
    const CsvTable table = read_csv(path);
    const std::string column = file_column(table);
    const std::vector<TableRow> rows = rows_of(table, column, std::string(name_of(sex)));
    FitTemplates templates(job);
    const Body& body = templates.of(sex, progress).body;
    CompositionTraining training;
    std::vector<KnownPerson> people;
    auto stage = progress.stage("people to train with", rows.size());
    for (const TableRow& row : rows) {
        if (column != "scan") {
            people.push_back(person_of_body(row, path.parent_path(), body.skin.mesh.points.rows()));
        } else {
            FitJob one = job;
            one.scan = (path.parent_path() / row.file).string();
            one.makes_body = false;
            try {
                people.push_back({.skin = fit_scan(one, templates, progress).skin.rest,
                                  .fat_kg = *row.fat_kg,
                                  .muscle_kg = *row.muscle_kg});
            } catch (const InputError& error) {
                progress.warn(fmt::format("{}: {}", row.where, error.what()));
                ++training.refused;
            }
        }
        stage.advance();
    }
    const std::vector<CompositionTape> tapes = composition_tapes(body);
    training.model = train_composition(body.skin.mesh, tapes, sex, people);
    training.test = test_composition(body.skin.mesh, tapes, sex, people);
    training.model.source =
        fmt::format("{} people of the table '{}'", people.size(), path.filename().string());
    return training;
}

}  // namespace sinew
