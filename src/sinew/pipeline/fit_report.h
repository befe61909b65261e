#pragma once

#include "sinew/base/progress.h"
#include "sinew/pipeline/fit_scan.h"
#include "sinew/pipeline/report_page.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// What there is to see of a fitted scan: scan, skin, distance map; with a body also its muscles,
/// bones and tissues cut open.
std::vector<SheetPicture> fit_pictures(const FitJob& job, const FittedScan& fitted,
                                       const Progress& progress = {});

/// What there is to read: the person, masses with the percentile of body fat [Kyle2001], published
/// formulas, girths, bones, distances, confidence, notes.
std::vector<ReportTable> fit_tables(const FitSummary& summary);

/// Both, titled with the scan's name.
ReportPage fit_report_page(const FitSummary& summary, std::vector<SheetPicture> pictures);

/// Writes the report in the format of the file's ending, .html or .png. @throws InputError
void write_fit_report(const std::filesystem::path& path, const FitJob& job,
                      const FittedScan& fitted, const FitSummary& summary,
                      const Progress& progress = {});

}  // namespace sinew
