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

/// Reads a table with the columns scan, and where they are there sex, unit, up, landmarks,
/// weight_kg, body_fat, muscle_kg; the other settings are those of `common`. Paths are relative to
/// the table's folder.
/// @throws InputError  with the line, for unknown columns and values, and for names used twice
std::vector<FitRow> read_fit_list(const std::filesystem::path& path, const FitJob& common);

/// Which rows of a list one worker takes: row i where i % of == part.
struct BatchPart {
    std::size_t part = 0;
    std::size_t of = 1;  ///< > part
};
/// "2/4" is the second of four. @throws InputError
BatchPart batch_part(const std::string& text);

struct FitBatchRow {
    std::string name;
    std::string scan;
    /// "done"; "kept" (done by an earlier run); "refused" (no person, or bad settings); "failed"
    /// (an error that may pass: it is tried again); "waiting" (of another worker, not there yet)
    std::string status;
    std::string message = {};
    FitSummary summary = {};
};

/// Fits the scans of a list, one after the other. Results are `folder`/NAME.sinew (the person;
/// where the job makes bodies), NAME.ply (the skin on the scan) and NAME.json: the summary without
/// times, with a key of the scan's content, the job and the version. A result whose key is the same
/// is kept, so a run that was stopped goes on where it was; a scan that is refused or fails does
/// not stop the others. summary.csv has a line for each scan of the list.
///
/// Every file depends on its scan and settings alone. So workers that take parts of one list into
/// one folder, at the same time or not, on one machine or many, leave the same bytes as one.
/// @throws InputError  when the folder cannot be written; Cancelled
std::vector<FitBatchRow> fit_batch(const std::vector<FitRow>& rows,
                                   const std::filesystem::path& folder, BatchPart part = {},
                                   const Progress& progress = {});

}  // namespace sinew
