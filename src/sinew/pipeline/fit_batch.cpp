#include "sinew/pipeline/fit_batch.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/version.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace sinew {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    const std::size_t end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

template <class Enum>
Enum choice(const std::string& word, const std::vector<std::string>& names,
            const std::string& where) {
    const auto it = std::find(names.begin(), names.end(), word);
    if (it == names.end()) {
        throw InputError({.where = where,
                          .found = fmt::format("'{}'{}", word, did_you_mean(word, names)),
                          .needs = fmt::format("one of: {}", join(names, ", ")),
                          .remedy = "correct the value, or leave it empty"});
    }
    return static_cast<Enum>(it - names.begin());
}

void set_cell(const std::string& column, const std::string& word, const fs::path& folder,
              const std::string& where, FitJob& job) {
    if (word.empty()) {
        return;
    }
    if (column == "scan") {
        job.scan = (folder / word).string();
    } else if (column == "landmarks") {
        job.landmarks = (folder / word).string();
    } else if (column == "sex") {
        job.sex = choice<ScanSex>(word, {"auto", "male", "female"}, where);
    } else if (column == "unit") {
        job.unit = choice<ScanUnit>(word, {"auto", "m", "cm", "mm", "in"}, where);
    } else {
        job.up = choice<ScanUp>(word, {"auto", "y", "z"}, where);
    }
}

// What a result depends on.
std::string key_of(const FitJob& job) {
    std::string text = fmt::format("{} {} {} {} {} ", version(), static_cast<int>(job.resolution),
                                   static_cast<int>(job.sex), static_cast<int>(job.unit),
                                   static_cast<int>(job.up));
    for (const std::string& file : {job.scan, job.landmarks, job.template_body}) {
        text += file.empty() ? "- " : file_hash_text(file) + " ";
    }
    return content_hash_text(text);
}

bool has_key(const fs::path& path, const std::string& key) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        return false;
    }
    const Json old = Json::parse(read_file_bytes(path), nullptr, false);
    return old.is_object() && old.contains("key") && old["key"] == key;
}

// What the table needs of a summary that was written before.
FitSummary kept_summary(const fs::path& path) {
    const Json old = Json::parse(read_file_bytes(path));
    FitSummary s;
    s.sex = old.value("sex", "");
    s.stature = old.value("stature_m", 0.0);
    s.volume = old.value("volume_l", 0.0);
    s.seen = old.value("seen", 0.0);
    if (old.contains("distance_mm")) {
        s.distance.mean = old["distance_mm"].value("mean", 0.0);
        s.distance.p95 = old["distance_mm"].value("p95", 0.0);
    }
    return s;
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
    }
    return quoted + "\"";
}

std::string table_of(const std::vector<FitBatchRow>& rows) {
    std::string text = "name,status,sex,stature_m,volume_l,mean_mm,p95_mm,seen,message\n";
    for (const FitBatchRow& row : rows) {
        const FitSummary& s = row.summary;
        if (row.status == "refused") {
            text += fmt::format("{},refused,,,,,,,{}\n", csv_cell(row.name), csv_cell(row.message));
        } else {
            text +=
                fmt::format("{},done,{},{:.4f},{:.3f},{:.3f},{:.3f},{:.4f},\n", csv_cell(row.name),
                            s.sex, s.stature, s.volume, s.distance.mean, s.distance.p95, s.seen);
        }
    }
    return text;
}

}  // namespace

std::vector<FitRow> read_fit_list(const fs::path& path, const FitJob& common) {
    const std::string file = path.filename().string();
    const std::vector<std::string> known = {"scan", "sex", "unit", "up", "landmarks"};
    std::vector<std::string> columns;
    std::vector<FitRow> rows;
    std::set<std::string> names;
    const std::vector<std::string> lines = split(read_file_bytes(path), '\n');
    for (std::size_t n = 0; n < lines.size(); ++n) {
        const std::string line = trimmed(lines[n]);
        const std::string where = fmt::format("{}, line {}", file, n + 1);
        if (line.empty() || line[0] == '#') {
            continue;
        }
        const std::vector<std::string> cells = split(line, ',');
        if (columns.empty()) {
            for (const std::string& cell : cells) {
                columns.push_back(trimmed(cell));
                static_cast<void>(choice<int>(columns.back(), known, where));
            }
            continue;
        }
        FitRow row{.name = {}, .job = common};
        row.job.scan.clear();
        for (std::size_t c = 0; c < std::min(cells.size(), columns.size()); ++c) {
            set_cell(columns[c], trimmed(cells[c]), path.parent_path(), where, row.job);
        }
        if (cells.size() > columns.size() || row.job.scan.empty()) {
            throw InputError({.where = where,
                              .found = fmt::format("{} cells{}", cells.size(),
                                                   row.job.scan.empty() ? " and no scan" : ""),
                              .needs = fmt::format("{} cells with a scan", columns.size()),
                              .remedy = "begin the list with a line such as 'scan,sex'"});
        }
        row.name = fs::path(row.job.scan).stem().string();
        if (!names.insert(row.name).second) {
            throw InputError({.where = where,
                              .found = fmt::format("a second scan named '{}'", row.name),
                              .needs = "file names that differ: results are named after them",
                              .remedy = "rename one of the files"});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<FitBatchRow> fit_batch(const std::vector<FitRow>& rows, const fs::path& folder,
                                   const Progress& progress) {
    std::vector<FitBatchRow> results;
    for (const FitRow& row : rows) {
        FitBatchRow result{.name = row.name, .scan = row.job.scan, .status = "done"};
        const fs::path summary_file = folder / (row.name + ".json");
        const fs::path skin_file = folder / (row.name + ".ply");
        try {
            const std::string key = key_of(row.job);
            if (has_key(summary_file, key) && fs::exists(skin_file)) {
                result.status = "kept";
                result.summary = kept_summary(summary_file);
            } else {
                const FittedScan fitted = fit_scan(row.job, progress);
                result.summary = summary_of(fitted);
                result.summary.input = row.job.scan;
                result.summary.output = skin_file.string();
                write_surface(skin_file, std::vector<MeshPart>{skin_part(fitted)});
                Json document;
                document["key"] = key;
                add_fields(result.summary, document);
                write_file_bytes(summary_file, document.dump(1) + "\n");
            }
        } catch (const InputError& error) {
            result.status = "refused";
            result.message = error.what();
            progress.warn(fmt::format("{}: {}", row.name, error.what()));
        }
        results.push_back(std::move(result));
        write_file_bytes(folder / "summary.csv", table_of(results));
    }
    return results;
}

}  // namespace sinew
