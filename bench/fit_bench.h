#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sinew::bench {

struct FitBenchOptions {
    std::filesystem::path data;  ///< folder with raw/, registered/, mhr/ (its README)
    int raw = 12;                ///< how many scans of each kind, >= 0
    int registered = 60;
    bool with_mhr = true;
    bool with_landmarks = false;  ///< give them, instead of finding everything
};

/// One scan.
struct FitBenchRow {
    std::string name;
    std::string error = {};     ///< why it was refused; empty: it was fitted
    double cpu_s = 0.0;         ///< processor time of the registration
    double mean_mm = 0.0;       ///< skin to scan
    double p95_mm = 0.0;        ///< skin to scan
    double noise_ratio = 0.0;   ///< raw: mean distance scan to skin over that to the true surface
    double landmark_mm = 0.0;   ///< raw: mean distance of named points
    double volume_error = 0.0;  ///< raw, registered: relative
    std::vector<std::pair<std::string, double>> girth_errors = {};  ///< raw: relative
};

/// Registers scans of the folder, men to one body and women to the other.
/// @throws InputError  when the folder does not hold what its README says; Cancelled
std::vector<FitBenchRow> run_fit_bench(const Body& man, const Body& woman,
                                       const FitBenchOptions& options,
                                       const Progress& progress = {});

}  // namespace sinew::bench
