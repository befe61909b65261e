#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace sinew::cli {

/// Whether a file is one of a measured trial: .mot, .sto, .trc or .c3d.
bool is_trial_file(const std::string& file);

/// What such a file holds: times, columns or markers, force plates.
void describe_trial_file(const std::string& file, nlohmann::ordered_json& result);

}  // namespace sinew::cli
