#pragma once

#include "sinew/pipeline/retarget_job.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace sinew::cli {

/// What --exam, --poses and --skills add to the result of `sinew retarget` (exam_results.h).
nlohmann::ordered_json exam_json(const ExamFit& exam);
nlohmann::ordered_json pose_lengths_json(const RetargetOutcome& done);
nlohmann::ordered_json skills_json(const std::vector<SkillOutcome>& skills);

/// The same for people.
void tell_exam(const ExamFit& exam);
void tell_pose_lengths(const RetargetOutcome& done);
void tell_skills(const std::vector<SkillOutcome>& skills);

/// Missed over wanted accelerations of all skills, one after another.
void plot_skills(const std::string& file, const std::vector<SkillOutcome>& skills,
                 const std::string& title);

}  // namespace sinew::cli
