#include "sinew/pipeline/fit_batch.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/version.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/csv_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

// Many scans. A result has a key of the scan's content, the job and the version, and its summary is
// written last: what has a summary is whole. Workers may share a list by parts; the table at the
// end is the same whoever made the rows.

namespace sinew {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

template <class Enum>
void set_choice(const std::string& word, const std::vector<std::string>& names,
                const std::string& where, Enum& value) {
    if (word.empty()) {
        return;
    }
    const auto it = std::find(names.begin(), names.end(), word);
    if (it == names.end()) {
        throw InputError({.where = where,
                          .found = fmt::format("'{}'{}", word, did_you_mean(word, names)),
                          .needs = fmt::format("one of: {}", join(names, ", ")),
                          .remedy = "correct the value, or leave it empty"});
    }
    value = static_cast<Enum>(it - names.begin());
}

void set_number(const std::string& word, const char* column, const std::string& where,
                std::optional<double>& value) {
    if (word.empty()) {
        return;
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) {
        throw InputError({.where = fmt::format("{}, column {}", where, column),
                          .found = fmt::format("'{}'", word),
                          .needs = "a number with a decimal point",
                          .remedy = "correct the value, or leave it empty"});
    }
    value = number;
}

FitJob job_of(const CsvTable& table, const CsvTable::Row& row, const fs::path& folder,
              const FitJob& common) {
    const std::string where = table.where(row);
    const auto path = [&](const char* column) {
        const std::string& cell = table.cell(row, column);
        return cell.empty() ? std::string() : (folder / cell).string();
    };
    FitJob job = common;
    job.scan = path("scan");
    job.landmarks = path("landmarks");
    set_choice(table.cell(row, "sex"), {"auto", "male", "female"}, where, job.sex);
    set_choice(table.cell(row, "unit"), {"auto", "m", "cm", "mm", "in"}, where, job.unit);
    set_choice(table.cell(row, "up"), {"auto", "y", "z"}, where, job.up);
    set_number(table.cell(row, "weight_kg"), "weight_kg", where, job.weight);
    set_number(table.cell(row, "body_fat"), "body_fat", where, job.body_fat);
    set_number(table.cell(row, "muscle_kg"), "muscle_kg", where, job.muscle);
    check_ranges(job, where);
    return job;
}

// What a result depends on.
std::string key_of(const FitJob& job) {
    const auto number = [](const std::optional<double>& value) {
        return value ? fmt::format("{}", *value) : std::string("-");
    };
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} ", version(), static_cast<int>(job.resolution),
                    static_cast<int>(job.sex), static_cast<int>(job.unit), static_cast<int>(job.up),
                    job.makes_body ? "body" : "skin", number(job.weight), number(job.body_fat),
                    number(job.muscle));
    for (const std::string& file : {job.scan, job.landmarks, job.template_body, job.composition}) {
        text += file.empty() ? "- " : file_hash_text(file) + " ";
    }
    return content_hash_text(text);
}

// Names of the files of one scan.
struct ResultFiles {
    fs::path summary, skin, body;

    ResultFiles(const fs::path& folder, const std::string& name)
        : summary(folder / (name + ".json")),
          skin(folder / (name + ".ply")),
          body(folder / (name + ".sinew")) {}

    void remove_all() const {
        std::error_code ignored;
        for (const fs::path& file : {summary, skin, body}) {
            fs::remove(file, ignored);
        }
    }
};

// What the table needs of a summary that was written before.
FitSummary kept_summary(const Json& old) {
    FitSummary s;
    s.sex = old.value("sex", "");
    s.stature = old.value("stature_m", 0.0);
    s.volume = old.value("volume_l", 0.0);
    s.seen = old.value("seen", 0.0);
    if (old.contains("distance_mm")) {
        s.distance.mean = old["distance_mm"].value("mean", 0.0);
        s.distance.p95 = old["distance_mm"].value("p95", 0.0);
    }
    const auto take = [&](const char* name, auto& value) {
        if (old.contains(name)) {
            value = old[name].get<typename std::remove_reference_t<decltype(value)>::value_type>();
        }
    };
    take("mass_kg", s.mass);
    take("fat_kg", s.fat);
    take("muscle_kg", s.muscle);
    take("inverted_tets", s.inverted_tets);
    take("crossings", s.crossings);
    return s;
}

// Takes a result of an earlier run, or of another worker.
bool find_result(const ResultFiles& files, const std::string& key, bool makes_body,
                 FitBatchRow& row) {
    std::error_code error;
    if (!fs::is_regular_file(files.summary, error)) {
        return false;
    }
    try {
        const Json old = Json::parse(read_file_bytes(files.summary));
        if (old.value("key", "") != key) {
            return false;
        }
        row.message = old.value("refused", "");
        if (!row.message.empty()) {
            row.status = "refused";
            return true;
        }
        if (!fs::exists(files.skin) || (makes_body && !fs::exists(files.body))) {
            return false;
        }
        row.status = "kept";
        row.summary = kept_summary(old);
        return true;
    } catch (const Json::exception&) {
        return false;  // half a file, or another's
    }
}

std::string table_of(const std::vector<FitBatchRow>& rows) {
    std::string text =
        "name,status,sex,stature_m,volume_l,mass_kg,fat_kg,muscle_kg,body_fat,mean_mm,p95_mm,seen,"
        "inverted_tets,crossings,message\n";
    const auto optional = [](const auto& value, const char* form) {
        return value ? fmt::format(fmt::runtime(form), *value) : std::string();
    };
    for (const FitBatchRow& row : rows) {
        const FitSummary& s = row.summary;
        const bool is_done = row.status == "done" || row.status == "kept";
        text += fmt::format("{},{},", csv_cell(row.name), is_done ? "done" : row.status);
        if (!is_done) {
            text += fmt::format(",,,,,,,,,,,,{}\n", csv_cell(row.message));
            continue;
        }
        const std::string body_fat = s.mass && s.fat ? fmt::format("{:.4f}", *s.fat / *s.mass) : "";
        text +=
            fmt::format("{},{:.4f},{:.3f},{},{},{},{},{:.3f},{:.3f},{:.4f},{},{},\n", s.sex,
                        s.stature, s.volume, optional(s.mass, "{:.3f}"), optional(s.fat, "{:.3f}"),
                        optional(s.muscle, "{:.3f}"), body_fat, s.distance.mean, s.distance.p95,
                        s.seen, optional(s.inverted_tets, "{}"), optional(s.crossings, "{}"));
    }
    return text;
}

// Writes the files of a scan, the summary with its key last: what has it is whole.
void write_result(const FitRow& row, const std::string& key, const ResultFiles& files,
                  FittedScan& fitted, FitBatchRow& result) {
    result.summary = summary_of(fitted);
    result.summary.input = fs::path(row.job.scan).filename().string();
    result.summary.output = (fitted.person ? files.body : files.skin).filename().string();
    write_surface(files.skin, std::vector<MeshPart>{skin_part(fitted)});
    if (fitted.person) {
        write_person(files.body, fitted, row.job.scan);  // by no worker's own command
    }
    Json document;
    document["key"] = key;
    add_fields(result.summary, document);
    document.erase("seconds");
    document.erase("stage_seconds");
    write_file_bytes(files.summary, document.dump(1) + "\n");
    result.status = "done";
}

// Fits one scan; what is wrong with it is its own matter.
void fit_row(const FitRow& row, const std::string& key, const ResultFiles& files,
             FitTemplates& templates, FitBatchRow& result, const Progress& progress) {
    FittedScan fitted;
    files.remove_all();
    if (row.job.sex != ScanSex::Female) {
        templates.of(Sex::Male, progress);  // what fails here is not the scan's fault
    }
    if (row.job.sex == ScanSex::Female ||
        (row.job.sex == ScanSex::Auto && row.job.template_body.empty())) {
        templates.of(Sex::Female, progress);
    }
    try {
        fitted = fit_scan(row.job, templates, progress);
    } catch (const InputError& error) {
        result.status = "refused";
        result.message = error.what();
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        result.status = "failed";
        result.message = error.what();
    }
    if (result.message.empty()) {
        write_result(row, key, files, fitted, result);
        return;
    }
    progress.warn(fmt::format("{}: {}", result.name, result.message));
    if (result.status == "refused") {
        const Json document = {{"key", key}, {"refused", result.message}};
        write_file_bytes(files.summary, document.dump(1) + "\n");
    }
}

}  // namespace

BatchPart batch_part(const std::string& text) {
    const std::vector<std::string> words = split(text, '/');
    std::array<std::size_t, 2> numbers = {0, 0};
    bool is_good = words.size() == 2;
    for (std::size_t k = 0; is_good && k < 2; ++k) {
        const char* end = words[k].data() + words[k].size();
        const auto read = std::from_chars(words[k].data(), end, numbers[k]);
        is_good = read.ec == std::errc() && read.ptr == end;
    }
    if (!is_good || numbers[0] < 1 || numbers[0] > numbers[1]) {
        throw InputError({.where = "--part",
                          .found = fmt::format("'{}'", text),
                          .needs = "K/N with K from 1 to N",
                          .remedy = "give each of N workers another K, as 1/4, 2/4, 3/4, 4/4"});
    }
    return {.part = numbers[0] - 1, .of = numbers[1]};
}

std::vector<FitRow> read_fit_list(const fs::path& path, const FitJob& common) {
    const CsvTable table = read_csv(path);
    const std::vector<std::string> known = {"scan",      "sex",       "unit",     "up",
                                            "landmarks", "weight_kg", "body_fat", "muscle_kg"};
    require_columns(table, known);
    std::vector<FitRow> rows;
    std::set<std::string> names;
    for (const CsvTable::Row& line : table.rows) {
        FitRow row{.name = {}, .job = job_of(table, line, path.parent_path(), common)};
        if (row.job.scan.empty()) {
            throw InputError({.where = table.where(line),
                              .found = "no scan",
                              .needs = "the file of a scan in the column 'scan'",
                              .remedy = "begin the list with a line such as 'scan,sex'"});
        }
        row.name = fs::path(row.job.scan).stem().string();
        if (!names.insert(row.name).second) {
            throw InputError({.where = table.where(line),
                              .found = fmt::format("a second scan named '{}'", row.name),
                              .needs = "file names that differ: results are named after them",
                              .remedy = "rename one of the files"});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<FitBatchRow> fit_batch(const std::vector<FitRow>& rows, const fs::path& folder,
                                   BatchPart part, const Progress& progress) {
    std::vector<FitBatchRow> results(rows.size());
    std::vector<std::string> keys(rows.size());
    const auto find_others = [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (results[i].status == "waiting" && !keys[i].empty()) {
                find_result({folder, rows[i].name}, keys[i], rows[i].job.makes_body, results[i]);
            }
        }
        write_file_bytes(folder / "summary.csv", table_of(results));
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        results[i] = {.name = rows[i].name, .scan = rows[i].job.scan, .status = "waiting"};
        try {
            keys[i] = key_of(rows[i].job);
        } catch (const InputError& error) {
            results[i].status = "refused";
            results[i].message = error.what();
            progress.warn(fmt::format("{}: {}", rows[i].name, error.what()));
        }
    }
    find_others();
    std::optional<FitTemplates> templates;
    for (std::size_t i = part.part; i < rows.size(); i += part.of) {
        FitBatchRow& result = results[i];
        if (result.status != "waiting") {
            continue;
        }
        if (!templates) {
            templates.emplace(rows[i].job);  // the template is that of all rows
        }
        fit_row(rows[i], keys[i], {folder, rows[i].name}, *templates, result, progress);
        find_others();
    }
    return results;
}

}  // namespace sinew
