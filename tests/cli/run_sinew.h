#pragma once

#include <nlohmann/json.hpp>

#include <functional>
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

/// The same, interrupted (SIGINT) as soon as `is_time` says so.
/// `seconds_to_end` is how long it went on after that.
Outcome run_sinew_interrupted(const std::vector<std::string>& arguments,
                              const std::function<bool()>& is_time, double& seconds_to_end);

}  // namespace sinew::support
