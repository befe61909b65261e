#pragma once

#include "sinew/pipeline/report_page.h"
#include "sinew/pipeline/retarget_job.h"

#include <filesystem>

namespace sinew {

/// What a retargeting kept, to look at, as [Ryu2021] has it: length-angle curves (Fig. 14), moment
/// arms (Fig. 18) and joint torques with their peaks of the reference, the naive and the retargeted
/// model, where they differ most; directions of forces (Fig. 16); poses by joint whose validity
/// changes (Fig. 12); functional disorders (Fig. 15) and the doctor's findings as tables; a body
/// before and after where there is flesh.
/// @param before  the body that the model is of; null without
ReportPage retarget_report(const RetargetOutcome& done, const Body* before = nullptr);

}  // namespace sinew
