#pragma once

#include "sinew/io/read_options.h"

#include <string>
#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// --unit and --up, as every verb that reads a mesh offers them.
struct FileOptions {
    std::string unit = "m";
    std::string up = "y";

    void add_to(std::vector<Option>& options) {
        options.push_back({.name = "--unit",
                           .help = "unit of files that do not say theirs",
                           .target = &unit,
                           .choices = {"m", "cm", "mm"}});
        options.push_back({.name = "--up",
                           .help = "axis that points up in files that do not say",
                           .target = &up,
                           .choices = {"y", "z"}});
    }

    ReadOptions read_options() const {
        return {.unit = unit_from_name(unit), .up = up_axis_from_name(up)};
    }
};

}  // namespace sinew::cli
