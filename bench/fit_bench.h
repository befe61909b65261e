#pragma once

#include "sinew/base/progress.h"
#include "sinew/build/body_builder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew::bench {

struct FitBenchOptions {
    std::filesystem::path data;  ///< folder with raw/, registered/, mhr/ (its README)
    int raw = 12;                ///< how many scans of each kind, >= 0
    int registered = 60;
    bool with_mhr = true;
    bool with_bodies = true;  ///< the anatomy inside too
    BodyResolution resolution = BodyResolution::Standard;
    std::filesystem::path cache = {};
};

/// One scan, by what `sinew fit` makes of it.
struct FitBenchRow {
    std::string name;
    std::string error = {};     ///< why it was refused; empty: it was fitted
    double cpu_s = 0.0;         ///< processor time of everything
    double mean_mm = 0.0;       ///< skin to scan
    double p95_mm = 0.0;        ///< skin to scan
    double noise_ratio = 0.0;   ///< raw: mean distance scan to skin over that to the true surface
    double landmark_mm = 0.0;   ///< raw: mean distance of named points
    double volume_error = 0.0;  ///< raw, registered: relative
    std::vector<std::pair<std::string, double>> girth_errors = {};  ///< raw, registered: relative
    /// Knees, elbows, ankles and wrists against the rig that made the scan.
    std::vector<std::pair<std::string, double>> joint_mm = {};
    // Of the body, where one was made.
    std::optional<int> crossings = {};  ///< of layers, and bones outside of the skin, by over 1 mm
    std::optional<int> inverted_tets = {};
    std::optional<double> fat_error_kg = {};     ///< against what the skin told
    std::optional<double> muscle_error_kg = {};  ///< where the skin told it
    std::optional<double> body_fat = {};
    std::optional<double> navy_body_fat = {};
};

/// Fits scans of the folder with everything found but the sex.
/// @throws InputError  when the folder does not hold what its README says; Cancelled
std::vector<FitBenchRow> run_fit_bench(const FitBenchOptions& options,
                                       const Progress& progress = {});

}  // namespace sinew::bench
