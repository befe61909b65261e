#include "bench/trial_doctor.h"

#include "sinew/base/error.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/model_doctor.h"

#include <algorithm>
#include <set>

#include "tests/support/model_faults.h"

namespace sinew::bench {

namespace {

std::set<std::string> errors_of(const MusculoskeletalModel& model, int* remarks = nullptr) {
    std::set<std::string> out;
    for (const ModelFinding& f : examine_model(model)) {
        if (f.is_error) {
            out.insert(f.where + ": " + f.what);
        } else if (remarks != nullptr) {
            ++*remarks;
        }
    }
    return out;
}

// Whether a new error names the part in its place, not only in passing.
bool is_found(const std::set<std::string>& errors, const std::set<std::string>& before,
              const std::string& part) {
    return std::any_of(errors.begin(), errors.end(), [&](const std::string& e) {
        const std::string where = e.substr(0, e.find(": "));
        return before.count(e) == 0 && (where.find("'" + part + "'") != std::string::npos ||
                                        (part == "gravity" && where.ends_with("gravity")));
    });
}

MusculoskeletalModel read_any(const std::filesystem::path& file) {
    return file.extension() == ".xml" && !is_model_file(file) ? read_mjcf(file) : read_model(file);
}

}  // namespace

double DoctorTrial::found_share() const {
    double planted = 0.0;
    double found = 0.0;
    for (const DoctorRow& row : rows) {
        planted += row.planted;
        found += row.found;
    }
    return planted > 0.0 ? found / planted : 0.0;
}

double DoctorTrial::false_share() const {
    const auto ill =
        std::count_if(rows.begin(), rows.end(), [](const DoctorRow& r) { return r.errors > 0; });
    return rows.empty() ? 0.0 : static_cast<double>(ill) / static_cast<double>(rows.size());
}

DoctorRow try_doctor(const std::string& name, const MusculoskeletalModel& model,
                     std::size_t every) {
    DoctorRow row{.model = name};
    const std::set<std::string> before = errors_of(model, &row.remarks);
    row.errors = static_cast<int>(before.size());
    if (every == 0) {
        return row;
    }
    for (const support::FaultyModel& faulty : support::plant_faults(model, every)) {
        ++row.planted;
        bool found = false;
        try {
            found = is_found(errors_of(faulty.model), before, faulty.part);
        } catch (const InputError& e) {
            found = std::string(e.what()).find(faulty.part) != std::string::npos;
        }
        row.found += found ? 1 : 0;
        if (!found) {
            row.missed.push_back(faulty.fault + ": " + faulty.part);
        }
    }
    return row;
}

DoctorTrial run_doctor_trial(const std::filesystem::path& data, std::size_t every,
                             const Progress& progress) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
        const std::filesystem::path& p = entry.path();
        const bool is_part = p.string().find("assets") != std::string::npos ||
                             p.string().find("scene") != std::string::npos ||
                             p.string().find("muscle284") != std::string::npos;
        if (p.extension() == ".osim" ||
            (p.extension() == ".xml" && !is_part && !p.filename().string().starts_with("walk_") &&
             (p.string().find("myo_sim") != std::string::npos || is_model_file(p)))) {
            files.push_back(p);
        }
    }
    std::sort(files.begin(), files.end());
    DoctorTrial trial;
    Progress::Stage stage = progress.stage("doctor", files.size());
    for (const std::filesystem::path& file : files) {
        stage.advance();
        try {
            const MusculoskeletalModel model = read_any(file);
            if (!model.muscles.empty()) {
                trial.rows.push_back(try_doctor(file.filename().string(), model, every));
            }
        } catch (const InputError& e) {
            trial.unread.push_back(file.filename().string() + ": " + e.what());
        }
    }
    return trial;
}

}  // namespace sinew::bench
