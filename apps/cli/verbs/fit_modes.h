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

}  // namespace sinew::cli
