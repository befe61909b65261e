#pragma once

#include "sinew/io/mjcf.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// What `sinew info` says of a model: kind, counts, names, mass.
void describe_model(const std::string& file, const std::string& muscles,
                    nlohmann::ordered_json& result);
/// `sinew check` and `sinew convert` where the file is a musculoskeletal model.
int check_model(const std::string& file, const std::string& muscles, const Context& context,
                nlohmann::ordered_json& result);
/// @param motion  that a .glb plays; may be empty
/// @param up      of the world of a model written for MuJoCo
int convert_model(const std::string& from, const std::string& muscles, const std::string& to,
                  const std::string& motion, UpAxis up, const Context& context,
                  nlohmann::ordered_json& result);

}  // namespace sinew::cli
