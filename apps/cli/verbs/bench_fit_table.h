#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace sinew::cli {

/// The tables of docs/fit.md from what `sinew bench fit --json` says.
std::string fit_bench_tables(const nlohmann::ordered_json& result);

}  // namespace sinew::cli
