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
/// How `sinew convert` is to treat a model.
struct ModelConversion {
    std::string muscles = {};
    std::string motion = {};    ///< that a .glb plays; may be empty
    UpAxis up = UpAxis::Z;      ///< of the world of a model written for MuJoCo
    std::string geometry = {};  ///< another folder with meshes of bones
    bool meshes = true;         ///< of bones are looked for, shown and written
};
int convert_model(const std::string& from, const std::string& to, const ModelConversion& settings,
                  const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
