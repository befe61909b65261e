#pragma once

#include "sinew/base/progress.h"
#include "sinew/build/body_builder.h"

#include <array>
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
    int people = 100;       ///< of each sex, drawn after ANSUR II, >= 0
    int people_fitted = 5;  ///< of each sex, whose skins are given as scans of unknown people
    BodyResolution resolution = BodyResolution::Preview;
    std::filesystem::path cache = {};
    /// Where results are kept: a bench that was stopped goes on where it was.
    std::filesystem::path folder;
};

/// A joint against the rig that made the scan, mm along the limb that ends there (away from the
/// trunk), forwards and outwards.
struct JointOffset {
    std::string joint;
    std::array<double, 3> offset_mm = {};

    double distance_mm() const;
};

/// One scan, by what `sinew fit --batch` writes of it.
struct FitBenchRow {
    std::string kind;  ///< "raw", "registered", "mhr"
    std::string name;
    std::string error = {};        ///< why it was refused; empty: it was fitted
    double mean_mm = 0.0;          ///< skin to scan
    double p95_mm = 0.0;           ///< skin to scan
    double noise_ratio = 0.0;      ///< raw: mean distance scan to skin over that to the truth
    double landmark_mm = 0.0;      ///< raw: mean distance of named points
    double volume_error = 0.0;     ///< raw, registered: relative
    bool is_sex_right = true;      ///< raw: it is found
    bool is_regressed = false;     ///< its fat was told by the regressors
    double fat_error_kg = 0.0;     ///< of the body, against what the skin told
    double muscle_error_kg = 0.0;  ///< where the skin told it
    double body_fat = 0.0;         ///< of the body
    double navy_body_fat = 0.0;    ///< by the formula
    int crossings = 0;             ///< of layers, and bones outside of the skin, by over 1 mm
    int inverted_tets = 0;
    int skin_crossings = 0;                                         ///< pairs of triangles
    std::vector<std::pair<std::string, double>> girth_errors = {};  ///< raw, registered: relative
    /// Knees, elbows, ankles and wrists: raw, registered.
    std::vector<JointOffset> joints = {};
};

/// Somebody of ANSUR II's means and covariances, made by growth, and what the skin tells of them.
struct DrawnPersonRow {
    bool is_woman = false;
    double bmi = 0.0;                   ///< kg/m^2
    double body_fat = 0.0;              ///< of the body
    double regressed_body_fat = 0.0;    ///< of the skin
    double navy_body_fat = 0.0;         ///< of the skin's girths
    double fat_error_kg = 0.0;          ///< of the regressors
    double muscle_error_kg = 0.0;       ///< of the regressors
    std::optional<double> fitted = {};  ///< body fat of the body that `sinew fit` made of the skin
};

struct FitBench {
    std::vector<FitBenchRow> rows = {};
    std::vector<DrawnPersonRow> people = {};
    int made = 0;        ///< scans that were not there yet
    double cpu_s = 0.0;  ///< of each of them
    /// Of one scan more: wall time per stage, and processor time of everything.
    std::vector<std::pair<std::string, double>> stages = {};
    double stages_cpu_s = 0.0;
};

/// Fits scans of the folder with everything found, raw scans' sex too, and people whose skins are
/// those of `sinew people`.
/// @throws InputError  when the folder does not hold what its README says; Cancelled
FitBench run_fit_bench(const FitBenchOptions& options, const Progress& progress = {});

}  // namespace sinew::bench
