#pragma once

#include "sinew/pipeline/fit_scan.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew fit --average`: the mean of bodies of one template.
int run_fit_average(const std::vector<std::string>& files, const std::string& output,
                    const Context& context, nlohmann::ordered_json& result);

/// `sinew fit --train`: regressors of masses from a table of people.
int run_fit_training(const FitJob& job, const std::string& table, const std::string& output,
                     const Context& context, nlohmann::ordered_json& result);

/// `sinew fit SCAN --pose-only PERSON.sinew`: the pose of a known person.
/// @param output, pose  files to write the posed skin and the angles to; empty: none
int run_fit_pose(const FitJob& job, const std::string& output, const std::string& pose,
                 const Context& context, nlohmann::ordered_json& result);

/// `--pose-out`: angles of joints against the rest pose, degrees.
void write_pose(const std::string& path, const FitSummary& summary);

}  // namespace sinew::cli
