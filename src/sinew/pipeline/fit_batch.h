#pragma once

#include "sinew/pipeline/fit_scan.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// One line of a list of scans.
struct FitRow {
    std::string name;  ///< of the results: the scan's file name without its ending
    FitJob job;
};

/// Reads a table with the columns scan, and where they are there sex, unit, up, landmarks; the
/// other settings are those of `common`. Paths are relative to the table's folder.
/// @throws InputError  with the line, for unknown columns and values, and for names used twice
std::vector<FitRow> read_fit_list(const std::filesystem::path& path, const FitJob& common);

struct FitBatchRow {
    std::string name;
    std::string scan;
    std::string status;  ///< "done", "kept" (was there already), "refused"
    std::string message = {};
    FitSummary summary = {};
};

/// Fits every scan of a list, one after the other. Results are `folder`/NAME.ply (the skin) and
/// NAME.json (the summary, with a key of the scan's content, the job and the program). A result
/// whose key is the same is kept, so a run that was stopped goes on where it was; a scan that is
/// refused does not stop the others. summary.csv has a line for each.
/// @throws InputError  when the folder cannot be written; Cancelled
std::vector<FitBatchRow> fit_batch(const std::vector<FitRow>& rows,
                                   const std::filesystem::path& folder,
                                   const Progress& progress = {});

}  // namespace sinew
