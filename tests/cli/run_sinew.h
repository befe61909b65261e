#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace sinew::support {

struct Outcome {
    int code = -1;  ///< exit code; 128 + signal when it was killed
    std::string out;
    std::string err;

    nlohmann::json json() const {
        return nlohmann::json::parse(out);
    }
};

/// Runs the built `sinew` with these arguments.
Outcome run_sinew(const std::vector<std::string>& arguments);

/// The same with this descriptor as standard output, which is not read; -1: closed.
Outcome run_sinew_into(int descriptor, const std::vector<std::string>& arguments);

}  // namespace sinew::support
